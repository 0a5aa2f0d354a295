"""Detection of scores from before the softmax that were saved as weights: no other finding would make sense."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_lab.inspection.findings import Head
from attention_lab.inspection.heads import Heads
from attention_lab.result import Statement
from attention_lab.text import count

FAR = 0.1  # of a row's sum from 1: more than rounding, or a damaged cell, makes of weights


def far_rows(heads: Heads) -> int:
    """Number of rows of all heads whose sum is far from 1; −∞ is far, and rows of zeros do not count."""
    far = 0
    for index in heads:
        weights = heads.of(index)
        far += int(((np.abs(weights.sum(axis=-1) - 1) > FAR) & weights.any(axis=-1)).sum())
    return far


@np.errstate(invalid="ignore")  # −∞ beside ∞
def scores_statement(heads: Heads, measured: Sequence[Head]) -> Statement | None:
    """Statement that these are scores: most heads have negative numbers, most rows a sum far from 1. Else None."""
    if 2 * sum(head.measures.negative > 0 for head in measured) <= len(measured):
        return None
    far, rows = far_rows(heads), sum(head.measures.rows for head in measured)
    if 2 * far <= rows:
        return None
    below = sum(head.measures.negative for head in measured)
    seen = f"{count(below, 'number')} below 0, and {far:,} of {count(rows, 'row')} with a sum more than {FAR} from 1"
    told = f"These look like scores, not weights: {seen}. Apply softmax over the keys, or save Q and K."
    return Statement("scores", "What is in the file are weights.", told, False, far / rows)
