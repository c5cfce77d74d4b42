"""One pair of word and context: products, sigmoids, the gradient."""

import math

import numpy as np


def sigmoid(x):
    """Return ``1 / (1 + exp(-x))`` of a number, without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def log_sigmoid(x):
    """Return ``log s(x)`` of a number: ``-log(1 + exp(-x))``, without overflow."""
    return -math.log1p(math.exp(-x)) if x >= 0 else x - math.log1p(math.exp(x))


def pair_gradient(w, c, label):
    """Return the gradients by w and by c of ``log s(w.c)`` (label 1) or ``log s(-w.c)`` (label 0).

    Both cases: ``(label - s(w.c)) c`` and ``(label - s(w.c)) w``.
    """
    g = label - sigmoid(dot(w, c))
    return g * np.asarray(c, dtype=float), g * np.asarray(w, dtype=float)


def dot(x, y):
    """Return the scalar product of two vectors, rounded once."""
    return math.fsum(float(p) * float(q) for p, q in zip(x, y, strict=True))
