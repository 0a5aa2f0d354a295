"""The page of `attn-lab kill`: the score, the tests, and every fault that they miss, with what would notice it."""

from __future__ import annotations

from collections.abc import Iterator

from attention_lab.breaks.matrix import Moves, fewest
from attention_lab.breaks.reach import called_by
from attention_lab.breaks.record import Break
from attention_lab.check.check_page import protections
from attention_lab.check.references import OTHER_NUMBERS
from attention_lab.kill.kill import Fault, Kills
from attention_lab.kill.runs import Fate
from attention_lab.result import Cell, Note, Part, Result, Statement, Table, table
from attention_lab.text import count, first_of, listed
from attention_lab.vitals import VITALS

SHOWN = 20  # rows about tests, of which a file may have thousands
NAMED = 6  # tests that are named in a sentence

Row = tuple[Cell, ...]


def function_of(test: str) -> str:
    """The function of a test, which may run with many parameters."""
    return test.partition("[")[0]


def first_rows(rows: list[Row], title: str) -> tuple[str, list[Row]]:
    """The first SHOWN rows, and a title with the number of the others."""
    more = len(rows) - SHOWN
    return (f"{title}; {more:,} more" if more > 0 else title), rows[:SHOWN]


def fault_names(fault: Fault) -> str:
    """Names of a fault: first the break that passed, if any, then those that compute the same numbers."""
    first = fault.missed or fault.breaks[0]
    return listed([first.name, *(one.name for one in fault.breaks if one != first)])


def changed_line(one: Break) -> str:
    """The line of a break after its change. Several lines are joined, without comments, which would hide the rest."""
    lines = one.patches[0].new.strip().splitlines()
    if len(lines) == 1:
        return lines[0]
    return "; ".join(line.partition("  # ")[0].strip() for line in lines).replace(":;", ":")


def declared_signs(one: Break) -> tuple[str, ...]:
    """The vital signs that a break moves, as the catalogue declares them."""
    return (*one.up, *one.down, *one.lost)


# ---- on the healthy model, and on harmless changes ----


def failure_rows(wrong: tuple[Fate, ...]) -> list[Row]:
    """A row for each failing line: a test with many parameters has one row."""
    alike: dict[tuple[str, int | None], list[Fate]] = {}
    for fate in wrong:
        alike.setdefault((function_of(fate.name), fate.line), []).append(fate)
    others = [f" and {count(len(fates) - 1, 'other')}" if len(fates) > 1 else "" for fates in alike.values()]
    return [(f[0].name + more, f[0].line, f[0].said) for f, more in zip(alike.values(), others, strict=True)]


def healthy_parts(kills: Kills) -> Iterator[Part]:
    """Tests that fail on the healthy model."""
    wrong = kills.wrong
    skipped = len(kills.fates) - len(kills.counted) - len(wrong)
    seen = f"{len(kills.counted)} of {count(len(kills.fates), 'test')} pass"
    seen += f", {skipped} {'is' if skipped == 1 else 'are'} skipped" if skipped else ""
    seen += f", {len(wrong)} {'fails' if len(wrong) == 1 else 'fail'}" if wrong else ""
    yield Statement("healthy", "No test fails on the healthy model.", f"{seen}.", holds=not wrong, value=len(wrong))
    if wrong:
        title, rows = first_rows(failure_rows(wrong), "Fails on the healthy model")
        yield table("wrong", title, ("test", "line", "error"), rows)
        yield Note("not-counted", "They are wrong, or mean another convention than the model's: they do not count.")


def harmless_parts(kills: Kills) -> Iterator[Part]:
    """Tests that fail on a harmless change."""
    rows: list[tuple[str, str]] = [(test or "the file", name) for test, names in kills.strict.items() for name in names]
    strict: list[Row] = [row for row in rows if row[1] not in OTHER_NUMBERS]
    names = dict.fromkeys(test for test, _ in strict)
    if kills.harmless:
        tried = f"{count(kills.harmless, 'change')} tried"
        seen = f"{tried}, {count(len(names), 'test')} too strict." if strict else f"{tried}, none fails."
        yield Statement("strict", "No test fails on a harmless change.", seen, holds=not strict, value=len(names))
    if strict:
        title, few = first_rows(strict, "Fails on a harmless change")
        yield table("too-strict", title, ("test", "harmless change"), few)
    conventions = [f"{test} with {name}" for test, name in rows if name in OTHER_NUMBERS]
    if conventions:
        told = f"Other conventions, as right as the model's, fail too: {first_of(conventions, NAMED)}."
        yield Note("conventions", told)


# ---- the tests ----


