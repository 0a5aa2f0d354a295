"""Files that nothing can be done with: each kind ends in one sentence with exit code 2, and nothing in it is run."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fixtures import Run

from attention_lab.errors import BadInput
from attention_lab.inspection.files import stored_arrays
from attention_lab.machine import memory

GOOD = np.full((2, 3, 5, 5), 0.2)  # (B, h, T, T)


class Trap:
    """Whoever unpickles it makes a folder."""

    def __reduce__(self):
        return os.mkdir, ("sprung",)


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def npz(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def header(text: str, version: int = 1) -> bytes:
    body = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(body).to_bytes(2, "little") + body


def promising(shape: str, descr: str = "'<f4'") -> bytes:
    return header(f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}")


def archive(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as written:
        for name, data in files.items():
            written.writestr(name, data)
    return stream.getvalue()


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def encrypted() -> bytes:
    """An archive that says it is encrypted."""
    data = bytearray(npz(weights=GOOD))
    for start in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
        data[start] |= 1
    return bytes(data)


def compressed_in_an_unknown_way() -> bytes:
    data = bytearray(npz(weights=GOOD))
    for start in (data.index(b"PK\x03\x04") + 8, data.index(b"PK\x01\x02") + 10):
        data[start : start + 2] = (99).to_bytes(2, "little")
    return bytes(data)


STRUCTURED = np.zeros(4, dtype=[("a", "f4"), ("b", "f4")])
CASES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "is empty"),
    "text": (b"0.1 0.9\n", "neither .npy nor .npz"),
    "pickle": (pickle.dumps(Trap()), "it is a pickle, which could run any program"),
    "objects": (npy(np.array([Trap()], dtype=object)), "holds pickled Python objects, which could run any program"),
    "objects-in-npz": (npz(weights=np.array([Trap()], dtype=object)), "weights of .* holds pickled Python objects"),
    "cut-header": (npy(GOOD)[:40], "damaged header"),
    "cut": (npy(GOOD)[:-8], r"cut off.*promises \(2, 3, 5, 5\) float64, 1.2 kB, and has 1.2 kB"),
    "cut-npz": (npz(weights=GOOD)[:-60], "no whole .npz archive"),
    "cut-inside-npz": (archive(**{"weights.npy": npy(GOOD)[:-8]}), "weights of .* is cut off"),
    "damaged-npz": (flipped(npz(weights=np.random.default_rng(0).random((4, 5, 5))), 300), "damaged"),
    "encrypted": (encrypted(), "cannot be unpacked: it is encrypted or damaged"),
    "compressed": (compressed_in_an_unknown_way(), "cannot be unpacked"),
    "huge": (promising("(99999999, 99999999)") + bytes(64), "cut off, or its header is wrong"),
    "huger": (promising(f"({10**30}, {10**30})") + bytes(64), "cut off, or its header is wrong"),
    "huge-in-npz": (archive(**{"weights.npy": promising("(99999999, 99999999)") + bytes(64)}), "cut off"),
    "negative-shape": (promising("(-1, 4)") + bytes(64), r"damaged header, with the shape \(-1, 4\)"),
    "no-shape": (promising("'x'") + bytes(64), "damaged header"),
    "code": (promising("__import__('os').mkdir('sprung')"), "damaged header"),
    "deep": (header("(" * 100), "damaged header"),
    "long": (b"\x93NUMPY\x02\x00" + (2**31).to_bytes(4, "little") + b"{" * 70_000, "damaged header"),
    "version": (b"\x93NUMPY\x09\x00" + bytes(200), "damaged header"),
    "scalar": (npy(np.array(0.5)), r"the shape \(\).*needs two axes"),
    "vector": (npy(np.ones(5)), r"the shape \(5,\).*needs two axes"),
    "empty-axis": (npy(np.ones((3, 0, 5))), "it is empty"),
    "integers": (npy(GOOD.astype(int)), "holds int64.*Give float16, float32 or float64"),
    "complex": (npy(GOOD.astype(complex)), "holds complex128"),
    "yes-no": (npy(GOOD > 1), "holds bool"),
    "bfloat16": (npy(GOOD.astype(np.uint16)), "holds uint16.*bfloat16.*x.float"),
    "bfloat16-unnamed": (npy(np.zeros((3, 3), dtype="V2")), r"holds \|V2.*bfloat16"),
    "structured": (npy(STRUCTURED), "holds .*'a'"),
    "text-array": (npy(np.full((3, 3), "a")), "holds <U1"),
    "all-nan": (npy(GOOD * np.nan), "Every weight is NaN or infinite"),
    "no-arrays": (archive(), "holds no arrays"),
    "pytorch": (archive(**{"archive/data.pkl": b"x", "archive/version": b"3"}), "2 files, and none is a NumPy array"),
    "many": (archive(**{f"{i}.npy": b"" for i in range(1001)}), "holds 1,001 arrays"),
    "unnamed": (npz(a=GOOD, b=np.ones(3)), r"there are a \(2, 3, 5, 5\) float64 and b \(3,\) float64.*--array NAME"),
    "twice": (npz(attn=GOOD, weights=GOOD), "attn and weights may each be the weights.*--array"),
    "key-missing": (npz(q=GOOD, v=GOOD), "None of the arrays"),
    "query-alone": (npz(q=GOOD), "None of the arrays"),
    "key-alone": (npz(key=GOOD, lengths=np.ones(2, int)), "None of the arrays"),
    "value-alone": (npz(v=GOOD), "None of the arrays"),
    "widths": (npz(q=np.ones((2, 5, 4)), k=np.ones((2, 5, 3))), "query and key differ in width"),
    "grouped": (npz(q=np.ones((4, 5, 4)), k=np.ones((2, 5, 4))), "differ in other axes than.*numpy.repeat"),
    "ranks": (npz(q=np.ones((4, 5, 4)), k=np.ones((5, 4))), "differ in other axes than"),
    "values": (npz(q=np.ones((5, 4)), k=np.ones((5, 4)), v=np.ones((6, 4))), "not as many values as keys"),
    "mask-shape": (npz(w=GOOD, mask=np.ones((2, 7), bool)), r"mask \(2, 7\) does not broadcast.*name it padding"),
    "mask-added": (npz(w=GOOD, mask=np.where(np.eye(5) > 0, 0, -1e9)), "other values than 1 and 0.*mask == 0"),
    "mask-text": (npz(w=GOOD, mask=np.full((5, 5), "a")), "mask of .* holds <U1"),
    "padding-shape": (npz(w=GOOD, padding=np.ones((3, 5), bool)), r"must be \(B, Tk\), here \(2, 5\)"),
    "padding-twice": (npz(w=GOOD, padding=np.ones((2, 5), bool), lengths=[5, 5]), "each say where there is padding"),
    "lengths-real": (npz(w=GOOD, lengths=[5.0, 5.0]), "one whole number for each sample"),
    "lengths-long": (npz(w=GOOD, lengths=[5, 6]), "cannot have the length 6.*from 1 to 5"),
}
WORDS: dict[str, tuple[bytes, tuple[str, ...], str]] = {
    "lengths-few": (npy(np.full((3, 2, 5, 5), 0.2)), ("--lengths", "5", "4"), "2 lengths and 3 samples.*--axes"),
    "lengths-zero": (npy(GOOD), ("--lengths", "0", "5"), "cannot have the length 0"),
    "lengths-no-number": (npy(GOOD), ("--lengths", "x"), "invalid int value: 'x'"),
    "lengths-twice": (npz(w=GOOD, lengths=[5, 5]), ("--lengths", "5", "5"), "each say where there is padding"),
    "array-in-npy": (npy(GOOD), ("--array", "w"), "is a .npy.*Leave --array out"),
    "array-unknown": (npz(w=GOOD), ("--array", "x"), r"no array 'x'.*There are w \(2, 3, 5, 5\) float64"),
    "array-empty": (npz(w=GOOD), ("--array", ""), "is no name"),
    "axes-few": (npy(GOOD), ("--axes", "head query key"), "--axes has 3 names; the array has 4 axes"),
    "axes-same": (npy(GOOD), ("--axes", "head head query key"), "does not tell 4 axes apart"),
    "axes-no-key": (npy(GOOD), ("--axes", "layer batch head query"), "query and key among them"),
    "axes-of-q": (npz(q=GOOD, k=GOOD), ("--axes", "layer head query key"), "token and width among them"),
    "over-itself": (npy(GOOD), ("--html", "file"), "file.npy is not the name of a page"),
}


def refused(attn_lab: Run, file: str, *words: str) -> str:
    """What is said, on standard error and nowhere else, with exit code 2; --json says the same."""
    code, out, err = attn_lab("inspect", file, *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert "Traceback" not in err
    said = json.loads(attn_lab("inspect", file, *words, "--json")[1])["error"]
    assert err.split() == f"error: {said['what']} {said['advice']}".split()
    assert said["what"].endswith(".")
    assert said["advice"]
    return " ".join(err.split())


@pytest.mark.parametrize("name", CASES)
def test_a_bad_file_is_told_in_one_sentence(attn_lab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.chdir(tmp_path)
    data, expected = CASES[name]
    Path("file").write_bytes(data)
    said = refused(attn_lab, "file")
    assert re.search(expected, said), said
    assert not Path("sprung").exists()


@pytest.mark.parametrize("name", WORDS)
def test_bad_words_about_a_good_file(attn_lab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.chdir(tmp_path)
    data, words, expected = WORDS[name]
    Path("file.npy").write_bytes(data)
    said = refused(attn_lab, "file.npy", *(word.replace("file", "file.npy") for word in words))
    assert re.search(expected, said), said
    assert Path("file.npy").read_bytes() == data


def test_that_the_trap_would_spring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    pickle.loads(CASES["pickle"][0])  # noqa: S301 (our own)
    assert Path("sprung").exists()


PLACES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda _: None, "No such file"),
    "folder": (lambda path: path.mkdir(), "it is no file"),
    "pipe": (lambda path: os.mkfifo(path), "it is no file"),
    "loop": (lambda path: path.symlink_to(path), "symbolic links"),
    "dangling": (lambda path: path.symlink_to(path.with_name("nowhere")), "No such file"),
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.skipif(os.name != "posix", reason="pipes and links are made otherwise")
def test_what_is_no_file_is_told_and_not_waited_for(attn_lab: Run, tmp_path: Path, name: str):
    make, expected = PLACES[name]
    make(tmp_path / "it.npy")
    assert expected in refused(attn_lab, str(tmp_path / "it.npy"))


def test_a_name_that_no_file_can_have(attn_lab: Run):
    assert "Cannot read" in refused(attn_lab, "a" * 5000)
    with pytest.raises(BadInput, match="Cannot read"):
        stored_arrays("a\0b")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(attn_lab: Run, tmp_path: Path):
    (tmp_path / "w.npy").write_bytes(npy(GOOD))
    (tmp_path / "w.npy").chmod(0)
    assert "Permission denied" in refused(attn_lab, str(tmp_path / "w.npy"))


def test_a_small_archive_of_something_large_is_not_unpacked(attn_lab: Run, tmp_path: Path, monkeypatch):
    (tmp_path / "w.npz").write_bytes(npz(weights=np.zeros((1000, 1000))))
    assert (tmp_path / "w.npz").stat().st_size < 20_000
    monkeypatch.setattr(memory, "available_memory", lambda: 2_000_000)
    assert "needs 8.0 MB of memory; 2.0 MB are free" in refused(attn_lab, str(tmp_path / "w.npz"))


def test_a_npy_larger_than_memory_is_read_in_parts_as_long_as_one_head_fits(attn_lab: Run, tmp_path: Path, monkeypatch):
    np.save(tmp_path / "w.npy", np.full((200, 30, 30), 1 / 30))
    monkeypatch.setattr(memory, "available_memory", lambda: 100_000)
    assert attn_lab("inspect", str(tmp_path / "w.npy"))[0] == 0
    np.save(tmp_path / "w.npy", np.full((2, 300, 300), 1 / 300))
    assert "One head of" in refused(attn_lab, str(tmp_path / "w.npy"))


def test_an_array_that_cannot_be_read_is_no_harm_beside_one_that_can(attn_lab: Run, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("w.npz").write_bytes(npz(weights=GOOD, words=np.array([Trap()], dtype=object)))
    code, out, _ = attn_lab("inspect", "w.npz", "--plain")
    assert code == 0
    assert "Not looked at: words." in out
    assert not Path("sprung").exists()


def test_what_a_file_is_its_bytes_tell(attn_lab: Run, tmp_path: Path):
    (tmp_path / "w.npz").write_bytes(npy(GOOD))
    (tmp_path / "w.npy").write_bytes(npz(weights=GOOD))
    for name in ("w.npz", "w.npy"):
        assert attn_lab("inspect", str(tmp_path / name))[0] == 0


@pytest.mark.parametrize(
    ("query", "key", "value"),
    [((2, 4, 8), (2, 4, 7), None), ((4, 8), (5, 7), None), ((2, 4, 8), (3, 4, 8), None), ((4, 8), (5, 8), (6, 8))],
)
def test_shapes_that_do_not_go_together_are_told_as_they_are_in_the_file(query, key, value, tmp_path, attn_lab):
    shapes = {"q": query, "k": key} | ({"v": value} if value else {})
    np.savez(tmp_path / "qk.npz", **{name: np.ones(shape) for name, shape in shapes.items()})
    code, _, err = attn_lab("inspect", str(tmp_path / "qk.npz"))
    assert code == 2
    assert all(str(shape) in err for shape in shapes.values())
    assert "1, 4" not in err
