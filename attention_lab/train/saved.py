"""Trained weights in a file: an .npz of plain arrays. Nothing in it is ever unpickled, and nothing larger is read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np

from attention_lab.errors import BadInput
from attention_lab.train.networks import Sizes
from attention_lab.train.tasks import Task
from attention_lab.train.tree import Array, leaves, rebuilt
from attention_lab.weights import Weights

HEADER = 4096  # bytes that an array may take in the file beyond its numbers


def described(task: Task, sizes: Sizes) -> dict[str, Array]:
    """What the shapes of the weights do not tell, and what must agree all the same."""
    return {"heads": np.array(sizes.heads), "vocabulary": np.array(task.vocabulary)}


def save(file: str, task: Task, sizes: Sizes, weights: Weights) -> None:
    """Write weights, the heads they were trained with, and the words that their ids stand for."""
    written = io.BytesIO()
    np.savez(written, allow_pickle=False, **described(task, sizes), **dict(leaves(weights)))
    Path(file).write_bytes(written.getvalue())


def read(file: str, expected: dict[str, Array]) -> dict[str, Array]:
    """The arrays of a file, which must be those expected. Raises BadInput: on anything else no array is read."""
    advice = "Give a file that 'attn-lab train --save' wrote."
    try:
        with np.load(file, allow_pickle=False) as archive:
            if not isinstance(archive, np.lib.npyio.NpzFile) or set(archive.files) != set(expected):
                raise BadInput(
                    f"{file} holds other arrays than this network has.", "Give the task and the sizes it has."
                )
            for entry in archive.zip.infolist() if archive.zip else ():
                if entry.file_size > expected[entry.filename.removesuffix(".npy")].nbytes + HEADER:
                    raise BadInput(f"{entry.filename} in {file} is larger than in this network.", "Give its sizes.")
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as reason:
        raise BadInput(f"Cannot load {file}: {str(reason).rstrip('.') or 'it is empty'}.", advice) from reason
    except AttributeError as reason:  # a bare array, not an archive
        raise BadInput(f"Cannot load {file}: it is one array.", advice) from reason


def load(file: str, task: Task, sizes: Sizes) -> Weights:
    """Weights for this task at these sizes. Raises BadInput where the file is another network's, or none."""
    fresh = task.network.start(np.random.default_rng(0), len(task.vocabulary), sizes)
    like = dict(leaves(fresh))
    arrays = read(file, {**described(task, sizes), **like})
    for name, array in like.items():
        if arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
            there, here = (f"{one.dtype} of shape {one.shape}" for one in (arrays[name], array))
            raise BadInput(
                f"{name} in {file} is {there}; this network has {here}.", "Give the sizes it was saved with."
            )
    for name, value in described(task, sizes).items():
        if not np.array_equal(arrays[name], value):
            raise BadInput(f"{file} was trained with other {name}.", f"Give the {name} that it was saved with.")
    return dict(rebuilt(fresh, iter([arrays[name] for name in like])))
