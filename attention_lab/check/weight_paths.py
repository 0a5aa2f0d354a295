"""Which of the arrays that an instance holds is which weight: by its name, where that says nothing by its shape.

A place is a triple: the path of an array ("heads.#.query.weight" is a list of them), the weights that it holds, joined
by "+", and its form. A form is how the numbers (in, out) lie, and how several heads or weights share the array.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from attention_lab.check.names import WEIGHTS, plain
from attention_lab.weights import NORM_EPS

Arrays = Mapping[str, Any]
Place = tuple[str, str, str]
Sizes = Mapping[str, int]


AROUND = (
    r"(w|weights?|linear|lin|project(ion|or)?|proj|to|fc|dense|layers?|matrix|mat|kernel|map|transform|net|fused|parametrizations|"
    r"self|cross|multi|mh|mha|attn|attention|att|heads?|all|embed|embedding)*"
)
LETTERS = {
    "w_query": r"(q|qs|query|queries)",
    "w_key": r"(k|ks|key|keys)",
    "w_value": r"(v|vs|val|value|values)",
    "w_query+w_key+w_value": r"(qkv|in|c|querykeyvalue|i)",
    "w_key+w_value": r"(kv|keyvalue)",
    "w_out": r"(o|out|output|final|combine|c|unify(heads)?|merge|concat|last|o|)",
}
PROJECTIONS = {name: re.compile(f"{AROUND}{letter}{AROUND}0?{AROUND}") for name, letter in LETTERS.items()}
HIDDEN = {
    "w_in": re.compile(
        r"(w|weights?|linear|lin|fc|dense|layer|net|conv)?(1|in|up|hidden|0)(weights?|kernel)?|cfc(weight)?"
    ),
    "w_out": re.compile(
        r"(w|weights?|linear|lin|fc|dense|layer|net|conv)?(2|out|down|output)(weights?|kernel)?|cproj(weight)?"
    ),
    "b_in": re.compile(r"(b|bias|w|linear|lin|fc|dense|layer|net)?(1|in|up|hidden|0)(bias|b)?|cfcbias"),
    "b_out": re.compile(r"(b|bias|w|linear|lin|fc|dense|layer|net)?(2|out|down|output)(bias|b)?|cprojbias"),
}
NORM = {
    "gain": re.compile(r"(gain|gamma|weights?|g|scale|a2?|w|alpha)"),
    "bias": re.compile(r"(bias|beta|b2?|shift|offset)"),
}
BIASES = {
    name: re.compile(f"(b|bias|biases){AROUND}{LETTERS[weight]}{AROUND}|{AROUND}{LETTERS[weight]}{AROUND}(b|bias)")
    for weight, name in (("w_query", "b_query"), ("w_key", "b_key"), ("w_value", "b_value"), ("w_out", "b_output"))
}
OF_WEIGHT = {"w_query": "b_query", "w_key": "b_key", "w_value": "b_value", "w_out": "b_output"}


@dataclass(frozen=True)
class Found:
    """The places of the weights of a role, and the paths of what has no place in it."""

    places: tuple[Place, ...]
    more: tuple[str, ...] = ()

    @property
    def weights(self) -> frozenset[str]:
        """The names of the weights that have a place."""
        return frozenset(name for _, names, _ in self.places for name in names.split("+") if name)


# ---- shapes ----


def letters_of(path: str) -> str:
    """A path as names are compared, without the places of lists."""
    return plain(re.sub(r"[.#]", "", path))


def lie_of(path: str, array: Any) -> str:
    """How the numbers of a matrix lie: as PyTorch's layers have them, (out, in), or nobody can say."""
    if array.ndim == 3 and array.shape[-1] == 1:
        return "conv"
    return "torch" if path == "weight" or path.endswith(".weight") else "either"


def in_and_out(array: Any, lie: str) -> tuple[int, int]:
    """The lengths of what a matrix multiplies, and of what comes out."""
    shape = array.shape[:2] if lie == "conv" else array.shape
    return (shape[1], shape[0]) if lie in ("torch", "conv") else (shape[0], shape[1])


def matrices(arrays: Arrays) -> dict[str, Any]:
    """What may be a weight that multiplies: no masks of zeros and ones, no tables with an axis in front."""

    def masks(path: str, one: Any) -> bool:
        untrained = np.array_equal(one, np.eye(*one.shape))
        return bool(np.isin(one, (0, 1)).all()) and not untrained and "weight" not in path

    found = {path: one for path, one in arrays.items() if one.dtype.kind == "f"}
    return {
        path: one
        for path, one in found.items()
        if (one.ndim == 2 and one.size > 1 and not masks(path, one)) or (one.ndim == 3 and one.shape[-1] == 1)
    }


