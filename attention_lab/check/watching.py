"""What a save changed in a person's file, the hints towards what is still wrong, and how far they have come."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from attention_lab.check.check_page import diff_of
from attention_lab.check.unnamed import breaks_of, culprits
from attention_lab.kept_files import keep_json, path_key
from attention_lab.result import Note, Part
from attention_lab.text import count, listed

if TYPE_CHECKING:
    from attention_lab.check.match import Finding
    from attention_lab.check.survey import Survey

HINTS = 3  # of every break; after them its line and its name


# ---- what changed ----


@dataclass(frozen=True)
class Stand:
    """How one function stood at one save."""

    right: bool
    verdict: str = ""
    faults: tuple[str, ...] = ()
    error: str = ""
    waits: bool = False  # it is still to be written, or calls what is
    late: bool = False  # the time was up before it was judged


Stands = dict[str, Stand]


def stand(one: Finding) -> Stand:
    """How a function stands that was judged."""
    faults = tuple(entry.name for entry in breaks_of(one)) if one.alarming else ()
    return Stand(not one.alarming, one.verdict, faults, one.code_error.message if one.code_error else "")


def stands(found: Survey) -> Stands:
    """How every function of a file stands."""
    out = found.outline
    waiting = {name: Stand(False, waits=True) for name in (*out.unwritten, *out.waiting)}
    late = {name: Stand(False, late=True) for name in found.late}
    return waiting | late | {one.definition.name: stand(one) for one in found.findings}


def change(name: str, before: Stand | None, now: Stand | None) -> str:
    """What became of one function; nothing where it is as it was. A fault is named once it is mended, not before."""
    if before == now or (before is None and now is not None and now.right):
        return ""
    if now is None:
        return f"{name} is gone."
    if now.late:
        return f"{name} could not be judged in time."
    if before is None:
        return f"{name} is new, and {'to be written' if now.waits else 'wrong'}."
    if now.right:
        was = "to be written" if before.waits else "not judged" if before.late else listed(before.faults) or "wrong"
        return "" if before.right else f"{name} was {was}, and is right now."
    if before.late:
        return f"{name} is judged again, and not right."
    if now.waits:
        return "" if before.waits else f"{name} cannot be judged any more: something is to be written again."
    if before.right:
        return f"{name} was right, and is wrong now."
    if before.waits:
        return f"{name} is written, and not right yet."
    if now.verdict == "does-not-run":
        return f"{name} does not run any more." if before.verdict != now.verdict else f"{name} fails in another way."
    if before.verdict == "does-not-run":
        return f"{name} runs now, and is not right yet."
    gone = [fault for fault in before.faults if fault not in now.faults]
    if gone and now.faults and set(now.faults) < set(before.faults):
        return f"{name}: {listed(gone)} is gone. Something else is wrong, too."
    return f"{name} is wrong in another way now."


def changes(before: Stands, now: Stands) -> tuple[str, ...]:
    """A sentence for each function that a save changed; the same one for several functions is said once."""
    told: dict[str, list[str]] = {}
    for name in dict.fromkeys((*now, *before)):
        sentence = change("{}", before.get(name), now.get(name))
        if sentence:
            told.setdefault(sentence, []).append(name)
    return tuple(sentence.format(names[0]) + others(names[1:]) for sentence, names in told.items())


def others(names: list[str]) -> str:
    """That it is so of other functions as well."""
    return f" The same goes for {listed(names)}." if names else ""


# ---- hints ----


def on_whom(found: Survey) -> Finding | None:
    """The function on which there are hints: the first that is wrong by itself and has a fault of the catalogue."""
    return next((finding for finding, _ in culprits(found) if breaks_of(finding)), None)


def key_of(finding: Finding) -> str:
    """Opaque key for the hint counter, so that the kept file does not reveal the fault."""
    return hashlib.sha256(repr((finding.definition.name, finding.breaks)).encode()).hexdigest()[:8]


def hint(finding: Finding, level: int) -> Iterator[Part]:
    """The hint of this level, from 1, towards a fault of the catalogue; after the last one its line and its name."""
    name, breaks = finding.definition.name, breaks_of(finding)
    if level <= HINTS:
        words = " ".join(dict.fromkeys(one.hints[level - 1] for one in breaks))
        yield Note("hint", f"Hint {level} of {HINTS} on {name}: {words}")
    else:
        yield Note("hint", f"{name} has {listed(one.name for one in breaks)}: {' '.join(one.why for one in breaks)}")
        yield from diff_of(finding)


# ---- how far one has come ----


@dataclass(frozen=True)
class Progress:
    """Saves that were checked, functions that are right, hints that were taken by the key of the fault."""

    saves: int = 0
    right: tuple[str, ...] = ()
    hints: dict[str, int] = field(default_factory=dict)
    done: bool = False  # whether everything was right in the end

    def after(self, now: Stands, saved: bool) -> Progress:
        """The same after a check, which one more save has caused or not."""
        right = tuple(name for name, stand in now.items() if stand.right)
        return replace(self, saves=self.saves + saved, right=right, done=bool(now) and len(right) == len(now))

    def hinted(self, key: str) -> Progress:
        """The same with one more hint."""
        return replace(self, hints={**self.hints, key: min(HINTS + 1, self.hints.get(key, 0) + 1)})

    def __str__(self) -> str:
        return f"{count(self.saves, 'save')}, {count(sum(self.hints.values()), 'hint')}"


def file_of(home: Path, path: Path) -> Path:
    """Where the progress in a file is kept. Two files of one name in different folders have two."""
    return home / "checks" / f"{path.stem}-{path_key(path)}.json"


def load(home: Path, path: Path) -> Progress:
    """How far one had come with a file: none where nothing that can be read is kept, or all was right in the end."""
    try:
        body = json.loads(file_of(home, path).read_text(encoding="utf-8"))
        hints = {str(key): int(level) for key, level in body["hints"].items()}
        found = Progress(int(body["saves"]), tuple(map(str, body["right"])), hints, bool(body["done"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Progress()
    sound = found.saves >= 0 and all(0 <= level <= HINTS + 1 for level in hints.values())
    return found if sound and not found.done else Progress()


def save(home: Path, path: Path, progress: Progress) -> None:
    """Keep the progress, all of it or nothing. Raises OSError."""
    keep_json(file_of(home, path), {"file": str(path.resolve()), **asdict(progress)})
