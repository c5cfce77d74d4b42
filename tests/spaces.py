"""Random matrices that the tests of two spaces are made of."""

import numpy as np


def gaussian(*shape, seed=0):
    """Return a matrix of this shape, every number drawn from the standard normal distribution."""
    return np.random.default_rng(seed).standard_normal(shape)


def rotation(d, seed=0):
    """Return a random orthogonal matrix (d, d)."""
    return np.linalg.qr(gaussian(d, d, seed=seed))[0]
