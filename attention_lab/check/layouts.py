"""How arrays lie in a person's interface, and what a mask says. The model's: (…, T, d), and True = may attend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Turn = Callable[[Any], Any]


@dataclass(frozen=True)
class Layout:
    """Where tokens and features are. `turn` is its own inverse; `leads` are the numbers of axes in front of them."""

    name: str
    turn: Turn
    leads: tuple[int, ...]
    usual: bool = False
    mask: Turn = lambda mask: mask  # what makes one of ours, (Tq, Tk) or (B, 1, Tq, Tk), one of its axes


def same(array: Any) -> Any:
    """The array as it is."""
    return array


def transposed(array: Any) -> Any:
    """The last two axes exchanged."""
    return np.swapaxes(array, -1, -2)


def batch_second(array: Any) -> Any:
    """The first two axes exchanged."""
    return np.swapaxes(array, 0, 1)


def heads_third(array: Any) -> Any:
    """Heads and tokens exchanged, where there are heads."""
    return np.swapaxes(array, 1, 2) if array.ndim > 2 else array


def without_heads(mask: Any) -> Any:
    """A mask for each sample, to which the function itself adds the axis of heads: (B, Tq, Tk)."""
    return mask[:, 0] if mask.ndim == 4 else mask[np.newaxis]


USUAL = Layout("(…, T, d)", same, (2, 1, 0, -1), usual=True)
LAYOUTS = (
    USUAL,
    Layout("(d, T)", transposed, (0,)),
    Layout("(B, d, T)", transposed, (1,)),
    Layout("(B, T, h, d)", heads_third, (2,)),
    Layout("(T, B, d)", batch_second, (1,)),
    Layout("(B, T, d), and masks (B, T, T)", same, (1,), mask=without_heads),
)


# ---- masks ----


@dataclass(frozen=True)
class Convention:
    """What a mask says. `write` makes theirs of one of ours, `read` does the reverse; None where it is none."""

    name: str
    told: str
    write: Turn
    read: Callable[[Any], Any | None]


def read_bool(mask: Any) -> Any | None:
    """A boolean mask."""
    return mask if mask.dtype == bool else None


def read_numbers(mask: Any) -> Any | None:
    """A mask of ones and zeros that are no booleans."""
    fits = mask.dtype != bool and mask.dtype.kind in "iuf" and bool(np.isin(mask, (0, 1)).all())
    return mask == 1 if fits else None


def read_additive(mask: Any) -> Any | None:
    """Zeros, and numbers so low that nothing is left after softmax."""
    fits = mask.dtype.kind == "f" and bool(((mask == 0) | (mask < -1e3)).all())
    return mask == 0 if fits else None


def negated(read: Callable[[Any], Any | None]) -> Callable[[Any], Any | None]:
    """The same, read the other way round."""

    def other(mask: Any) -> Any | None:
        found = read(mask)
        return None if found is None else ~found

    return other


ALLOWED = Convention("allowed", "True in a mask means: may attend", same, read_bool)
NUMBERS = Convention("ones", "1 in a mask means: may attend", lambda mask: mask.astype(float), read_numbers)
ADDITIVE = Convention(
    "additive",
    "a mask is added to the scores: 0, or −∞ for what is hidden",
    lambda mask: np.where(mask, 0.0, -np.inf),
    read_additive,
)
BLOCKED = Convention("blocked", "True in a mask means: hidden", np.logical_not, negated(read_bool))
ZEROS = Convention("zeros", "1 in a mask means: hidden", lambda mask: 1.0 - mask, negated(read_numbers))
FINITE = Convention("finite", "any numbers are added to the scores", same, read_additive)
CONVENTIONS = (ALLOWED, NUMBERS, BLOCKED, ZEROS, ADDITIVE)  # who asks whether it is 0 is no one who adds it
REVERSED = ("blocked", "zeros")


def convention(name: str) -> Convention:
    """The convention of this name."""
    return next(one for one in CONVENTIONS if one.name == name)
