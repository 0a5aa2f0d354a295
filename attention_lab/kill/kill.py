"""Which faults a learner's own tests would miss: they are run on the healthy model and on every break of it."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from attention_lab.breaks import BREAKS
from attention_lab.breaks.reach import USUAL, called_by
from attention_lab.breaks.record import Break
from attention_lab.check.references import HEALTHY, Reference, single
from attention_lab.errors import BadInput, RunFailed
from attention_lab.kill.runs import EACH, FUNCTIONS, NAMES, Fate, Progress, Runner, RunReport
from attention_lab.sandbox.records import Protection
from attention_lab.text import listed
from attention_lab.variants import healthy, model_functions, module_copy
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import take_sign

WHOLE = 60.0  # seconds that all tests may take on the healthy model
RESTARTS = 5  # tests that end the process, each of which is left out of the next run
NO_TESTS = 5  # pytest's exit code


@dataclass(frozen=True)
class Fault:
    """A fault under all names that compute the same numbers, and the tests that noticed it.

    `how` says how a run broke off, "" where it came to its end. `missed` is the break that passed all tests, if any.
    """

    breaks: tuple[Break, ...]
    by: tuple[str, ...]
    how: str
    missed: Break | None


@dataclass(frozen=True)
class Kills:
    """Score of a learner's tests: how each ended on the healthy model, and which faults they notice.

    `called` are the functions of the model that they call. `strict` are the tests that fail on harmless changes, with
    the names of these; `untested` the functions that no test calls, because of which `left_out` faults do not count.
    `held` are the protections of the process that the tests ran in.
    """

    file: str
    fates: tuple[Fate, ...]
    called: frozenset[str]
    faults: tuple[Fault, ...]
    strict: dict[str, tuple[str, ...]]
    harmless: int
    untested: tuple[str, ...]
    left_out: int
    held: tuple[Protection, ...]

    @property
    def wrong(self) -> tuple[Fate, ...]:
        """The tests that fail on the healthy model."""
        return tuple(fate for fate in self.fates if fate.outcome == "failed")

    @property
    def counted(self) -> tuple[Fate, ...]:
        """The tests that pass on the healthy model: only these count elsewhere."""
        return tuple(fate for fate in self.fates if fate.outcome == "passed")


# ---- the healthy model ----


def how_it_ended(told: RunReport) -> str:
    """Sentence part on a run that broke off."""
    if told.file is not None:
        return f"the file was not loaded: {told.file.said}"
    return "it did not end" if told.late else "it ended the process"


def not_run_error(told: RunReport, name: str) -> RunFailed:
    """Error for a file whose tests could not be run."""
    if told.late:
        at = f", in {told.last}" if told.last else ""
        return RunFailed(
            f"{name} was still running after {WHOLE:g} s{at}.", "It runs once for every fault: shorten it."
        )
    if told.file is None or not told.file.said:
        return RunFailed(f"{name} ended the process when it was loaded.", "Take that line out.")
    where = f"Line {told.file.line} of {name}" if told.file.line else name
    missing = told.file.said.startswith(("ModuleNotFoundError", "ImportError"))
    found = f"The model is found as {listed(NAMES)}; no file beside the tests is found."
    return RunFailed(f"{where} raised {told.file.said.rstrip('.')}.", found if missing else "Correct that line.")


def run_on_healthy(runner: Runner, progress: Progress) -> tuple[Fate, ...]:
    """Run every test on the healthy model. A test that ends the process is left out of the next run.

    Raises RunFailed where the file cannot be loaded or takes too long, BadInput where there is no test in it.
    """
    fates: dict[str, Fate] = {}
    progress("the healthy model")
    while True:
        enders = [fate.name for fate in fates.values() if fate.said == "it ended the process"]
        (told,) = runner.run([runner.job(HEALTHY, WHOLE, enders, watched=True)])
        fates = {name: fates[name] for name in enders} | told.fates
        if told.whole or (told.done == NO_TESTS and told.file is None):
            break
        if told.late or not told.last or len(enders) == RESTARTS:
            raise not_run_error(told, runner.name)
        fates[told.last] = Fate(told.last, "failed", how_it_ended(told))
    if not fates:
        raise BadInput(f"{runner.name} holds no tests.", "A test is a function whose name begins with test_.")
    return tuple(fates.values())


# ---- which faults can be noticed at all ----


def equal_breaks(one: Break) -> frozenset[str]:
    """Names of the breaks that compute the same numbers as this one, its own included."""
    return frozenset({one.name, *one.same_as})


def is_visible(reference: Reference, called: Collection[str]) -> bool:
    """Whether calls of these functions alone can show a fault.

    Of a fault in several functions, only the called ones are broken here, and some vital sign must move.
    """
    within = reference.changed.keys() & called
    if not within or reference.changed.keys() & FUNCTIONS <= set(called):
        return bool(within)
    model = module_copy(healthy())
    texts = (text for name, text in reference.changed.items() if name in called or name not in FUNCTIONS)
    exec(compile("\n".join(texts), "<model>", "exec"), vars(model))  # noqa: S102 (our own text)
    return any(take_sign(vital, model, USUAL).moved for vital in VITALS if called_by(vital) & within)


# ---- the judgement ----


def noticing_tests(told: RunReport) -> tuple[str, ...]:
    """Tests that failed, and the one that did not end."""
    failed = tuple(fate.name for fate in told.fates.values() if fate.outcome == "failed")
    return (*failed, told.last) if told.last else failed


def judge_fault(breaks: Sequence[Break], told: dict[str, RunReport]) -> Fault:
    """Fault of breaks that compute the same numbers: noticed if the tests notice each break that was run."""
    by = [noticing_tests(told[one.name]) if one.name in told else () for one in breaks]
    how = ["" if one.name not in told or told[one.name].whole else how_it_ended(told[one.name]) for one in breaks]
    missed = (one for one, tests, end in zip(breaks, by, how, strict=True) if not tests and not end)
    return Fault(tuple(breaks), by[0], how[0], next(missed, None))


def judge_faults(names: Collection[str], told: dict[str, RunReport]) -> tuple[Fault, ...]:
    """Every fault of these names, once, in the order of the catalogue."""
    groups = dict.fromkeys(equal_breaks(one) for one in BREAKS if one.name in names)
    return tuple(judge_fault([one for one in BREAKS if one.name in group & set(names)], told) for group in groups)


def strict_tests(harmless: Iterable[str], told: dict[str, RunReport]) -> dict[str, tuple[str, ...]]:
    """Tests that fail on harmless changes, each with the names of these; "" stands for the whole file."""
    strict: dict[str, tuple[str, ...]] = {}
    for name in harmless:
        for test in noticing_tests(told[name]) or (() if told[name].whole else ("",)):
            strict[test] = (*strict.get(test, ()), name)
    return strict


def measure_kills(path: Path, everything: bool, progress: Progress, level: str = "") -> Kills:
    """Run the tests of a file on the healthy model, on every harmless change and on every fault that they can reach.

    With `everything`, faults that they cannot reach count as missed. Raises BadInput where there is no pytest, no
    test, or none that calls the model; RunFailed where the file cannot be loaded; NotSealed, before any test is run,
    where this machine does not protect what a `level` asks for.
    """
    with Runner(path) as runner:
        if level:
            runner.required(level)
        runner.prepare()
        start = time.monotonic()
        fates = run_on_healthy(runner, progress)
        deadline = EACH + 5 * (time.monotonic() - start)
        called = frozenset().union(*(fate.called for fate in fates if fate.outcome == "passed"))
        if not called and not everything and all(fate.outcome != "failed" for fate in fates):
            found = f"The model is found as {listed(NAMES)}, or by the fixture 'model'."
            raise BadInput(f"No test of {runner.name} that passes calls a function of the model.", found)
        reached = [one for one in single() if is_visible(one, called)]
        left_out = [fate.name for fate in fates if fate.outcome != "passed"]
        jobs = [runner.job(one, deadline, left_out) for one in reached]
        ended = runner.run(jobs, lambda number: progress(f"{number} of {len(jobs)} models"))
        held = runner.held
    told = {one.names[0]: outcome for one, outcome in zip(reached, ended, strict=True)}
    harmless = [one.names[0] for one in reached if not one.faults]
    beyond = [one for one in single() if one.faults and one.names[0] not in told]
    untested = {name for one in beyond for name in one.changed} - called
    names = {one.names[0] for one in single() if one.faults and (everything or one not in beyond)}
    return Kills(
        file=runner.name,
        fates=fates,
        called=called,
        faults=judge_faults(names, told),
        strict=strict_tests(harmless, told),
        harmless=len(harmless),
        untested=tuple(name for name in model_functions() if name in untested),
        left_out=0 if everything else len(judge_faults({one.names[0] for one in beyond}, {})),
        held=held,
    )
