"""What a file's text says before anything of it is run: who calls whom, and what is still to be written."""

from __future__ import annotations

import pytest

from attention_lab.check.calls import Outline, outline
from attention_lab.commands.new import skeleton
from attention_lab.variants import model_source

TEXT = '''
def softmax(x):
    """Not yet."""

def attention(q, k, v):
    return softmax(q @ k.T) @ v

class MultiHead:
    def forward(self, x):
        return attention(x, x, x)

def norm(x):
    return x
'''


def test_who_calls_whom_through_others():
    calls = outline(TEXT).calls
    assert calls["MultiHead"] == {"attention", "softmax"}
    assert calls["attention"] == {"softmax"}
    assert calls["norm"] == set()


def test_what_is_to_be_written_and_who_waits_for_it():
    assert outline(TEXT).unwritten == ("softmax",)
    assert outline(TEXT).waiting == {"attention": ("softmax",), "MultiHead": ("softmax",)}


@pytest.mark.parametrize(
    "body",
    [
        "...",
        "pass",
        '"""Words."""',
        '"""Words."""\n    ...',
        "raise NotImplementedError",
        "raise NotImplementedError('x')",
    ],
)
def test_every_usual_way_to_leave_a_body_out(body: str):
    assert outline(f"def f(x):\n    {body}\n").unwritten == ("f",)
    assert outline(f"class A:\n  def f(x):\n    {body}\n").unwritten == ("A",)


@pytest.mark.parametrize("body", ["return x", "raise ValueError", "x = 1", "pass; return x", "return ..."])
def test_a_body_that_does_something_is_written(body: str):
    assert outline(f"def f(x):\n    {body}\n").unwritten == ()


@pytest.mark.parametrize("text", ["def f(:", "\0", "(" * 5000, ""])
def test_what_is_no_python_has_no_outline(text: str):
    assert outline(text) == Outline()


def test_functions_that_call_each_other_come_to_an_end():
    assert outline("def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\n").calls["f"] == {"f", "g"}


def test_nothing_of_a_skeleton_is_written_and_all_of_the_model():
    model = outline(model_source())
    assert set(outline(skeleton(model_source())).unwritten) == set(model.calls)
    assert model.unwritten == ()


def test_a_base_class_is_written_in_what_is_derived_from_it():
    base = "class Layer:\n  def forward(self, x):\n    raise NotImplementedError\n"
    assert outline(base).unwritten == ("Layer",)
    derived = outline(f"{base}class Relu(Layer):\n  def forward(self, x):\n    return x\n")
    assert derived.unwritten == ()
    assert derived.waiting == {}


def test_a_constructor_of_nothing_is_written():
    assert outline("class A:\n  def __init__(self):\n    pass\n  def forward(self, x):\n    return x\n").unwritten == ()
