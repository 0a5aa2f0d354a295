"""What people call the arguments and sizes of attention; compared in lower case, without underscores."""

from __future__ import annotations

from typing import Any

Names = tuple[str, ...]

MASK = ("mask", "attn_mask", "attention_mask", "src_mask", "key_padding_mask", "m", "masked", "blocked", "allowed")
QUERY = ("query", "queries", "q", "qs", "q_in", "xq", "query_vectors")
KEY = ("key", "keys", "k", "ks", "k_in", "xk", "key_vectors")
VALUE = ("value", "values", "v", "vs", "v_in", "xv", "val", "vals", "value_vectors")
TOKENS = (
    "x",
    "inputs",
    "input",
    "tokens",
    "inp",
    "xs",
    "hidden_states",
    "embeddings",
    "emb",
    "tgt",
    "data",
    "src",
    "y",
)
SOURCE = ("source", "context", "memory", "kv", "encoder_output", "enc_output", "enc_out", "x_kv", "y", "other", "mem")
SCORES = ("logits", "scores", "x", "z", "a", "s", "inputs", "arr", "values", "vec", "array", "matrix", "attn_scores")
IDS = ("ids", "tokens", "token_ids", "seq", "x", "input_ids", "src", "sequence", "indices", "idx", "inputs", "batch")
PAD = ("pad", "pad_id", "pad_idx", "pad_token", "padding_idx", "pad_token_id", "ignore_index", "padding_id")
HEADS = ("h", "heads", "num_heads", "n_heads", "n_head", "nhead", "nheads", "number_of_heads", "head_count", "n_h")
WEIGHTS = {
    "w_query": ("w_query", "wq", "w_q", "q_weight", "query_weight", "wquery", "q_proj", "weight_q", "Q", "W_queries"),
    "w_key": ("w_key", "wk", "w_k", "k_weight", "key_weight", "wkey", "k_proj", "weight_k", "W_keys"),
    "w_value": ("w_value", "wv", "w_v", "v_weight", "value_weight", "wvalue", "v_proj", "weight_v", "W_values"),
    "w_out": (
        "w_out",
        "wo",
        "w_o",
        "o_weight",
        "out_weight",
        "out_proj",
        "w_output",
        "o_proj",
        "proj",
        "weight_o",
        "wout",
    ),
}
PROJECT = {"x": (*TOKENS, *QUERY), "source": (*SOURCE, *KEY), **WEIGHTS, "h": HEADS, "mask": MASK}
NORM = {
    "x": TOKENS,
    "gain": ("gain", "gamma", "weight", "g", "scale", "a", "a_2", "w", "alpha"),
    "bias": ("bias", "beta", "b", "shift", "b_2", "offset"),
    "eps": ("eps", "epsilon", "e", "variance_epsilon"),
}
HIDDEN = {
    "x": TOKENS,
    "w_in": ("w_in", "w1", "w_1", "weight1", "fc1", "w_up", "w_hidden", "linear1"),
    "b_in": ("b_in", "b1", "b_1", "bias1", "b_up", "b_hidden"),
    "w_out": ("w_out", "w2", "w_2", "weight2", "fc2", "w_down", "linear2"),
    "b_out": ("b_out", "b2", "b_2", "bias2", "b_down"),
}
LENGTH = (
    "T",
    "size",
    "n",
    "seq_len",
    "length",
    "sz",
    "seq_length",
    "sequence_length",
    "N",
    "t",
    "max_len",
    "L",
    "tq",
    "s",
)
LAYER = ("layer", "params", "weights", "p", "block", "w", "parameters", "layer_weights")
NETWORK = ("weights", "params", "parameters", "w", "model")
ATTEND = {"query": QUERY, "key": KEY, "value": VALUE}

SIZES = {
    "d_model": (
        "d_model",
        "dim",
        "embed_dim",
        "emb_dim",
        "hidden_size",
        "hidden_dim",
        "n_embd",
        "model_dim",
        "d_in",
        "d_out",
        "dmodel",
        "embed_size",
        "embedding_dim",
        "d_embed",
        "d",
        "dims",
        "size",
        "features",
        "input_dim",
        "normalized_shape",
        "num_features",
    ),
    "h": HEADS,
    "d_k": ("d_k", "dk", "head_dim", "head_size", "d_head", "dim_head", "key_dim", "qk_dim", "dim_k", "d_q", "dq"),
    "d_v": ("d_v", "dv", "value_dim", "dim_v"),
    "d_ff": (
        "d_ff",
        "dff",
        "ff_dim",
        "d_hidden",
        "hidden",
        "inner_dim",
        "mlp_dim",
        "d_inner",
        "ffn_dim",
        "hidden_features",
    ),
    "T": (*LENGTH, "context_length", "block_size", "max_seq_len", "maxlen", "max_length"),
}
SETTINGS: dict[str, Any] = {
    "dropout": 0.0,
    "dropoutp": 0.0,
    "p": 0.0,
    "dropoutrate": 0.0,
    "pdrop": 0.0,
    "training": False,
    "train": False,
    "axis": -1,
    "dim": -1,
    "causal": False,
    "iscausal": False,
    "bias": False,
    "qkvbias": False,
    "returnweights": True,
    "returnattention": True,
    "needweights": True,
    "returnattn": True,
    "verbose": False,
    "scale": None,
    "seed": 0,
    "rng": None,
    "batchfirst": True,
}


def plain(name: str) -> str:
    """A name as names are compared: lower case, without underscores."""
    return name.lower().replace("_", "")


def sized(parameter: str) -> str | None:
    """The size that a parameter of this name asks for."""
    bare = plain(parameter)
    return next((name for name, names in SIZES.items() if bare in map(plain, names)), None)
