"""Why code does not run, in words: what an error means to somebody who writes attention for the first time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attention_lab.sandbox.records import CodeError

TORCH = {  # what PyTorch's tensors have and NumPy's arrays have not
    "masked_fill": "np.where(mask, scores, -np.inf)",
    "softmax": "exp and a sum",
    "view": "reshape",
    "permute": "transpose",
    "unsqueeze": "[..., np.newaxis]",
    "size": "shape",
    "contiguous": "nothing at all",
    "float": "astype(float)",
    "t": "T",
    "mT": "np.swapaxes(x, -1, -2)",
}
REASONS: tuple[tuple[str, str, str], ...] = (  # the kind of error, what it says, what that means
    ("NameError", r"name '(\w+)' is not defined", "{0} has no value there: it is misspelt, or not imported."),
    ("ModuleNotFoundError", r"No module named '([\w.]+)'", "Install {0} where attn-lab is, unless it is misspelt."),
    ("ImportError", r"cannot import name '(\w+)'", "There is no {0} in that module."),
    ("KeyError", r"'?(\w+)'?", "There is nothing under the name {0} in that dictionary."),
    ("TypeError", r"unexpected keyword argument 'dim'", "dim is PyTorch's word; NumPy's is axis."),
    ("TypeError", r"unexpected keyword argument '(\w+)'", "It is called with {0}, which it does not take."),
    ("TypeError", r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)", "It is called without {0}."),
    ("TypeError", r"'NoneType' object is not", "Something there is None: a function without return, or no mask."),
    (
        "ValueError",
        r"mismatch in its core dimension|not aligned",
        "Two shapes do not go together in a product: transpose one.",
    ),
    (
        "ValueError",
        r"could not be broadcast",
        "An axis is missing (keepdims=True), or it runs only where two lengths are equal.",
    ),
    ("ValueError", r"cannot reshape array of size", "It was thought of for other sizes."),
    ("ValueError", r"truth value of an array", "To ask whether there is a mask: if mask is not None."),
    (
        "ValueError",
        r"not enough values to unpack|too many values to unpack",
        "It takes arrays of another number of axes.",
    ),
    ("AxisError|IndexError", r"out of bounds|too many indices", "It was thought of for arrays of other axes."),
    ("SystemExit", r"", "That would end the program there."),
    ("RecursionError", r"", "It calls itself without an end."),
    ("TimeoutError", r"", "It does not come to an end."),
    ("MemoryError", r"", "It asks for more memory than it may have."),
)


def torch_transpose(code_error: CodeError) -> bool:
    """Whether the line transposes two axes in the manner of PyTorch, on an array of NumPy."""
    two = re.search(r"\.transpose\(\s*-?\d\s*,\s*-?\d\s*\)", code_error.text)
    return code_error.kind in ("ValueError", "AxisError") and two is not None


def reason(code_error: CodeError) -> str:
    """What the error means, as a sentence; empty where nothing better than its own words is known."""
    if torch_transpose(code_error):
        return "transpose(i, j) is PyTorch's; NumPy's takes all axes. np.swapaxes(x, -1, -2) exchanges two."
    lacking = re.search(r"'numpy\.ndarray' object has no attribute '(\w+)'", code_error.message)
    if lacking and lacking[1] in TORCH:
        return f"{lacking[1]} is PyTorch's; with NumPy it is {TORCH[lacking[1]]}."
    for kind, said, meaning in REASONS:
        found = re.search(said, code_error.message)
        if found and re.fullmatch(kind, code_error.kind):
            return meaning.format(*found.groups())
    return ""
