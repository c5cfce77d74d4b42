"""Neighbourhoods: hubs that are near to everything, and whether cosine and Euclidean distance agree."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from w2v.geometry.blocks import score_slices
from w2v.geometry.nearest import nearest_rows

__all__ = ["Neighborhoods", "measure_neighborhoods", "occurrence_skew"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Neighborhoods:
    """Who is among the k = `neighbors` nearest of whom, of the `words` most frequent words.

    Attributes
    ----------
    words, neighbors : int
    skew : float
        Skewness of the k-occurrence, the number of words that count a word among their k nearest by cosine
        (Radovanovic, Nanopoulos & Ivanovic 2010, "Hubs in space"). 0 has no hubs.
    most : int
        The largest k-occurrence.
    never : float
        Share of words that are among the k nearest of no word.
    hubs : tuple of (int, int)
        Row (of the embedding) and k-occurrence of the five greatest hubs.
    cosine_euclid_overlap : float
        Mean share of the k nearest by cosine that are also among the k nearest by Euclidean distance.
    distance_mean, distance_spread : float
        Mean of the distances of pairs of unit vectors, and standard deviation over mean. One-hot vectors have
        sqrt(2) and 0.
    """

    words: int
    neighbors: int
    skew: float
    most: int
    never: float
    hubs: tuple[tuple[int, int], ...]
    cosine_euclid_overlap: float
    distance_mean: float
    distance_spread: float


def occurrence_skew(occurrences: NDArray[np.int64]) -> float:
    """Return the skewness of k-occurrences (n,); 0 when all are equal."""
    centered = occurrences - occurrences.mean()
    sd = float(np.sqrt((centered**2).mean()))
    return float((centered**3).mean()) / sd**3 if sd > 0 else 0.0


def measure_neighborhoods(
    W: NDArray[np.float32], unit: NDArray[np.float32], ids: NDArray[np.int64], *, words: int, neighbors: int
) -> Neighborhoods:
    """Measure the neighbourhoods of the first `words` rows (n, d), whose rows in the embedding are `ids`."""
    words = min(words, len(W))
    k = min(neighbors, words - 1)
    by_cosine = nearest_rows(unit[:words], k)
    by_distance = nearest_rows(W[:words], k, euclidean=True)
    occurrences = np.bincount(by_cosine.ravel(), minlength=words)
    order = np.argsort(-occurrences, kind="stable")[:5]
    shared = (by_cosine[:, :, None] == by_distance[:, None, :]).any(axis=2)
    mean, square = _distances(unit[:words])
    return Neighborhoods(
        words=words,
        neighbors=k,
        skew=occurrence_skew(occurrences),
        most=int(occurrences.max()),
        never=float((occurrences == 0).mean()),
        hubs=tuple((int(ids[i]), int(occurrences[i])) for i in order),
        cosine_euclid_overlap=float(shared.mean()),
        distance_mean=mean,
        distance_spread=float(np.sqrt(max(0.0, square - mean * mean)) / mean) if mean > 0 else 0.0,
    )


def _distances(unit: NDArray[np.float32]) -> tuple[float, float]:
    """Return mean distance and mean squared distance of all pairs of different rows."""
    n, total, squares = len(unit), 0.0, 0.0
    for part in score_slices(n, n):
        squared = unit[part] @ unit.T
        squared *= -2
        squared += 2
        np.maximum(squared, 0, out=squared)
        squared[np.arange(len(squared)), np.arange(part.start, part.stop)] = 0
        squares += float(squared.sum(dtype=np.float64))
        total += float(np.sqrt(squared, out=squared).sum(dtype=np.float64))
    return total / (n * (n - 1)), squares / (n * (n - 1))
