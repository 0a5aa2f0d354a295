"""Layouts of arrays and conventions of masks in a learner's interface. The model's: (…, T, d), and True = may attend.

The names of both are choices on the command line, so this file imports NumPy only inside the function that needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Turn = Callable[[Any], Any]


def same(array: Any) -> Any:
    """The array as it is."""
    return array


def transposed(array: Any) -> Any:
    """The last two axes exchanged."""
    return array.swapaxes(-1, -2)


def batch_second(array: Any) -> Any:
    """The first two axes exchanged."""
    return array.swapaxes(0, 1)


def heads_third(array: Any) -> Any:
    """Heads and tokens exchanged, where there are heads."""
    return array.swapaxes(1, 2) if array.ndim > 2 else array


def without_heads(mask: Any) -> Any:  # (B, 1, Tq, Tk) or (Tq, Tk) -> (B, Tq, Tk) or (1, Tq, Tk)
    """A mask for each sample, to which the function itself adds the axis of heads."""
    return mask[:, 0] if mask.ndim == 4 else mask[None]


@dataclass(frozen=True)
class Layout:
    """The order of an array's axes. `option` is its name on the command line, `name` the one on the page.

    `turn` changes the model's order into this one, and back. `batch_axes` are the numbers of axes before (T, d) that
    the layout can have, the likeliest first; -1 is a single token. `mask` changes the axes of the model's mask,
    (Tq, Tk) or (B, 1, Tq, Tk), into those of this layout.
    """

    option: str
    name: str
    turn: Turn
    batch_axes: tuple[int, ...]
    mask: Turn = same


USUAL = Layout("T-d", "(…, T, d)", same, (2, 1, 0, -1))
BATCH_SECOND = Layout("T-B-d", "(T, B, d)", batch_second, (1,))
LAYOUTS = (
    USUAL,
    Layout("d-T", "(d, T)", transposed, (0,)),
    Layout("B-d-T", "(B, d, T)", transposed, (1,)),
    Layout("B-T-h-d", "(B, T, h, d)", heads_third, (2,)),
    BATCH_SECOND,
    Layout("B-T-d", "(B, T, d), and masks (B, T, T)", same, (1,), mask=without_heads),
)


# ---- masks ----


@dataclass(frozen=True)
class Convention:
    """The meaning of a mask's entries; `name` is its name on the command line, too.

    `write` turns a mask of the model into one of this convention. `read` does the reverse, and gives None for an array
    that is no mask of this convention.
    """

    name: str
    sentence: str
    write: Turn
    read: Callable[[Any], Any | None]


def read_bool(mask: Any) -> Any | None:
    """A boolean mask."""
    return mask if mask.dtype == bool else None


def read_numbers(mask: Any) -> Any | None:
    """A mask of ones and zeros that are numbers."""
    fits = mask.dtype != bool and mask.dtype.kind in "iuf" and bool(((mask == 0) | (mask == 1)).all())
    return mask == 1 if fits else None


def read_additive(mask: Any) -> Any | None:
    """A mask of zeros, and of numbers so low that softmax leaves nothing of them."""
    fits = mask.dtype.kind == "f" and bool(((mask == 0) | (mask < -1e3)).all())
    return mask == 0 if fits else None


def write_additive(mask: Any) -> Any:
    """0 where the model's mask is True, −∞ where it is False."""
    import numpy as np

    return np.where(mask, 0.0, -np.inf)


def negated(read: Callable[[Any], Any | None]) -> Callable[[Any], Any | None]:
    """A reader of masks with the opposite sense."""

    def read_opposite(mask: Any) -> Any | None:
        allowed = read(mask)
        return None if allowed is None else ~allowed

    return read_opposite


ALLOWED = Convention("allowed", "True in a mask means: may attend", same, read_bool)
NUMBERS = Convention("ones", "1 in a mask means: may attend", lambda mask: mask.astype(float), read_numbers)
ADDITIVE = Convention(
    "additive", "a mask is added to the scores: 0, or −∞ for hidden keys", write_additive, read_additive
)
BLOCKED = Convention("blocked", "True in a mask means: hidden", lambda mask: ~mask, negated(read_bool))
ZEROS = Convention("zeros", "1 in a mask means: hidden", lambda mask: 1.0 - mask, negated(read_numbers))
FINITE = Convention("finite", "any numbers are added to the scores", same, read_additive)
CONVENTIONS = (ALLOWED, NUMBERS, BLOCKED, ZEROS, ADDITIVE)  # ZEROS first: code that tests `mask == 0` does not add it
REVERSED = ("blocked", "zeros")
