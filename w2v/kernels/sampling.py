"""Samples of distinct things, known by their hashes: all of them while there is room, then a random part.

A sample is a flat uint64 table of three columns a slot: hash (0 marks a free slot), occurrences, place of the first
one. While it has room it holds every hash. When it is full and may not grow, its level rises by one and half of it
goes: from then on only hashes count whose lowest `level` bits are zero, 1 in 2^level, all occurrences of them. So
counts of what it holds are exact, and shares are those of a random sample of the *distinct* tokens or lines.
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device, kernel
from w2v.kernels.random import mix

__all__ = ["add", "mix_to_key", "resample"]

_TOP = np.uint64(1 << 63)
_U0, _U1, _S24 = (np.uint64(n) for n in (0, 1, 24))


@device
def mix_to_key(h):
    """Return a hash whose bits all depend on all bits of h; never 0."""
    return mix(h) | _TOP


@device
def add(sample, h, level, place):
    """Count a hash; returns 0 if it is not of the sample, 1 if it is new, 2 if it was there."""
    if h & ((_U1 << np.uint64(level)) - _U1) != _U0:
        return 0
    slots = np.uint64(len(sample) // 3)
    slot = (h >> _S24) & (slots - _U1)
    while True:
        base = np.int64(slot) * 3
        if sample[base] == h:
            sample[base + 1] += _U1
            return 2
        if sample[base] == _U0:
            sample[base] = h
            sample[base + 1] = _U1
            sample[base + 2] = np.uint64(place)
            return 1
        slot = (slot + _U1) & (slots - _U1)


@kernel
def resample(sample, level, larger):
    """Copy what is of a level into an empty sample of as many slots or more; returns how many there are."""
    used = 0
    low = (_U1 << np.uint64(level)) - _U1
    slots = np.uint64(len(larger) // 3)
    for old in range(0, len(sample), 3):
        h = sample[old]
        if h != _U0 and h & low == _U0:
            slot = (h >> _S24) & (slots - _U1)
            while larger[np.int64(slot) * 3] != _U0:
                slot = (slot + _U1) & (slots - _U1)
            base = np.int64(slot) * 3
            for column in range(3):
                larger[base + column] = sample[old + column]
            used += 1
    return used
