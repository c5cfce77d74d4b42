"""Expected counts of an epoch: positive pairs by the law of windows and subsampling, and noise pairs."""

import itertools
import math

import numpy as np


def expected_pair_counts(ids, offsets, keep, R, shrink=True, subsampling="dirty", cut=0.0):
    """Return the expected number a (V, V) of (centre word, context word) pairs per epoch.

    A pair at distance e has the weight ``p_w p_c h``. "clean": ``h = (R - e + 1) / R`` for ``e <= R`` if `shrink`,
    else 1. "dirty": ``h = sum_m P(m) (R - m) / R`` over ``m < R`` if `shrink`, else ``sum_m P(m)``, where m is the
    number of tokens kept among the ``e - 1`` between: ``P_e(m) = P(m) (1 - p) + P(m - 1) p`` with p of the token newly
    passed. Walking outwards ends at the sentence, or once ``sum_{m < R} P(m) <= cut``.
    """
    keep = [float(p) for p in keep]
    V = len(keep)
    a = np.zeros((V, V))
    for start, end in itertools.pairwise(offsets):
        for i in range(int(start), int(end)):
            for walk in (range(i - 1, int(start) - 1, -1), range(i + 1, int(end))):
                survivors = [1.0] + [0.0] * (R - 1)
                for j in walk:
                    e = abs(i - j)
                    if subsampling == "clean":
                        if e > R:
                            break
                        h = (R - e + 1) / R if shrink else 1.0
                    else:
                        if math.fsum(survivors) <= cut:
                            break
                        h = math.fsum(P * ((R - m) / R if shrink else 1.0) for m, P in enumerate(survivors))
                    a[ids[i], ids[j]] += keep[ids[i]] * keep[ids[j]] * h
                    p = keep[ids[j]]
                    survivors = [
                        P * (1 - p) + (survivors[m - 1] * p if m > 0 else 0.0) for m, P in enumerate(survivors)
                    ]
    return a


def pair_numerators(ids, offsets, V, R, shrink=True):
    """Return integers n (V, V) int64 and their divisor: without subsampling a is exactly ``n / divisor``.

    Each pair at distance ``e <= R`` adds ``R - e + 1`` (divisor R) if `shrink`, else 1 (divisor 1).
    """
    numerators = np.zeros((V, V), dtype=np.int64)
    for start, end in itertools.pairwise(offsets):
        for i in range(int(start), int(end)):
            for j in range(int(start), int(end)):
                if i != j and abs(i - j) <= R:
                    numerators[ids[i], ids[j]] += R - abs(i - j) + 1 if shrink else 1
    return numerators, (R if shrink else 1)


def simulate_pair_counts(ids, offsets, keep, R, shrink, subsampling, epochs, rng):
    """Return mean and standard error, each (V, V), of the pairs trained per epoch, over `epochs` drawn with `rng`.

    Draws come from the numpy Generator `rng`, not from the streams of the package, so this checks the expectation by
    nothing but the law: keep each token with its probability, draw half-windows from 1..R, collect pairs.
    """
    V = len(keep)
    total, squares = np.zeros((V, V)), np.zeros((V, V))
    for _ in range(epochs):
        counts = np.zeros((V, V))
        for start, end in itertools.pairwise(offsets):
            kept = [p for p in range(int(start), int(end)) if rng.random() < keep[ids[p]]]
            for i, p in enumerate(kept):
                b = int(rng.integers(1, R + 1)) if shrink else R
                for j, other in enumerate(kept):
                    distance = abs(i - j) if subsampling == "dirty" else abs(p - other)
                    if i != j and distance <= b:
                        counts[ids[p], ids[other]] += 1
        total += counts
        squares += counts**2
    mean = total / epochs
    return mean, np.sqrt(np.maximum(squares / epochs - mean**2, 0) / epochs)


def noise_counts(a, noise, k, hits="keep"):
    """Return the expected negatives b (V, V): ``k a_w P_n(c)`` (keep) or ``k P_n(c) (a_w - a_wc)`` (drop)."""
    V = len(a)
    b = np.zeros((V, V))
    for w in range(V):
        a_w = math.fsum(a[w])
        for c in range(V):
            b[w, c] = k * noise[c] * (a_w - (a[w, c] if hits == "drop" else 0.0))
    return b
