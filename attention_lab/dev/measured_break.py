"""Measure a change of the model, and make it a record of the catalogue: all but the texts, which an author writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from attention_lab.breaks import BREAKS
from attention_lab.breaks.reach import reached_readings
from attention_lab.breaks.record import Break
from attention_lab.breaks.verification import computes_same, demo_shows
from attention_lab.demo.registry import OURS
from attention_lab.errors import BadInput, BadPatch, error_summary
from attention_lab.machine.time_limit import TookTooLong
from attention_lab.text import first_of
from attention_lab.variants import Model, Patch, line_of, load, model_source, patch_offset
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Reading

HARMLESS = "harmless"  # the part that holds all harmless breaks
PARTS = tuple(dict.fromkeys(entry.part for entry in BREAKS))
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
STILL = 4  # vital signs that a record names as still
SECONDS = 1.0  # for one vital sign


# ---- what can be read off the input ----


def check_name(name: str) -> None:
    """Raise BadInput on a name that is no name of a break, or that an entry of some catalogue has."""
    if not NAME.fullmatch(name):
        raise BadInput(f"--name {name!r} is no name of a break.", "Join lower-case words by hyphens: mask-zero.")
    for kind, names in (
        ("break", {entry.name for entry in BREAKS}),
        ("vital sign", {vital.name for vital in VITALS}),
        ("demo", set(OURS)),
    ):
        if name in names:
            raise BadInput(f"There is a {kind} {name!r} already.", "Choose another --name.")


def nearest_part(patch: Patch) -> str:
    """The part of the fault whose line stands nearest to this patch in the model. Raises BadPatch."""
    text = model_source()
    line = line_of(text, patch_offset(text, patch.old))

    def distance(fault: Break) -> int:
        return abs(line_of(text, patch_offset(text, fault.patches[0].old)) - line)

    return min((entry for entry in BREAKS if not entry.harmless), key=distance).part


def changed_model(patches: Sequence[Patch], name: str) -> Model:
    """The model with these patches. Raises BadPatch where OLD is not in one place, BadInput where NEW does not load."""
    try:
        return load(*patches, label=f"transformer.py with {name}")
    except SyntaxError as error:
        line = f"{error.msg}: {(error.text or '').strip()!r}"
        raise BadInput(f"With NEW the model is not valid Python ({line}).", "Correct NEW.") from error
    except BadPatch:
        raise
    except Exception as error:  # whatever the new line raises when the file is executed
        raise BadInput(f"With NEW the model cannot be loaded: {error_summary(error)}", "Correct NEW.") from error


# ---- what is measured ----


def names_moved(readings: Sequence[Reading], direction: str) -> tuple[str, ...]:
    """The vital signs that left their healthy range this way."""
    return tuple(reading.vital.name for reading in readings if reading.moved == direction)


def expected_to_move(readings: Sequence[Reading], part: str) -> tuple[str, ...]:
    """Vital signs that stay although breaks of this part move them, those first that most of these breaks move."""
    moved_by_part = Counter(vital for entry in BREAKS if entry.part == part for vital, _ in entry.signature)
    still = [reading.vital.name for reading in readings if not reading.moved and moved_by_part[reading.vital.name]]
    return tuple(sorted(still, key=lambda vital: -moved_by_part[vital])[:STILL])


def check_moves(readings: Sequence[Reading], harmless: bool) -> None:
    """Raise BadInput where a fault moves nothing, a harmless break moves something, or a call does not end."""
    moved = [reading.vital.name for reading in readings if reading.moved]
    endless = [reading for reading in readings if reading.reason.startswith(TookTooLong.__name__)]
    if endless:
        raise BadInput(f"With NEW {endless[0].vital.name} did not end within {SECONDS:g} s.", "Correct NEW.")
    if moved and harmless:
        raise BadInput(f"This change is not harmless: it moves {first_of(moved, 3)}.", "Leave --harmless out.")
    if not moved and not harmless:
        advice = "Add a vital sign that sees it (attention_lab/vitals/) first; if it computes the same, add --harmless."
        raise BadInput(f"This change moves none of the {len(VITALS)} vital signs.", advice)


def demo_for(fault: Break, part: str) -> str:
    """A demo that shows the fault: the first that does, of those that most breaks of this part name; else ""."""
    demos = Counter(entry.demo for entry in BREAKS if entry.part == part).most_common()
    return next((demo for demo, _ in demos if fault.harmless or demo_shows(fault, demo)), "")


def twins_of(fault: Break) -> tuple[str, ...]:
    """The faults of the catalogue that compute the same as this one."""
    alike = [entry for entry in BREAKS if entry.signature == fault.signature and not entry.harmless]
    return tuple(entry.name for entry in alike if computes_same(fault, entry))


def measured_break(patches: Sequence[Patch], name: str, part: str | None = None, harmless: bool = False) -> Break:
    """The record of a new break with everything that can be measured; texts for the author to write are empty.

    Raises BadInput or BadPatch with a sentence on what is wrong with the input.
    """
    check_name(name)
    if part is not None and part not in PARTS:
        raise BadInput(f"There is no part {part!r}.", f"The parts are {', '.join(PARTS)}.")
    place = nearest_part(patches[0])
    model = changed_model(patches, name)
    readings = reached_readings(model, SECONDS)
    check_moves(readings, harmless)
    measured = Break(
        name=name,
        part=part or (HARMLESS if harmless else place),
        patches=tuple(patches),
        why="",
        watch="",
        consequence="",
        source="",
        hints=("", "", ""),
        demo="",
        up=names_moved(readings, "up"),
        down=names_moved(readings, "down"),
        lost=names_moved(readings, "lost"),
        still=expected_to_move(readings, place),
        harmless=harmless,
    )
    return replace(measured, demo=demo_for(measured, place), same_as=twins_of(measured))
