"""The alias table of a discrete distribution (Walker 1977; Vose 1991)."""

from __future__ import annotations

import numpy as np

from w2v.kernels._jit import kernel

__all__ = ["build_alias"]


@kernel
def build_alias(probabilities, thresholds, alias):
    """Fill the table that `alias_draw` reads.

    Parameters
    ----------
    probabilities : (V,) float64
        Sum 1.
    thresholds : (V,) uint64
        Filled: of the 2**32 equal parts of slot i, how many belong to word i.
    alias : (V,) int32
        Filled: the word that owns the rest of slot i.

    Notes
    -----
    Each slot is rounded to parts of 2**-32, so a word's probability is off by at most 2**-33 per slot it shares.
    """
    V = len(probabilities)
    share = np.empty(V, np.float64)
    stack = np.empty(V, np.int64)  # slots under 1 from the left, slots of 1 and more from the right
    small, large = 0, V
    for i in range(V):
        share[i] = probabilities[i] * V
        alias[i] = i
        if share[i] < 1.0:
            stack[small] = i
            small += 1
        else:
            large -= 1
            stack[large] = i
    while small > 0 and large < V:
        small -= 1
        poor, rich = stack[small], stack[large]
        alias[poor] = rich
        share[rich] -= 1.0 - share[poor]
        if share[rich] < 1.0:
            large += 1
            stack[small] = rich
            small += 1
    while small > 0:  # left over by rounding: full slots
        small -= 1
        share[stack[small]] = 1.0
    for i in range(V):
        thresholds[i] = np.uint64(min(4294967296.0, max(0.0, np.rint(share[i] * 4294967296.0))))
        if share[i] >= 1.0:
            thresholds[i] = np.uint64(4294967296)
            alias[i] = i
