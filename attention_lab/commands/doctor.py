"""`attn-lab doctor`: attack the sandbox that a learner's code runs in, and show what held on this machine."""

from __future__ import annotations

from attention_lab.commands.outcome import Outcome
from attention_lab.errors import PartlyFailed
from attention_lab.result import Result, Statement


def failure_of(result: Result) -> PartlyFailed | None:
    """The failure where an attack got through."""
    through = [part for part in result.parts if isinstance(part, Statement) and not part.holds]
    if not through:
        return None
    what = f"{len(through)} attacks got through, the first of them: {through[0].measured}."
    return PartlyFailed(
        what, "Check only files that you would run yourself, or on a machine with Landlock and seccomp."
    )


def doctor() -> Outcome:
    """Attack the sandbox that a learner's code runs in, on this machine: what held, and what did not.

    Exit code 1 if an attack got through.
    """
    from attention_lab.sandbox.doctor import attack_report

    result = attack_report()
    return Outcome(result, failure_of(result))
