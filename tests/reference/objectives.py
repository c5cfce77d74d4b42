"""The objective that expected counts leave, its optimum, slope and curvature."""

import math

import numpy as np

from .pairs import log_sigmoid, sigmoid


def target(a, b):
    """Return ``x* = log(a / b)``; -infinity where a = 0, +infinity where only b = 0."""
    x = np.zeros(a.shape)
    for w, c in np.ndindex(a.shape):
        if a[w, c] == 0:
            x[w, c] = -math.inf
        else:
            x[w, c] = math.log(a[w, c] / b[w, c]) if b[w, c] > 0 else math.inf
    return x


def objective(x, a, b):
    """Return ``L = sum a log s(x) + b log s(-x)``, in nats per epoch; a term of weight 0 is 0."""
    terms = []
    for w, c in np.ndindex(a.shape):
        if a[w, c] > 0:
            terms.append(a[w, c] * log_sigmoid(x[w, c]))
        if b[w, c] > 0:
            terms.append(b[w, c] * log_sigmoid(-x[w, c]))
    return math.fsum(terms)


def optimum(a, b):
    """Return ``L_opt = sum a log(a / (a + b)) + b log(b / (a + b))``, the greatest L of any x."""
    terms = []
    for p, n in zip(a.ravel(), b.ravel(), strict=True):
        if p > 0:
            terms.append(p * math.log(p / (p + n)))
        if n > 0:
            terms.append(n * math.log(n / (p + n)))
    return math.fsum(terms)


def objective_slope(x, a, b):
    """Return ``dL/dx = a s(-x) - b s(x)`` (V, V)."""
    slope = np.zeros(a.shape)
    for w, c in np.ndindex(a.shape):
        slope[w, c] = a[w, c] * sigmoid(-x[w, c]) - b[w, c] * sigmoid(x[w, c])
    return slope


def objective_gradient(W, C, a, b):
    """Return dL/dW and dL/dC: with G the slope at ``x = W C^T``, ``dW[w] = sum_c G_wc C[c]``, and so for C."""
    W, C = np.asarray(W, dtype=float), np.asarray(C, dtype=float)
    G = objective_slope(W @ C.T, a, b)
    dW, dC = np.zeros_like(W), np.zeros_like(C)
    for w, c in np.ndindex(a.shape):
        dW[w] += G[w, c] * C[c]
        dC[c] += G[w, c] * W[w]
    return dW, dC


def curvature(x, a, b):
    """Return ``d2L/dx2 = -(a + b) s(x) s(-x)`` (V, V), never positive; the weight of a cell is its negative."""
    second = np.zeros(a.shape)
    for w, c in np.ndindex(a.shape):
        second[w, c] = -(a[w, c] + b[w, c]) * sigmoid(x[w, c]) * sigmoid(-x[w, c])
    return second
