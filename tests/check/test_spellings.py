"""What the tests spell in many ways keeps its meaning, there is enough of it, and what does not keep it is seen."""

from __future__ import annotations

from collections import Counter

import pytest
from check.grid import Cell, cell_of, cells_of, everything, sample, shape
from check.meaning import difference
from check.spellings import SPELLINGS, spells

ENOUGH = 20


@pytest.mark.sample(20)
@pytest.mark.parametrize("cell", sample(), ids=lambda cell: cell.name)
def test_a_spelling_computes_what_the_model_with_that_fault_computes(cell: Cell):
    assert difference(cell.fault, cell.spelling) == ""  # `benchmarks/checks.py` looks at all


def test_every_fault_has_spellings_enough_that_differ_in_more_than_names():
    bare = [one for one in SPELLINGS if not one.body]  # whether a body can be rewritten takes a while to say
    least = min(everything(), key=lambda fault: sum(spells(one, fault) for one in bare))
    assert len({shape(cell) for cell in cells_of(least)}) >= ENOUGH


def test_the_sample_has_every_spelling():
    used = Counter(cell.spelling.name for cell in sample())
    assert used.keys() == {one.name for one in SPELLINGS}


@pytest.mark.parametrize(
    ("fault", "spelling", "old", "new", "told"),
    [
        ("no-scale", "einsum", "...nd,...dm->...nm", "...dn,...dm->...nm", "no mask: "),
        ("mask-zero", "True is hidden", "else ~", "else ", "a mask: "),
        ("no-scale", "features first", "result = (np.swapaxes(result[0], -1, -2), result[1])", "", "no mask: "),
        ("nothing, attention", "by the module math", "_math.sqrt(base)", "np.sqrt(base)", "float32: output is float64"),
        ("scale-in-place", "reciprocals", "query=queries", "query=queries + 0", "no mask: it writes into []"),
        ("softmax-plus-one", "one step a line", "1 +", "1.001 +", "scores: "),
        ("causal-top-left", "loops over elements", "_operator.le", "_operator.lt", "5 × 5: inf apart"),
        ("decoder-mask-or", "a generator", "yield result", "yield result[0]", "padded sentences: inf apart"),
        ("one-gain", "weights of an instance", "gain=self.gain", "gain=self.bias", "tokens: "),
        ("labels-not-shifted", "a dict", "raise", "raise", ""),
    ],
)
def test_what_does_not_keep_the_meaning_is_seen(fault: str, spelling: str, old: str, new: str, told: str):
    cell = cell_of(fault, spelling)
    changed = cell.text.replace(old, new)
    assert (changed != cell.text) == bool(told)
    found = difference(cell.fault, cell.spelling, changed)
    assert found.startswith(told), found
    assert bool(found) == bool(told)
