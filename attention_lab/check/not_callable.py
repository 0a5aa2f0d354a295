"""What cannot even be called: functions whose own statement raised, and classes of which no instance can be made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attention_lab.check.holders import made
from attention_lab.check.instances import arrays_of
from attention_lab.check.match import Finding
from attention_lab.check.names import plain, sized
from attention_lab.check.plans import Plan
from attention_lab.check.roles import ROLES, Role
from attention_lab.sandbox.frames import NOT_IMPORTED
from attention_lab.sandbox.records import CallFailed, Definition, Died, Raised, TimedOut

if TYPE_CHECKING:
    from attention_lab.check.holders import Holder
    from attention_lab.check.inputs import Arguments
    from attention_lab.check.trial import Bench
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import CodeError

USUAL = {"x": np.zeros((1, 8, 512)), "h": 8, "w_in": np.zeros((512, 2048))}  # sizes that a constructor may insist on


def named_like(name: str) -> tuple[Role, ...]:
    """The roles of exactly this name: one that only contains it may be a picture of attention."""
    return tuple(role for role in ROLES if plain(name) in map(plain, role.names))


def lost(child: Child, function: str = "") -> Iterator[Finding]:
    """The functions and classes of the file, or only this one, that are not there, since their definition raised.

    Of what only needs a package that is not installed here nobody knows whether it is right.
    """
    there = {definition.name for definition in child.definitions}
    for code_error in child.code_errors:
        name = code_error.defines
        judged = named_like(name) and NOT_IMPORTED not in code_error.message
        if judged and name not in there and function in ("", name):
            definition = Definition(name, "function", (), code_error.line or 0)
            yield Finding(named_like(name)[0], definition, Plan(name, ()), "does-not-run", code_error=code_error)


def all_known(kind: Definition) -> bool:
    """Whether a constructor needs nothing but sizes, by their names: what it is given is no guess."""
    usable = [one for one in kind.parameters if one.kind in ("positional", "keyword")]
    return all(one.default or sized(one.name) is not None for one in usable)


def sizes_to_try(bench: Bench) -> Iterator[Arguments]:
    """Arguments of several sizes, odd ones and usual ones."""
    yield from (probe.arguments for probe in bench.drawn[:3])
    yield {**bench.drawn[0].arguments, **USUAL}


def of_a_guess(code_error: CodeError) -> bool:
    """Whether an error may come of what was given: a number where a shape was meant."""
    return code_error.line is None or "'int' object" in code_error.message or "not int" in code_error.message


def unmade(child: Child, holder: Holder, bench: Bench) -> Finding | None:
    """The verdict on a class named like a part, of which no instance can be made, whatever the sizes; else None."""
    kind, role = holder.kind, bench.role
    make = made(holder, role)
    if role not in named_like(kind.name) or make is None or not all_known(kind):
        return None
    code_errors: list[CodeError] = []
    for arguments in sizes_to_try(bench):
        try:
            arrays_of(child, kind, make, role, arguments)
        except Raised as error:
            code_errors.append(error.code_error)
        except (TimedOut, Died) as error:
            return Finding(role, kind, Plan(kind.name, ()), "does-not-run", said=error.what)
        except CallFailed:
            return None
        else:
            return None
    if any(map(of_a_guess, code_errors)):
        return None
    return Finding(role, kind, Plan(kind.name, ()), "does-not-run", code_error=code_errors[0])
