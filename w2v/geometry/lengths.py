"""Lengths of vectors against the frequency of their words."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.geometry.rows import frequency_bands

__all__ = ["LengthBand", "Lengths", "measure_lengths"]


@dataclasses.dataclass(frozen=True)
class LengthBand:
    """Mean length and count of the words of ranks ``first`` to ``last``."""

    first: int
    last: int
    mean_length: float
    mean_count: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class Lengths:
    """How long the vectors are.

    Attributes
    ----------
    mean, sd, shortest, longest : float
    spearman : float or None
        Rank correlation of length and count; None where all lengths or all counts are equal.
    by_band, by_decile : tuple of LengthBand
        Means by ranks 1 to 100, to 1,000, ..., and by tenths of the vocabulary, the frequent words first.
    """

    mean: float
    sd: float
    shortest: float
    longest: float
    spearman: float | None
    by_band: tuple[LengthBand, ...]
    by_decile: tuple[LengthBand, ...]


def measure_lengths(norms: NDArray[np.float64], counts: NDArray[np.int64]) -> Lengths:
    """Measure lengths (n,) of words in order of frequency, with their counts (n,)."""
    n = len(norms)
    tenths = np.linspace(0, n, min(10, n) + 1).astype(int)
    # lengths that differ by rounding only, as after taking all of them to 1, have no order
    ranked = _ranks(np.round(norms / norms.mean(), 6))
    return Lengths(
        mean=float(norms.mean()),
        sd=float(norms.std()),
        shortest=float(norms.min()),
        longest=float(norms.max()),
        spearman=_correlation(ranked, _ranks(counts)),
        by_band=tuple(_band(norms, counts, band.first - 1, band.last) for band in frequency_bands(n)),
        by_decile=tuple(_band(norms, counts, int(a), int(b)) for a, b in itertools.pairwise(tenths)),
    )


def _band(norms: NDArray[np.float64], counts: NDArray[np.int64], start: int, stop: int) -> LengthBand:
    return LengthBand(start + 1, stop, float(norms[start:stop].mean()), float(counts[start:stop].mean()))


def _ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return ranks (n,), equal values sharing the mean of theirs; scipy's take half a second to import."""
    _, inverse, sizes = np.unique(values, return_inverse=True, return_counts=True)
    shared: NDArray[np.float64] = np.cumsum(sizes) - (sizes - 1) / 2
    return shared[inverse.reshape(-1)]


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    x, y = x - x.mean(), y - y.mean()
    length = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / length if length > 0 else None
