"""Parts of a lesson: steps of prose, commands to run, and questions that the commands answer."""

from __future__ import annotations

from dataclasses import dataclass

from attention_lab.errors import LabError


class BadLesson(LabError):
    """Error in a lesson that cannot be read or no longer holds: file and line, the problem, and the advice."""

    kind = "bad-lesson"

    def __init__(self, path: str, line: int, problem: str, advice: str) -> None:
        super().__init__(f"{path}, line {line}: {problem}", advice)
        self.path = path
        self.line = line
        self.problem = problem


@dataclass(frozen=True)
class Address:
    """A place in the result of a command: `run` is the number of the command, `path` names part and cell.

    Path "largest" is the value of a statement, "row-it/it/tired" a cell of a matrix, a table or a curve.
    """

    run: int
    path: str


@dataclass(frozen=True)
class Reference:
    """A number in the prose: `source` is its Markdown link, `written` the number in it."""

    line: int
    source: str
    written: str
    address: Address


@dataclass(frozen=True)
class Condition:
    """Condition for a choice to be right: a comparison, or a statement that "holds" or "fails"."""

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
    """A command, and the parts of its result to show (all if none is named). `number` counts the commands from 0."""

    line: int
    number: int
    words: tuple[str, ...]
    show: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True)
class Choice:
    """A choice: right when all its conditions hold. `idea` is the misconception behind it if it is wrong."""

    line: int
    text: str
    when: tuple[Condition, ...]
    idea: str = ""


@dataclass(frozen=True)
class Predict:
    """A question to answer before command number `run` is shown."""

    line: int
    question: str
    choices: tuple[Choice, ...]
    run: int


@dataclass(frozen=True)
class Diagnose:
    """A fault to name from its symptoms, the page of a break without its line. Choices are names of breaks."""

    line: int
    run: Run
    question: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Check:
    """A file for the learner to work on: `words` is the command that checks it, `start` the command that writes it."""

    line: int
    file: str
    words: tuple[str, ...]
    start: tuple[str, ...]


Block = Prose | Run | Predict | Diagnose | Check


@dataclass(frozen=True)
class Step:
    """Blocks shown before the next pause, with the title of their section."""

    title: str
    line: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Lesson:
    """A whole walkthrough. `digest` identifies the version of its text."""

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
        blocks = (block.run if isinstance(block, Diagnose) else block for block in self.blocks)
        return tuple(block for block in blocks if isinstance(block, Run))

    @property
    def questions(self) -> tuple[Predict | Diagnose, ...]:
        """All questions, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Predict | Diagnose))
