from __future__ import annotations

import inspect
import tracemalloc
from functools import partial

import pytest

from attention_lab.demos import flash
from attention_lab.errors import BadInput, TooLarge
from attention_lab.variants import healthy

SMALL = {"n": (256, 512), "d_k": 16, "height": 32, "width": 64}


def clocked(monkeypatch, **milliseconds: float):
    """Each function takes a time of its own, so that verdicts about time are the same in every run."""

    def fastest(*works: partial) -> list[float]:
        return [milliseconds.get(work.func.__name__, 1) / 1000 for work in works]

    monkeypatch.setattr("attention_lab.demos.flash.fastest_seconds", fastest)


@pytest.mark.slow
def test_what_holds(run_demo, verdicts, monkeypatch):
    clocked(monkeypatch)
    result = run_demo("flash")
    assert verdicts(result) == {"same-output": True, "never-stored": True, "grows-slower": True, "no-slower": True}
    assert [row[0] for row in result["bill"].rows] == [1024, 2048, 4096]
    assert [f"{row[1]:.1f}" for row in result["bill"].rows] == ["4.2", "16.8", "67.1"]
    assert 0 < result["same-output"].value < 1e-5
    assert result["never-stored"].value < 1 / 20
    assert "untiled it is 201.4 MB, 3.0 times the matrix" in result["never-stored"].measured
    assert result["grows-slower"].value < 2.1


@pytest.mark.slow
def test_memory_is_measured(run_demo):
    small = run_demo("flash", **SMALL)["bill"].rows[-1]
    large = run_demo("flash", **{**SMALL, "width": 256})["bill"].rows[-1]
    assert small[2] == pytest.approx(large[2], rel=0.02)
    assert small[2] > 3 * 512**2 * 4 / 1e6
    assert small[3] < large[3] < small[2]
    assert not tracemalloc.is_tracing()


def test_tiles_are_the_model_s_own_unless_chosen():
    chosen = inspect.signature(flash.run).parameters
    own = inspect.signature(healthy().tiled_attention).parameters
    assert (chosen["height"].default, chosen["width"].default) == (own["height"].default, own["width"].default)


def test_tiles_as_large_as_the_matrix_store_it(run_demo, verdicts):
    assert verdicts(run_demo("flash", n=(128, 256), d_k=16))["never-stored"] is False


@pytest.mark.parametrize(("times", "holds"), [(1.5, True), (3, False)])
def test_slow_tiles_turn_the_verdict(run_demo, verdicts, monkeypatch, times, holds):
    clocked(monkeypatch, tiled_attention=times)
    assert verdicts(run_demo("flash", **SMALL))["no-slower"] is holds


def test_one_n_is_set_against_its_half(run_demo):
    assert [row[0] for row in run_demo("flash", n=(90,), d_k=8)["bill"].rows] == [45, 90]


def test_the_smallest_n(run_demo):
    assert run_demo("flash", n=(2,), d_k=1)["same-output"].holds is True


def test_each_n_is_announced():
    heard: list[str] = []
    flash.run(healthy(), n=(8, 4), progress=heard.append)
    assert heard == ["n = 4", "n = 8"]


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        ("total = total * shrink +", "total = total +", {"same-output"}),
        (
            "starts = range(0, query.shape[-2], height)",
            "return attention(query, key, value)[0]",
            {"never-stored", "grows-slower"},
        ),
        ("scores = scores / query.shape[-1] ** 0.5  # scale", "", {"same-output"}),
    ],
    ids=["old-sum-not-shrunk", "not-tiled", "untiled-without-scale"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, monkeypatch, old, new, turned):
    clocked(monkeypatch)
    held = verdicts(run_demo("flash", patched(old, new), **SMALL))
    assert {name for name, holds in held.items() if not holds} == turned


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"n": (1,)}, "--n is 1"),
        ({"d_k": 0}, "--d-k is 0"),
        ({"height": 1}, "--height is 1"),
        ({"width": 0}, "--width is 0"),
    ],
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("flash", **options)


def test_more_memory_than_there_is(run_demo, monkeypatch):
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 1_000_000_000)
    with pytest.raises(TooLarge, match=r"--n 8192 --d-k 64 needs 1\.1 GB of memory; 1\.0 GB are free"):
        run_demo("flash", n=(8192,))
