"""Options of every command are declared in full: help, bounds with one sentence, and an echo that parses back."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.commands.command_table import COMMANDS
from attention_lab.commands.declaration import Declaration
from attention_lab.demo.registry import OURS
from attention_lab.errors import BadInput
from attention_lab.options import Option, Param, check_values, command_words, read_words, with_defaults
from attention_lab.options.option import REQUIRED

PACKAGE = Path(__file__).parent.parent / "attention_lab"
DECLARATIONS = {
    declaration.line: declaration
    for declaration in [
        *(command.declaration()[0] for command in COMMANDS),
        *(COMMANDS[0].declaration([name])[0] for name in OURS),
    ]
}
OPTIONS = [(line, option) for line, declaration in DECLARATIONS.items() for option in declaration.all_options]
BOUNDED = [(line, option) for line, option in OPTIONS if option.param.range_sentence]


def named(value: object) -> str:
    return value.flag if isinstance(value, Option) else str(value)


# ---- help ----


@pytest.mark.parametrize("line", DECLARATIONS)
def test_the_help_tells_every_option(line: str):
    declaration = DECLARATIONS[line]
    assert declaration.description
    assert [option.flag for option in declaration.all_options if not option.param.help] == []
    text = declaration.parser().format_help()
    assert [option.flag for option in declaration.all_options if option.flag not in text] == []


@pytest.mark.parametrize("line", DECLARATIONS)
def test_flags_are_told_apart_and_conflicts_name_flags_that_exist(line: str):
    flags = [option.flag for option in DECLARATIONS[line].all_options]
    assert len(set(flags)) == len(flags)
    assert [
        other for option in DECLARATIONS[line].all_options for other in option.param.apart if other not in flags
    ] == []


# ---- values ----


def outside(option: Option) -> list[float]:
    """Values just outside the bounds of an option."""
    param, whole = option.param, option.type is int
    below = (
        [] if param.at_least is None else [param.at_least - 1 if whole else math.nextafter(param.at_least, -math.inf)]
    )
    above = [] if param.at_most is None else [param.at_most + 1 if whole else math.nextafter(param.at_most, math.inf)]
    return [*below, *above, *(bound for bound in (param.above, param.below) if bound is not None)]


@pytest.mark.parametrize(("line", "option"), BOUNDED, ids=named)
def test_a_value_just_outside_its_bounds_is_refused_in_one_sentence(line: str, option: Option):
    parser, options = DECLARATIONS[line].parser(), DECLARATIONS[line].all_options
    required = [
        str(other.param.choices[0]) if other.param.choices else "x"
        for other in options
        if other.positional and other.default is REQUIRED
    ]
    for value in outside(option):
        with pytest.raises(BadInput) as refused:
            read_words(parser, options, [*required, f"{option.flag}={value}"])
        assert refused.value.what == f"{option.flag} is {option.type(value)}."
        assert refused.value.advice == option.param.range_sentence


def test_a_range_sentence_tells_every_bound():
    assert Param("", at_least=2, at_most=64).range_sentence == "It must be at least 2 and at most 64."
    assert Param("", above=0, at_most=10).range_sentence == "It must be above 0 and at most 10."
    assert Param("", at_least=0, below=1).range_sentence == "It must be at least 0 and below 1."
    assert Param("").range_sentence == ""


# ---- the echoed command ----


def value_strategy(option: Option) -> st.SearchStrategy[object]:
    """Values that can be typed for an option."""
    param = option.param
    word: st.SearchStrategy[object]
    if option.type is bool:
        return st.booleans()
    if param.choices:
        word = st.sampled_from(param.choices)
    elif option.words > 1:
        word = st.tuples(st.just("a line"), st.sampled_from(["pass", "x = 'a b'", ""]))
    elif option.type is str:
        word = st.sampled_from(["a", "a b.py", "it's", "-x", "--json", "$x"])
    else:
        low = param.at_least if param.at_least is not None else param.above if param.above is not None else -1000
        high = param.at_most if param.at_most is not None else param.below if param.below is not None else 1000
        numbers = st.floats(low, high) if option.type is float else st.integers(int(low), int(high))
        word = numbers.filter(param.in_range)
    if not option.repeated:
        return word
    return st.lists(word, max_size=3, unique=param.once, min_size=0 if option.default == () else 1).map(tuple)


@st.composite
def typed_values(draw: st.DrawFn, declaration: Declaration) -> dict[str, object]:
    """Values of a command's options: each typed or left out, and echoed."""
    values = {}
    for option in declaration.options:
        is_left_out = not option.param.echo or (option.default is not REQUIRED and draw(st.booleans()))
        values[option.name] = option.default if is_left_out else draw(value_strategy(option))
    return values


@pytest.mark.sample(6)
@pytest.mark.parametrize("line", DECLARATIONS)
def test_an_echoed_command_parses_back_to_its_values(line: str):
    declaration = DECLARATIONS[line]
    parser = declaration.parser()

    @given(typed_values(declaration))
    def check(values: dict[str, object]) -> None:
        try:
            check_values({option: values[option.name] for option in declaration.options if is_typed(option, values)})
        except BadInput:
            return  # options that do not go together are never echoed
        words = command_words(declaration.options, values)
        assert with_defaults(declaration.options, read_words(parser, declaration.options, words)) == values

    check()


def is_typed(option: Option, values: dict[str, object]) -> bool:
    return values[option.name] != option.default


# ---- one home ----


def adds_arguments(path: Path) -> bool:
    """Whether a file gives a parser an argument of its own."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.Attribute) and node.attr == "add_argument" for node in ast.walk(tree))


def test_options_are_declared_and_not_added_to_a_parser():
    files = [str(path.relative_to(PACKAGE)) for path in sorted(PACKAGE.glob("**/*.py")) if adds_arguments(path)]
    assert files == ["dev/__main__.py", "options/parser.py"]  # the tool of who writes a break is no command
