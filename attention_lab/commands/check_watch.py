"""`attn-lab check FILE --watch`: check at each save, say what it changed, and give hints when asked."""

from __future__ import annotations

import hashlib
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from attention_lab.commands.check_file import CheckRequest, as_checker_failure, survey_file
from attention_lab.commands.shared import fresh_seed
from attention_lab.commands.views import Views
from attention_lab.errors import LabError, PartlyFailed
from attention_lab.result import Note, Part, Result, Statement
from attention_lab.sandbox.submission import LARGEST, learner_text
from attention_lab.sandbox.time_budget import SECONDS, BudgetedChild
from attention_lab.show.interruptible_input import TimedInput, open_timed_input
from attention_lab.show.keys import MEANING
from attention_lab.show.screen import Screen, open_screen, print_notice
from attention_lab.text import count, listed
from attention_lab.text import spell_out_controls as safe

if TYPE_CHECKING:
    from attention_lab.check.match import Finding
    from attention_lab.check.watching import Progress, Stands

POLL = 0.3  # seconds between two looks at the file: network drives tell nobody what happens on them
SETTLED = 0.1  # seconds in which a file that is being written does not change any more
HELP = (
    ("h", "the next hint on the first function that is wrong"),
    ("q, Ctrl-D", "quit, keep the progress"),
    ("Ctrl-C", "quit at once"),
)


@dataclass(frozen=True)
class Stamp:
    """What tells one save from another: drives that count whole seconds tell two quick ones apart only by the text."""

    time: int
    size: int
    digest: str


def stamp(path: Path) -> Stamp | None:
    """The save that a file holds now; None where there is no such file at the moment, or it cannot be read."""
    if not path.is_file():  # a pipe would be waited for
        return None
    try:
        with open(path, "rb") as stream:  # opening it makes a network drive look again
            data = stream.read(LARGEST + 1)
        state = path.stat()
    except OSError:
        return None
    return Stamp(state.st_mtime_ns, state.st_size, hashlib.sha256(data).hexdigest())


def settled(path: Path, seen: Stamp, wait: Callable[[float], None] = time.sleep) -> Stamp | None:
    """The save once the file is written to its end; None where it has gone meanwhile."""
    now: Stamp | None = seen
    while True:
        wait(SETTLED)
        later = stamp(path)
        if later == now:
            return later
        now = later


