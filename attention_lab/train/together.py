"""Several models trained at the same time, each in a process of its own with one thread, where there are the cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Event
from typing import Any

from attention_lab.errors import RunFailed
from attention_lab.train.run import Config, Run, train
from attention_lab.train.tasks import find_task
from attention_lab.variants import Source

EVERY = 10  # steps between two reports of a process
ALONE = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
Told = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """One model to train; `name` is what reports call it."""

    name: str
    text: Source
    label: str
    task: str
    config: Config


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def said(job: Job, step: int, loss: float) -> str:
    """Where a job is."""
    return f"{job.name}: step {step} of {job.config.steps}, loss {loss:.2f}"


# ---- one process for each lane of jobs ----


def in_process(reports: Connection, stop: Event, jobs: Sequence[Job]) -> None:
    """Train one job after the other. Reports are sentences; at the end comes the list of runs."""
    runs = []
    for job in jobs:

        def progress(step: int, loss: float, _: float, job: Job = job) -> None:
            if stop.is_set():
                raise KeyboardInterrupt
            if step % EVERY == 0:
                reports.send(said(job, step, loss))

        runs.append(train(job.text, job.label, find_task(job.task), job.config, progress))
    reports.send(runs)


@contextmanager
def inherited() -> Iterator[None]:
    """Processes started meanwhile have one thread each, and leave Ctrl-C to the one that started them."""
    before = {name: os.environ.get(name) for name in ALONE}
    answer = signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(dict.fromkeys(ALONE, "1"))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, answer)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def collected(reports: Sequence[Connection], stop: Event, told: Told) -> list[list[Run]]:
    """Wait for the runs of every lane. The first Ctrl-C asks all of them for what they have."""
    doing, runs = [""] * len(reports), dict[int, list[Run]]()
    while len(runs) < len(reports):
        try:
            ready = wait([report for lane, report in enumerate(reports) if lane not in runs])
            for lane, report in enumerate(reports):
                message = report.recv() if report in ready else ""
                if isinstance(message, list):
                    runs[lane] = message
                elif message:
                    doing[lane] = message
                    told("; ".join(filter(None, doing)))
        except EOFError as error:
            raise RunFailed("A process that trained a model ended before its time.", "Try once more.") from error
        except KeyboardInterrupt:
            if stop.is_set():
                raise
            stop.set()
    return [runs[lane] for lane in range(len(reports))]


def side_by_side(lanes: Sequence[Sequence[Job]], told: Told) -> list[list[Run]]:
    """Each lane in a process of its own. `told` hears where they are."""
    context: Any = multiprocessing.get_context("spawn")
    stop, reports, processes = context.Event(), [], []
    with inherited():
        for jobs in lanes:
            receiving, sending = context.Pipe(duplex=False)
            process = context.Process(target=in_process, args=(sending, stop, tuple(jobs)), daemon=True)
            process.start()
            sending.close()  # ours: so that the end of the process is the end of the pipe
            reports.append(receiving)
            processes.append(process)
    try:
        return collected(reports, stop, told)
    finally:
        for process in processes:
            process.terminate()
            process.join()


def in_turn(lanes: Sequence[Sequence[Job]], told: Told) -> list[list[Run]]:
    """The same in this process. A run that is interrupted ends the others at their first step."""
    stopped = False

    def trained(job: Job) -> Run:
        nonlocal stopped

        def progress(step: int, loss: float, _: float) -> None:
            if stopped:
                raise KeyboardInterrupt
            told(said(job, step, loss))

        run = train(job.text, job.label, find_task(job.task), job.config, progress)
        stopped = stopped or run.stopped is not None
        return run

    return [[trained(job) for job in lane] for lane in lanes]


def trained_together(lanes: Sequence[Sequence[Job]], told: Told) -> list[list[Run]]:
    """Train every lane of jobs: at the same time where there is a core for each, else one after the other."""
    return (side_by_side if 1 < len(lanes) <= cores() else in_turn)(lanes, told)
