"""Cognitive complexity has a cap; the functions above it are listed, and the list may only shrink.

Cognitive complexity counts each break in the flow of a function, more for each level of nesting, also in conditional
expressions, comprehensions and chains of `and` and `or`, which McCabe's figure leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from complexipy import file_complexity

ROOT = Path(__file__).parent.parent
CAP = 15

EXCEPTIONS = {  # the present complexity of each function above the cap
    "attention_lab/check/bundled_arguments.py: asked_for": 26,
    "attention_lab/check/evidence.py: nearest_other": 16,
    "attention_lab/check/file_context.py: fit_for_use": 17,
    "attention_lab/check/fitted_constants.py: adds": 17,
    "attention_lab/check/holders.py: made": 23,
    "attention_lab/check/holders.py: settings": 16,
    "attention_lab/check/instances.py: fits_of": 25,
    "attention_lab/check/instances.py: weights_as": 22,
    "attention_lab/check/linears.py: layers_in": 22,
    "attention_lab/check/linears.py: linear_plans": 20,
    "attention_lab/check/match.py: examined": 30,
    "attention_lab/check/match.py: otherwise": 16,
    "attention_lab/check/match.py: seen_edges": 22,
    "attention_lab/check/plans.py: by_name": 16,
    "attention_lab/check/plans.py: guesses": 24,
    "attention_lab/check/plans.py: sources": 34,
    "attention_lab/check/plans.py: varied": 44,
    "attention_lab/check/recognition.py: claims": 34,
    "attention_lab/check/recognition.py: of_class": 26,
    "attention_lab/check/recognition.py: recognised": 24,
    "attention_lab/check/remote.py: read_parts": 37,
    "attention_lab/check/remote.py: value_of": 31,
    "attention_lab/check/survey.py: callables": 36,
    "attention_lab/check/survey.py: survey": 17,
    "attention_lab/check/watching.py: change": 29,
    "attention_lab/check/weight_paths.py: arrangements": 22,
    "attention_lab/check/weight_paths.py: attention_places": 36,
    "attention_lab/check/weight_paths.py: attentions_in": 31,
    "attention_lab/check/weight_paths.py: biases_of": 19,
    "attention_lab/check/weight_paths.py: by_patterns": 16,
    "attention_lab/check/weight_paths.py: layer_places": 27,
    "attention_lab/demo/validation.py: wrong_types": 19,
    "attention_lab/inspection/choice.py: choose_arrays": 24,
    "attention_lab/kill/kill.py: measure_kills": 18,
    "attention_lab/kill/kill_page.py: test_parts": 21,
    "attention_lab/lesson/markdown_blocks.py: markdown_pieces": 26,
    "attention_lab/lesson/perform.py: Performance::is_met": 16,
    "attention_lab/lesson/read.py: parse_run": 16,
    "attention_lab/sandbox/construct.py: build": 20,
    "attention_lab/sandbox/frames.py: from_tree": 24,
    "attention_lab/sandbox/frames.py: to_tree": 17,
    "attention_lab/sandbox/learner.py: Learner::run": 19,
    "attention_lab/sandbox/learner.py: arrays_in": 17,
    "attention_lab/sandbox/learner.py: as_value": 17,
    "attention_lab/show/heatmap.py: matrix_lines": 23,
    "attention_lab/show/prose.py: inline_text": 16,
    "attention_lab/show/prose.py: paragraphs": 19,
    "attention_lab/train/side_by_side.py: collect_runs": 17,
    "attention_lab/train/tasks.py: language_task": 21,
    "attention_lab/variants.py: patch_offset": 17,
    "demos/parameters.py: run": 24,
    "demos/scaling.py: run": 17,
}


def complex_functions(root: Path) -> dict[str, int]:
    """The cognitive complexity of each function above the cap, by file and name."""
    paths = sorted(path for folder in ("attention_lab", "demos") for path in (root / folder).rglob("*.py"))
    return {
        f"{path.relative_to(root).as_posix()}: {function.name}": function.complexity
        for path in paths
        for function in file_complexity(str(path), no_ignore=True, with_plans=False).functions
        if function.complexity > CAP
    }


def advice(measured: Mapping[str, int], listed: Mapping[str, int]) -> list[str]:
    """A sentence for each function whose complexity is not the listed one."""
    sentences = []
    for name in sorted(measured.keys() | listed.keys()):
        now, before = measured.get(name, 0), listed.get(name, 0)
        if now and not before:
            sentences.append(
                f"{name} has complexity {now}, above the cap of {CAP}: split the function (or rename its line)."
            )
        elif now > before:
            sentences.append(f"{name} has complexity {now}, above the listed {before}: split the function.")
        elif before and not now:
            sentences.append(f"{name} is no longer above the cap: delete its line from EXCEPTIONS.")
        elif now < before:
            sentences.append(f"{name} has complexity {now}, below the listed {before}: write {now} in EXCEPTIONS.")
    return sentences


def test_no_function_is_more_complex_than_the_cap_or_its_listed_figure():
    sentences = advice(complex_functions(ROOT), EXCEPTIONS)
    assert not sentences, "\n".join(sentences)


@pytest.mark.parametrize(
    ("measured", "listed", "sentence"),
    [
        (
            {"a.py: new": 16},
            {},
            "a.py: new has complexity 16, above the cap of 15: split the function (or rename its line).",
        ),
        ({"a.py: f": 21}, {"a.py: f": 20}, "a.py: f has complexity 21, above the listed 20: split the function."),
        ({"a.py: f": 19}, {"a.py: f": 20}, "a.py: f has complexity 19, below the listed 20: write 19 in EXCEPTIONS."),
        ({}, {"a.py: f": 20}, "a.py: f is no longer above the cap: delete its line from EXCEPTIONS."),
    ],
)
def test_a_change_of_complexity_is_told(measured: dict[str, int], listed: dict[str, int], sentence: str):
    assert advice(measured, listed) == [sentence]


def test_boolean_operators_and_comprehensions_are_counted(tmp_path: Path):
    conditions = " or ".join(f"(a{i} and b{i})" for i in range(CAP))
    (tmp_path / "demos").mkdir()
    (tmp_path / "demos" / "nested.py").write_text(
        f"def flat(a):\n    return a\n\n\ndef nested(a):\n    return [x for x in a if {conditions}]\n"
    )
    assert list(complex_functions(tmp_path)) == ["demos/nested.py: nested"]
