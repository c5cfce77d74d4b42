"""Random streams: the integers that every draw is made of, noise words by strata, the matrix to start from."""

import itertools
from fractions import Fraction

import numpy as np

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
TOKENS, NOISE, START = 0, 1, 2


def mix(z):
    """Return the splitmix64 finaliser of the integer `z`, modulo 2^64."""
    z &= MASK
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 & MASK
    z ^= z >> 27
    z = z * 0x94D049BB133111EB & MASK
    z ^= z >> 31
    return z


def stream_key(seed, epoch, purpose):
    """Return ``mix(mix(seed + GOLDEN (purpose + 1)) + GOLDEN (epoch + 1))``."""
    return mix(mix(int(seed) + GOLDEN * (int(purpose) + 1)) + GOLDEN * (int(epoch) + 1))


def token_hash(key, position):
    """Return ``mix(key + GOLDEN (position + 1))``: upper half decides keeping, lower half the half-window."""
    return mix(int(key) + GOLDEN * (int(position) + 1))


def noise_stream(key, first_position):
    """Yield the 64-bit draws of the chunk that starts at `first_position`, without end.

    ``state = mix(key + GOLDEN (first_position + 1))``; each draw: ``state += GOLDEN``, ``u = mix(state)``.
    """
    state = mix(int(key) + GOLDEN * (int(first_position) + 1))
    while True:
        state = state + GOLDEN & MASK
        yield mix(state)


def stratum_word(u, stratum, bounds):
    """Return the word that the 64-bit draw `u` picks in a stratum: the first with ``bound > stratum 2^40 + (u >> 24)``.

    Strata are equal parts of the distribution; word c owns the parts ``bounds[c-1] <= part < bounds[c]``.
    """
    part = int(stratum) * 2**40 + (int(u) >> 24)
    return next(word for word, bound in enumerate(bounds) if int(bound) > part)


def strata_distribution(bounds, strata):
    """Return the probability (V,) of each word under a draw from every one of the strata, over their number."""
    owned = [int(b) - int(a) for a, b in itertools.pairwise([0, *bounds])]
    return np.array([float(Fraction(n, strata * 2**40)) for n in owned])


def start_matrix(V, d, seed):
    """Return the start W (V, d) float32: ``((mix(key + GOLDEN (w d + j + 1)) >> 40) 2^-24 - 0.5) / d``.

    The float64 quotient rounded to float32 equals the float32 quotient: numerator and d are exact in both.
    """
    key = stream_key(seed, 0, START)
    W = np.zeros((V, d), dtype=np.float32)
    for w in range(V):
        for j in range(d):
            W[w, j] = ((mix(key + GOLDEN * (w * d + j + 1)) >> 40) * 2.0**-24 - 0.5) / d
    return W
