"""Noise words: draws from a discrete distribution that is cut into equal strata, one draw from each in turn.

A draw from every stratum together has the distribution in expectation, word by word, with far less spread than as many
independent draws: frequent and rare words come in their due proportion each time. One stratum is the distribution
itself. The lookup inverts the cumulative distribution with the help of a guide table (Chen & Asau 1974).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from w2v.kernels._jit import device

__all__ = ["NoiseTable", "draw_word", "noise_proposal", "noise_table"]

NoiseTable = tuple[NDArray[np.uint64], NDArray[np.int32], np.uint64]

_PART_BITS = 40  # a stratum has 2**40 parts
_PART_SHIFT = np.uint64(_PART_BITS)  # from a stratum to its first part
_DRAW_SHIFT = np.uint64(64 - _PART_BITS)  # from a draw of 64 bits to a part within a stratum
_PLAIN_PART = 0.5  # of P_n in the proposal
_MOST_GUIDE_BITS = 20  # the guide has at most 2**20 entries for each stratum


def noise_proposal(noise: NDArray[np.float64], contexts: NDArray[np.float64], negative: int) -> NDArray[np.float64]:
    """Return a distribution g (V,) to draw noise words from: weighted by P_n / g, they spread less than plain ones.

    Parameters
    ----------
    noise : (V,) float64
        The noise distribution P_n.
    contexts : (V,) float64
        How often each word is a context, up to a factor.
    negative : int
        Noise words per positive pair (k).

    Notes
    -----
    A sum is estimated with the least variance from draws in proportion to its terms (importance sampling). Those of
    the noise words are P_n(c) s(w.c) c, and where w and c have nothing to do with each other s(x*) = P(c) / (P(c) +
    k P_n(c)), P being the distribution of contexts: words that are rarer as contexts than as noise words are pushed off
    less. A part of P_n itself is mixed in, so that P_n / g is at most its inverse (defensive mixture, Hesterberg 1995).
    """
    P = contexts / contexts.sum()
    either = P + negative * noise
    terms = noise * np.divide(P, either, out=np.zeros_like(P), where=either > 0.0)
    g: NDArray[np.float64] = _PLAIN_PART * noise + (1.0 - _PLAIN_PART) * terms / terms.sum()
    return g


def noise_table(probabilities: NDArray[np.float64], strata: int = 1) -> NoiseTable:
    """Return what `draw_word` reads: (bounds (V,) uint64, guide int32, shift).

    Parameters
    ----------
    probabilities : (V,) float64
        Sum 1.
    strata : int
        Equal parts that the distribution is cut into, at most 4096.

    Notes
    -----
    Word c owns the parts from bounds[c - 1] up to, but not including, bounds[c], of strata * 2**40 in all, so its
    probability is off by at most 2**-40 / strata. The word at which to start looking is guide[part >> shift].
    """
    total = float(strata) * 2.0**_PART_BITS
    bounds = np.minimum(np.rint(np.cumsum(probabilities) * total), total).astype(np.uint64)
    bounds[np.flatnonzero(probabilities)[-1] :] = np.uint64(strata) << _PART_SHIFT
    bits = min(_MOST_GUIDE_BITS, max(0, int(np.ceil(np.log2(len(probabilities) / strata)))))
    shift = np.uint64(_PART_BITS - bits)
    starts = np.arange(strata << bits, dtype=np.uint64) << shift
    return bounds, np.searchsorted(bounds, starts, side="right").astype(np.int32), shift


@device
def draw_word(u, stratum, table):
    """Return the word that a uint64 draw u selects in a stratum (0-based)."""
    bounds, guide, shift = table
    part = (np.uint64(stratum) << _PART_SHIFT) | (u >> _DRAW_SHIFT)
    word = np.int64(guide[part >> shift])
    while bounds[word] <= part:
        word += 1
    return word
