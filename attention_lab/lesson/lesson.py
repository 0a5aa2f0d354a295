"""What a lesson is made of: steps of prose, commands to run, and questions whose answers the commands give."""

from __future__ import annotations

from dataclasses import dataclass

from attention_lab.errors import LabError


class BadLesson(LabError):
    """A lesson that cannot be read or no longer holds: file and line, what is wrong, and what to write."""

    kind = "bad-lesson"

    def __init__(self, path: str, line: int, problem: str, advice: str) -> None:
        super().__init__(f"{path}, line {line}: {problem}", advice)
        self.path = path
        self.line = line
        self.problem = problem


@dataclass(frozen=True)
class Address:
    """A place in what a command measured: `run` counts the commands of the lesson, `path` names part and cell.

    "largest" is a statement's value, "row-it/it/tired" a cell of a matrix, a table or a curve.
    """

    run: int
    path: str


@dataclass(frozen=True)
class Reference:
    """A number in the prose: `source` as it stands in the file, `written` what a reader of the file sees."""

    line: int
    source: str
    written: str
    address: Address


@dataclass(frozen=True)
class Condition:
    """What must be so for a choice to be right: a comparison, or a statement that "holds" or "fails"."""

    line: int
    left: Address | float | str
    sign: str
    right: Address | float | str


@dataclass(frozen=True)
class Prose:
    """Markdown between the blocks."""

    line: int
    text: str
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True)
class Run:
    """A command and which parts of its result are shown (all, if none is named). `number` counts the commands."""

    line: int
    number: int
    words: tuple[str, ...]
    show: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True)
class Choice:
    """One answer: right when all its conditions hold. `idea` is what somebody who gives it wrongly has in mind."""

    line: int
    text: str
    when: tuple[Condition, ...]
    idea: str = ""


@dataclass(frozen=True)
class Predict:
    """A question to answer before the next command, `run`, is shown."""

    line: int
    question: str
    choices: tuple[Choice, ...]
    run: int


@dataclass(frozen=True)
class Diagnose:
    """A fault to name from its symptoms: the page of a break without its line. The choices are names of breaks."""

    line: int
    run: Run
    question: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Check:
    """A file that the learner works on: the words of the command that checks it, and of the one that it begins with."""

    line: int
    file: str
    words: tuple[str, ...]
    start: tuple[str, ...]


Block = Prose | Run | Predict | Diagnose | Check


@dataclass(frozen=True)
class Step:
    """What is shown before the next pause, under the title of its section."""

    title: str
    line: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Lesson:
    """A whole walkthrough. `digest` tells one version of its text from another."""

    name: str
    title: str
    path: str
    summary: str
    steps: tuple[Step, ...]
    digest: str

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in order."""
        return tuple(block for step in self.steps for block in step.blocks)

    @property
    def runs(self) -> tuple[Run, ...]:
        """All commands, in order: `runs[n].number == n`."""
        found = (block.run if isinstance(block, Diagnose) else block for block in self.blocks)
        return tuple(block for block in found if isinstance(block, Run))

    @property
    def questions(self) -> tuple[Predict | Diagnose, ...]:
        """All questions, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Predict | Diagnose))