def lists_in(arrays: Arrays) -> dict[str, list[str]]:
    """Paths that differ in one number: {"heads.#.query.weight": ["heads.0.query.weight", …]}."""
    rows: dict[str, list[str]] = {}
    for path in arrays:
        if re.search(r"\.\d+\.|\.\d+$", path):
            rows.setdefault(re.sub(r"\.\d+(?=\.|$)", ".#", path, count=1), []).append(path)
    return rows


def bias_of(path: str) -> str:
    """Where the bias of a matrix is, if it has one."""
    return path[: -len("weight")] + "bias" if lie_of(path, np.empty(0)) == "torch" else path


# ---- attention ----


def in_order(arrays: Arrays) -> dict[str, str]:
    """The projections in a list of three or four: query, key, value, output. Their paths differ in a number only."""
    rows = {key: paths for key, paths in lists_in(matrices(arrays)).items() if len(paths) in (3, 4)}
    for key, paths in rows.items():
        shapes = {arrays[path].shape for path in paths}
        if len(shapes) == 1 and len(set(shapes.pop())) == 1 and not said(key):
            return dict(zip(paths, WEIGHTS, strict=False))
    return {}


def said(path: str) -> str:
    """The weight of attention that a path names; empty where it says none."""
    bare = letters_of(path)
    return next((name for name, pattern in PROJECTIONS.items() if name != "w_out" and pattern.fullmatch(bare)), "")


def arrangements(path: str, array: Any, name: str, sizes: Sizes) -> tuple[str, ...]:
    """The forms in which an array may hold the weight that its path names; none where its shape cannot."""
    d, h, many = sizes["d_model"], sizes["h"], name.count("+") + 1
    if array.ndim == 3 and array.shape[-1] != 1:
        return ("heads",) if many == 1 and array.shape[0] == h and array.shape[1] == d else ()
    lie = lie_of(path, array)
    rows, columns = in_and_out(array, lie)
    if "#" in path:
        return (f"{lie} list",) if many == 1 and lie != "either" else ()
    if many > 1:
        if rows != d and lie == "either" and columns == d:
            return ("turned", "turned by-head")
        lie = "whole" if lie == "either" else lie
        return (lie, f"{lie} by-head") if columns % many == 0 and columns // many % h == 0 and rows == d else ()
    if rows * h == d and columns * h == d and h > 1:
        return (f"{lie} shared",)
    return (lie,) if rows == d or name == "w_out" else ()


def attention_places(arrays: Arrays, sizes: Sizes) -> Iterator[Found]:
    """Places of all weights of attention, the likeliest first; nothing where query, key and value are not all there."""
    listed = in_order(arrays)
    lists = {key: paths for key, paths in lists_in(matrices(arrays)).items() if said(key) and not listed}
    inside = {path for paths in lists.values() for path in paths}
    squares = {path: one for path, one in matrices(arrays).items() if path not in inside}
    squares |= {key: arrays[paths[0]] for key, paths in lists.items()}
    squares |= {path: one for path, one in arrays.items() if one.ndim == 3 and one.shape[-1] != 1 and said(path)}
    named: dict[str, tuple[str, tuple[str, ...]]] = {}
    for path, one in squares.items():
        bare = letters_of(listed.get(path, path))
        for name, pattern in PROJECTIONS.items():
            forms = arrangements(path, one, name, sizes)
            taken = {part for known, _ in named.values() for part in known.split("+")}
            if forms and not taken & set(name.split("+")) and pattern.fullmatch(bare):
                named[path] = name, forms
                break
    taken = {part for known, _ in named.values() for part in known.split("+")}
    left = [path for path in squares if path not in named and squares[path].shape[:1] != ()]
    if "w_out" not in taken and len(left) == 1 and arrangements(left[0], squares[left[0]], "w_out", sizes):
        named[left[0]] = "w_out", arrangements(left[0], squares[left[0]], "w_out", sizes)  # whatever it is called
    if not {"w_query", "w_key", "w_value"} <= {part for known, _ in named.values() for part in known.split("+")}:
        return
    for choice in range(max(len(forms) for _, forms in named.values())):
        places = [(path, name, forms[min(choice, len(forms) - 1)]) for path, (name, forms) in named.items()]
        yield with_rest(places + list(biases_of(places, arrays)), arrays)


def biases_of(places: list[Place], arrays: Arrays) -> Iterator[Place]:
    """The biases beside the matrices that have a place."""
    alone = {path: one for path, one in arrays.items() if one.ndim == 1 and not path.endswith(".bias")}
    for path, name, form in places:
        bias = bias_of(path)
        if bias == path and name in OF_WEIGHT:
            bare = ((other, letters_of(other)) for other in alone)
            bias = next((other for other, words in bare if BIASES[OF_WEIGHT[name]].fullmatch(words)), path)
        first = bias.replace("#", "0")
        if "in_proj_weight" in path:
            bias = first = path.replace("in_proj_weight", "in_proj_bias")
        if bias != path and first in arrays and arrays[first].ndim == 1:
            arrangement = form.partition(" ")[2]
            yield bias, "+".join(OF_WEIGHT[one] for one in name.split("+")), f"flat {arrangement}".strip()


