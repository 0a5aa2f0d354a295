"""The arrays in somebody's .npy or .npz, described before they are read.

Nothing is unpickled, and room is made for no more than the file holds: a header may promise whatever it likes.
"""

from __future__ import annotations

import io
import math
import os
import stat
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from attention_lab.errors import BadInput
from attention_lab.machine.memory import format_bytes, require_memory
from attention_lab.text import count, spell_out_controls

Array = NDArray[Any]
HEADER = 16_384  # bytes of an array that are read to find its header; NumPy refuses one above 10,000
MOST = 1000  # arrays of an archive
SAVE = "Save a NumPy array with numpy.save, or several with numpy.savez."
READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}  # later ones hold structured arrays


@dataclass(frozen=True)
class StoredArray:
    """An array of a file: its header, and how to read it. `trouble` says why it cannot be read, "" if it can.

    `name` is safe to print, on one line.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    read: Callable[[], Array]
    trouble: str = ""

    @classmethod
    def unreadable(cls, name: str, trouble: str) -> StoredArray:
        """An array of the file that cannot be read."""
        return cls(name, (), np.dtype(object), lambda: np.empty(0), trouble)

    def __str__(self) -> str:
        """Entry of a list of arrays: "scores (2, 4, 9, 9) float32"."""
        return f"{self.name} {self.trouble or f'{self.shape} {self.dtype}'}"


class Unreadable(Exception):
    """Reason why an array is not read, as the end of a sentence that starts with its name."""


@dataclass(frozen=True)
class Header:
    """Header of an array: shape, order, dtype, and the byte at which its numbers start."""

    shape: tuple[int, ...]
    order: str
    dtype: np.dtype[Any]
    start: int


def read_header(head: bytes, length: int) -> Header:
    """Header of an array of `length` bytes. Raises Unreadable where it is damaged or promises more bytes."""
    stream = io.BytesIO(head)
    try:
        read = READERS[npy.read_magic(stream)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a header of Python 2 is read all the same
            shape, by_columns, dtype = read(stream)
    except Exception as reason:  # whatever a foreign header makes of the reading
        raise Unreadable("has a damaged header") from reason
    if dtype.hasobject:
        raise Unreadable("holds pickled Python objects, which could run any program when they are read")
    if any(axis < 0 for axis in shape):
        raise Unreadable(f"has a damaged header, with the shape {shape}")
    promised, there = math.prod(shape) * dtype.itemsize, length - stream.tell()
    if promised > there:
        sizes = f"{format_bytes(promised)}, and has {format_bytes(there)}"
        raise Unreadable(f"is cut off, or its header is wrong: it promises {shape} {dtype}, {sizes}")
    return Header(shape, "F" if by_columns else "C", dtype, stream.tell())


def describe_array(name: str, head: bytes, length: int, read: Callable[[Header], Array]) -> StoredArray:
    """An array by its first bytes and its length in bytes; `read` reads it, given its header."""
    try:
        header = read_header(head, length)
    except Unreadable as reason:
        return StoredArray.unreadable(name, str(reason))
    return StoredArray(name, header.shape, header.dtype, lambda: read(header))


def map_npy(file: str) -> StoredArray:
    """The array of a .npy, mapped into memory, so it may be larger than memory."""

    def read(header: Header) -> Array:
        numbers: Array = np.memmap(file, header.dtype, "r", header.start, header.shape, header.order)  # type: ignore[call-overload]
        return np.asarray(numbers)

    with open(file, "rb") as stream:
        return describe_array("", stream.read(HEADER), os.path.getsize(file), read)


def archive_array(file: str, entry: zipfile.ZipInfo, archive: zipfile.ZipFile) -> StoredArray:
    """One array of a .npz."""
    name = spell_out_controls(" ".join(entry.filename.removesuffix(".npy").splitlines()))

    def read(header: Header) -> Array:
        needed = math.prod(header.shape) * header.dtype.itemsize
        require_memory(needed, f"{name} of {file}", "Save it by itself as .npy, which is read a part at a time.")
        try:
            with zipfile.ZipFile(file) as again, again.open(entry) as stream:
                return np.asarray(npy.read_array(stream, allow_pickle=False))
        except MemoryError:
            raise
        except Exception as reason:  # whatever damaged bytes make of the unpacking
            raise BadInput(f"{name} of {file} is damaged: it cannot be unpacked.", "Save it once more.") from reason

    try:
        with archive.open(entry) as stream:
            head = stream.read(HEADER)
    except Exception:  # encrypted, of a kind of compression unknown here, or damaged
        return StoredArray.unreadable(name, "cannot be unpacked: it is encrypted or damaged")
    return describe_array(name, head, entry.file_size, read)


def check_regular(file: str) -> None:
    """Raise BadInput unless this is a regular file with content: a pipe might never end."""
    try:
        status = os.stat(file)
    except (OSError, ValueError) as reason:
        why = reason.strerror if isinstance(reason, OSError) else reason
        raise BadInput(f"Cannot read {file}: {why}.", "Name a file that exists.") from reason
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"Cannot read {file}: it is no file, but a folder, a pipe or a device.", "Name a file.")
    if status.st_size == 0:
        raise BadInput(f"{file} is empty.", SAVE)


def archive_arrays(file: str) -> dict[str, StoredArray]:
    """The arrays of a .npz, by name."""
    try:
        with zipfile.ZipFile(file) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
            if len(entries) > MOST:
                raise BadInput(f"{file} holds {len(entries):,} arrays.", f"Give one with at most {MOST:,}.")
            if not entries and archive.infolist():
                raise BadInput(
                    f"{file} is an archive of {count(len(archive.infolist()), 'file')}, and none is a NumPy array.",
                    f"If it is PyTorch's, load it there. {SAVE}",
                )
            arrays = {entry.filename.removesuffix(".npy"): archive_array(file, entry, archive) for entry in entries}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, ValueError) as reason:
        raise BadInput(f"{file} is no whole .npz archive: it is cut off or damaged.", "Save it once more.") from reason
    if not arrays:
        raise BadInput(f"{file} holds no arrays.", SAVE)
    return arrays


def stored_arrays(file: str) -> dict[str, StoredArray]:
    """Arrays of a file by name, "" in a .npy. The first bytes decide on the format, not the file's name.

    Raises BadInput where there are none.
    """
    check_regular(file)
    try:
        with open(file, "rb") as stream:
            magic = stream.read(6)
        if magic == npy.MAGIC_PREFIX:
            return {"": map_npy(file)}
        if magic[:2] == b"PK":
            return archive_arrays(file)
    except OSError as reason:
        raise BadInput(f"Cannot read {file}: {reason.strerror}.", "Name a file that you may read.") from reason
    if magic[:1] == b"\x80":
        why = "it is a pickle, which could run any program when it is read"
    else:
        why = "it is neither .npy nor .npz"
    raise BadInput(f"Cannot read {file}: {why}.", SAVE)
