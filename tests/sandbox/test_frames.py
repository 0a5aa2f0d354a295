from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_lab.sandbox.frames import DTYPES, HEADER, MAGIC, BadFrame, pack_message, read_message

NONCE = bytes(range(16))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
arrays = st.sampled_from(sorted(DTYPES)).flatmap(
    lambda name: hnp.arrays(name, hnp.array_shapes(min_dims=0, min_side=0))
)
values = st.recursive(
    scalars | arrays,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def unread(message: bytes, most: int = 2**20) -> Any:
    """What the other side makes of a message, and that it takes no byte more."""
    rest = bytearray(message)

    def take(size: int) -> bytes:
        if size > len(rest):
            raise EOFError
        taken = bytes(rest[:size])
        del rest[:size]
        return taken

    nonce, value = read_message(take, most)
    assert nonce == NONCE
    assert not rest
    return value


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and type(one) is type(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def forged(tree: Any, raw: bytes = b"", count: int | None = None, length: int | None = None) -> bytes:
    body = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    arrays = body.count(b'"array"') if count is None else count
    return HEADER.pack(MAGIC, NONCE, len(body), arrays, len(raw) if length is None else length) + body + raw


@pytest.mark.slow
@given(values)
def test_what_was_packed_is_read(value: Any) -> None:
    assert same(unread(pack_message(NONCE, value)), value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3).T,
        np.arange(6.0)[::-2],
        np.arange(3, dtype=">f4"),
        np.broadcast_to(1.0, (2, 3)),
        np.float16(2),
        np.array([1, 2.5], dtype=object),
        np.ma.masked_array([1.0, 2.0]),
    ],
)
def test_any_array_of_numbers_comes_as_its_numbers(array: Any) -> None:
    got = unread(pack_message(NONCE, array))
    assert type(got) is np.ndarray
    np.testing.assert_array_equal(got, np.asarray(array, dtype=got.dtype))


@pytest.mark.parametrize("value", [1j, np.array([1j]), np.array(["a"]), np.array([{}]), object(), {1}, b"x"])
def test_what_is_no_value_is_refused(value: Any) -> None:
    with pytest.raises(BadFrame):
        pack_message(NONCE, value)


def test_a_value_inside_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(BadFrame):
        pack_message(NONCE, endless)


@pytest.mark.parametrize(
    "message",
    [
        b"x" * HEADER.size,
        forged({"array": ["<f8", [2]]}, bytes(8)),
        forged({"array": ["<f8", [2]]}, bytes(24)),
        forged({"array": ["<f8", [-2]]}, bytes(16)),
        forged({"array": ["<f8", [2.0]]}, bytes(16)),
        forged({"array": ["<f8", [True]]}, bytes(8)),
        forged({"array": ["<f8", [1] * 40]}, bytes(8)),
        forged({"array": ["<f8", [2**39, 2**39, 0]]}),
        forged({"array": ["|O", [1]]}, bytes(8)),
        forged({"array": ["<c16", [1]]}, bytes(16)),
        forged({"array": [["<f8"], [1]]}, bytes(8)),
        forged({"array": 7}, bytes(8)),
        forged(b'{"array": ["<f8", [NaN]]}', bytes(8)),
        forged({"array": ["<f8", [1]]}, bytes(8), count=0),
        forged(1, bytes(8)),
        forged(1, count=3),
        forged(1, length=2**60),
        forged(b"[" * 10**5),
        forged(b'{"list":[' * 5000 + b"]}" * 5000),
        forged(b"1" * 10**6),
        forged({"array": ["<f8,O", [1]]}, bytes(16)),
        forged({"array": ["<f8", ["2", None]]}, bytes(16)),
        forged(b"\xff"),
        forged([1]),
        forged({"dict": [[1, 2]]}),
        forged({"dict": {"a": 1}}),
        forged({"list": [], "tuple": []}),
        forged({"pickle": "gASV"}),
    ],
)
def test_a_message_that_does_not_add_up_is_refused(message: bytes) -> None:
    with pytest.raises(BadFrame):
        unread(message)


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_be_refused(data: bytes) -> None:
    message = HEADER.pack(MAGIC, NONCE, len(data), 0, 0) + data
    try:
        unread(message)
    except BadFrame:
        return
    json.loads(data)
