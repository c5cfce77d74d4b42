"""Two spaces, aligned or compared."""

import math

import numpy as np


def cosine_table(X, Y):
    """Return all cosines (n, m), one by one; 0 for a row of zeros."""
    table = np.zeros((len(X), len(Y)))
    for i, x in enumerate(np.asarray(X, dtype=np.float64)):
        for j, y in enumerate(np.asarray(Y, dtype=np.float64)):
            size = math.sqrt(sum(x * x)) * math.sqrt(sum(y * y))
            table[i, j] = sum(x * y) / size if size else 0.0
    return table


def csls_table(X, Y, k):
    """Return ``2 cos(x, y) - r_T(x) - r_S(y)``, r being the mean of the k greatest cosines to the other side."""
    cosines = cosine_table(X, Y)
    r_target = [sum(sorted(row)[-k:]) / min(k, len(Y)) for row in cosines]
    r_source = [sum(sorted(column)[-k:]) / min(k, len(X)) for column in cosines.T]
    return np.array([[2 * c - r_target[i] - r_source[j] for j, c in enumerate(row)] for i, row in enumerate(cosines)])


def precision_at(scores, gold, depth):
    """Return the share of rows of scores of which one of the columns ``gold[row]`` is among the `depth` best."""
    found = 0
    for row, wanted in enumerate(gold):
        order = sorted(range(len(scores[row])), key=lambda column: (-scores[row][column], column))
        found += any(column in wanted for column in order[:depth])
    return found / len(gold)


def best_rotation(X, Y):
    """Return the orthogonal Q of the least ``|X Q - Y|``: the orthogonal factor of the polar form of ``X^T Y``."""
    from scipy import linalg

    return linalg.polar(np.asarray(X, dtype=np.float64).T @ np.asarray(Y, dtype=np.float64))[0]


def reweighted_cosines(X, Y, pairs, power):
    """Return the cosines (n, m) of the multi-step mapping: whiten, rotate, weight, colour, written out with sqrtm.

    `pairs` are the rows (i, j) that belong together.
    """
    from scipy import linalg

    x = np.array([X[i] for i, _ in pairs], dtype=np.float64)
    z = np.array([Y[j] for _, j in pairs], dtype=np.float64)
    color_x, color_z = linalg.sqrtm(x.T @ x).real, linalg.sqrtm(z.T @ z).real
    white_x, white_z = linalg.inv(color_x), linalg.inv(color_z)
    U, s, Vt = linalg.svd((x @ white_x).T @ (z @ white_z))
    S = np.diag(s**power)
    A = X @ white_x @ U @ S @ linalg.inv(U.T @ white_x @ U)
    B = Y @ white_z @ Vt.T @ S @ linalg.inv(Vt @ white_z @ Vt.T)
    return cosine_table(A, B)


def similarity_profiles(X):
    """Return each row of the square root of ``X X^T``, sorted."""
    from scipy import linalg

    X = np.asarray(X, dtype=np.float64)
    values, vectors = linalg.eigh(X @ X.T)
    root = vectors @ np.diag(np.sqrt(np.maximum(values, 0))) @ vectors.T
    return np.sort(root, axis=1)


def linear_cka_by_grams(X, Y):
    """Return linear CKA as ``HSIC(K, L) / sqrt(HSIC(K, K) HSIC(L, L))`` of the centred Gram matrices."""
    n = len(X)
    H = np.eye(n) - 1 / n
    K, L = H @ (X @ X.T) @ H, H @ (Y @ Y.T) @ H
    return np.trace(K @ L) / math.sqrt(np.trace(K @ K) * np.trace(L @ L))


def neighbors(X, k):
    """Return for each row the k other rows of greatest cosine, the greatest first, the lower row first of equals."""
    cosines = cosine_table(X, X)
    return [
        sorted((j for j in range(len(X)) if j != i), key=lambda j, i=i: (-cosines[i][j], j))[:k] for i in range(len(X))
    ]
