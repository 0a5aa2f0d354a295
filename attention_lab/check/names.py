"""What people call the arguments and sizes of attention; compared in lower case, without underscores."""

from __future__ import annotations

import re
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
SOURCE = (
    "source",
    "context",
    "memory",
    "kv",
    "encoder_output",
    "enc_output",
    "enc_out",
    "x_kv",
    "y",
    "other",
    "mem",
    "cond",
    "encoder_hidden_states",
    "enc",
)
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
PROJECTION_BIASES = {
    "b_query": ("b_query", "bq", "b_q", "q_bias", "query_bias", "bias_q"),
    "b_key": ("b_key", "bk", "b_k", "k_bias", "key_bias", "bias_k"),
    "b_value": ("b_value", "bv", "b_v", "v_bias", "value_bias", "bias_v"),
    "b_output": ("b_output", "bo", "b_o", "o_bias", "out_bias", "bias_o", "b_out", "bout", "b_proj"),
}
PROJECT = {
    "x": (*TOKENS, *QUERY),
    "source": (*SOURCE, *KEY),
    **WEIGHTS,
    "h": HEADS,
    "mask": MASK,
    **PROJECTION_BIASES,
}
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
        "embedding_dimension",
        "embedding_size",
        "emb_size",
        "n_embed",
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
    "T": (*LENGTH, "context_length", "context_size", "ctx_len", "block_size", "max_seq_len", "maxlen", "max_length"),
}
WORDS = {  # that hold a size in the name of what a constructor takes; the first that fits
    "": re.compile(
        r"drop|bias|use|layers?$|vocab|classes|depth|eps|flash|^is|^has|stride|patch|expan|mult|act|prob|rate"
    ),
    "h": re.compile(r"(num|n|number|attn|attention|kv|query|of).*(heads?|groups?)$|heads?(num|n|number|count)$"),
    "d_k": re.compile(r"head"),
    "T": re.compile(r"max|block|context|ctx|len|seq|position"),
    "d_ff": re.compile(r"(^|d|n|dim)ff|mlp|inner|forward|intermediate|hid"),
    "d_model": re.compile(r"emb|model|width|channel|feat|word|dim|ninp|in$|out$|put|^d(cond|context|cross|src)"),
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


def sized_by_words(parameter: str) -> str | None:
    """The size that a parameter of a constructor is likely to be: by a name that nobody has listed, of known words."""
    bare = plain(parameter)
    return sized(parameter) or next((name for name, words in WORDS.items() if words.search(bare)), None) or None


def every_size(sizes: dict[str, Any]) -> dict[str, Any]:
    """Each size by every name, as names are compared, that is longer than a letter."""
    spelled = {plain(one): sizes[name] for name, names in SIZES.items() if name in sizes for one in (name, *names)}
    return {name: size for name, size in spelled.items() if len(name) > 1}


ANOTHER = {  # what a name says that the model has nothing of; to compare it with the model's would call it wrong
    "a derivative": r"backward|backprop|bwd|grad|deriv|prime",
    "another norm": r"(batch|instance|group|weight|spectral|l1|l2|minmax)norm",
    "another function than softmax": r"logsoftmax|sparsemax|entmax|hardmax|gumbel|softplus",
    "attention without softmax": r"linear(self)?att|linatt|performer|linformer|nystrom|kernel(ized)?att|sigmoidatt",
    "another attention": r"additiveatt|bahdanau|luong|cosineatt|talkinghead|(sliding|local|window|sparse|lsh).*att",
    "attention whose heads share keys": r"groupe?dquery|multiquery|gqa|mqa|latentatt",
    "another mask": r"(sliding|window|local|prefix|band).*mask",
    "other positions": r"(relative|alibi|learned|learnable).*(pos|enc|emb|bias)",
    "another loss": r"focal|smooth|kldiv|^mse|mse$|mseloss|hinge|contrastive|binary|bce|onehot",
}


def another(name: str) -> str:
    """What a function is by its name, where that is nothing that the model has; else empty."""
    bare = plain(name.rpartition(".")[2])
    return next((what for what, words in ANOTHER.items() if re.search(words, bare)), "")