def heads_of_width(arrays: Arrays, width: int, alone: bool) -> bool:
    """Whether there is a list of heads, or one `alone` that nothing follows, as wide as this; or nobody can tell."""
    squares = matrices(arrays)
    rows = {key: paths for key, paths in lists_in(squares).items() if len(paths) > 1 and said(key)}
    rows = {path: [path] for path in squares if said(path) == "w_query"} if alone else rows
    return any(in_and_out(arrays[paths[0]], lie_of(key, arrays[paths[0]]))[1] == width for key, paths in rows.items())


def with_rest(places: list[Place], arrays: Arrays) -> Found:
    """The places, and what has none: no masks, no numbers alone."""
    patterns = [re.compile(re.escape(path).replace("\\#", r"\d+")) for path, _, _ in places]
    more = [
        path
        for path, one in arrays.items()
        if one.dtype.kind == "f"
        and one.size > 1
        and not any(pattern.fullmatch(path) for pattern in patterns)
        and not (one.ndim > 1 and one.shape[-1] == one.shape[-2] and len(np.unique(one)) <= 2)
    ]
    return Found(tuple(places), tuple(more))


# ---- norm and feed-forward ----


def by_patterns(arrays: Arrays, patterns: Mapping[str, re.Pattern[str]]) -> list[Place]:
    """The places that names say, of a norm or of feed-forward."""
    found: list[Place] = []
    for path, array in arrays.items():
        bare, flat = letters_of(path), array.ndim < 2
        for name, pattern in patterns.items():
            free = name not in [one for _, one, _ in found] and flat != name.startswith("w_")
            if free and array.dtype.kind == "f" and pattern.fullmatch(bare):
                one = "flat one" if array.size == 1 else "flat"
                found.append((path, name, one if flat else lie_of(path, array)))
                break
    return found


def norm_places(arrays: Arrays) -> Iterator[Found]:
    """Gain and bias."""
    found = by_patterns(arrays, NORM)
    if found:
        yield with_rest(found, arrays)


def beside(squares: list[Place], arrays: Arrays) -> list[Place]:
    """The biases of the layers that have these matrices."""
    biases = {bias_of(path): name.replace("w_", "b_") for path, name, _ in squares}
    return [(path, name, "flat") for path, name in biases.items() if path in arrays and arrays[path].ndim == 1]


def hidden_pair(arrays: Arrays, d: int) -> list[Place]:
    """The two matrices of feed-forward by their shapes: out of the width of a token, and back into it."""
    found: list[Place] = []
    for path, array in matrices(arrays).items():
        lie = lie_of(path, array)
        rows, columns = in_and_out(array, lie)
        if not found and rows == d and (columns != d or lie != "either"):
            found.append((path, "w_in", "whole" if lie == "either" else lie))
        elif found and columns == d and rows == in_and_out(arrays[found[0][0]], found[0][2])[1]:
            found.append((path, "w_out", "whole" if lie == "either" else lie))
            break
    return found + beside(found, arrays) if len(found) == 2 else []


def hidden_places(arrays: Arrays, sizes: Sizes) -> Iterator[Found]:
    """Both matrices and both biases."""
    found = by_patterns(arrays, HIDDEN)
    squares = [one for one in found if one[1].startswith("w_")]
    found = squares + beside(squares, arrays) if any(form == "torch" for _, _, form in squares) else found
    if {"w_in", "w_out"} <= {name for _, name, _ in found}:
        yield with_rest(found, arrays)
    else:
        found = hidden_pair(arrays, sizes["d_model"])
        if found:
            yield with_rest(found, arrays)


# ---- layers ----


def under(arrays: Arrays, prefix: str) -> dict[str, Any]:
    """What stands under a path, by the rest of the path."""
    return {path[len(prefix) :]: one for path, one in arrays.items() if path.startswith(prefix)}


def moved(found: Found, prefix: str, name: str) -> list[Place]:
    """Places under a path, as weights of one part of a layer."""
    return [
        (prefix + path, "+".join(f"layer.{name}.{one}" for one in names.split("+")), form)
        for path, names, form in found.places
    ]


def start(path: str, depth: int) -> str:
    """The first names of a path."""
    return ".".join(path.split(".")[:depth])


