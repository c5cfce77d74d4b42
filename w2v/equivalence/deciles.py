"""Agreement by decile: of the pair count, of the frequency of the word, of the frequency of the context."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.equivalence.agreement import Agreement, agreement_of, moments
from w2v.equivalence.observed import ObservedCells

__all__ = ["Decile", "Deciles", "deciles"]

_TENTHS = 10
_SAMPLE = 1 << 20  # cells from which the bounds of the pair count are read


@dataclasses.dataclass(frozen=True, kw_only=True)
class Decile:
    """A tenth of the compared pairs, fewer or more where values are tied.

    Attributes
    ----------
    low, high : float
        Least and greatest value in it.
    plain, by_curvature : Agreement
        Without rank and partial correlation.
    """

    low: float
    high: float
    plain: Agreement
    by_curvature: Agreement


@dataclasses.dataclass(frozen=True, kw_only=True)
class Deciles:
    """Agreement of x and x* in tenths of the pairs, ordered by some quantity, ascending.

    Attributes
    ----------
    quantity : {"pair count", "word frequency", "context frequency"}
    rows : tuple of Decile
        Empty ones are left out.
    """

    quantity: str
    rows: tuple[Decile, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


def deciles(cells: ObservedCells, x: NDArray[np.float32]) -> tuple[Deciles, ...]:
    """Return the agreement of x with the target by pair count, word frequency and context frequency."""
    counts = cells.counts
    spread = np.diff(counts.indptr)
    frequency = counts.vocabulary.counts[: counts.size].astype(np.float64)
    by_word = _frequency_groups(frequency, spread)
    by_context = _frequency_groups(frequency, np.bincount(counts.indices, minlength=counts.size))
    bounds = _count_bounds(cells)
    by_count = np.searchsorted(bounds, counts.data, side="right").astype(np.uint8)
    return (
        _table("pair count", cells, x, by_count, _extent(by_count, counts.data, cells.plain > 0)),
        _table("word frequency", cells, x, np.repeat(by_word, spread), _extent(by_word, frequency, spread > 0)),
        _table("context frequency", cells, x, by_context[counts.indices], _extent(by_context, frequency, spread > 0)),
    )


def _count_bounds(cells: ObservedCells) -> NDArray[np.float64]:
    data = cells.counts.data
    step = max(1, len(data) // _SAMPLE)
    some = data[::step][cells.plain[::step] > 0]
    if len(some) == 0:
        some = data[cells.plain > 0]
    return np.quantile(some, np.arange(1, _TENTHS) / _TENTHS)


def _frequency_groups(frequency: NDArray[np.float64], pairs: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the tenth of each word (n,), so that the tenths hold about as many pairs."""
    order = np.argsort(frequency, kind="stable")
    middle = np.cumsum(pairs[order]) - pairs[order] / 2
    groups = np.empty(len(frequency), np.uint8)
    groups[order] = np.minimum(middle / max(1, pairs.sum()) * _TENTHS, _TENTHS - 1).astype(np.uint8)
    return groups


def _extent(
    groups: NDArray[np.uint8], values: NDArray[np.float64], used: NDArray[np.bool_]
) -> list[tuple[float, float]]:
    bounds = []
    for g in range(_TENTHS):
        here = values[(groups == g) & used]
        bounds.append((float(here.min()), float(here.max())) if len(here) else (0.0, 0.0))
    return bounds


def _table(
    quantity: str,
    cells: ObservedCells,
    x: NDArray[np.float32],
    groups: NDArray[np.uint8],
    extents: list[tuple[float, float]],
) -> Deciles:
    plain = moments(x, cells.target, cells.plain, cells.workers, groups, _TENTHS)
    curvature = moments(x, cells.target, cells.by_curvature, cells.workers, groups, _TENTHS)
    rows = [
        Decile(low=low, high=high, plain=agreement_of(p), by_curvature=agreement_of(c))
        for (low, high), p, c in zip(extents, plain, curvature, strict=True)
        if p[9] > 0
    ]
    return Deciles(quantity=quantity, rows=tuple(rows))
