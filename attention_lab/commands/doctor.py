"""`attn-lab doctor`: attack the sandbox that a learner's code runs in, and show what held on this machine."""

from __future__ import annotations

from attention_lab.commands.output import add_views, check_views, show
from attention_lab.errors import PartlyFailed
from attention_lab.options import Parser, parser_for
from attention_lab.result import Statement

DESCRIPTION = """Attack the sandbox that a learner's code runs in, on this machine: what held, and what did not.

Exit code 1 if an attack got through."""


def parser() -> Parser:
    """The command line of `attn-lab doctor`."""
    it = parser_for("attn-lab doctor", DESCRIPTION)
    add_views(it)
    return it


def doctor(words: list[str]) -> None:
    """Attack the sandbox, and show what held."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    from attention_lab.sandbox.doctor import attack_report

    result = attack_report()
    show(result, arguments)
    through = [part for part in result.parts if isinstance(part, Statement) and not part.holds]
    if through:
        what = f"{len(through)} attacks got through, the first of them: {through[0].measured}."
        raise PartlyFailed(
            what, "Check only files that you would run yourself, or on a machine with Landlock and seccomp."
        )
