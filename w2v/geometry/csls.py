"""Cosines corrected for hubs (CSLS), computed block by block so that memory stays bounded.

Some words of a space are near to everything: as answers they crowd out the right ones. Cross-domain similarity local
scaling (Conneau et al. 2018, "Word Translation Without Parallel Data", equation 3) takes the mean cosine of each
word to its k nearest words of the other side off twice the cosine:
``csls(x, y) = 2 cos(x, y) - r_T(x) - r_S(y)``.
"""

from __future__ import annotations

import numpy as np

from w2v.geometry.blocks import score_slices
from w2v.geometry.nearest import Floats, largest_values

__all__ = ["neighborhood_means"]


def neighborhood_means(X: Floats, Y: Floats, k: int) -> Floats:
    """Return the mean cosine (n,) of each row of X to its k nearest rows of Y.

    Parameters
    ----------
    X : (n, d) float32, rows of length 1 (or 0)
    Y : (m, d) float32, likewise
    k : int
        All rows of Y where there are fewer.
    """
    k = min(k, len(Y))
    means = np.empty(len(X), dtype=np.float32)
    for rows in score_slices(len(X), len(Y)):
        means[rows] = largest_values(X[rows] @ Y.T, k).mean(axis=1)
    return means
