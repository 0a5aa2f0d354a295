"""What is declared of an option, once: parser, range check, help, completion and the echoed command all read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Names = Callable[[], list[str]]  # the names that an option takes; called only to complete one


@dataclass(frozen=True)
class Param:
    """What an option means and which values make sense, written beside its type: `Annotated[int, Param("…")]`.

    Bounds are inclusive (`at_least`, `at_most`) or exclusive (`above`, `below`).
    """

    help: str
    at_least: float | None = None
    at_most: float | None = None
    once: bool = False  # of an option that is given several times: each value may be given only once
    above: float | None = None
    below: float | None = None
    choices: tuple[str | int, ...] = ()
    flag: str = ""  # as typed, where it is not the parameter's name: --with for `own`
    metavar: str = ""  # stands for the value in the help; two words for a pair
    group: str = ""  # the heading in the help
    default: str = ""  # what happens without the option, where the default value itself does not say it
    named: bool = False  # an empty text is refused: it names nothing
    names: Names | None = None
    files: tuple[str, ...] | None = None  # endings of the files that it takes; () for any file, None for no file
    in_a_row: bool = False  # several values stand behind one flag: --lengths 5 7 3
    echo: bool = True  # whether it belongs to the command that gives the same result again
    apart: tuple[str, ...] = ()  # flags that it does not go with

    @property
    def takes_name(self) -> bool:
        """Whether its value names something, so that an empty text is a mistake."""
        return self.named or self.names is not None or self.files is not None

    @property
    def range_sentence(self) -> str:
        """The values that are allowed: "It must be at least 2 and at most 64."; "" where all are."""
        bounds = (
            ("at least", self.at_least),
            ("above", self.above),
            ("at most", self.at_most),
            ("below", self.below),
        )
        allowed = " and ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)
        return f"It must be {allowed}." if allowed else ""

    def in_range(self, value: float) -> bool:
        """Whether a number lies within all bounds; NaN does not."""
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )
