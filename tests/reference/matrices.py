"""Matrices of pair statistics and their factorisations."""

import math

import numpy as np

from .objectives import target


def mstar(a, b):
    """Return ``M* = 2 (a - b) / (a + b)``, in [-2, 2]; 0 where both are 0 (the objective never asks there)."""
    M = np.zeros(a.shape)
    for w, c in np.ndindex(a.shape):
        if a[w, c] + b[w, c] > 0:
            M[w, c] = 2 * (a[w, c] - b[w, c]) / (a[w, c] + b[w, c])
    return M


def pmi(a, smoothing=1.0):
    """Return ``log(a_wc / (a_w P(c)))`` with ``P(c) = a_c^smoothing / sum a_c^smoothing``; -infinity where a = 0."""
    rows = [math.fsum(a[w]) for w in range(a.shape[0])]
    columns = [math.fsum(a[:, c]) for c in range(a.shape[1])]
    powers = [column**smoothing if column > 0 else 0.0 for column in columns]
    total = math.fsum(powers)
    x = np.full(a.shape, -math.inf)
    for w, c in np.ndindex(a.shape):
        if a[w, c] > 0:
            x[w, c] = math.log(a[w, c] * total / (rows[w] * powers[c]))
    return x


def ppmi(a, smoothing=1.0):
    """Return ``max(PMI, 0)``."""
    return np.maximum(pmi(a, smoothing), 0.0)


def sppmi(a, shift, smoothing=1.0):
    """Return ``max(PMI - log shift, 0)``."""
    return np.maximum(pmi(a, smoothing) - math.log(shift), 0.0)


def positive_target(a, b):
    """Return ``max(x*, 0)``: shifted positive PMI under the noise, windows and hits really used."""
    return np.maximum(target(a, b), 0.0)


def filled(x, fill=0.0):
    """Return x with -infinity (unobserved cells) replaced by `fill`."""
    return np.where(np.isneginf(x), fill, x)


def factorize(M, d, p=0.5):
    """Return ``W = U S^p`` and ``C = V S^(1-p)`` of the d leading triplets of a dense SVD, and the d values S.

    The sign of each triplet is free; compare ``W C^T`` or absolute values.
    """
    U, S, Vt = np.linalg.svd(np.asarray(M, dtype=float), full_matrices=False)
    return U[:, :d] * S[:d] ** p, Vt[:d].T * S[:d] ** (1 - p), S[:d]
