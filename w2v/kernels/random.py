"""Random numbers: a counter-based hash for decisions about tokens, a stream for noise words.

What a token does (is it kept, how wide is its window) is a hash of seed, epoch and its position in the corpus. So it
does not depend on threads or on chunks, and training can resume anywhere without saving the state of a generator.
The mixing function is the finaliser of splitmix64 (Steele, Lea & Flood 2014).
"""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import device, kernel

__all__ = [
    "chunk_state",
    "hashes",
    "initialize_rows",
    "mix",
    "next_state",
    "stream_key",
    "token_hash",
]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_S24, _S27, _S30, _S31, _S40 = (np.uint64(s) for s in (24, 27, 30, 31, 40))
LOW32 = np.uint64(0xFFFFFFFF)

TOKENS, NOISE, START, HELDOUT = 0, 1, 2, 3  # purposes of a stream


@device
def mix(z):
    """Return the splitmix64 finaliser of a uint64."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@kernel
def _stream_key(seed, epoch, purpose):
    key = mix(np.uint64(seed) + GOLDEN * np.uint64(purpose + 1))
    return mix(key + GOLDEN * np.uint64(epoch + 1))


@kernel
def _chunk_state(key, first):
    return mix(np.uint64(key) + GOLDEN * np.uint64(first + 1))


def stream_key(seed: int, epoch: int, purpose: int) -> np.uint64:
    """Return the key of one purpose (TOKENS, NOISE, START, HELDOUT) in one epoch (0-based)."""
    # numba hands back a Python int, whose type would depend on its size when it is passed on
    return np.uint64(_stream_key(np.uint64(seed), epoch, purpose))


def chunk_state(key: np.uint64, first: int) -> np.uint64:
    """Return the state at which the noise stream of the chunk that starts at position `first` begins."""
    return np.uint64(_chunk_state(key, first))


@device
def token_hash(key, position):
    """Return the uint64 hash of the token at a position: high half for keeping, low half for its window."""
    return mix(key + GOLDEN * np.uint64(position + 1))


@kernel
def hashes(key, out):
    """Fill out (n,) uint64 with the hashes of the positions 0..n-1, as `token_hash` has them."""
    for position in range(len(out)):
        out[position] = token_hash(key, position)


@device
def next_state(state):
    """Return the next state of a noise stream; ``mix`` of it is the next draw."""
    return state + GOLDEN


@kernel
def initialize_rows(rows, d, key, first):
    """Fill rows (n, stride) float32 with uniform numbers in [-0.5, 0.5)/d; columns from d on stay untouched.

    Row i, column j is drawn from the hash of (first + i) * d + j: a row does not depend on how many there are.
    """
    for i in range(rows.shape[0]):
        for j in range(d):
            u = mix(key + GOLDEN * np.uint64((first + i) * d + j + 1))
            rows[i, j] = np.float32((np.float64(u >> _S40) * 2.0**-24 - 0.5) / d)
