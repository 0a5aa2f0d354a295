from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attention_lab.breaks import BREAKS
from attention_lab.demos import depth
from attention_lab.errors import BadInput
from attention_lab.result import Matrix, Note, Result, Series
from attention_lab.variants import Patch, healthy, load, own_source, source

BREAK = {one.name: one for one in BREAKS}


def names(result: Result) -> list[str]:
    return [row[0] for row in result["stacks"].rows]


@pytest.fixture(scope="module")
def default(shared_training) -> Result:
    with shared_training():
        return depth.run(healthy())


def test_what_holds_and_what_does_not(default: Result, verdicts):
    assert verdicts(default) == {
        "whole-learns": True,
        "residual": True,
        "norm": True,
        "first-layer": False,
        "where-to-look": True,
    }


def test_every_setting_is_trained(default: Result):
    assert names(default) == list(depth.SETTINGS)
    right = {row[0]: row[3] for row in default["stacks"].rows}
    assert min(right["post-norm"], right["pre-norm"]) >= 0.9
    losses = {row[0]: row[1] for row in default["stacks"].rows}
    assert losses["no norm"] > 5 * max(loss for name, loss in losses.items() if name != "no norm")


def test_there_is_a_gradient_for_each_layer(default: Result):
    curves, looking = default["gradient"], default["looking"]
    assert isinstance(curves, Series)
    assert isinstance(looking, Matrix)
    assert curves.x == tuple(range(1, 7))
    assert {line.values[-1] for line in curves.lines} == {1.0}
    shares = np.array(looking.values)
    assert shares.shape == (len(depth.SETTINGS), 6)
    assert np.all((shares >= 0) & (shares <= 1))


def test_the_patches_do_what_their_names_say():
    for name, patches in depth.SETTINGS.items():
        text = depth.patched_source(source(), patches)
        assert text is not None
        encoder = text.model.split("def encoder_layer")[1].split("\ndef ")[0]
        block = text.model.split("def pre_norm_block")[1].split("\ndef ")[0]
        pre = "x = pre_norm_block(x, layer, h, padding" in text.model
        assert pre == name.startswith("pre")
        used = block if pre else encoder
        assert (
            ("x + multi_head" in used) == ("x + feed_forward" in used) == ("residual" not in name and name != "neither")
        )
        assert ("layer_norm" in used) == (name not in ("no norm", "neither"))


def test_without_steps_nothing_is_learned(run_demo, verdicts):
    held = verdicts(run_demo("depth", steps=1, layers=2))
    assert not any(held[name] for name in ("whole-learns", "residual", "norm"))


def test_a_model_that_has_no_residuals_has_none_to_lose(run_demo, verdicts):
    result = run_demo("depth", BREAK["no-residual"].load(), steps=2, layers=2)
    assert names(result) == ["post-norm", "pre-norm", "pre, no residual"]
    assert "post, no residual, no norm and neither" in result["left-out"].text
    held = verdicts(result)
    assert not held["residual"]
    assert not held["where-to-look"]
    assert "no run" in result["residual"].measured


def test_a_gradient_that_never_reaches_the_first_layer_is_seen(monkeypatch, run_demo, verdicts):
    def gradients(*_: object) -> tuple[np.ndarray, np.ndarray]:
        return np.array([0.01, 1.0]), np.array([1.0, 1.0])

    monkeypatch.setattr(depth, "layer_gradients", gradients)
    held = verdicts(run_demo("depth", steps=1, layers=2))
    assert held["first-layer"]
    assert not held["where-to-look"]


def test_a_model_that_gives_no_number_is_told(run_demo, verdicts):
    result = run_demo("depth", load(Patch("real.sum()\n", "(0 * real.sum())\n")), steps=3, layers=2)
    assert isinstance(result["ended"], Note)
    assert "post-norm: from step 1 on" in result["ended"].text
    assert not any(verdicts(result).values())


def test_a_model_that_stops_is_told(run_demo, verdicts, patched):
    result = run_demo("depth", patched("return hidden @ w_out + b_out", "return hidden + b_out"), steps=3, layers=2)
    assert "raised ValueError" in result["ended"].text
    assert not any(verdicts(result).values())


def test_functions_of_ones_own_are_patched_or_left_out(tmp_path: Path):
    own = tmp_path / "mine.py"
    own.write_text(source().model)
    text = depth.patched_source(own_source(own), depth.SETTINGS["post, no residual"])
    assert text is not None
    assert text.own != source().model
    assert text.model == source().model
    own.write_text("def encoder_layer(x, layer, h, mask=None):\n    return x\n")
    assert depth.patched_source(own_source(own), depth.SETTINGS["post, no residual"]) is None
    assert depth.patched_source(own_source(own), ()) is not None


@pytest.mark.parametrize(("option", "value"), [("layers", 1), ("layers", 13), ("steps", 0)])
def test_bad_options_are_named(run_demo, option: str, value: int):
    with pytest.raises(BadInput, match=f"--{option} is {value}"):
        run_demo("depth", **{option: value})