def test_parts(kills: Kills) -> Iterator[Part]:
    """Table of tests: faults that each notices, and faults that no other test notices."""
    by = [{function_of(test) for test in fault.by} for fault in kills.faults if fault.missed is None]
    names = list(dict.fromkeys(function_of(fate.name) for fate in kills.counted))
    notices = {name: sum(name in tests for tests in by) for name in names}
    rows: list[Row] = [(name, notices[name], sum(tests == {name} for tests in by)) for name in names]
    title, few = first_rows(rows, "What each test notices")
    yield table("tests", title, ("test", "faults", "only this test"), few)
    most = max(notices.values(), default=0)
    if most:
        best = [name for name in names if notices[name] == most]
        notice = "notices" if len(best) == 1 else "notice"
        yield Note("best", f"{first_of(best, NAMED)} {notice} most: {count(most, 'fault')}.")
    idle = [name for name in names if not notices[name]]
    if idle and kills.faults:
        yield Note("idle", f"{'Notices' if len(idle) == 1 else 'Notice'} no fault at all: {first_of(idle, NAMED)}.")


# ---- the faults ----


def noticed_table(faults: list[Fault]) -> Table:
    """Table of the noticed faults, each with the first test that notices it."""
    rows = []
    for fault in faults:
        others = f" and {count(len(fault.by) - 1, 'other')}" if len(fault.by) > 1 else ""
        rows.append(
            (fault_names(fault), "; ".join(filter(None, [fault.by[0] + others if fault.by else "", fault.how])))
        )
    return table("noticed", "Noticed", ("break", "by"), rows)


def telling_signs(seen: Moves, called: frozenset[str]) -> list[str]:
    """A few vital signs, one of which moves for each break; signs that call tested functions only come first."""
    near = [vital for vital in VITALS if called_by(vital) <= called]
    names = {vital.name for vital in near}
    first = fewest({name: moved for name, moved in seen.items() if names & moved.keys()}, near)
    return first + fewest({name: moved for name, moved in seen.items() if not names & moved.keys()}, VITALS)


def missed_parts(faults: list[Fault], called: frozenset[str]) -> Iterator[Part]:
    """Table of the faults that pass all tests, and vital signs that would notice them."""
    breaks = [fault.missed for fault in faults if fault.missed is not None]
    seen = {one.name: dict.fromkeys(declared_signs(one), 1.0) for one in breaks}
    enough = telling_signs(seen, called)
    tell = [next(name for name in enough if name in seen[one.name]) for one in breaks]
    rows = [
        (fault_names(fault), changed_line(one), name) for fault, one, name in zip(faults, breaks, tell, strict=True)
    ]
    yield table("missed", "Missed", ("break", "the line as it becomes", "what tells it"), rows)
    sentences = {vital.name: vital.sentence for vital in VITALS}
    tells = [(name, sentences[name], sum(name in moved for moved in seen.values())) for name in enough]
    tells.sort(key=lambda it: -it[2])
    heads = ("vital sign", "what it says", "tells of the missed")
    yield table("next", "What to test next", heads, tells)
    first = breaks[0].name
    yield Note("read", f"More: 'attn-lab break {first}', 'attn-lab explain {first}', 'attn-lab explain {tell[0]}'.")


def score_statement(kills: Kills, missed: int) -> Statement:
    """Statement on the number of faults that would be noticed."""
    total = len(kills.faults)
    seen = f"{total - missed} of {total} would be noticed{f'; {missed} pass all tests' if missed else ''}."
    what = "Every fault" if not kills.untested or not kills.left_out else "Every fault of the functions that are tested"
    share = (total - missed) / total
    return Statement("score", f"{what} would be noticed.", seen, holds=not missed, value=share)


def untested_note(kills: Kills) -> Iterator[Part]:
    """Note on functions that no test calls."""
    if kills.untested:
        do = "does" if kills.left_out == 1 else "do"
        counted = f", so {count(kills.left_out, 'fault')} {do} not count without --all" if kills.left_out else ""
        yield Note("untested", f"Not reached by a test that passes{counted}: {listed(kills.untested)}.")


def kill_title(kills: Kills, missed: int) -> str:
    """Title of the page: the score in one line."""
    if not kills.faults:
        return f"{kills.file}: no test that passes calls a function of the model"
    whose = " of the functions that are tested" if kills.left_out else ""
    return f"{kills.file}: {len(kills.faults) - missed} of {count(len(kills.faults), 'fault')}{whose} would be noticed"


def kill_page(kills: Kills, command: str) -> Result:
    """The whole page; what to do next stands last."""
    seen = [fault for fault in kills.faults if fault.missed is None]
    not_seen = [fault for fault in kills.faults if fault.missed is not None]
    parts = list(healthy_parts(kills))
    if kills.faults:
        parts += [score_statement(kills, len(not_seen)), *harmless_parts(kills), *test_parts(kills)]
    parts += [noticed_table(seen)] if seen else []
    parts += untested_note(kills)
    parts += missed_parts(not_seen, kills.called) if not_seen else []
    parts.append(protections(kills.held))
    return Result(tuple(parts), title=kill_title(kills, len(not_seen)), command=command)
