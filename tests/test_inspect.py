"""Inspecting weights: every measure against plain loops, every finding shown and just missed, the page as a command."""

from __future__ import annotations

import json
import math
import shlex
import time
from pathlib import Path

import numpy as np
import pytest
from fixtures import Run

from attention_lab.inspection import findings as found
from attention_lab.inspection.choice import choose_arrays
from attention_lab.inspection.files import stored_arrays
from attention_lab.inspection.findings import KINDS, measure_heads
from attention_lab.inspection.heads import Heads, heads_in
from attention_lab.inspection.inspection_page import inspect_heads, worst_first
from attention_lab.inspection.measures import Measures, measure_head
from attention_lab.machine.timing import peak_bytes
from attention_lab.result import Matrix, Statement
from attention_lab.transformer import attention, causal_mask

# ---- the oracle: one number at a time ----


def corner(rows: list, Tq: int, Tk: int) -> str | None:
    best, fewest = None, math.inf
    for name, start in (("bottom-right", Tk - Tq), ("top-left", 0)):
        closed = [(i, j) for i in range(Tq) for j in range(Tk) if j > i + start]
        mass = sum(row[j] for _, i, row in rows for a, j in closed if a == i) / len(rows)
        if closed and mass <= 1e-6 and Tq * Tk - len(closed) < fewest:
            best, fewest = name, Tq * Tk - len(closed)
    return best


