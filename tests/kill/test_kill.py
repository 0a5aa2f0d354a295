"""What a learner's tests are worth: good, weak, wrong and empty ones, and every file that nothing can be done with."""

from __future__ import annotations

import json
import math
import os
import sys
import textwrap
from collections.abc import Callable, Iterable
from functools import partialmethod
from pathlib import Path

import pytest

from attention_lab.breaks import BREAKS
from attention_lab.breaks.reach import moves
from attention_lab.check.references import single
from attention_lab.errors import RunFailed
from attention_lab.kill import kill, runs
from attention_lab.kill.kill import Kills, is_visible, measure_kills
from attention_lab.kill.kill_page import changed_line, kill_page
from attention_lab.kill.runs import Runner, read_report, slow_packages
from attention_lab.result import Statement, Table
from attention_lab.sandbox.parent import Child
from attention_lab.sandbox.pytest_child import ModelRun
from attention_lab.sandbox.records import LEVELS

Command = Callable[..., tuple[int, str, str]]
Write = Callable[[str], Path]
linux = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")

HEAD = """
import numpy as np
from attention_lab.transformer import attention, causal_mask, softmax

def drawn(*shape):
    return np.random.default_rng(0).standard_normal(shape)
"""
WEAK = """
def test_rows_sum_to_one():
    query, key, value = drawn(3, 5, 4)
    assert np.allclose(attention(query, key, value)[1].sum(axis=-1), 1)
"""
GOOD = """
def expected(query, key, value, mask):
    rows = []
    for i in range(len(query)):
        scores = np.array([query[i] @ k for k in key]) / np.sqrt(len(query[i]))
        powers = np.where(mask[i], np.exp(scores - scores[mask[i]].max()), 0)
        rows.append(powers / powers.sum() @ value)
    return np.array(rows)

def test_numbers():
    query, key, value = drawn(6, 4), drawn(7, 4)[::-1], drawn(7, 3)
    assert np.allclose(attention(query, key, value)[0], expected(query, key, value, np.ones((6, 7), dtype=bool)))

def test_causal():
    query, key, value = drawn(3, 5, 4)
    mask = np.array([[j <= i for j in range(5)] for i in range(5)])
    assert np.allclose(attention(query, key, value, causal_mask(5))[0], expected(query, key, value, mask))

def test_large_numbers():
    assert np.allclose(softmax(np.array([[1000.0, 1000.0]])), 0.5)
"""
FEW = (
    "no-scale",
    "scale-integer-half",
    "softmax-over-queries",
    "softmax-no-shift",
    "mask-zero",
    "mask-flip",
    "norm-not-centred",
)


