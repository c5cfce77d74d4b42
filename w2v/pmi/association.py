"""Association measures of observed cells: PMI and its relatives, and the optimum of the SGNS objective."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from w2v.pmi.counts import PairCounts
from w2v.pmi.noise import NoiseLaw, negative_counts

__all__ = ["mstar", "pmi", "ppmi", "sppmi", "target"]


def target(counts: PairCounts, law: NoiseLaw) -> NDArray[np.float64]:
    """Return x*_wc = log(a_wc / b_wc), the x that maximises L cell by cell, of the observed cells (cells,).

    It is PMI - log k (Levy & Goldberg 2014, eq. 11) exactly where P_n(c) = a_c / |D|: noise exponent 1, no
    subsampling, no edge effects, hits kept. With hits dropped it is +infinity where a word has a single context.
    """
    drawn = negative_counts(counts, law)
    with np.errstate(divide="ignore"):
        np.divide(counts.data, drawn, out=drawn)
        return np.log(drawn, out=drawn)


def pmi(counts: PairCounts, context_smoothing: float = 1.0) -> NDArray[np.float64]:
    """Return PMI(w, c) = log(a_wc / (a_w P(c))) of the observed cells (cells,), P(c) = a_c^s / sum a_c^s.

    Parameters
    ----------
    counts : PairCounts
    context_smoothing : float
        s; 1 is plain PMI, 0.75 the choice of Levy, Goldberg & Dagan (2015).
    """
    seen = np.maximum(counts.context_counts, 0.0) ** context_smoothing
    if context_smoothing == 0.0:
        seen = (counts.context_counts > 0).astype(np.float64)
    contexts = seen / seen.sum()
    expected = np.repeat(counts.word_counts[: counts.size], np.diff(counts.indptr))
    expected *= contexts[counts.indices]
    np.divide(counts.data, expected, out=expected)
    return np.log(expected, out=expected)


def sppmi(counts: PairCounts, shift: float = 1.0, context_smoothing: float = 1.0) -> NDArray[np.float64]:
    """Return max(PMI - log shift, 0) of the observed cells (cells,)."""
    values = pmi(counts, context_smoothing)
    values -= np.log(shift)
    return np.maximum(values, 0.0, out=values)


def ppmi(counts: PairCounts, context_smoothing: float = 1.0) -> NDArray[np.float64]:
    """Return max(PMI, 0) of the observed cells (cells,)."""
    return sppmi(counts, 1.0, context_smoothing)


def mstar(counts: PairCounts, law: NoiseLaw) -> NDArray[np.float64]:
    """Return M*_wc = 2 (a - b)/(a + b) of the observed cells (cells,), in [-2, 2]; unobserved cells are -2.

    The second-order expansion of L at x = 0. For k = 1 and P_n(c) = a_c / |D| it is the matrix of Karkada et al.
    (2025).
    """
    drawn = negative_counts(counts, law)
    difference = counts.data - drawn
    drawn += counts.data
    difference *= 2.0
    difference /= drawn
    return difference
