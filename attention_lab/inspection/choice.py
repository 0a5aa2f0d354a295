"""Roles of the arrays of a file by their names: weights, Q, K, V, masks and padding.

NAMES holds the usual names; with others, the caller must say which array holds the weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attention_lab.errors import BadInput
from attention_lab.inspection.files import Array, StoredArray
from attention_lab.text import listed

NAMES = {
    "weights": (
        "weights",
        "attention_weights",
        "attn_weights",
        "attention",
        "attentions",
        "attn",
        "attention_probs",
        "attn_probs",
        "probs",
    ),
    "query": ("query", "queries", "q"),
    "key": ("key", "keys", "k"),
    "value": ("value", "values", "v"),
    "mask": ("mask",),  # True = may attend, as the weights or broadcast to them
    "real": ("attention_mask",),  # (B, Tk), 1 = a token
    "padding": ("padding", "key_padding_mask"),  # (B, Tk), True = padding
    "lengths": ("lengths",),  # (B,)
}
ASIDE = ("mask", "real", "padding", "lengths")  # roles that go with weights and with Q and K
LISTED = 12  # arrays of a file that are listed by name


@dataclass(frozen=True)
class Chosen:
    """Arrays of a file by role, and the names of the others as `passed_over`."""

    arrays: dict[str, StoredArray]
    passed_over: tuple[str, ...]


def array_list(stored: Mapping[str, StoredArray]) -> str:
    """List of the arrays with their shapes, as text."""
    told = [str(one) for one in list(stored.values())[:LISTED]]
    more = len(stored) - len(told)
    return listed([*told, *([f"{more} more"] if more > 0 else [])])


def arrays_by_role(stored: Mapping[str, StoredArray]) -> dict[str, StoredArray]:
    """Arrays by role. Raises BadInput where two have names for one role."""
    by_role: dict[str, StoredArray] = {}
    for role, names in NAMES.items():
        several = [one for name, one in stored.items() if name.lower() in names]
        if len(several) > 1:
            advice = "Choose with --array NAME." if role == "weights" else "Save only one of them."
            raise BadInput(f"{listed(one.name for one in several)} may each be the {role}.", advice)
        if several:
            by_role[role] = several[0]
    return by_role


def choose_arrays(file: str, stored: Mapping[str, StoredArray], array: str | None) -> Chosen:
    """Arrays to inspect: the named one, else weights, else Q and K. Raises BadInput where there is none."""
    if array is not None:
        if list(stored) == [""]:
            raise BadInput(f"{file} is a .npy: it holds one array, which has no name.", "Leave --array out.")
        if array not in stored:
            raise BadInput(f"{file} has no array {array!r}.", f"There are {array_list(stored)}.")
        others = {name: one for name, one in stored.items() if name.lower() not in NAMES["weights"]}
        by_role = {**arrays_by_role(others), "weights": stored[array]}
    else:
        by_role = arrays_by_role(stored)
    aside = {role: one for role, one in by_role.items() if role in ASIDE}
    if by_role.keys() == aside.keys() and len(stored) == len(aside) + 1:
        (only,) = (one for one in stored.values() if one not in aside.values())
        by_role["weights"] = only
    if "weights" in by_role:
        used = {"weights": by_role["weights"]}
    elif {"query", "key"} <= by_role.keys():
        used = {role: by_role[role] for role in ("query", "key", "value") if role in by_role}
    else:
        raise BadInput(
            f"None of the arrays of {file} is named as weights, or as query and key: there are {array_list(stored)}.",
            "Choose with --array NAME; layers saved one by one are one array after numpy.stack.",
        )
    used |= aside
    return Chosen(used, tuple(one.name for one in stored.values() if one not in used.values()))


def readable_name(file: str, array: StoredArray) -> str:
    """Name of an array in a sentence. Raises BadInput if it cannot be read."""
    name = f"{array.name} of {file}" if array.name else file
    if array.trouble:
        raise BadInput(f"{name} {array.trouble}.", "Save plain arrays, with numpy.save or numpy.savez.")
    return name


def float_array(file: str, stored: StoredArray) -> Array:
    """Read an array of floating-point numbers with two axes or more. Raises BadInput on any other."""
    name = readable_name(file, stored)
    if stored.dtype.kind != "f" or stored.dtype.itemsize not in (2, 4, 8):
        advice = "Give float16, float32 or float64."
        if stored.dtype.itemsize == 2:
            advice += " Of bfloat16, which NumPy does not know, save x.float().numpy()."
        raise BadInput(f"{name} holds {stored.dtype}.", advice)
    if len(stored.shape) < 2:
        raise BadInput(
            f"{name} has the shape {stored.shape}.", "It needs two axes at least, the last of them the keys."
        )
    if 0 in stored.shape:
        raise BadInput(f"{name} has the shape {stored.shape}: it is empty.", "Give one in which no axis is 0.")
    return stored.read()


def read_flags(file: str, stored: StoredArray) -> Array:
    """Read an array of True and False, also written as 1 and 0. Raises BadInput on other values."""
    name = readable_name(file, stored)
    if stored.dtype.kind not in "biuf":
        raise BadInput(f"{name} holds {stored.dtype}.", "Give True and False, or 1 and 0.")
    array = stored.read()
    if not np.isin(array, (0, 1)).all():
        raise BadInput(f"{name} holds other values than 1 and 0.", "Of a mask that is added, save mask == 0.")
    return array.astype(bool)


def read_lengths(file: str, stored: StoredArray) -> list[int]:
    """Read a list of lengths. Raises BadInput on any other array."""
    name = readable_name(file, stored)
    if stored.dtype.kind not in "iu" or len(stored.shape) != 1:
        raise BadInput(f"{name} is {stored.shape} {stored.dtype}.", "Give one whole number for each sample.")
    return [int(length) for length in stored.read()]