def names(found: Kills, missed: bool) -> set[str]:
    return {one.name for fault in found.faults if (fault.missed is not None) is missed for one in fault.breaks}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def file(text: str) -> Path:
        path = tmp_path / "mine.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return file


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Try only these breaks: what is tested is not the catalogue."""

    def choose(*wanted: str) -> None:
        chosen = tuple(one for one in single() if one.names[0] in wanted)
        assert len(chosen) == len(wanted)
        monkeypatch.setattr(kill, "single", lambda: chosen)

    return choose


def tried(path: Path, everything: bool = False) -> Kills:
    return measure_kills(path, everything, lambda _: None)


# ---- what tests are worth ----


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory) -> Kills:
    path = tmp_path_factory.mktemp("weak") / "weak.py"
    path.write_text(HEAD + WEAK)
    return tried(path)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Kills:
    path = tmp_path_factory.mktemp("good") / "good.py"
    path.write_text(HEAD + GOOD)
    return tried(path)


@pytest.mark.slow
def test_row_sums_alone_miss_most_faults(weak: Kills):
    assert names(weak, missed=False) >= {"softmax-over-queries", "softmax-one-total", "scale-after-softmax"}
    assert names(weak, missed=True) >= {"no-scale", "softmax-no-shift", "mask-zero", "value-ignored"}
    assert weak.called == {"attention", "softmax"}
    assert not weak.wrong
    assert not weak.strict


@pytest.mark.slow
def test_good_tests_miss_few(good: Kills, weak: Kills):
    assert names(good, missed=False) > names(weak, missed=False) | {"no-scale", "softmax-no-shift", "mask-zero"}
    assert len(names(good, missed=True)) < len(names(weak, missed=True)) / 2
    assert not good.strict


def test_each_fault_has_the_tests_that_notice_it(good: Kills):
    by = {fault.breaks[0].name: fault.by for fault in good.faults}
    assert by["mask-flip"] == ("test_causal",)
    assert by["softmax-no-shift"] == ("test_large_numbers",)
    assert by["no-scale"] == ("test_numbers", "test_causal")


def test_equal_numbers_count_once(weak: Kills):
    groups = [{one.name for one in fault.breaks} for fault in weak.faults]
    assert {"no-scale", "scale-integer-half"} in groups
    assert sum(map(len, groups)) == len(set().union(*groups))


def test_a_twin_that_is_missed_makes_the_fault_missed(write: Write, only):
    only("no-scale", "scale-integer-half")
    path = write(
        HEAD + "import inspect\ndef test_line():\n    attention(*drawn(3, 5, 4))\n    assert '//' not in source()\n"
    )
    path.write_text(path.read_text() + "def source():\n    return inspect.getsource(attention)\n")
    (fault,) = tried(path).faults
    assert fault.missed is not None
    assert fault.missed.name == "no-scale"


def test_functions_that_no_test_calls_do_not_count(weak: Kills):
    counted = names(weak, missed=True) | names(weak, missed=False)
    assert "norm-not-centred" not in counted
    assert "mask-flip" not in counted  # causal_mask is imported, and not called
    assert "layer_norm" in weak.untested
    assert "attention" not in weak.untested
    assert weak.left_out == len(BREAKS) - sum(one.harmless for one in BREAKS) - len(counted) - twins(counted)


def twins(counted: Iterable[str]) -> int:
    """How many faults outside are the same as another one outside."""
    left = [one for one in BREAKS if not one.harmless and one.name not in set(counted)]
    groups = {frozenset({one.name, *one.same_as}) & {other.name for other in left} for one in left}
    return len(left) - len(groups)


def test_with_all_they_count(write: Write, only):
    only(*FEW)
    found = tried(write(HEAD + WEAK), everything=True)
    assert {"mask-flip", "norm-not-centred"} <= names(found, missed=True)
    assert found.left_out == 0
    assert len(found.faults) == 6


def test_a_fault_in_two_functions_counts_where_it_shows():
    one = next(one for one in single() if one.names == ("scale-by-d-model",))
    assert not is_visible(one, {"attention", "softmax"})  # only multi_head gives it the wrong width
    assert is_visible(one, {"multi_head", "attention", "softmax", "split_heads", "merge_heads"})


def test_tests_that_assert_nothing_notice_nothing(write: Write, only):
    only(*FEW)
    found = tried(write(HEAD + "def test_runs():\n    attention(*drawn(3, 5, 4))\n"))
    assert len(found.faults) == 4
    assert not names(found, missed=False)


def test_what_is_said_to_tell_a_missed_fault_does_so(weak: Kills):
    table = kill_page(weak, "")["missed"]
    assert isinstance(table, Table)
    breaks = {one.name: one for one in BREAKS}
    for name, _, vital in table.rows[::7]:
        assert vital in moves(breaks[str(name).split(" and ")[0].split(",")[0]])


def test_what_tells_most_comes_first(weak: Kills):
    table = kill_page(weak, "")["next"]
    assert isinstance(table, Table)
    told = [row[2] for row in table.rows]
    assert len(set(told)) > 1
    assert told == sorted(told, reverse=True)


def test_a_change_of_several_lines_reads_as_several_statements():
    for one in BREAKS:
        lines = one.patches[0].new.strip().splitlines()
        assert "\n" not in changed_line(one)
        assert ("#" in changed_line(one)) <= (len(lines) == 1), one.name  # a comment would swallow what follows
    after = next(one for one in BREAKS if one.name == "mask-after-softmax")
    assert changed_line(after) == "weights = softmax(scores); if mask is not None: weights = weights * checked(mask)"


def test_the_same_twice(write: Write, only, attn_lab: Command):
    only(*FEW)
    words = ("kill", str(write(HEAD + GOOD)), "--json")
    first = attn_lab(*words)
    assert first[0] == 0
    assert attn_lab(*words) == first


# ---- wrong, strict, skipped ----


def test_a_wrong_test_is_told_and_does_not_count(write: Write, only, attn_lab: Command):
    only(*FEW)
    text = HEAD + WEAK + "def test_wrong():\n    assert softmax(np.zeros((2, 4)))[0, 0] == 0.5\n"
    code, out, err = attn_lab("kill", str(write(text)), "--json")
    told = json.loads(out)
    (wrong,) = (table for table in told["tables"] if table["name"] == "wrong")
    assert code == 1
    assert "1 test failed on the healthy model: test_wrong." in err
    assert wrong["rows"] == [["test_wrong", text.count("\n"), "AssertionError: assert np.float64(0.25) == 0.5"]]
    assert "1 of 4 faults" in told["title"]  # it would have noticed each of them


def test_where_all_are_wrong_nothing_is_scored(write: Write, only, attn_lab: Command):
    only(*FEW)
    code, out, _ = attn_lab("kill", str(write(HEAD + "def test_wrong():\n    assert softmax(np.zeros(4))[0] == 2\n")))
    assert code == 1
    assert "no test that passes calls" in out
    assert "Missed" not in out


def test_a_test_that_fails_on_a_harmless_change_is_too_strict(write: Write, only):
    only(*FEW, "scale-by-reciprocal")
    text = "import inspect\ndef test_text():\n    attention(*drawn(3, 5, 4))\n    assert '/ query' in source()\n"
    found = tried(write(HEAD + text + "def source():\n    return inspect.getsource(attention)\n"))
    assert found.strict == {"test_text": ("scale-by-reciprocal",)}
    statement = kill_page(found, "")["strict"]
    assert isinstance(statement, Statement)
    assert statement.holds is False


def test_another_convention_is_told_apart_from_a_harmless_spelling(write: Write, only):
    only("positions-in-halves", "base-1000")
    text = "def test_positions():\n    x = sinusoidal_positions(3, 4)\n    assert np.allclose(x[0], [0, 1, 0, 1])\n"
    shown = kill_page(tried(write(HEAD.replace("softmax", "sinusoidal_positions") + text)), "")
    statement = shown["strict"]
    assert isinstance(statement, Statement)
    assert statement.holds
    assert "positions-in-halves" in str(shown["conventions"])


def test_skipped_and_expected_failures_do_not_count(write: Write, only):
    only(*FEW)
    more = "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n@pytest.mark.xfail\ndef test_b(): assert False\n"
    found = tried(write(HEAD + WEAK + more))
    assert [fate.outcome for fate in found.fates] == ["passed", "skipped", "skipped"]
    assert not found.wrong


def test_a_warning_is_no_failure(write: Write, only):
    only(*FEW)
    found = tried(write(HEAD + "import warnings\nwarnings.warn('old')\n" + WEAK + "    warnings.warn('older')\n"))
    assert [fate.outcome for fate in found.fates] == ["passed"]
    assert "no-scale" in names(found, missed=True)


# ---- how the model is found ----

TEST = "def test_it():\n    assert np.allclose({}(np.zeros((2, 4))), 0.25)\n"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "text",
    [
        "from attention_lab.transformer import softmax\n" + TEST.format("softmax"),
        "import attention_lab.transformer\n" + TEST.format("attention_lab.transformer.softmax"),
        "from attention_lab import transformer as t\n" + TEST.format("t.softmax"),
        "from transformer import *\n" + TEST.format("softmax"),
        "import model\n" + TEST.format("model.softmax"),
        "from my_attention import softmax as s, attention\n" + TEST.format("s"),
        "from work.mine import softmax\n" + TEST.format("softmax"),
        TEST.format("model.softmax").replace("()", "(model)"),
        "class TestIt:\n" + textwrap.indent(TEST.format("model.softmax").replace("()", "(self, model)"), "    "),
    ],
    ids=["from", "dotted", "as", "star", "model", "own", "folder", "fixture", "class"],
)
def test_every_usual_import_is_the_model(text: str, write: Write, only):
    only("softmax-over-queries", "softmax-base-two")
    found = tried(write("import numpy as np\n" + text))
    assert names(found, missed=False) == {"softmax-over-queries"}


def test_a_function_of_an_installed_module_is_not_the_model(write: Write, only):
    only(*FEW)
    path = write("from string import rope\ndef test_it():\n    rope()\n")
    with pytest.raises(RunFailed, match=r"Line 1 of mine\.py raised ImportError: cannot import name 'rope'"):
        tried(path)


# ---- files that nothing can be done with, and tests that misbehave ----


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("text", "what", "code"),
    [
        ("x = 1\n", "mine.py holds no tests.", 2),
        ("def test_it(): assert 1\n", "No test of mine.py that passes calls a function of the model.", 2),
        ("def test_it(:\n", "Line 1 of mine.py is not valid Python: invalid syntax.", 1),
        ("\nimport nowhere\ndef test_it(): pass\n", "Line 2 of mine.py raised ModuleNotFoundError", 1),
        ("\n\nattention = softmax\ndef test_it(): pass\n", "Line 3 of mine.py raised NameError", 1),
        ("import os\nos._exit(0)\n", "mine.py ended the process when it was loaded.", 1),
        ("import sys\nsys.exit('no')\n", "mine.py ended the process when it was loaded.", 1),
        ("import pytest\npytest.skip('later', allow_module_level=True)\n", "mine.py raised Skipped: later.", 1),
        ("def test_it(nothing): pass\n", "1 test failed on the healthy model: test_it.", 1),
    ],
)
def test_a_file_with_which_nothing_can_be_done(text: str, what: str, code: int, write: Write, only, attn_lab: Command):
    only(*FEW)
    got, _, err = attn_lab("kill", str(write(text)))
    assert what in err
    assert got == code
    assert "Traceback" not in err


def test_what_is_no_file(tmp_path: Path, attn_lab: Command):
    for path, what in ((tmp_path / "none.py", "there is no such file"), (tmp_path, "it is a folder")):
        code, out, err = attn_lab("kill", str(path))
        assert (code, out) == (2, "")
        assert what in err


def test_without_pytest_it_says_what_to_install(write: Write, tmp_path: Path, monkeypatch, attn_lab: Command):
    import numpy

    place = Path(numpy.__file__).parents[1]
    bare = tmp_path / "site-packages"
    bare.mkdir()
    for name in ("numpy", "numpy.libs"):
        if (place / name).exists():
            (bare / name).symlink_to(place / name)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "-packages" not in path] + [str(bare)])
    code, _, err = attn_lab("kill", str(write(HEAD + WEAK)))
    assert code == 2
    assert "needs pytest" in err
    assert "pip install pytest" in err


def test_a_test_that_ends_the_process_is_wrong_and_the_others_go_on(write: Write, only):
    only(*FEW)
    found = tried(write(HEAD + "import os\ndef test_exit():\n    os._exit(0)\n" + WEAK))
    assert [(fate.name, fate.said) for fate in found.wrong] == [("test_exit", "it ended the process")]
    assert names(found, missed=False) == {"softmax-over-queries"}


def test_a_test_that_hangs_is_wrong_and_the_others_go_on(write: Write, only, monkeypatch):
    monkeypatch.setattr(runs, "EACH", 0.5)
    only(*FEW)
    found = tried(write(HEAD + "def test_hang():\n    while True: pass\n" + WEAK))
    assert [(fate.name, fate.said) for fate in found.wrong] == [
        ("test_hang", "TimeoutError: still running after 0.5 s")
    ]
    assert names(found, missed=False) == {"softmax-over-queries"}


@pytest.mark.slow
def test_one_that_nothing_stops_is_told(write: Write, monkeypatch):
    monkeypatch.setattr(runs, "EACH", 0.5)
    monkeypatch.setattr(kill, "WHOLE", 3.0)
    text = """
    import time
    def test_hang():
        while True:
            try:
                time.sleep(9)
            except BaseException:
                pass
    """
    with pytest.raises(RunFailed, match=r"mine\.py was still running after 3 s, in test_hang"):
        tried(write(HEAD + textwrap.dedent(text)))


@pytest.mark.parametrize(
    ("does", "how"),
    [("while True: pass", ""), ("os._exit(0)", "it ended the process"), ("os.abort()", "it ended the process")],
)
def test_what_happens_on_a_broken_model_only_is_noticed(does: str, how: str, write: Write, only, monkeypatch):
    monkeypatch.setattr(runs, "EACH", 1.0)
    only("no-scale", "softmax-over-queries")
    text = f"""
    import os
    def test_sharp():
        query, key = np.array([[2.0, 0, 0, 0]]), np.array([[2.0, 0, 0, 0], [0, 0, 0, 0]])
        if attention(query, key, key)[1].max() > 0.95:  # it is 0.88
            {does}
    """
    found = tried(write(HEAD + textwrap.dedent(text)))
    fault = next(fault for fault in found.faults if fault.breaks[0].name == "no-scale")
    assert fault.missed is None
    assert fault.by == ("test_sharp",)
    assert fault.how == how


def test_a_file_that_only_loads_on_the_healthy_model(write: Write, only):
    only("no-scale", "softmax-over-queries")
    found = tried(write(HEAD + "assert softmax(np.zeros((2, 4)))[0, 0] == 0.25\n" + WEAK))
    how = {fault.breaks[0].name: fault.how for fault in found.faults}
    assert how["no-scale"] == ""
    assert how["softmax-over-queries"].startswith("the file was not loaded: AssertionError")


def test_output_and_files_of_tests_go_nowhere(write: Write, only, tmp_path: Path, monkeypatch, attn_lab: Command):
    only(*FEW)
    monkeypatch.chdir(tmp_path)
    text = """
    import os
    def test_noise(tmp_path):
        print("x" * 5_000_000)
        os.write(1, b"y" * 1_000_000)
        assert not os.path.exists("left")
        for file in ("left", tmp_path / "left"):
            with open(file, "w") as stream:
                stream.write("z")
    """
    code, out, err = attn_lab("kill", str(write(HEAD + WEAK + textwrap.dedent(text))), "--plain")
    assert (code, err) == (0, "")
    assert "xx" not in out
    assert "yy" not in out
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_what_tests_say_is_safe_to_print(write: Write, only, attn_lab: Command):
    only(*FEW)
    text = "def test_red():\n    raise ValueError('\\x1b[31mred')\n"
    code, out, err = attn_lab("kill", str(write(HEAD + WEAK + text)), "--plain")
    assert code == 1
    assert "\x1b" not in out + err
    assert "\\x1b[31mred" in out


@pytest.mark.slow
def test_where_nothing_forks_each_model_has_a_process(write: Write, only, monkeypatch):
    only("no-scale", "softmax-over-queries")
    path = write(HEAD + WEAK)
    forked = tried(path)
    monkeypatch.setattr(runs, "FORKS", False)
    assert tried(path) == forked


# ---- what a run says is not believed ----


def test_what_a_run_says_just_before_it_ends_is_heard(tmp_path: Path, monkeypatch):
    run = ModelRun.__new__(ModelRun)
    run.back, to = os.pipe()
    os.set_blocking(run.back, False)
    run.folder, run.ends, run.said, run.pid = str(tmp_path / "run"), math.inf, b"", 1

    def ends(*_: int) -> tuple[int, int]:  # after the last look at the pipe
        os.write(to, b"done")
        os.close(to)
        return 1, 0

    monkeypatch.setattr(os, "waitpid", ends)
    assert run.ended()
    assert run.said == b"done"


PASSED = {"test": "test_a", "outcome": "passed", "said": "", "line": None, "called": ["softmax"]}


def lines(*told: object) -> str:
    return "\n".join(map(json.dumps, told))


def test_the_lines_of_a_run_are_read():
    told = read_report(lines({"began": "test_a"}, PASSED, {"done": 0}), late=False)
    assert told.whole
    assert told.fates["test_a"].called == {"softmax"}


@pytest.mark.parametrize(
    "line",
    [
        [],
        {"done": "0"},
        {"done": True},
        {"done": 0, "more": 1},
        PASSED | {"outcome": "perfect"},
        PASSED | {"line": "1"},
        {"verdict": "all right"},
    ],
    ids=str,
)
def test_a_line_of_another_form_ends_the_hearing(line: object):
    told = read_report(lines(line, PASSED, {"done": 0}), late=False)
    assert not told.whole
    assert not told.fates


def test_no_line_at_all_is_no_run():
    for text in ("", "{", "[" * 100_000, "\x00"):
        assert not read_report(text, late=False).whole


def test_names_of_functions_that_are_none_are_not_heard():
    told = read_report(lines(PASSED | {"called": ["softmax", "\x1b[31m", 3]}), late=False)
    assert told.fates["test_a"].called == {"softmax"}


def test_of_many_tests_that_fail_a_few_are_named_and_the_others_counted(write: Write, only, attn_lab: Command):
    only(*FEW)
    failing = "import pytest\n@pytest.mark.parametrize('i', range(8))\ndef test_it(i): assert 0\n"
    _, _, err = attn_lab("kill", str(write(failing)))
    assert ": test_it[0], test_it[1], test_it[2], test_it[3], test_it[4] and 3 more." in " ".join(err.split())


def test_a_file_with_thousands_of_failing_tests_is_told_in_a_page(write: Write, only, attn_lab: Command):
    only(*FEW)
    cases = "import pytest\n@pytest.mark.parametrize('i', range(300))\ndef test_many(i): assert i < 0, i\n"
    functions = "".join(f"def test_{i}(): assert {i} < 0\n" for i in range(50))
    code, out, _ = attn_lab("kill", str(write(HEAD + WEAK + cases + functions)), "--json")
    (wrong,) = (table for table in json.loads(out)["tables"] if table["name"] == "wrong")
    assert code == 1
    assert wrong["title"] == "Fails on the healthy model; 31 more"
    assert wrong["rows"][0][0] == "test_many[0] and 299 others"
    assert len(wrong["rows"]) == 20


# ---- the sandbox ----


@linux
def test_a_page_names_what_held_in_the_process_of_the_tests(write: Write, only, attn_lab: Command):
    only("no-scale")
    path = write(HEAD + WEAK)
    with Child(path) as child:
        names = [one.name for one in child.held]
        missing = {one.name for one in child.held if not one.held}
    found = tried(path)
    assert [one.name for one in found.held] == names
    assert {one.name for one in found.held if not one.held} == missing
    for words in ((), ("--json",), ("--plain",)):
        _, out, _ = attn_lab("kill", str(path), *words)
        assert "Protections that held: tree" in " ".join(out.split())


@pytest.mark.sample(2)
@linux
@pytest.mark.parametrize(
    "wall", ["reading", "writing", "network", "environment", "memory", "file size", "processes", "tree", "signals"]
)
def test_a_wall_that_is_off_is_seen_to_be_off(wall: str, write: Write, monkeypatch):
    without = ["other processes" if wall == "signals" else wall]
    monkeypatch.setattr(Child, "__init__", partialmethod(Child.__init__, _without=without))
    with Runner(write(HEAD + WEAK)) as runner:
        assert wall in [one.name for one in runner.held if not one.held]


def test_a_level_that_is_not_met_runs_nothing(write: Write, monkeypatch, attn_lab: Command):
    monkeypatch.setitem(LEVELS, "sealed", ("a moat",))
    monkeypatch.setattr(Runner, "prepare", lambda _: pytest.fail("pytest was loaded"))
    code, out, err = attn_lab("kill", str(write(HEAD + WEAK)), "--require-sandbox", "sealed")
    assert (code, out) == (3, "")
    assert "a moat" in err


@linux
def test_a_level_that_is_met_lets_the_tests_run(write: Write, only, attn_lab: Command):
    only("no-scale")
    assert attn_lab("kill", str(write(HEAD + WEAK)), "--require-sandbox", "process")[0] == 0


def test_outside_the_walls_nothing_is_imported_that_does_something_when_it_is(write: Write):
    text = "import antigravity, hypothesis.strategies, idlelib.idle, test.autotest\nfrom scipy.special import softmax\n"
    with Runner(write(text)) as runner:
        assert slow_packages(runner.tree) == ["hypothesis", "scipy"]