def norms_in(arrays: Arrays, d: int) -> dict[str, Found]:
    """The norms of a layer, by the paths under which they stand: parts that hold nothing but a gain and a bias."""
    parts: dict[str, dict[str, Any]] = {}
    for path, one in arrays.items():
        parts.setdefault(path.rpartition(".")[0], {})[path] = one
    found = {}
    for part, held in parts.items():
        inner = under(held, part + ".") if part else {}
        inner = {path: one for path, one in inner.items() if one.ndim}
        if inner and all(one.shape == (d,) for one in inner.values()):
            places = by_patterns(inner, NORM)
            if len(places) == len(inner) and any(name == "gain" for _, name, _ in places):
                found[part] = Found(tuple(places))
    return found


def attentions_in(arrays: Arrays, sizes: Sizes, many: int) -> Iterator[list[tuple[str, Found]]]:
    """The attentions of a layer, each with the path under which it stands: as many as the role has."""
    if many == 1:
        prefixes = sorted({f"{start(path, depth)}." for path in arrays for depth in range(1, 5)}, key=len)
        for prefix in ("", *prefixes):
            found = list(attention_places(under(arrays, prefix), sizes))
            if found and not found[0].more:
                for one in found:
                    yield [(prefix, one)]
                return
        return
    for depth in (1, 2):
        prefixes = list(dict.fromkeys(f"{start(path, depth)}." for path in matrices(arrays)))
        if len(prefixes) == many:
            found_in = [list(attentions_in(under(arrays, prefix), sizes, 1)) for prefix in prefixes]
            if all(found_in):
                pairs = [(p + inner[0][0][0], inner[0][0][1]) for p, inner in zip(prefixes, found_in, strict=True)]
                cross = re.compile(r"cross|src|enc|mem|source|context|inter")
                yield sorted(pairs, key=lambda one: bool(cross.search(one[0].lower())))
                return


def eps_in(arrays: Arrays) -> list[Place]:
    """The small numbers of the norms, that are to be the model's."""
    return [
        (path, "", f"{NORM_EPS:g}")
        for path, one in arrays.items()
        if one.ndim == 0 and "eps" in path.rpartition(".")[2]
    ]


def layer_places(arrays: Arrays, sizes: Sizes, attentions: tuple[str, ...], norms: tuple[str, ...]) -> Iterator[Found]:
    """Places of all weights of a layer; its norms in the order in which it has them, two also the other way round."""
    known = norms_in(arrays, sizes["d_model"])
    rest = {path: one for path, one in arrays.items() if path.rpartition(".")[0] not in known}
    for hidden in hidden_apart(rest, sizes["d_model"]):
        taken = {path for path, _, _ in hidden}
        others = {path: one for path, one in rest.items() if path not in taken}
        for pairs in attentions_in(others, sizes, len(attentions)):
            parts = moved(Found(tuple(hidden)), "", "feed_forward")
            for (prefix, one), name in zip(pairs, attentions, strict=True):
                parts += moved(one, prefix, name)
            for order in permutations(known) if len(known) == 2 else [tuple(known)]:
                named = zip(order, norms, strict=False)
                placed = [place for part, name in named for place in moved(known[part], f"{part}.", name)]
                yield with_rest([*parts, *placed, *eps_in(arrays)], arrays)


def hidden_apart(arrays: Arrays, d: int) -> Iterator[list[Place]]:
    """The feed-forward of a layer: two matrices of another width than attention has, in one part of it."""
    squares = matrices(arrays)
    widths = {path: in_and_out(one, lie_of(path, one)) for path, one in squares.items()}
    for path, (rows, columns) in widths.items():
        if rows != d or columns in (d, 2 * d, 3 * d):
            continue
        back = [other for other, shape in widths.items() if shape == (columns, d)]
        more = [other for other, shape in widths.items() if shape == (rows, columns) and other != path]
        if len(back) == 1 and not more:
            pair = (path, bias_of(path), *back, bias_of(back[0]))
            yield hidden_pair({one: arrays[one] for one in arrays if one in pair}, d)
            return


# ---- any role ----

LAYER_WEIGHTS = {  # of each layer its attentions and its norms, in order
    "encoder_layer": (("attention",), ("norm_1", "norm_2")),
    "pre_norm_block": (("attention",), ("norm_1", "norm_2")),
    "decoder_layer": (("attention", "cross_attention"), ("norm_1", "norm_2", "norm_3")),
}


def places_in(arrays: Arrays, role: str, sizes: Sizes) -> Iterator[Found]:
    """Where the weights of a role are in an instance, the likeliest first."""
    if role == "multi_head":
        yield from attention_places(arrays, sizes)
    elif role == "feed_forward":
        yield from hidden_places(arrays, sizes)
    elif role == "layer_norm":
        yield from norm_places(arrays)
    elif role in LAYER_WEIGHTS:
        yield from layer_places(arrays, sizes, *LAYER_WEIGHTS[role])
