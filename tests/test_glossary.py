"""The glossary names what there is: every name of its column "here" is in the code, every letter of the model in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
MODEL = (ROOT / "attention_lab" / "transformer.py").read_text(encoding="utf-8")
SOURCES = sorted([*ROOT.glob("attention_lab/**/*.py"), *ROOT.glob("demos/*.py")])
MODULES = {part for path in SOURCES for part in (path.stem, path.parent.name)}

Row = dict[str, str]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(text: str) -> dict[str, list[Row]]:
    """Every table of a page by the heading above it: its rows, each by the heads of its columns."""
    by_title: dict[str, list[Row]] = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        lines = [line for line in section.splitlines() if line.startswith("|")]
        head, _, *rows = map(cells, lines)
        by_title[section.partition("\n")[0]] = [dict(zip(head, row, strict=True)) for row in rows]
    return by_title


def names_in(tree: ast.AST) -> Iterator[str]:
    """Every name that a file defines, uses, or holds as a string."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name) | ast.arg(arg=name):
                yield name
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)) | ast.keyword(arg=str(name)):
                yield name


def missing(rows: list[Row], names: set[str]) -> list[str]:
    """Names in the column "here" that are not among `names`; of `layer["norm_1"]` both names count."""
    quoted = [name for row in rows for name in re.findall(r"`([^`]+)`", row["here"])]
    return [name for name in quoted for part in re.findall(r"[\w-]+", name) if part not in names]


def letters_of_the_head(source: str) -> set[str]:
    """Names of one letter, with or without an index, that the head of the model introduces or uses."""
    head = ast.get_docstring(ast.parse(source)) or ""
    return set(re.findall(r"\b(?:[A-Za-z]|T[qk]|d_\w+)\b(?!')", head)) - {"A", "a"}  # articles


TABLES = tables(GLOSSARY)
LETTERS = {name for row in TABLES["Sizes, and names of one letter"] for name in re.findall(r"`(\w+)`", row["here"])}


def names_of(paths: list[Path]) -> set[str]:
    return {name for path in paths for name in names_in(ast.parse(path.read_text(encoding="utf-8")))}


@pytest.mark.parametrize("title", ["Weights", "Functions"])
def test_what_the_glossary_names_of_the_model_is_in_the_model(title: str):
    assert (
        missing(TABLES[title], names_of([ROOT / "attention_lab" / name for name in ("transformer.py", "weights.py")]))
        == []
    )


def test_what_the_glossary_names_is_in_the_code():
    names = names_of(SOURCES) | MODULES
    words = [row for title, rows in TABLES.items() if not title.startswith("Sizes") for row in rows]
    assert missing(words, names) == []


def test_every_function_of_the_model_that_others_write_is_in_the_glossary():
    from attention_lab.check.roles import ROLES

    here = {name for row in TABLES["Functions"] for name in re.findall(r"`(\w+)`", row["here"])}
    assert {role.name for role in ROLES} <= here


def test_every_letter_of_the_model_is_in_the_glossary():
    arguments = {node.arg for node in ast.walk(ast.parse(MODEL)) if isinstance(node, ast.arg)}
    assert letters_of_the_head(MODEL) | {name for name in arguments if len(name) == 1} <= LETTERS
    shapes = " ".join(re.findall(r"^def .*#(.*)", MODEL, flags=re.MULTILINE))
    assert set(re.findall(r"\b[A-Z]\b", shapes)) <= LETTERS


def test_every_letter_of_the_glossary_is_in_the_model():
    assert {name for name in LETTERS if not re.search(rf"\b{name}\b", MODEL)} == set()


def test_every_row_says_what_its_word_means_and_stands_once():
    for title, rows in TABLES.items():
        assert all(row["meaning"] for row in rows), title
        first = [next(iter(row.values())) for row in rows]
        assert len(first) == len(set(first)), title


def test_a_name_that_has_gone_is_told():
    rows = tables("## W\n\n| here | meaning |\n|---|---|\n| `attention` `atention` | to attend |\n")["W"]
    assert missing(rows, {"attention"}) == ["atention"]


def test_a_letter_that_is_new_is_told():
    assert letters_of_the_head('"""The model.\n\nT  tokens: Tq of them ask    Z  sets    d_z  width\n"""') == {
        "T",
        "Tq",
        "Z",
        "d_z",
    }
