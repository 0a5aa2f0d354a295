"""Other people's files, in the styles in which people write: no right one is called wrong, no wrong one right.

The files in submissions/ were written for these tests without a look at how functions are found. Each is listed here
with what is true of it. A function that is not listed is a helper: it may be called anything but wrong.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from fixtures import mark_slow

from attention_lab.check.calls import outline
from attention_lab.check.evidence import against_healthy
from attention_lab.check.match import Finding
from attention_lab.check.recognition import Asked, Benches
from attention_lab.check.survey import survey
from attention_lab.sandbox.parent import Child

PEOPLE = Path(__file__).parent / "submissions"
SEED = 11
RIGHT = "right"  # as the model, but for what nobody says what is right: rows that see nothing, the width of floats
EDGES = "edges"  # as the model on ordinary data only
UNKNOWN = "unknown"  # wrong, and not in the catalogue
STUCK = "does-not-run"
UNJUDGED = ""  # nothing is claimed of it

TRUTH: dict[str, dict[str, str]] = {
    "right_student_loops": {"softmax": RIGHT, "attn": RIGHT},
    "right_tutorial_numpy": {
        "softmax": RIGHT,
        "create_padding_mask": RIGHT,
        "create_look_ahead_mask": RIGHT,
        "scaled_dot_product_attention": RIGHT,
    },
    "right_annotated_numpy": {
        "subsequent_mask": RIGHT,
        "attention": RIGHT,
        "LayerNorm": RIGHT,
        "PositionwiseFeedForward": RIGHT,
    },
    "right_annotated_torch": {
        "subsequent_mask": RIGHT,
        "attention": RIGHT,
        "PositionwiseFeedForward": RIGHT,
        "MultiHeadedAttention": RIGHT,
    },
    "right_gpt_torch": {"CausalSelfAttention": RIGHT},
    "right_gpt_config_torch": {},
    "right_linear_torch": {"MultiHeadAttention": RIGHT},
    "right_einsum": {"attend": RIGHT, "multi_head_attention": RIGHT},
    "right_numpy_class": {"MultiHeadAttention": RIGHT},
    "right_params_dict": {"softmax": RIGHT, "dot_product_attention": RIGHT, "mha": RIGHT},
    "right_single_head": {"softmax": RIGHT, "self_attention": RIGHT, "masked_self_attention": RIGHT},
    "right_time_first": {"time_major_attention": RIGHT},
    "right_positions": {
        "getPositionEncoding": RIGHT,
        "positional_encoding": RIGHT,
        "positional_encoding_halves": RIGHT,
        "pe_table": RIGHT,
    },
    "right_norm_backprop": {"LayerNorm": RIGHT},
    "right_encoder_classes": {"softmax": RIGHT, "layer_norm": RIGHT, "FeedForward": RIGHT, "Attention": RIGHT},
    "right_additive_mask": {"causal": RIGHT, "attention": RIGHT, "generate_square_subsequent_mask": RIGHT},
    "right_true_is_blocked": {"create_causal_mask": RIGHT, "make_pad_mask": RIGHT, "attention": RIGHT},
    "right_script_noise": {"f": RIGHT, "calc": RIGHT},
    "right_helpers": {"softmax": RIGHT},
    "right_keras_like": {"ScaledDotProductAttention": RIGHT},
    "right_jax_style": {"tril": RIGHT, "softmax": RIGHT, "causal_attention": RIGHT, "layer_norm": RIGHT},
    "right_jitted_jax": {"attention": RIGHT, "layer_norm": RIGHT, "ffn": RIGHT, "multi_head": RIGHT},
    "right_vmap_jax": {"softmax": RIGHT, "attention": RIGHT, "positional_encoding": RIGHT},
    "right_shared_mask": {"softmax": RIGHT, "attention": RIGHT},
    "right_gelu_ffn": {"ffn": RIGHT},
    "right_rms_norm": {"RMSNorm": RIGHT, "rms_norm": RIGHT},
    "right_biases": {},
    "right_loss": {"cross_entropy": RIGHT},
    "right_dropout_variant": {"dropout": RIGHT, "scaled_dot_product_attention": RIGHT},
    "right_encoder_torch": {"BertSelfAttention": RIGHT},
    "right_book_torch": {"MultiHeadAttention": RIGHT, "LayerNorm": RIGHT},
    "right_short_lines": {"attention": RIGHT, "feed_forward": RIGHT, "get_pe": RIGHT},
    "wrong_student_no_scale": {"soft": RIGHT, "attention": "no-scale"},
    "wrong_student_axis": {"softmax": "softmax-over-batch", "attention": "softmax-over-queries"},
    "wrong_scale_jax": {"attention": "no-scale"},
    "wrong_axis_jax": {"softmax": "softmax-over-batch", "attention": "softmax-over-queries"},
    "wrong_shared_mask": {"attention": "no-scale"},
    "wrong_half_scale": {"scaled_dot_product": "scale-by-d-k"},
    "wrong_mask_times": {"softmax": RIGHT, "masked_attention": "mask-multiplied"},
    "wrong_tutorial_sign": {"create_look_ahead_mask": "causal-inverted", "scaled_dot_product_attention": RIGHT},
    "wrong_mask_hundred": {"attention": EDGES},
    "wrong_mask_three": {"attention": "mask-minus-ten"},
    "wrong_mask_plus_ten": {"attention": "mask-minus-ten"},
    "wrong_mask_late": {"DotAttention": "mask-after-softmax"},
    "wrong_fill_inverted_torch": {"attention": "mask-tiny"},
    "wrong_gpt_view_torch": {"CausalSelfAttention": "merge-by-reshape"},
    "wrong_gpt_scale_torch": {"MultiHead": "scale-by-d-model"},
    "wrong_class_reshape": {"MultiHeadAttention": "split-by-reshape"},
    "wrong_heads_axis": {"attention": "softmax-over-heads"},
    "wrong_key_reshaped": {"get_attention": "key-reshaped"},
    "wrong_value_key": {"sdpa": "value-ignored"},
    "wrong_no_keepdims": {"softmax": "softmax-no-keepdims"},
    "wrong_no_keepdims_global": {"softmax": UNKNOWN},
    "wrong_positions_twice": {"positional_encoding": "exponent-doubled"},
    "wrong_positions_base": {"sinusoidal": "base-1000"},
    "wrong_norm_torch": {"LayerNorm": "unbiased-deviation and eps-outside-root"},
    "wrong_norm_tokens": {"LayerNorm": "norm-over-tokens"},
    "wrong_norm_variance": {"layernorm": "variance-not-rooted"},
    "wrong_ffn_linear": {"FeedForward": "no-relu"},
    "wrong_ffn_late_relu": {"position_wise_ffn": "relu-on-output"},
    "wrong_causal_ahead": {"causal_mask": "one-step-ahead"},
    "wrong_causal_strict": {"look_ahead_mask": "diagonal-excluded"},
    "wrong_additive_flip": {"attention": RIGHT, "softmax": RIGHT, "future_mask": "mask-flip"},
    "wrong_loss_softmax": {"softmax": RIGHT, "cross_entropy_loss": "loss-of-probabilities"},
    "wrong_loss_sum": {"nll": "loss-summed"},
    "wrong_dropout": {"dropout": "dropout-not-enlarged"},
    "wrong_rope": {"apply_rope": UNKNOWN},
    "wrong_rope_sign": {"apply_rope": "rope-sign-lost"},
    "wrong_two_at_once": {"attention": "no-scale and mask-zero"},
    "wrong_two_undeclared": {"attention": UNKNOWN},
    "wrong_labels": {"make_targets": "labels-not-shifted"},
    "right_mask_makers": {"get_pad_mask": RIGHT, "pad_mask": RIGHT, "key_padding_mask": RIGHT, "causal_mask": RIGHT},
    "right_meant_for_less": {
        "softmax": RIGHT,
        "mha": RIGHT,
        "dot_product_attention": RIGHT,
        "layer_norm": RIGHT,
        "normalise": RIGHT,
        "cross_entropy": RIGHT,
        "batch_norm": UNJUDGED,
        "linear_attention": UNJUDGED,
        "softmax_backward": UNJUDGED,
        "nll": UNJUDGED,
        "DotProduct": RIGHT,
        "transformer_block": UNJUDGED,
    },
    "wrong_meant_for_less": {
        "softmax": RIGHT,
        "mha": "scale-by-d-model",
        "dot_product_attention": "no-scale",
        "layer_norm": "unbiased-deviation",
        "layer_norm_with_gain": "eps-outside-root",
        "cross_entropy": "loss-summed",
    },
    "right_star_args": {"softmax": RIGHT, "attention": RIGHT, "dot_product_attention": RIGHT},
    "wrong_star_args": {
        "softmax": "softmax-over-queries",
        "attention": "no-scale and softmax-over-queries",
        "dot_product_attention": "no-scale and softmax-over-queries",
    },
    "right_linear_dicts": {"soft": RIGHT, "mlp": RIGHT, "self_attention": RIGHT},
    "wrong_linear_dicts": {"soft": RIGHT, "mlp": "no-relu", "self_attention": "no-scale"},
    "right_fit_for_use": {"softmax": RIGHT, "attention": RIGHT, "softmax_rows": RIGHT, "attend": RIGHT},
    "wrong_fit_for_none": {"softmax": "softmax-one-total", "attention": "softmax-one-total"},
    "wrong_pad_heads": {"pad_mask": "padding-missing-axis", "split_heads": RIGHT, "attention": RIGHT},
    "right_one_width": {"SelfAttention": RIGHT},
    "wrong_one_width": {"SelfAttention": "no-scale"},
    "wrong_causal_within": {
        "softmax": RIGHT,
        "attention": "one-step-ahead",
        "causal_attention": "diagonal-excluded",
        "self_attention": "mask-flip",
        "masked_attention": "mask-ignored",
        "my_layer_norm": UNKNOWN,
    },
    "right_plain_python": {"softmax": RIGHT, "layer_norm": RIGHT, "attention": RIGHT},
    "wrong_plain_python": {"softmax": RIGHT, "layer_norm": "unbiased-deviation", "attention": "no-scale"},
    "wrong_masks_where": {"causal_mask": RIGHT, "attend": "mask-inverted"},
    "wrong_masks_disagree": {"causal_mask": "causal-inverted", "attention": RIGHT},
    "right_heads_list_torch": {"OneHead": RIGHT, "Heads": RIGHT, "Think": RIGHT, "TransformerBlock": RIGHT},
    "wrong_heads_list_torch": dict.fromkeys(("OneHead", "Heads", "TransformerBlock"), "scale-by-d-model"),
    "wrong_block_residual_torch": {"Heads": RIGHT, "TransformerBlock": "no-residual-pre-norm"},
    "right_layers_torch": {"Attention": RIGHT, "FeedForward": RIGHT, "EncoderLayer": RIGHT, "DecoderLayer": RIGHT},
    "wrong_layers_torch": {"Attention": "one-projection", "DecoderLayer": "one-projection"},
    "right_parts_torch": {
        "Ops.attention": RIGHT,
        "Ops.causal_mask": RIGHT,
        "MultiHeadAttention": RIGHT,
        "DecoderLayer": RIGHT,
    },
    "wrong_parts_torch": {
        "Ops.attention": "softmax-over-queries",
        "Ops.causal_mask": "mask-flip",
        "MultiHeadAttention": "softmax-over-queries",
    },
    "right_threefold_torch": {"SharedAttention": RIGHT, "TransformerBlock": RIGHT, "NormedFeedForward": RIGHT},
    "wrong_threefold_torch": {
        "SharedAttention": "scale-by-d-model",
        "TransformerBlock": "scale-by-d-model",
        "NormedFeedForward": "no-relu",
    },
    "wrong_norm_axis_torch": {"LayerNorm": "norm-over-tokens"},
    "right_settings_torch": {"SelfAttention": RIGHT, "MLP": RIGHT, "Block": RIGHT},
    "wrong_settings_torch": {"SelfAttention": "merge-by-reshape"},
    "right_position_modules_torch": {
        "PositionalEncoding": RIGHT,
        "TimeFirstPositionalEncoding": RIGHT,
        "PositionalEmbedding": RIGHT,
    },
    "wrong_position_modules_torch": {
        "PositionalEncoding": "base-1000",
        "TimeFirstPositionalEncoding": "base-1000",
        "PositionalEmbedding": "base-1000",
    },
    "wrong_bias_forgotten_torch": {"MultiHeadAttention": UNKNOWN},
    "right_bias_arguments": {"softmax": RIGHT, "multi_head_attention": RIGHT},
    "wrong_bias_arguments": {"multi_head_attention": "scale-by-d-model"},
    "stuck_transpose": {"attention": STUCK},
    "stuck_batch_T": {"attention": STUCK},
    "stuck_size": {"scaled_dot_product_attention": STUCK},
    "stuck_import": {"softmax": STUCK, "layer_norm": STUCK},
    "stuck_name": {"positional_encoding": STUCK},
    "other_sigmoid": {"attention": UNKNOWN},
    "other_temperature": {"attention": UNKNOWN},
    "other_small_projections": {"SelfAttention": "scale-by-d-model"},
    "other_norm": {"layer_norm": UNKNOWN},
}


@cache
def benches() -> Benches:
    """The inputs, drawn once for all files."""
    return Benches(SEED)


def found_in(file: Path) -> dict[str, Finding]:
    """What a check says of each function, by name."""
    out = outline(file.read_text(encoding="utf-8"))
    with Child(file) as child:
        asked = Asked(left_out=frozenset((*out.unwritten, *out.waiting)), calls=out.calls)
        seen = survey(child, SEED, asked, benches())
    return {finding.definition.name: finding for finding in seen.findings}


def said(finding: Finding | None) -> str:
    """A verdict in the words of TRUTH, faults by their names."""
    if finding is None:
        return UNJUDGED
    if not finding.alarming:
        return RIGHT
    if finding.verdict in ("break", "several"):
        return " or ".join(" and ".join(one.faults) for one in finding.matches)
    return finding.verdict


def agrees(truth: str, verdict: str) -> bool:
    """Whether a verdict holds the truth: as it is, or as one of several that are indistinguishable."""
    return truth == verdict or truth in verdict.split(" or ")


def test_every_file_is_listed() -> None:
    assert {file.stem for file in PEOPLE.glob("*.py")} == TRUTH.keys()


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", mark_slow(TRUTH, "right_helpers", "right_encoder_classes"))
def test_each_function_is_told_as_listed(name: str) -> None:
    file = PEOPLE / f"{name}.py"
    library = name.rpartition("_")[2]
    if library in ("torch", "jax") and not find_spec(library):
        pytest.skip(f"{library} is not installed")
    found = found_in(file)
    verdicts = {function: said(found.get(function)) for function in {**found, **TRUTH[name]}}
    helpers = {function: verdict for function, verdict in verdicts.items() if function not in TRUTH[name]}
    assert {f: v for f, v in helpers.items() if v not in (RIGHT, UNJUDGED)} == {}
    assert {f: v for f, v in verdicts.items() if f in TRUTH[name] and not agrees(TRUTH[name][f], v)} == {}


def test_the_smallest_input_is_one_that_the_function_is_meant_for() -> None:
    """Attention that goes over its heads one by one gives something for a single one, too, and that is no evidence."""
    with Child(PEOPLE / "wrong_shared_mask.py") as child:
        seen = survey(child, SEED, Asked(function="attention"), benches())
        smallest = against_healthy(seen.findings[0])
    assert smallest is not None
    assert smallest.arguments["query"].ndim == 3
    assert smallest.arguments["query"].shape[-1] > 1  # with d_k = 1 no scale is missing
