"""The process that a learner's code runs in, started by `parent.py` without the package: it never holds an answer.

    parent (answers) ── requests, replies ── supervisor ── the learner's process

The supervisor imports nothing heavy. It ends every process below it when the learner's ends, when it is told to
(SIGTERM), or when the parent is gone (its end of the pipe of requests is closed).
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from . import isolation, probes

leave = os._exit  # kept here, since a learner's code may replace os._exit
Settings = dict[str, Any]
Answer = Callable[[Settings, int, int], None]  # reads requests from one descriptor, answers on the other


# ---- the learner's process ----


def answer_all(settings: Settings, requests: int, replies: int) -> None:
    """Answer requests until there are no more."""
    sys.path += settings["path"]
    sys.argv[:] = [settings["name"]]
    sys.dont_write_bytecode = True
    os.chdir(settings["folder"])
    settings["orphan"] = probes.start_orphan(settings)
    isolation.set_limits(settings["limits"], settings["without"], settings["namespaces"])
    from .frames import BadFrame, pack_message, read_message
    from .learner import CappedOutput, Learner, trap_exit

    settings["failed"] = isolation.put_up_walls(settings)
    output = CappedOutput(settings["limits"]["output"])
    learner: Learner | None = None

    def take(size: int) -> bytes:
        parts = []
        while size:
            part = os.read(requests, min(size, 2**20))
            if not part:
                leave(0)  # no more requests: no time for a learner's atexit and __del__
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def reply(nonce: bytes, body: Settings) -> None:
        try:
            message = pack_message(nonce, body | {"output": output.taken()}, settings["limits"]["reply"])
        except BadFrame as reason:
            message = pack_message(nonce, {"bad": str(reason), "output": ""})
        view = memoryview(message)
        while view:
            view = view[os.write(replies, view) :]

    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 (for as long as the process lives)
    sys.stdout = sys.stderr = output
    trap_exit()
    while True:
        nonce, request = read_message(take, 2**40)
        if request["do"] == "probe":
            reply(nonce, {"value": probes.try_protections(settings)})
        elif request["do"] == "load":
            learner = Learner(settings["name"], request["text"], os.getcwd())
            reply(nonce, {"value": learner.run(request["seconds"])})
        elif learner is not None:
            reply(nonce, learner.answer(request))


def serve(settings: Settings, requests: int, replies: int, answer: Answer) -> NoReturn:
    """Answer requests until there are no more, then end the process: all else is the supervisor's task."""
    settings["watcher"] = os.getppid()
    settings.setdefault("namespaces", False)
    try:
        answer(settings, requests, replies)
    finally:
        leave(70)


# ---- the supervisor ----


def wait_for_end(below: int, requests: int) -> int:
    """Wait for the learner's process, or end it when told to; its exit status as `waitpid` gives it."""
    wake, ring = os.pipe()
    os.set_blocking(ring, False)
    signal.set_wakeup_fd(ring)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    poll.register(requests, 0)  # only whether the other end is closed: the requests are not ours to read
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == below:
            return status
        if pid:
            continue
        for descriptor, _ in poll.poll():
            if descriptor == requests or signal.SIGTERM in os.read(wake, 4096):
                os.kill(below, signal.SIGKILL)
                return signal.SIGKILL


def run_as_pid1(settings: Settings, requests: int, replies: int, answer: Answer) -> None:
    """Be PID 1 of new namespaces: start the learner's process, and end with it or with the supervisor."""
    isolation.end_with_parent()
    isolation.mount_folder(settings)
    below = os.fork()
    if below == 0:
        serve(settings, requests, replies, answer)
    isolation.set_undumpable()
    for descriptor in (requests, replies):
        os.close(descriptor)
    pid, status = os.wait()
    while pid != below:
        pid, status = os.wait()
    os._exit(os.waitstatus_to_exitcode(status) % 256)


def supervise(settings: Settings, requests: int, replies: int, answer: Answer) -> int:
    """Fork the learner's process, wait, end its descendants; the exit code encodes how it ended."""
    isolation.become_subreaper(settings["without"])
    settings["namespaces"] = isolation.enter_namespaces(settings)
    below = os.fork()
    if below == 0:
        (run_as_pid1 if settings["namespaces"] else serve)(settings, requests, replies, answer)
    isolation.set_undumpable()
    os.close(replies)
    status = wait_for_end(below, requests)
    isolation.end_descendants(settings["without"])
    isolation.remove_tree(os.path.dirname(settings["folder"]))
    return os.waitstatus_to_exitcode(status) % 256


def main(settings: Settings, answer: Answer) -> None:
    """Keep the two descriptors from `print` and `input`; then supervise, or serve where nothing forks."""
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.chdir(settings["folder"])
    if not hasattr(os, "fork"):
        serve(settings, requests, replies, answer)
    os._exit(supervise(settings, requests, replies, answer))


def start(answer: Answer = answer_all) -> None:
    """Entry point of the process; the last argument holds its settings as JSON."""
    main(json.loads(sys.argv.pop()), answer)
