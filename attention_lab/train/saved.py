"""Trained weights in a file: an .npz of plain arrays. Nothing is unpickled, and no more is read than weights take."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from attention_lab.errors import BadInput
from attention_lab.train.networks import NetworkSizes
from attention_lab.train.tasks import Task
from attention_lab.train.tree import Array, rebuild, weight_leaves
from attention_lab.weights import Weights

HEADER = 4096  # bytes that an array may take in the file beyond its numbers
ADVICE = "Give a file that 'attn-lab train --save' wrote."


def saved_facts(task: Task, sizes: NetworkSizes) -> dict[str, Array]:
    """Facts that the shapes of the weights do not tell: the number of heads and the vocabulary."""
    return {"heads": np.array(sizes.heads), "vocabulary": np.array(task.vocabulary)}


def save_weights(file: str, task: Task, sizes: NetworkSizes, weights: Weights) -> None:
    """Write weights, the heads they were trained with, and the words that their ids stand for."""
    written = io.BytesIO()
    np.savez(written, allow_pickle=False, **saved_facts(task, sizes), **dict(weight_leaves(weights)))
    Path(file).write_bytes(written.getvalue())


def existing_file(file: str) -> Path:
    """Path of a regular file. Raises BadInput on a missing one, a folder, or a pipe, which might never end."""
    path = Path(file)
    if not path.exists():
        raise BadInput(f"Cannot read {file}: there is no such file.", "Name one that exists.")
    if not path.is_file():
        raise BadInput(f"Cannot read {file}: it is no file, but a folder, a pipe or a device.", "Name a file.")
    return path


def open_archive(file: str) -> zipfile.ZipFile:
    """The archive in a file. Raises BadInput where there is none."""
    path = existing_file(file)
    try:
        return zipfile.ZipFile(path)
    except OSError as reason:
        raise BadInput(f"Cannot load {file}: {reason.strerror}.", "Name a file that you may read.") from reason
    except Exception as reason:  # whatever a foreign file makes of the reading
        raise BadInput(f"Cannot load {file}: it is no .npz archive, or only a part of one.", ADVICE) from reason


def check_replaceable(file: str) -> None:
    """Raise BadInput when weights would take the place of something else that a person has written."""
    path = Path(file)
    if path.is_file() and path.stat().st_size > 0 and not zipfile.is_zipfile(path):
        raise BadInput(f"{file} is there, and holds no weights.", "Name another file to write them to.")


class Mismatch(Exception):
    """Reason why an array does not fit the network."""


def array_in(archive: zipfile.ZipFile, name: str, like: Array) -> Array:
    """An array of the archive. Raises Unlike unless its header promises the shape and type of `like`.

    The header is read first: NumPy would make room for whatever shape it claims, and unpickle whatever type.
    """
    entry = archive.getinfo(f"{name}.npy")
    if entry.file_size > like.nbytes + HEADER:
        raise Mismatch(f"{name} is larger than in this network")
    with archive.open(entry) as stream:
        if npy.read_magic(stream) != (1, 0):
            raise Mismatch(f"{name} is no plain array")
        shape, _, dtype = npy.read_array_header_1_0(stream)
    if (shape, dtype) != (like.shape, like.dtype):
        there, here = (f"{kind} of shape {size}" for size, kind in ((shape, dtype), (like.shape, like.dtype)))
        raise Mismatch(f"{name} is {there}; this network has {here}")
    with archive.open(entry) as stream:
        array = np.asarray(npy.read_array(stream, allow_pickle=False))
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise Mismatch(f"{name} holds values that are no numbers (NaN or infinite)")
    return array


def read_array(file: str, archive: zipfile.ZipFile, name: str, like: Array) -> Array:
    """Read an array like `like` from the archive. Raises BadInput on any damage or mismatch."""
    try:
        return array_in(archive, name, like)
    except Mismatch as reason:
        raise BadInput(
            f"Cannot load {file}: {reason}.", "Give the task and the sizes that it was saved with."
        ) from reason
    except Exception as reason:
        raise BadInput(f"Cannot load {file}: {name} in it is damaged.", ADVICE) from reason


def load_weights(file: str, task: Task, sizes: NetworkSizes) -> Weights:
    """Weights for this task at these sizes. Raises BadInput where the file is another network's, or none at all."""
    fresh = task.network.start(np.random.default_rng(0), len(task.vocabulary), sizes)
    known, like = saved_facts(task, sizes), dict(weight_leaves(fresh))
    with open_archive(file) as archive:
        if sorted(archive.namelist()) != sorted(f"{name}.npy" for name in {**known, **like}):
            raise BadInput(f"{file} holds other arrays than this network has.", "Give the task and the sizes it has.")
        for name, value in known.items():
            if not np.array_equal(read_array(file, archive, name, value), value):
                raise BadInput(f"{file} was trained with other {name}.", f"Give the {name} that it was saved with.")
        return dict(rebuild(fresh, iter([read_array(file, archive, name, array) for name, array in like.items()])))
