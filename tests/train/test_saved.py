"""Files that `attn-lab train` reads and writes: its own are taken again, anything else in one sentence is not."""

from __future__ import annotations

import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attention_lab.train.story import STORY

Command = Callable[..., tuple[int, str, str]]
TINY = ("--d-model", "8", "--heads", "2", "--steps", "3", "--batch", "4")
SCALED = "scores = scores / query.shape[-1] ** 0.5  # scale"


def test_saved_weights_are_loaded_and_trained_no_further(attn_lab: Command, tmp_path: Path):
    file = str(tmp_path / "it.npz")
    _, first, _ = attn_lab("train", "reverse", *TINY, "--save", file, "--json")
    code, again, _ = attn_lab("train", "reverse", *TINY, "--steps", "0", "--load", file, "--json")
    assert code == 0
    tables = [{part["name"]: part for part in json.loads(text)["tables"]}["scores"]["rows"] for text in (first, again)]
    assert tables[0][:5] == tables[1][:5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Cannot load"),
        (b"no archive at all", "Cannot load"),
        (pickle.dumps({"a": 1}), "Cannot load"),
    ],
)
def test_files_that_are_no_weights(attn_lab: Command, tmp_path: Path, content: bytes, message: str):
    file = tmp_path / "it.npz"
    file.write_bytes(content)
    code, _, err = attn_lab("train", "reverse", *TINY, "--load", str(file))
    assert code == 2
    assert message in err
    assert "Traceback" not in err


def changed(file: Path, **arrays: object) -> None:
    """The same archive with some arrays replaced."""
    with np.load(file) as archive:
        kept = {name: archive[name] for name in archive.files}
    np.savez(file, allow_pickle=True, **{**kept, **arrays})


class Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return (os.system, ("touch exploded",))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"embedding": np.zeros((13, 9), np.float32)}, "embedding"),
        ({"embedding": np.zeros((13, 8))}, "float64"),
        ({"embedding": np.array([Bomb()], dtype=object)}, "Cannot load"),
        ({"embedding": np.zeros((9999, 999), np.float32)}, "larger than in this network"),
        ({"extra": np.zeros(3)}, "other arrays"),
        ({"heads": np.array(4)}, "other heads"),
        ({"vocabulary": np.array(["xyzxy"] * 13)}, "other vocabulary"),
        ({"vocabulary": np.array(["xyzxy"] * 9)}, "this network has <U5 of shape (13,)"),
        ({"embedding": np.full((13, 8), np.nan, np.float32)}, "no numbers (NaN or infinite)"),
        ({"embedding": np.full((13, 8), np.inf, np.float32)}, "no numbers (NaN or infinite)"),
    ],
)
def test_saved_files_of_another_shape_or_with_pickles_are_refused(
    attn_lab: Command, tmp_path: Path, arrays: dict[str, object], message: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "it.npz"
    attn_lab("train", "reverse", *TINY, "--save", str(file), "--plain")
    changed(file, **arrays)
    code, _, err = attn_lab("train", "reverse", *TINY, "--load", str(file))
    assert code == 2
    assert message in err
    assert "pickle" not in err  # what NumPy would advise
    assert not (tmp_path / "exploded").exists()


def header(shape: str) -> bytes:
    """An array's file that ends after a header with this shape."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (b"", "embedding in it is damaged"),
        (b"no array", "embedding in it is damaged"),
        (header("(13, 8)"), "embedding in it is damaged"),
        (header("(9999999999999,)"), "float32 of shape (9999999999999,)"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "no plain array"),
        (bytes(50_000_000), "larger than in this network"),
    ],
)
def test_members_that_promise_more_than_they_hold_or_hold_more_than_they_should(
    attn_lab: Command, tmp_path: Path, member: bytes, message: str
):
    file, forged = tmp_path / "it.npz", tmp_path / "forged.npz"
    attn_lab("train", "reverse", *TINY, "--save", str(file), "--plain")
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(forged, "w", zipfile.ZIP_DEFLATED) as other:
        for name in archive.namelist():
            other.writestr(name, member if name == "embedding.npy" else archive.read(name))
    code, out, err = attn_lab("train", "reverse", *TINY, "--load", str(forged))
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("where", [0.3, 0.6, 0.99])
def test_a_part_of_a_saved_file_is_refused(attn_lab: Command, tmp_path: Path, where: float):
    file = tmp_path / "it.npz"
    attn_lab("train", "reverse", *TINY, "--save", str(file), "--plain")
    whole = file.read_bytes()
    file.write_bytes(whole[: int(where * len(whole))])
    code, _, err = attn_lab("train", "reverse", *TINY, "--load", str(file))
    assert code == 2
    assert "only a part of one" in err


def test_weights_of_another_task_are_refused(attn_lab: Command, tmp_path: Path):
    file = str(tmp_path / "it.npz")
    attn_lab("train", "reverse", *TINY, "--save", file, "--plain")
    for task in ("pronoun", "language"):
        code, _, err = attn_lab("train", task, *TINY, "--load", file)
        assert code == 2
        assert "other arrays than this network has" in err


# ---- what is no file, and what cannot be written ----


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
@pytest.mark.parametrize(("task", "option"), [("reverse", "--load"), ("language", "--text-file"), ("copy", "--save")])
def test_nobody_waits_at_a_pipe(attn_lab: Command, tmp_path: Path, task: str, option: str):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        code, out, err = attn_lab("train", task, *TINY, option, str(path))
        assert (code, out) == (1 if option == "--save" else 2, "")
        assert err.startswith(f"error: Cannot {'write' if option == '--save' else 'read'} {path}: it is ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk of Linux")
@pytest.mark.parametrize("view", ["--plain", "--json"])
def test_weights_that_cannot_be_written_leave_the_page(attn_lab: Command, view: str):
    code, out, err = attn_lab("train", "reverse", *TINY, "--save", "/dev/full", view)
    assert code == 1
    assert "fresh examples" in (json.loads(out)["tables"][-1]["title"] if view == "--json" else out)
    assert "Cannot write /dev/full: No space left on device." in err


def test_what_somebody_wrote_is_not_replaced_by_weights(attn_lab: Command, tmp_path: Path):
    file = tmp_path / "notes.txt"
    file.write_text(STORY, encoding="utf-8")
    code, out, err = attn_lab("train", "language", *TINY, "--text-file", str(file), "--save", str(file))
    assert (code, out) == (2, "")
    assert "is there, and holds no weights" in err
    assert file.read_text(encoding="utf-8") == STORY


def test_weights_are_not_replaced_by_those_that_learned_nothing(attn_lab: Command, tmp_path: Path):
    file = tmp_path / "it.npz"
    attn_lab("train", "reverse", *TINY, "--save", str(file), "--plain")
    before = file.read_bytes()
    code, _, _ = attn_lab("train", "reverse", *TINY, "--edit", SCALED, "raise ValueError", "--save", str(file))
    assert code == 1
    assert file.read_bytes() == before


def test_a_text_that_is_too_long(attn_lab: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("attention_lab.commands.train.LONGEST", 10**6)
    (tmp_path / "text.txt").write_bytes(b"a" * (10**6 + 1))
    code, _, err = attn_lab("train", "language", *TINY, "--text-file", str(tmp_path / "text.txt"))
    assert code == 2
    assert "longer than 1 MB" in err
