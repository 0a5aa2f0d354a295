"""Several models trained at the same time, each in a process of its own with one thread, where there are the cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Event
from typing import Any

from attention_lab.errors import RunFailed
from attention_lab.machine.cores import available_cores
from attention_lab.machine.memory import THREADS
from attention_lab.train.run import Config, TrainingRun, train_model
from attention_lab.train.tasks import find_task
from attention_lab.variants import Source

EVERY = 10  # steps between two reports of a process
Report = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """One model to train; `name` is what reports call it."""

    name: str
    text: Source
    label: str
    task: str
    config: Config


def step_report(job: Job, step: int, loss: float) -> str:
    """Report on the progress of a job."""
    return f"{job.name}: step {step} of {job.config.steps}, loss {loss:.2f}"


# ---- Ctrl-C ----


class Presses:
    """Presses of Ctrl-C while lanes are trained: the first asks the lanes, through `ask`, to stop; the next ends all.

    A KeyboardInterrupt that falls in the middle of receiving a run would lose it.
    """

    def __init__(self) -> None:
        self.asked = False
        self.ask: Callable[[], None] = lambda: None

    def __call__(self, *_: object) -> None:
        """Take one press."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self.ask()


@contextmanager
def count_presses() -> Iterator[Presses]:
    """Count presses of Ctrl-C meanwhile, unless this process was started to ignore them, as a script's `&` does."""
    presses = Presses()
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        yield presses
        return
    signal.signal(signal.SIGINT, presses)
    try:
        yield presses
    finally:
        signal.signal(signal.SIGINT, before)


# ---- one process for each lane of jobs ----


def train_lane(reports: Connection, stop: Event, jobs: Sequence[Job]) -> None:
    """Train one job after the other. Reports are sentences; at the end comes the list of runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that started us
    runs = []
    for job in jobs:

        def progress(step: int, loss: float, _: float, job: Job = job) -> None:
            if stop.is_set():
                raise KeyboardInterrupt
            if step % EVERY == 0:
                reports.send(step_report(job, step, loss))

        with redirect_stdout(sys.stderr):  # what own code prints; standard output is the result's
            runs.append(train_model(job.text, job.label, find_task(job.task), job.config, progress))
    reports.send(runs)


@contextmanager
def prepare_children() -> Iterator[None]:
    """Give processes started in the block one thread each; block Ctrl-C here for the block, in them for good."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    set_mask = getattr(signal, "pthread_sigmask", None)  # not on Windows
    mask = set_mask(signal.SIG_BLOCK, {signal.SIGINT}) if set_mask else set()
    try:
        yield
    finally:
        if set_mask:
            set_mask(signal.SIG_SETMASK, mask)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def collect_runs(reports: Sequence[Connection], told: Report) -> list[list[TrainingRun]]:
    """Wait for the runs of every lane. Raises RunFailed when a process ends without."""
    doing, runs = [""] * len(reports), dict[int, list[TrainingRun]]()
    while len(runs) < len(reports):
        ready = wait([report for lane, report in enumerate(reports) if lane not in runs])
        for lane, report in enumerate(reports):
            try:
                message = report.recv() if report in ready else ""
            except EOFError as error:
                raise RunFailed("A process that trained a model ended before its time.", "Try once more.") from error
            if isinstance(message, list):
                runs[lane] = message
            elif message:
                doing[lane] = message
                told("; ".join(filter(None, doing)))
    return [runs[lane] for lane in range(len(reports))]


def train_in_processes(lanes: Sequence[Sequence[Job]], told: Report, presses: Presses) -> list[list[TrainingRun]]:
    """Train each lane in a process of its own. `told` gets progress reports."""
    context: Any = multiprocessing.get_context("spawn")
    stop, reports, processes = context.Event(), [], []
    presses.ask = stop.set
    if presses.asked:
        stop.set()
    try:
        with prepare_children():
            for jobs in lanes:
                receiving, sending = context.Pipe(duplex=False)
                process = context.Process(target=train_lane, args=(sending, stop, tuple(jobs)), daemon=True)
                process.start()
                sending.close()  # ours: so that the end of the process is the end of the pipe
                reports.append(receiving)
                processes.append(process)
        return collect_runs(reports, told)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def train_in_turn(lanes: Sequence[Sequence[Job]], told: Report, presses: Presses) -> list[list[TrainingRun]]:
    """Train the lanes one after the other in this process."""

    def trained(job: Job) -> TrainingRun:
        def progress(step: int, loss: float, _: float) -> None:
            if presses.asked:
                raise KeyboardInterrupt
            told(step_report(job, step, loss))

        return train_model(job.text, job.label, find_task(job.task), job.config, progress)

    return [[trained(job) for job in lane] for lane in lanes]


def train_lanes(lanes: Sequence[Sequence[Job]], told: Report) -> list[list[TrainingRun]]:
    """Train every lane of jobs: at the same time where there is a core for each, else one after the other.

    Ctrl-C stops every run that is not at its end; where all of them are, the last is the one that was interrupted.
    """
    with count_presses() as presses:
        runs = (train_in_processes if 1 < len(lanes) <= available_cores() else train_in_turn)(lanes, told, presses)
        if presses.asked and all(run.stopped is None for lane in runs for run in lane):
            runs[-1][-1] = replace(runs[-1][-1], stopped=len(runs[-1][-1].losses))
    return runs
