"""What a person's function may be for. A role is a function of the model, and its arguments are that function's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attention_lab.check import inputs, network_inputs
from attention_lab.check.inputs import Arguments, Parts, Probe, Rng
from attention_lab.check.names import (
    ATTEND,
    HEADS,
    HIDDEN,
    IDS,
    LAYER,
    LENGTH,
    MASK,
    NETWORK,
    NORM,
    PAD,
    PROJECT,
    PROJECTION_BIASES,
    QUERY,
    SCORES,
    SOURCE,
    TOKENS,
    WEIGHTS,
    Names,
    plain,
)


@dataclass(frozen=True, eq=False)  # there is one of each, and it can be the key of a dictionary
class Role:
    """One function of the model that others have written, too.

    `names` is what they call it; `parameters` what they call its arguments, of which `optional` may be left out.
    `tokens` are the arguments whose last two axes are tokens and features. `parts` is what comes back, in order.
    """

    name: str
    names: Names
    parameters: dict[str, Names]
    probes: Callable[[Rng], tuple[Probe, ...]]
    optional: frozenset[str] = frozenset()
    tokens: frozenset[str] = frozenset()
    parts: Names = ("output",)
    makes_mask: bool = False
    sum_up: Callable[[Arguments, Parts], Parts] | None = None  # what is compared where outcomes are random

    @property
    def needed(self) -> Names:
        """The arguments without which it cannot be called."""
        return tuple(name for name in self.parameters if name not in self.optional)


ROLES = (
    Role(
        "softmax",
        ("softmax", "softmax_rows", "row_softmax", "stable_softmax", "softmax_np"),
        {"logits": SCORES},
        inputs.softmax_probes,
    ),
    Role(
        "attention",
        (
            "attention",
            "scaled_dot_product_attention",
            "scale_dot_product_attention",
            "sdpa",
            "attn",
            "dot_product_attention",
            "self_attention",
            "attend",
        ),
        {**ATTEND, "mask": MASK},
        inputs.attention_probes,
        optional=frozenset({"mask"}),
        tokens=frozenset(ATTEND),
        parts=("output", "weights"),
    ),
    Role(
        "causal_mask",
        (
            "causal_mask",
            "subsequent_mask",
            "look_ahead_mask",
            "create_causal_mask",
            "make_causal_mask",
            "autoregressive_mask",
            "future_mask",
            "create_look_ahead_mask",
            "generate_square_subsequent_mask",
            "triangular_mask",
        ),
        {"Tq": LENGTH, "Tk": ("Tk", "keys", "n_keys", "key_len", "k_len", "total", "s", "m", "cols")},
        inputs.causal_probes,
        optional=frozenset({"Tk"}),
        makes_mask=True,
    ),
    Role(
        "padding_mask",
        ("padding_mask", "pad_mask", "create_padding_mask", "make_pad_mask", "get_pad_mask", "make_padding_mask"),
        {"ids": IDS, "pad": PAD},
        inputs.padding_probes,
        optional=frozenset({"pad"}),
        makes_mask=True,
    ),
    Role(
        "decoder_mask",
        ("decoder_mask", "target_mask", "tgt_mask", "make_tgt_mask", "make_std_mask", "create_masks", "combined_mask"),
        {"ids": IDS, "pad": PAD},
        inputs.padding_probes,
        optional=frozenset({"pad"}),
        makes_mask=True,
    ),
    Role(
        "sinusoidal_positions",
        (
            "sinusoidal_positions",
            "positional_encoding",
            "position_encoding",
            "sinusoidal_encoding",
            "get_positional_encoding",
            "pos_enc",
            "sinusoidal_positional_encoding",
            "positional_embedding",
            "sinusoids",
        ),
        {
            "T": (*LENGTH, "max_len", "positions", "num_positions", "n_positions"),
            "d_model": (
                "d_model",
                "d",
                "dim",
                "embed_dim",
                "depth",
                "dmodel",
                "hidden",
                "channels",
                "features",
                "D",
                "width",
            ),
        },
        inputs.position_probes,
    ),
    Role(
        "rope",
        (
            "rope",
            "rotary",
            "apply_rope",
            "rotary_embedding",
            "apply_rotary_emb",
            "rotary_position_embedding",
            "apply_rotary",
            "rotate",
        ),
        {
            "x": (*TOKENS, *QUERY),
            "positions": ("positions", "pos", "position", "position_ids", "p", "offsets", "t", "idx"),
        },
        inputs.rope_probes,
        optional=frozenset({"positions"}),
        tokens=frozenset({"x"}),
    ),
    Role(
        "embed",
        ("embed", "embedding", "embed_tokens", "input_embedding", "token_embedding"),
        {"ids": IDS, "table": ("table", "embedding", "embeddings", "w", "weights", "e", "embedding_matrix", "weight")},
        inputs.embed_probes,
    ),
    Role(
        "split_heads",
        ("split_heads", "split", "split_into_heads", "to_heads"),
        {"x": TOKENS, "h": HEADS},
        inputs.split_probes,
    ),
    Role(
        "merge_heads",
        ("merge_heads", "combine_heads", "concat_heads", "merge", "join_heads", "from_heads"),
        {"x": (*TOKENS, "heads")},
        inputs.merge_probes,
    ),
    Role(
        "multi_head",
        (
            "multi_head",
            "multi_head_attention",
            "mha",
            "multihead",
            "multihead_attention",
            "multi_headed_attention",
            "self_attention",
            "causal_self_attention",
        ),
        PROJECT,
        inputs.multi_head_probes,
        optional=frozenset({"mask", *PROJECTION_BIASES}),
        tokens=frozenset({"x", "source"}),
    ),
    Role(
        "layer_norm",
        ("layer_norm", "layernorm", "ln", "norm", "layer_normalization"),
        NORM,
        network_inputs.norm_probes,
        optional=frozenset({"gain", "bias", "eps"}),
        tokens=frozenset({"x"}),
    ),
    Role(
        "feed_forward",
        ("feed_forward", "ffn", "mlp", "position_wise_ffn", "feedforward", "positionwise_feed_forward", "ff"),
        HIDDEN,
        network_inputs.feed_forward_probes,
        optional=frozenset({"b_in", "b_out"}),
        tokens=frozenset({"x"}),
    ),
    Role(
        "tiled_attention",
        (
            "tiled_attention",
            "flash_attention",
            "attention_tiled",
            "blocked_attention",
            "block_attention",
            "chunked_attention",
        ),
        {
            **ATTEND,
            "height": ("height", "block_q", "q_block", "br", "query_block"),
            "width": (
                "width",
                "block",
                "block_size",
                "block_k",
                "bc",
                "tile",
                "tile_size",
                "chunk",
                "chunk_size",
                "kv_block",
            ),
        },
        inputs.tiled_probes,
        optional=frozenset({"height", "width"}),
        tokens=frozenset(ATTEND),
    ),
    Role(
        "dropout",
        ("dropout", "drop_out", "apply_dropout", "inverted_dropout"),
        {
            "x": TOKENS,
            "rate": ("rate", "p", "drop", "dropout_rate", "drop_prob", "prob", "dropout"),
            "rng": ("rng", "generator", "random_state"),
            "training": ("training", "train", "is_training"),
        },
        network_inputs.dropout_probes,
        optional=frozenset({"rng", "training"}),
        sum_up=network_inputs.dropped,
    ),
    Role(
        "encoder_layer",
        ("encoder_layer", "encoder_block", "transformer_encoder_layer", "transformer_block", "block"),
        {"x": TOKENS, "layer": LAYER, "h": HEADS, "mask": MASK},
        network_inputs.layer_probes("encoder"),
        optional=frozenset({"mask"}),
        tokens=frozenset({"x"}),
    ),
    Role(
        "decoder_layer",
        ("decoder_layer", "decoder_block", "transformer_decoder_layer"),
        {
            "x": TOKENS,
            "memory": SOURCE,
            "layer": LAYER,
            "h": HEADS,
            "mask": ("mask", "tgt_mask", "target_mask", "self_mask", "causal_mask", "look_ahead_mask"),
            "memory_mask": ("memory_mask", "src_mask", "source_mask", "cross_mask", "padding_mask", "enc_mask"),
        },
        network_inputs.layer_probes("decoder"),
        optional=frozenset({"mask", "memory_mask"}),
        tokens=frozenset({"x", "memory"}),
    ),
    Role(
        "pre_norm_block",
        ("pre_norm_block", "gpt_block", "pre_norm_layer", "transformer_block", "block", "prenorm_block"),
        {"x": TOKENS, "layer": LAYER, "h": HEADS, "mask": MASK},
        network_inputs.layer_probes("block"),
        optional=frozenset({"mask"}),
        tokens=frozenset({"x"}),
    ),
    Role(
        "encode",
        ("encode", "encoder", "run_encoder"),
        {"source": (*IDS, *SOURCE), "weights": NETWORK, "h": HEADS, "pad": PAD},
        network_inputs.encode_probes,
        optional=frozenset({"pad"}),
    ),
    Role(
        "decode",
        ("decode", "decoder", "run_decoder"),
        {
            "target": ("target", "tgt", "trg", "y", "decoder_ids"),
            "memory": SOURCE,
            "source": ("source", "src", "x", "source_ids", "encoder_ids"),
            "weights": NETWORK,
            "h": HEADS,
            "pad": PAD,
        },
        network_inputs.decode_probes,
        optional=frozenset({"pad"}),
    ),
    Role(
        "encoder_decoder",
        ("encoder_decoder", "transformer", "seq2seq"),
        {
            "source": ("source", "src", "x"),
            "target": ("target", "tgt", "trg", "y"),
            "weights": NETWORK,
            "h": HEADS,
            "pad": PAD,
        },
        network_inputs.network_probes,
        optional=frozenset({"pad"}),
    ),
    Role(
        "decoder_only",
        ("decoder_only", "gpt", "gpt2", "language_model", "transformer_lm"),
        {"ids": IDS, "weights": NETWORK, "h": HEADS},
        network_inputs.decoder_only_probes,
    ),
    Role(
        "teacher_forcing",
        ("teacher_forcing", "shift", "shift_right", "make_targets", "inputs_and_labels", "shift_targets"),
        {"target": ("target", "targets", "tgt", "ids", "seq", "y", "tokens", "x")},
        network_inputs.teacher_probes,
        parts=("inputs", "labels"),
    ),
    Role(
        "cross_entropy",
        ("cross_entropy", "cross_entropy_loss", "loss", "nll", "ce_loss", "compute_loss", "loss_fn"),
        {
            "logits": ("logits", "scores", "pred", "predictions", "outputs", "output", "y_pred", "x"),
            "labels": ("labels", "targets", "target", "y", "y_true", "tgt", "label", "ids"),
            "pad": PAD,
        },
        network_inputs.loss_probes,
        optional=frozenset({"pad"}),
    ),
    Role(
        "cached_multi_head",
        (
            "cached_multi_head",
            "cached_attention",
            "attention_with_cache",
            "multi_head_with_cache",
            "kv_cache_attention",
        ),
        {"x": TOKENS, "past": ("past", "cache", "kv_cache", "past_kv", "layer_past"), **WEIGHTS, "h": HEADS},
        network_inputs.cached_probes,
        tokens=frozenset({"x"}),
        parts=("output", "keys", "values"),
    ),
    Role(
        "decode_next",
        ("decode_next", "generate_step", "step", "next_logits", "decode_step"),
        {"ids": IDS, "weights": NETWORK, "h": HEADS, "cache": ("cache", "past", "kv_cache")},
        network_inputs.next_probes,
    ),
)


def meant(name: str, roles: Sequence[Role] = ROLES) -> tuple[Role, ...]:
    """The roles that a function of this name may have: those it is called by, else those whose name it contains."""
    bare = plain(name.rpartition(".")[2])
    exact = [role for role in roles if bare in map(plain, role.names)]
    if exact:
        return tuple(exact)
    held = [
        (len(known), role) for role in roles for known in map(plain, role.names) if len(known) > 3 and known in bare
    ]
    longest = max((length for length, _ in held), default=0)
    return tuple(dict.fromkeys(role for length, role in held if length == longest))
