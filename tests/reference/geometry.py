"""The geometry of a space."""

import numpy as np

from .evaluation import unit_rows


def all_cosines(W):
    """Cosines of all pairs of different rows, one by one."""
    U = unit_rows(np.asarray(W, dtype=np.float64))
    return np.array([U[i] @ U[j] for i in range(len(U)) for j in range(i)])


def partition_isotropy(W):
    """Return min Z / max Z over the unit eigenvectors of W^T W and their negatives (Mu & Viswanath 2018)."""
    W = np.asarray(W, dtype=np.float64)
    _, vectors = np.linalg.eigh(W.T @ W)
    values = [sum(np.exp(sign * (w @ u)) for w in W) for u in vectors.T for sign in (1, -1)]
    return min(values) / max(values)


def iso_score(points):
    """Return IsoScore by the seven steps of algorithm 1 of Rudman et al. (2022)."""
    X = np.asarray(points, dtype=np.float64)
    n = X.shape[1]
    centered = X - X.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=True)
    turned = centered @ axes.T
    variances = np.diag(turned.T @ turned / len(X))
    normalized = np.sqrt(n) * variances / np.linalg.norm(variances)
    defect = np.linalg.norm(normalized - np.ones(n)) / np.sqrt(2 * (n - np.sqrt(n)))
    phi = (n - defect**2 * (n - np.sqrt(n))) ** 2 / n**2
    return (n * phi - 1) / (n - 1)


def nearest_sets(W, k, euclidean=False):
    """Return the set of the k nearest other rows of each row."""
    W = np.asarray(W, dtype=np.float64)
    X = W if euclidean else unit_rows(W)
    found = []
    for i in range(len(X)):
        distance = [(np.linalg.norm(X[i] - X[j]), j) for j in range(len(X)) if j != i]
        found.append({j for _, j in sorted(distance)[:k]})
    return found


def skewness(values):
    """Return the third standardised moment."""
    values = np.asarray(values, dtype=np.float64)
    return ((values - values.mean()) ** 3).mean() / values.std() ** 3


def remove_top(W, D):
    """Return all-but-the-top: without the mean and the first D principal components, by SVD."""
    centered = np.asarray(W, dtype=np.float64) - np.mean(W, axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    for axis in axes[:D]:
        centered = centered - np.outer(centered @ axis, axis)
    return centered


def kl_of_plane(p, points):
    """Return KL(p | q) of t-SNE, q from a Student t of one degree of freedom."""
    n = len(points)
    weights = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                weights[i, j] = 1 / (1 + ((points[i] - points[j]) ** 2).sum())
    q = weights / weights.sum()
    return sum(p[i, j] * np.log(p[i, j] / q[i, j]) for i in range(n) for j in range(n) if i != j and p[i, j] > 0)