def average(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def oracle(weights: list, allowed: list | None, queries: list | None) -> Measures:
    B, Tq, Tk = len(weights), len(weights[0]), len(weights[0][0])
    every = [(b, i, weights[b][i]) for b in range(B) for i in range(Tq)]
    cells = [cell for _, _, row in every for cell in row]
    whole = [one for one in every if all(map(math.isfinite, one[2]))]
    filled = [one for one in whole if any(one[2])]
    sound = []
    for b, i, row in filled:
        positive = [max(cell, 0.0) for cell in row]
        if sum(positive) > 0 and (queries is None or queries[b][i]):
            sound.append((b, i, [cell / sum(positive) for cell in positive]))
    columns = [abs(sum(weights[b][i][j] for i in range(Tq)) - 1) for b in range(B) for j in range(Tk)]
    where = corner(sound, Tq, Tk)
    closed = None
    if allowed is not None:
        closed = average([sum(row[j] for j in range(Tk) if not allowed[b][i][j]) for b, i, row in sound])
    start = {None: Tk, "bottom-right": Tk - Tq, "top-left": 0}[where]

    def visible(b: int, i: int) -> list[int]:
        keys = [j for j in range(Tk) if j <= i + start]
        return [j for j in keys if allowed[b][i][j]] if closed is not None and closed <= 1e-6 else keys

    judged = [(b, i, row) for b, i, row in sound if len(visible(b, i)) > 1]
    entropy = [-sum(p * math.log(p) for p in row if p > 0) for _, _, row in sound]
    shares = [
        -sum(p * math.log(p) for p in row if p > 0) / math.log(max(2, len(visible(b, i)))) for b, i, row in judged
    ]
    hits = [sum(row[j] > 0.5 for _, _, row in judged) / len(judged) for j in range(Tk)]
    masses: dict[int, list[float]] = {}
    own = Tk - Tq if where == "bottom-right" else 0
    for _, i, row in judged:
        for j in range(Tk):
            masses.setdefault(j - i - own, []).append(row[j])
    usual = {o: sum(some) / len(some) for o, some in masses.items() if 2 * len(some) >= len(judged)}
    offset = max(usual, key=lambda o: (usual[o], -o)) if Tq == Tk or where else 0
    apart = []
    for b in range(B):
        mine = [(i, row) for c, i, row in judged if c == b]
        if not mine:
            continue
        last, reference = max(mine, key=lambda one: (len(visible(b, one[0])), one[0]))
        for i, row in mine:
            if i == last:
                continue
            seen = sum(reference[j] for j in visible(b, i))
            expected = [reference[j] / seen if seen > 0 and j in visible(b, i) else 0.0 for j in range(Tk)]
            apart.append(sum(abs(p - e) for p, e in zip(row, expected, strict=True)) / (2 if seen > 0 else 1))
    later = [(i, j) for i in range(Tq) for j in range(Tk) if j > i + Tk - Tq]
    return Measures(
        not_finite=sum(not math.isfinite(cell) for cell in cells),
        negative=sum(cell < 0 for cell in cells),
        zero_rows=len(whole) - len(filled),
        rows=len(every),
        judged=len(judged),
        off=max(abs(sum(row) - 1) for _, _, row in filled),
        columns_off=max(columns) if len(whole) == len(every) else None,
        closed=closed,
        future=sum(row[j] for _, i, row in sound for a, j in later if a == i) / len(sound),
        faint=len(later) / (Tq * Tk),
        corner=where,  # type: ignore[arg-type]
        entropy=average(entropy),
        share=average(shares),
        largest=average([max(row) for _, _, row in sound]),
        saturated=average([float(max(row) > 0.99) for _, _, row in judged]),
        sink=hits.index(max(hits)),
        sink_rows=max(hits),
        offset=offset,
        offset_mass=usual[offset] if Tq == Tk or where else 0.0,
        apart=average(apart),
    )


SIZES = [(1, 7, 7), (2, 5, 8), (3, 8, 5)]


def drawn(B: int, Tq: int, Tk: int, mask: np.ndarray | None = None) -> np.ndarray:
    rng = np.random.default_rng(B + Tq)
    query, key = rng.standard_normal((B, Tq, 4)), rng.standard_normal((B, Tk, 4))
    if mask is None:
        return attention(query, key, key)[1]
    blind = ~mask.any(axis=-1, keepdims=True)
    return attention(query, key, key, mask | blind)[1] * ~blind


def check(weights: np.ndarray, *masks: np.ndarray) -> Measures:
    expected = oracle(weights.tolist(), *[mask.tolist() for mask in masks], *[None] * (2 - len(masks)))
    seen = measure_head(weights, *masks)
    for name, value in vars(expected).items():
        approximately = pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value
        assert getattr(seen, name) == approximately, name
    return seen


@pytest.mark.parametrize("sizes", SIZES)
def test_measures_of_ordinary_heads(sizes: tuple[int, int, int]):
    assert check(drawn(*sizes)).corner is None


@pytest.mark.parametrize("sizes", SIZES)
def test_measures_of_causal_heads_with_the_corner_of_their_mask(sizes: tuple[int, int, int]):
    _, Tq, Tk = sizes
    assert check(drawn(*sizes, causal_mask(Tq, Tk))).corner == "bottom-right"
    top_left = np.tril(np.ones((Tq, Tk), dtype=bool))
    assert check(drawn(*sizes, top_left)).corner == ("bottom-right" if Tq == Tk else "top-left")


@pytest.mark.parametrize("sizes", SIZES)
def test_measures_under_padding_that_is_respected_and_that_is_not(sizes: tuple[int, int, int]):
    B, Tq, Tk = sizes
    allowed = np.broadcast_to(np.arange(Tk) < Tk - 2, (B, Tq, Tk))
    assert check(drawn(*sizes, allowed), allowed).closed == 0
    assert (check(drawn(*sizes), allowed).closed or 0) > 0.05


def test_rows_of_padded_queries_do_not_count_in_means():
    real = np.arange(8) < np.array([[8], [5]])
    weights = drawn(2, 8, 8, np.broadcast_to(causal_mask(8), (2, 8, 8)))  # padding is not masked, and need not be
    seen = check(weights, np.broadcast_to(real[:, np.newaxis], weights.shape), real)
    assert seen.closed == 0
    weights[1, 6] = np.nan
    assert check(weights, np.broadcast_to(real[:, np.newaxis], weights.shape), real).not_finite == 8


@pytest.mark.parametrize("sizes", SIZES)
def test_measures_of_damaged_heads(sizes: tuple[int, int, int]):
    weights = drawn(*sizes)
    weights[0, 1, 2] = np.nan
    weights[-1, 2, 0] = -0.25
    weights[0, 3] = 0
    weights[-1, 4] *= 1.5
    weights[0, 0, 1] = -np.inf
    seen = check(weights)
    assert (seen.not_finite, seen.negative, seen.zero_rows) == (2, 2, 1)


@pytest.mark.parametrize(
    "weights", [np.eye(7), np.eye(7)[np.maximum(0, np.arange(7) - 1)], np.tile(np.eye(7)[0], (7, 1))]
)
def test_measures_of_certain_heads(weights: np.ndarray):
    check(weights[np.newaxis])


@pytest.mark.parametrize("place", [-4, -1, 0, 1, 3])
def test_the_offset_is_the_place_that_a_head_looks_at(place: int):
    weights = np.full((2, 9, 9), 0.02)
    for i in range(9):
        weights[:, i, min(max(i + place, 0), 8)] = 0.84
    seen = check(weights)
    assert (seen.offset, seen.offset_mass) == (place, pytest.approx(0.84))


# ---- findings: an array that shows it, and one just short of it ----


def heads_of(*weights: np.ndarray, real: np.ndarray | None = None) -> Heads:
    array = np.stack(weights)  # (h, B, Tq, Tk)
    return Heads(("head",), array, None, real, "padded", "")


def kinds(heads: Heads) -> list[list[str]]:
    return [[kind.name for kind in found.findings(head)] for head in measure_heads(heads)]


def spread_out(T: int = 8) -> np.ndarray:
    """Weights with nothing to be found in them, (1, T, T)."""
    rng = np.random.default_rng(7)
    return attention(*rng.standard_normal((3, 1, T, 4)))[1]


def with_cell(value: float) -> np.ndarray:
    weights = spread_out()
    weights[0, 3, 2] = value
    return weights


def with_row(row: np.ndarray | float) -> np.ndarray:
    weights = spread_out()
    weights[0, 3] = row
    return weights


def mixed(part: float) -> np.ndarray:
    """Uniform, with `part` of the mass of row i on key (3 i) mod 8."""
    return np.full((1, 8, 8), (1 - part) / 8) + part * np.eye(8)[3 * np.arange(8) % 8]


def uniform_to(share: float) -> np.ndarray:
    """Mixed, with this share of the highest entropy."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        row = mixed(middle)[0, 0]
        low, high = (middle, high) if -(row * np.log(row)).sum() / math.log(8) > share else (low, middle)
    return mixed(low)


def nearly_alike(distance: float) -> np.ndarray:
    weights = np.tile(np.array([0.4, 0.3, 0.1, 0.1, 0.025, 0.025, 0.025, 0.025]), (1, 8, 1))
    weights[0, :-1, 0] -= distance
    weights[0, :-1, 1] += distance
    return weights


def certain(rows: int, weight: float = 0.995) -> np.ndarray:
    weights = spread_out()
    for i in range(rows):
        weights[0, i] = (1 - weight) / 7
        weights[0, i, 3 * i % 8] = weight
    return weights


def sinking(rows: int, weight: float = 0.6) -> np.ndarray:
    weights = mixed(0.2)
    weights[0, :rows] = (1 - weight) / 7
    weights[0, :rows, 2] = weight
    return weights


def looking_back(weight: float) -> np.ndarray:
    weights = np.full((1, 8, 8), (1 - weight) / 7)
    weights[0, 0] = 1 / 8
    weights[0, range(1, 8), range(7)] = weight
    return weights


SHOWN_AND_SHORT = {
    "not finite": [(with_cell(math.nan), spread_out()), (with_cell(math.inf), with_cell(1e300))],
    "negative": [(with_cell(-1e-9), with_cell(-0.0))],
    "row sums": [(spread_out() * 1.0101, spread_out() * 1.0099), (spread_out() * 0.9899, spread_out() * 0.9901)],
    "zero rows": [(with_row(0), with_row(1e-9))],
    "uniform": [(uniform_to(0.9901), uniform_to(0.9899))],
    "dead": [(nearly_alike(0.0099), nearly_alike(0.0101))],
    "saturated": [(certain(5), certain(4)), (certain(5, 0.991), certain(5, 0.989))],
    "sink": [(sinking(5), sinking(4)), (sinking(5, 0.501), sinking(5, 0.499))],
    "offset": [(looking_back(0.501), looking_back(0.499))],
}


@pytest.mark.parametrize(
    ("name", "place"), [(name, i) for name, some in SHOWN_AND_SHORT.items() for i in range(len(some))]
)
def test_a_finding_is_shown_and_just_short_of_it_is_not(name: str, place: int):
    shown, short = SHOWN_AND_SHORT[name][place]
    assert name in kinds(heads_of(shown))[0]
    assert name not in kinds(heads_of(short))[0]


@pytest.mark.parametrize("weights", [np.full((1, 4, 8), 1 / 8), np.tile(np.eye(8)[2], (1, 4, 1))])
def test_three_rows_are_too_few_for_a_pattern(weights: np.ndarray):
    assert kinds(heads_of(weights)) != [[]]
    assert kinds(heads_of(weights[:, :3])) == [[]]


def test_nothing_is_found_in_ordinary_heads():
    rng = np.random.default_rng(3)
    several = [attention(*rng.standard_normal((3, 2, 9, 16)), mask)[1] for mask in (None, None, causal_mask(9))]
    assert kinds(heads_of(*several)) == [[], [], []]
    assert kinds(heads_of(several[2], several[2] * 0.999)) == [[], []]


def test_every_kind_of_finding_has_its_pair_here():
    beside_others = {"closed keys", "future", "copy", "temperature"}
    assert {kind.name for kind in KINDS} == SHOWN_AND_SHORT.keys() | beside_others


@pytest.mark.parametrize(("mass", "expected"), [(1.1e-6, True), (0.9e-6, False)])
def test_mass_on_padding(mass: float, expected: bool):
    real = np.arange(8)[np.newaxis] < 6
    weights = spread_out() * real[:, np.newaxis]
    weights /= weights.sum(axis=-1, keepdims=True)
    weights *= 1 - mass
    weights[..., 7] = mass
    assert ("closed keys" in kinds(heads_of(weights, real=real))[0]) is expected


def on_the_future(mass: float, seed: int) -> np.ndarray:
    """A causal head but for this mean mass of its rows after the query."""
    rng = np.random.default_rng(seed)
    _, weights = attention(*rng.standard_normal((3, 1, 8, 4)), causal_mask(8))
    weights[0, 3] *= 1 - 8 * mass
    weights[0, 3, 6] += 8 * mass
    return weights


def test_the_future_seen_by_few_heads_is_a_finding():
    causal = [on_the_future(0, seed) for seed in range(3)]
    for mass, expected in ((1.1e-6, True), (0.9e-6, False), (0.1, True)):
        assert ["future" in names for names in kinds(heads_of(*causal, on_the_future(mass, 9)))] == [False] * 3 + [
            expected
        ]
    half = [on_the_future(0.12, seed) for seed in (7, 8, 9)]
    assert not any("future" in names for names in kinds(heads_of(*causal, *half)))


@pytest.mark.parametrize(("share", "expected"), [(0.049, True), (0.051, False)])
def test_a_mask_that_leaks_in_all_heads_is_a_finding(share: float, expected: bool):
    faint = 28 / 64  # of the cells of an 8 × 8 head are after the query
    leaking = [on_the_future(share * faint, seed) for seed in range(3)]
    assert [("future" in names) for names in kinds(heads_of(*leaking))] == [expected] * 3


@pytest.mark.parametrize(("difference", "expected"), [(0.9e-6, True), (1.1e-6, False)])
@pytest.mark.parametrize("T", [8, 40])  # with as many cells as are compared before all are, and with more
def test_a_copy_differs_in_no_cell(difference: float, expected: bool, T: int):
    one, third = spread_out(T), spread_out(T)[:, ::-1].copy()
    for key in range(8):
        other = one.copy()
        other[0, -1, key] += difference
        assert ["copy" in names for names in kinds(heads_of(third, one, other))] == [False, False, expected]


def test_the_worst_of_a_kind_comes_first():
    heads = measure_heads(heads_of(spread_out(), spread_out() * 1.02, mixed(0.3) * 1.5, with_cell(-0.1)))
    assert [head.index for head in worst_first(heads)] == [(3,), (2,), (1,), (0,)]


# ---- Q and K ----


def saved(path: Path, **arrays: np.ndarray) -> str:
    np.savez(path, **arrays)
    return str(path)


def opened(file: str, **settings) -> Heads:
    return heads_in(file, choose_arrays(file, stored_arrays(file), None), **settings)


def with_spread(spread: float, d_k: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """Query and key (1, 3, 6, d_k), (1, 3, 8, d_k) whose scores, divided, spread by so much in every head."""
    rng = np.random.default_rng(5)
    query, key = rng.standard_normal((1, 3, 6, d_k)), rng.standard_normal((1, 3, 8, d_k))
    scores = query @ np.swapaxes(key, -1, -2) / d_k**0.5
    return query * spread / np.sqrt(scores.var(axis=-1).mean(axis=-1))[..., np.newaxis, np.newaxis], key


@pytest.mark.parametrize(("spread", "expected"), [(0.299, True), (0.301, False), (4.99, False), (5.01, True)])
def test_the_temperature_of_scores(tmp_path: Path, spread: float, expected: bool):
    query, key = with_spread(spread)
    heads = opened(saved(tmp_path / "qk.npz", q=query, k=key))
    assert [("temperature" in names) for names in kinds(heads)] == [expected] * 3
    for head in measure_heads(heads):
        assert head.temper is not None
        assert (head.temper.spread, head.temper.raw) == (pytest.approx(spread), pytest.approx(4 * spread))


def test_weights_from_q_and_k_are_the_models_and_those_without_the_scale_are_told(tmp_path: Path):
    rng = np.random.default_rng(2)
    query, key, value = (rng.standard_normal((2, 3, T, d)) for T, d in ((5, 4), (7, 4), (7, 6)))
    mask = causal_mask(5, 7)
    heads = opened(saved(tmp_path / "qkv.npz", query=query, key=key, value=value, mask=mask))
    output, weights = attention(query, key, value, mask)
    _, raw = attention(2 * query, key, value, mask)
    for head in range(3):
        np.testing.assert_allclose(heads.of((head,)), weights[:, head])
        temper = heads.temper((head,))
        assert temper is not None
        assert temper.raw_largest == pytest.approx(raw[:, head].max(axis=-1).mean())
        size = np.sqrt((output[:, head] ** 2).mean() / (value[:, head] ** 2).mean())
        assert temper.passed_on == pytest.approx(size)


def test_queries_that_were_divided_before_are_told(tmp_path: Path):
    for factor, expected in ((1 / 4, True), (1, False)):
        query, key = with_spread(factor)
        result = inspect_heads(opened(saved(tmp_path / "qk.npz", q=query, k=key)))
        assert ("divided before" in result["temperature"].measured) is expected


def test_a_row_that_may_attend_to_nothing_has_no_weights(tmp_path: Path):
    query, key = with_spread(1)
    mask = np.ones((6, 8), dtype=bool)
    mask[2] = False
    heads = opened(saved(tmp_path / "qk.npz", q=query, k=key, mask=mask))
    assert not heads.of((0,))[0, 2].any()
    assert np.isfinite(heads.of((0,))).all()
    assert [head.measures.zero_rows for head in measure_heads(heads)] == [1, 1, 1]


# ---- axes, arrays, padding ----


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4"])
@pytest.mark.parametrize("lead", [(), (3,), (2, 3), (4, 2, 3), (2, 4, 1, 3)])
def test_any_leading_axes_and_precisions(tmp_path: Path, lead: tuple[int, ...], dtype: str):
    rng = np.random.default_rng(1)
    weights = attention(*rng.standard_normal((3, *lead, 6, 5)))[1].astype(dtype)
    np.save(tmp_path / "w.npy", np.asfortranarray(weights))
    heads = opened(str(tmp_path / "w.npy"))
    assert heads.axes == {2: ("axis 0", "layer", "head"), 1: ("layer", "head")}.get(len(lead) - 2, ("head",))
    whole = weights.reshape(-1, 6, 6).astype(float)
    np.testing.assert_array_equal(np.sort(np.concatenate([heads.of(h) for h in heads]), axis=0), np.sort(whole, axis=0))
    assert not any(kinds(heads))


def test_axes_by_name(tmp_path: Path):
    rng = np.random.default_rng(1)
    weights = attention(*rng.standard_normal((3, 2, 3, 4, 5)))[1]  # layer, head
    np.save(tmp_path / "w.npy", np.moveaxis(weights, 3, 0))  # key, layer, head, query
    heads = opened(str(tmp_path / "w.npy"), axes="key layer head query")
    assert heads.axes == ("layer", "head")
    np.testing.assert_array_equal(heads.of((1, 2))[0], weights[1, 2])
    query, key = rng.standard_normal((2, 6, 3, 5)), rng.standard_normal((2, 7, 3, 5))  # batch, token, head, width
    heads = opened(saved(tmp_path / "qk.npz", q=query, k=key), axes="batch,token,head,width")
    assert (heads.axes, heads.shape, heads.sizes) == (("head",), (3,), (2, 6, 7))
    expected = attention(query[:, :, 1], key[:, :, 1], key[:, :, 1])[1]
    np.testing.assert_allclose(heads.of((1,)), expected)


PADDED = np.arange(6) >= np.array([[5], [3]])


@pytest.mark.parametrize(
    "said",
    [
        {"padding": PADDED},
        {"key_padding_mask": PADDED.astype(np.int8)},
        {"attention_mask": (~PADDED).astype(float)},
        {"lengths": np.array([5, 3])},
        {"mask": ~PADDED[:, np.newaxis, np.newaxis]},
    ],
)
def test_padding_is_said_in_the_ways_that_people_say_it(tmp_path: Path, said: dict[str, np.ndarray]):
    weights = np.stack([np.stack([spread_out(6)[0]] * 3)] * 2)
    heads = opened(saved(tmp_path / "w.npz", attn=weights, **said))
    for head in measure_heads(heads):
        mass = weights[:, head.index[0]] * PADDED[:, None]  # of padded keys
        expected = mass.mean(axis=1).sum() / 2 if "mask" in said else mass[~PADDED].sum() / (~PADDED).sum()
        assert head.measures.closed == pytest.approx(expected)


def test_padding_after_the_end_is_no_finding_under_a_causal_mask_and_is_drawn_where_it_is_one(tmp_path: Path):
    rng = np.random.default_rng(0)
    query, key, _ = rng.standard_normal((3, 2, 3, 6, 4))
    _, causal = attention(query, key, key, causal_mask(6))
    _, plain = attention(query, key, key)
    for name, weights, expected in (("causal", causal, True), ("plain", plain, False)):
        result = inspect_heads(opened(saved(tmp_path / f"{name}.npz", attn=weights, lengths=[6, 3])))
        assert result["closed-keys"].holds is expected
        assert "taken as the same tokens" in result["read"].text
    (drawn_head,) = (part for part in result.parts if isinstance(part, Matrix))
    assert "sample 1 of 2" in drawn_head.title


def test_lengths_on_the_command_line_are_those_in_the_file(attn_lab: Run, tmp_path: Path):
    weights = np.stack([np.stack([spread_out(6)[0]] * 3)] * 2)
    plain = saved(tmp_path / "w.npz", attn=weights)
    given = json.loads(attn_lab("inspect", plain, "--lengths", "5", "3", "--json")[1])
    stored = json.loads(attn_lab("inspect", saved(tmp_path / "l.npz", attn=weights, lengths=[5, 3]), "--json")[1])
    assert given["tables"] == stored["tables"]
    assert given["command"].endswith("--lengths 5 3")


# ---- the page ----


@pytest.fixture
def odd_file(tmp_path: Path) -> Path:
    """Twelve layers of twelve heads, (12, 2, 12, 20, 20), causal; four of them are odd."""
    rng = np.random.default_rng(0)
    weights = attention(*rng.standard_normal((3, 12, 2, 12, 20, 8)), causal_mask(20))[1].astype(np.float32)
    weights[3, 1, 4, 17, 16] = np.nan
    weights[7, 0, 2, 18] *= 1.5
    weights[9, :, 9] = causal_mask(20) / causal_mask(20).sum(axis=-1, keepdims=True)
    weights[5, :, 5] = np.eye(20)[np.maximum(0, np.arange(20) - 1)]
    np.save(tmp_path / "odd.npy", weights)
    return tmp_path / "odd.npy"


def test_the_worst_heads_come_first_and_are_drawn_where_it_shows(attn_lab: Run, odd_file: Path):
    code, out, err = attn_lab("inspect", str(odd_file), "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    table = next(table for table in result["tables"] if table["name"] == "heads")
    assert [row[0] for row in table["rows"][:5]] == ["3.4", "7.2", "9.9", "5.5", "0.0"]
    assert len(table["rows"]) == 20
    assert "124 more with --all" in table["title"]
    verdicts = {one["name"]: one["holds"] for one in result["statements"]}
    failing = {"not-finite", "row-sums", "uniform", "saturated"}
    assert {name for name, holds in verdicts.items() if not holds} == failing
    assert {"negative", "zero-rows", "future", "copy", "dead"} <= verdicts.keys()
    drawn_heads = result["matrices"]
    assert [one["name"] for one in drawn_heads] == ["head-3.4", "head-7.2", "head-9.9"]
    assert all(len(one["rows"]) == len(one["columns"]) == 12 for one in drawn_heads)
    assert "NaN" in drawn_heads[0]["values"][drawn_heads[0]["rows"].index("17")]
    assert "sample 1 of 2, queries 8–19 of 20, keys 8–19 of 20; the others are not shown" in drawn_heads[0]["title"]
    assert "18" in drawn_heads[1]["rows"]
    assert "looks at the previous token" in dict(row[:2] for row in table["rows"])["5.5"]


def test_all_shows_every_head_and_the_command_gives_the_page_again(attn_lab: Run, odd_file: Path):
    words = ("inspect", str(odd_file), "--axes", "layer batch head query key", "--all", "--json")
    _, out, _ = attn_lab(*words)
    result = json.loads(out)
    assert len(next(table for table in result["tables"] if table["name"] == "heads")["rows"]) == 144
    assert attn_lab(*shlex.split(result["command"])[1:], "--json")[1] == out


@pytest.mark.parametrize("view", [(), ("--plain",)])
def test_the_page_in_every_view(attn_lab: Run, odd_file: Path, view: tuple[str, ...], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "40")
    html, svg = odd_file.with_suffix(".html"), odd_file.with_suffix(".svg")
    code, out, _ = attn_lab("inspect", str(odd_file), *view, "--html", str(html), "--svg", str(svg))
    assert code == 0
    assert "3.4" in out
    assert "NaN or infinite" in " ".join(out.split())
    assert view or max(map(len, out.splitlines())) <= 40
    assert "3.4" in html.read_text("utf-8")
    assert svg.read_text("utf-8").startswith("<svg")


def test_columns_that_sum_to_1_are_told(tmp_path: Path):
    np.save(tmp_path / "w.npy", np.swapaxes(spread_out(), -1, -2))
    assert "but columns sum to 1" in inspect_heads(opened(str(tmp_path / "w.npy")))["row-sums"].measured


def test_a_mask_from_the_wrong_corner_is_told(tmp_path: Path):
    np.save(tmp_path / "w.npy", drawn(2, 5, 8, np.tril(np.ones((5, 8), dtype=bool))))
    assert "starts top-left" in inspect_heads(opened(str(tmp_path / "w.npy")))["future"].measured


def raw_scores(mask: float | None, shift: float = 0.0) -> np.ndarray:
    made = np.random.default_rng(0).normal(shift, 2, (2, 3, 8, 8))
    return made if mask is None else np.where(np.tri(8, dtype=bool), made, mask)


@pytest.mark.parametrize("mask", [None, -np.inf, -1e9, -1e4])
@pytest.mark.parametrize("shift", [0.0, 3.0, -30.0])
def test_scores_in_the_place_of_weights_are_told_and_nothing_that_follows(tmp_path: Path, mask: float, shift: float):
    made = raw_scores(mask, shift)
    result = inspect_heads(opened(saved(tmp_path / "s.npz", weights=made)))
    assert [part.name for part in result.parts] == ["scores", "read"]
    assert not result["scores"].holds
    assert f"{(made < 0).sum():,} numbers below 0" in result["scores"].measured
    assert "Apply softmax over the keys, or save Q and K." in result["scores"].measured
    exponents = np.exp(made - made.max(axis=-1, keepdims=True))
    weights = exponents / exponents.sum(axis=-1, keepdims=True)
    assert "scores" not in [
        part.name for part in inspect_heads(opened(saved(tmp_path / "w.npz", weights=weights))).parts
    ]


def damaged(cells: float, rows: float) -> np.ndarray:
    made = np.full((2, 3, 8, 8), 1 / 8)
    made[..., :, 0] += cells
    made[..., :, 1] -= cells  # so that rows sum to 1 as before
    return made * rows


@pytest.mark.parametrize("weights", [damaged(0.5, 1), damaged(0.1, 2), damaged(0.5, 1.05)])
def test_damaged_weights_are_no_scores(tmp_path: Path, weights: np.ndarray):
    result = inspect_heads(opened(saved(tmp_path / "w.npz", weights=weights)))
    assert "scores" not in [part.name for part in result.parts]
    assert not all(part.holds for part in result.parts if isinstance(part, Statement))


def test_what_is_not_looked_at_is_told(tmp_path: Path):
    file = saved(tmp_path / "w.npz", attn=spread_out(), hidden=np.ones(3))
    chosen = choose_arrays(file, stored_arrays(file), None)
    assert "Not looked at: hidden." in inspect_heads(heads_in(file, chosen), chosen.passed_over)["read"].text


def test_twelve_layers_of_twelve_heads_take_less_than_two_seconds(attn_lab: Run, tmp_path: Path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "w.npy", attention(*rng.standard_normal((3, 12, 1, 12, 96, 8)), causal_mask(96))[1])
    start = time.thread_time()
    assert attn_lab("inspect", str(tmp_path / "w.npy"))[0] == 0
    assert time.thread_time() - start < 2


def test_a_file_is_read_head_by_head(tmp_path: Path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "w.npy", rng.random((8, 16, 64, 64)) / 32)
    heads = opened(str(tmp_path / "w.npy"), axes="layer head query key")
    assert peak_bytes(lambda: measure_heads(heads)) < (tmp_path / "w.npy").stat().st_size / 2
