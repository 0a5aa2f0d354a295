"""Makers of masks of several kinds, for who wants them: none is used here, so none is wrong."""

import numpy as np


def get_pad_mask(seq, pad_idx):
    return (seq != pad_idx)[:, None, None, :]


def key_padding_mask(batch):
    return (batch == 0)[:, None, None, :]


def causal_mask(n):
    return np.array([[j > i for j in range(n)] for i in range(n)])


def pad_mask(tokens, pad=0):
    return (tokens != pad)[:, np.newaxis, :]  # for (B, T, T) scores
