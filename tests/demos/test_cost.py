from __future__ import annotations

from functools import partial

import pytest

from attention_lab.errors import BadInput, TooLarge

SMALL = {"n": (64, 128, 512), "d_k": 16}


def clocked(monkeypatch, power: float):
    """Time that depends on nothing but the number of queries, so that verdicts about time are the same in every run."""

    def fastest(*works: partial) -> list[float]:
        return [1e-9 * len(work.args[0]) ** power for work in works]

    monkeypatch.setattr("attention_lab.demos.cost.fastest_seconds", fastest)


@pytest.mark.slow
def test_the_sizes_that_d4_prints(run_demo, monkeypatch):
    clocked(monkeypatch, 2)
    rows = run_demo("cost")["bill"].rows
    assert [row[0] for row in rows] == [128, 256, 512, 1024, 2048, 4096]
    assert [f"{row[1]:.1f}" for row in rows] == ["0.1", "0.3", "1.0", "4.2", "16.8", "67.1"]
    assert [f"{row[2]:.1f}" for row in rows] == ["0.1", "0.5", "2.1", "8.4", "33.6", "134.2"]


def test_the_printed_sizes_are_not_those_of_the_script(run_demo):
    printed = run_demo("cost", n=(512,))["printed-sizes"]
    assert printed.holds is False
    assert "its 1.0 MB are float32" in printed.measured
    assert "2.1 MB, 2.0 times that" in printed.measured


def test_what_holds_when_time_grows_like_the_matrix(run_demo, verdicts, monkeypatch):
    clocked(monkeypatch, 2)
    result = run_demo("cost", **SMALL)
    assert verdicts(result) == {
        "matrix-grows": True,
        "printed-sizes": False,
        "times-four": True,
        "one-more-token": True,
    }
    assert result["matrix-grows"].value == 4
    seen = "Twice the tokens took 4, 4 and 4 times as long; from n = 64 to 512 it is 4 for each doubling"
    assert result["times-four"].measured.startswith(seen)


@pytest.mark.parametrize("power", [1, 3])
def test_what_turns_when_it_grows_otherwise(run_demo, verdicts, monkeypatch, power):
    clocked(monkeypatch, power)
    held = verdicts(run_demo("cost", **SMALL))
    assert held["times-four"] is False


@pytest.mark.parametrize("factor", [0.5, 2])
@pytest.mark.parametrize("disturbed", [64, 512])
def test_time_measured_twice_too_long_or_too_short_turns_nothing(run_demo, verdicts, monkeypatch, factor, disturbed):
    def fastest(*works: partial) -> list[float]:
        lengths = [len(work.args[0]) for work in works]
        return [1e-9 * n**2 * (factor if n == disturbed else 1) for n in lengths]

    monkeypatch.setattr("attention_lab.demos.cost.fastest_seconds", fastest)
    assert verdicts(run_demo("cost", **SMALL))["times-four"] is True


def test_a_narrow_range_of_n_is_not_judged(run_demo, verdicts):
    result = run_demo("cost", n=(64, 256), d_k=8)
    assert "times-four" not in verdicts(result)
    assert "takes n of a wider range" in result["times-four"].text


def test_steps_that_are_no_doublings_are_not_called_so(run_demo, monkeypatch):
    clocked(monkeypatch, 2)
    uneven = run_demo("cost", n=(32, 128, 384))
    assert [row[0] for row in uneven["bill"].rows] == [32, 128, 192, 384]
    assert [row[4:] for row in uneven["bill"].rows[1:]] == [(4, 16), (1.5, 2.25), (2, 4)]
    assert uneven["times-four"].measured.startswith("4, 1.5 and 2 times the tokens took 16, 2.2 and 4 times as long;")
    close = run_demo("cost", n=(64, 65))
    assert close["times-four"].text.startswith("2 and 1.02 times the tokens took 4 and 1 times as long.")
    doubled = run_demo("cost", n=(64, 128))
    assert doubled["times-four"].text.startswith("Twice the tokens took 4 times as long.")


def test_one_n_is_set_against_its_half(run_demo):
    result = run_demo("cost", n=(100,))
    assert [row[0] for row in result["bill"].rows] == [50, 100]
    assert all(row[3] > 0 for row in result["bill"].rows)
    assert "From n = 50 to 100 it grows from 10.0 kB to 40.0 kB: 4.00 times" in result["matrix-grows"].measured


def test_the_smallest_n(run_demo):
    assert [row[0] for row in run_demo("cost", n=(2,), d_k=1)["bill"].rows] == [1, 2]


def test_each_n_is_announced(monkeypatch):
    from attention_lab.demos.cost import run
    from attention_lab.variants import healthy

    clocked(monkeypatch, 2)
    heard: list[str] = []
    run(healthy(), n=(8, 4), progress=heard.append)
    assert heard == ["n = 4", "n = 8"]


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        ("return weights @ value, weights", "return weights @ value, weights.astype(float)", "matrix-grows"),
        ("return weights @ value, weights", "return weights @ value, weights.astype(np.float32)", "printed-sizes"),
        ("np.tril(np.ones((Tq, Tk), dtype=bool), k=Tk - Tq)", "np.eye(Tq, Tk, dtype=bool)", "one-more-token"),
    ],
    ids=["float64-throughout", "float32-throughout", "sees-only-itself"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, monkeypatch, old, new, turned):
    clocked(monkeypatch, 2)
    before, after = verdicts(run_demo("cost", **SMALL)), verdicts(run_demo("cost", patched(old, new), **SMALL))
    assert {name for name in before if before[name] != after[name]} == {turned}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"n": (1,)}, "--n is 1"),
        ({"n": ()}, "--n has no value"),
        ({"n": (10**7,)}, "--n is 10000000"),
        ({"d_k": 0}, "--d-k is 0"),
    ],
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("cost", **options)


def test_more_memory_than_there_is(run_demo, monkeypatch):
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 1_000_000_000)
    with pytest.raises(TooLarge, match=r"--n 8192 --d-k 64 needs 2\.2 GB of memory; 1\.0 GB are free"):
        run_demo("cost", n=(8192,))