@dataclass
class Watch:
    """A file that somebody works on, how it stood at the last save, and how far they have come."""

    path: Path
    request: CheckRequest
    home: Path
    screen: Screen
    progress: Progress
    seen: Stamp | None = None
    before: Stands | None = None
    hinted: Finding | None = None  # the function on which there are hints
    trouble: str = ""  # why the last save could not be checked
    missing: bool = False
    unkept: bool = False  # whether it was said that the progress cannot be kept
    notices: list[str] = field(default_factory=list)

    # ---- what is shown ----

    def foot(self) -> tuple[str, ...]:
        """What one can press."""
        if self.missing:
            return (f"{safe(self.path.name)} is not there; waiting for it", "q: quit")
        hint = (f"h: {self.next_hint(self.hinted)}",) if self.hinted else ()
        return ("Waiting for the next save", *hint, "?: help", "q: quit")

    def next_hint(self, finding: Finding) -> str:
        """What `h` would show."""
        from attention_lab.check.watching import HINTS, key_of

        level = self.progress.hints.get(key_of(finding), 0) + 1
        return f"hint {level} of {HINTS}" if level <= HINTS else "the line"

    def show(self, parts: list[Part], title: str = "") -> None:
        """Parts of a page, below what is there."""
        view = self.screen.view()
        said = [view.notice_block(notice) for notice in self.notices]
        self.notices.clear()
        head = [view.title_block(title)] if title else []
        self.screen.show_page([*said, *head, *view.result_blocks(Result(tuple(parts)))], self.foot())

    def keep(self) -> None:
        """Keep the progress; that it cannot be kept ends nothing, and is said once."""
        from attention_lab.check.watching import save

        try:
            save(self.home, self.path, self.progress)
        except OSError as reason:
            if not self.unkept:
                self.notices.append(f"Cannot keep your progress: {reason.strerror or reason}. It goes on without.")
            self.unkept = True

    # ---- what happens ----

    def title(self) -> str:
        """Which save it is, and when."""
        save = f", save {self.progress.saves}" if self.progress.saves else ""
        return f"{safe(self.path.name)}{save}, {time.strftime('%H:%M:%S')}"

    def check(self, saved: bool) -> None:
        """Check the file as it is now, and show what is new. Raises CheckerFailed."""
        from attention_lab.check.check_page import late_parts
        from attention_lab.check.unnamed import unnamed
        from attention_lab.check.watching import changes, on_whom, stands

        self.screen.show_foot(("Checking ...",))
        seed = fresh_seed(self.request.seed)
        try:
            with BudgetedChild(self.path, time.monotonic() + SECONDS) as child:
                survey = survey_file(child, self.request, seed)
                with as_checker_failure():
                    parts = [*unnamed(survey, child, seed, "").parts, *late_parts(survey, SECONDS)]
        except LabError as error:
            if error.exit_code == 3:  # the checker's own fault
                raise
            self.fail(error, saved)
            return
        now = stands(survey)
        news = [*(["It runs again."] if self.trouble else []), *(changes(self.before, now) if self.before else ())]
        nothing = "Nothing changed in what the functions compute."
        said = news or ([nothing] if self.before is not None else [])
        self.trouble, self.before = "", now
        self.hinted = on_whom(survey)
        self.progress = self.progress.after(now, saved)
        self.keep()
        changed: list[Part] = [Note(f"changed-{place}", sentence) for place, sentence in enumerate(said)]
        self.show([*changed, *(parts if news or not changed else parts[:1]), *self.closing()], self.title())

    def fail(self, error: LabError, saved: bool) -> None:
        """Show why the file could not be checked; what is known of the last save stays."""
        self.trouble = error.what
        self.hinted = None
        self.progress = self.progress.after({}, saved)
        self.keep()
        reason = f"{error.what} {error.advice}".strip()
        self.show([Statement("runs", "The file can be checked.", reason, False)], self.title())

    def closing(self) -> list[Part]:
        """What there is to say once all is right."""
        after = f", after {self.progress}" if self.progress.saves or self.progress.hints else ""
        return [Note("done", f"All of it is right{after}.")] if self.progress.done else []

    def hint(self) -> None:
        """Show the next hint."""
        from attention_lab.check.watching import hint, key_of

        if self.hinted is None:
            self.screen.show_foot((self.trouble or "There is no fault of the catalogue, and so there is no hint.",))
            return
        key = key_of(self.hinted)
        self.progress = self.progress.hinted(key)
        self.keep()
        self.show(list(hint(self.hinted, self.progress.hints[key])))

    def help(self) -> None:
        """What the keys do."""
        self.show([Note(key, f"{key}: {does}") for key, does in HELP])

    def look(self) -> None:
        """Check the file if it was saved since. A file that is not there for a moment is waited for."""
        now = stamp(self.path)
        if now == self.seen:
            return
        now = settled(self.path, now) if now else None
        if now is None:
            if not self.missing and stamp(self.path) is None:
                self.missing = True
                self.screen.show_foot(self.foot())
            return
        before, was_missing = self.seen, self.missing
        self.seen, self.missing = now, False
        if before is None or before.digest != now.digest:
            self.check(saved=before is not None)
        else:
            self.screen.show_foot(self.foot() if was_missing else ("Saved without a change.", *self.foot()[1:]))

    def act(self, key: str) -> bool:
        """Do what a key asks for; whether to go on."""
        meaning = "hint" if key in ("h", "hint") else MEANING.get(key, "")
        if meaning == "quit":
            return False
        if meaning == "hint":
            self.hint()
        elif meaning == "help":
            self.help()
        else:
            self.screen.show_foot(("No such key; ? shows which there are.",))
        return True

    def run(self, keys: TimedInput) -> None:
        """Watch until it is quit, or no key can come any more. Raises KeyboardInterrupt, CheckerFailed."""
        self.look()
        going = True
        while going:
            try:
                key = keys.next_within(POLL)
            except EOFError:
                self.look()
                return
            if key is not None:
                going = self.act(key)
            else:
                self.look()

    def farewell(self) -> str:
        """What is still wrong; nothing where all is right."""
        if self.trouble:
            return self.trouble
        names = [name for name, stand in (self.before or {}).items() if not stand.right and not stand.waits]
        if names:
            return f"{count(len(names), 'function')} wrong: {listed(names)}."
        return "" if self.progress.done else f"{safe(self.path.name)} is not written yet."


def watch_file(request: CheckRequest, is_plain: bool, home: Path) -> None:
    """Watch a file. Raises PartlyFailed where it is left wrong, KeyboardInterrupt on Ctrl-C; the progress is kept."""
    path = request.path
    learner_text(path)  # a name that was mistyped is no file that is missing for a moment
    from attention_lab.check.watching import load

    progress = load(home, path)
    interrupted, out = False, sys.stdout
    with open_timed_input() as keys, open_screen(False, is_plain, out) as where:
        watch = Watch(path, request, home, where, progress)
        if progress.saves or progress.hints:
            watch.notices.append(f"Going on after {progress}, with {count(len(progress.right), 'function')} right.")
        try:
            watch.run(keys)
        except KeyboardInterrupt:
            interrupted = True
    left, again = watch.farewell(), f"'attn-lab check {shlex.quote(request.target)} --watch' goes on"
    kept = f"{again}." if watch.unkept else f"{again} after {watch.progress}."
    if interrupted:
        print_notice(kept, is_plain, out)
        raise KeyboardInterrupt
    if left:
        raise PartlyFailed(left, kept)


def watching(request: CheckRequest) -> Callable[[Views, Path], None]:
    """The screen on which a file is watched."""
    return lambda views, home: watch_file(request, views.plain, home)
