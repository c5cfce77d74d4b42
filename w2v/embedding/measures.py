"""How near a row is to a query: fast for all rows, with a bound of the rounding error, and exactly for some.

A score that is higher is nearer. The float32 products are only used to find the rows that come into question; those are
scored again in float64, one row at a time, so that equal rows score equal wherever they stand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.norms import RowScales, unit_rows

if TYPE_CHECKING:
    from w2v.embedding.eligible import Eligible
    from w2v.embedding.rows import Rows

__all__ = ["Context", "Cosine", "CosineProduct", "Euclid", "Measure", "PairDirection"]

Scores = tuple[NDArray[np.floating], float | NDArray[np.float64]]
EPSILON = 0.001
"""Of 3CosMul, as in the paper."""
MIN_SQUARED_DISTANCE = 1e-6
"""Of PairDirection: what is nearer to c than this has no direction from it."""


class Measure(ABC):
    """The nearness of rows to one query."""

    zero_score: float = 0.0
    """What is reported for a row of zeros, which comes after all others."""
    cancels: bool = False
    """Whether the fast scores may lose all their digits, so that only exact ones can be reported."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        # a float32 product of unit vectors is off by at most (d + 4) half-units in the last place
        self._rounding = (rows.vector_size + 4) * float(np.finfo(np.float32).eps) / 2

    @property
    def scales(self) -> RowScales:
        """Lengths of the rows that are measured."""
        return self._rows.scales

    @abstractmethod
    def scores(self, rows: Eligible) -> Scores:
        """Return scores (n,) and how far off they may be at most."""

    @abstractmethod
    def exact(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the scores (m,) of some rows in float64."""

    def reported(self, score: float) -> float:
        """Return what the user is told for a score."""
        return score

    def reported_all(self, scores: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return what the user is told for many scores."""
        found: NDArray[np.float32] = scores.astype(np.float32, copy=False)
        return found


def _cosines(rows: Rows, chosen: Eligible, query: NDArray[np.float64], products: Any = None) -> NDArray[np.float32]:
    """Return the cosine (n,) float32 of rows with a unit vector; 0 for a row of zeros.

    The rows are used where they lie (mapped, strided): besides the product this takes one number a row.
    """
    scales = rows.scales
    with np.errstate(invalid="ignore", over="ignore"):  # rows beyond the range of float32 sums are redone below
        if products is None:
            products = rows.W[chosen.rows] @ query.astype(np.float32)
        scores: NDArray[np.float32] = products * scales.inverse[chosen.rows]
    if len(scales.odd):
        places = chosen.positions(scales.odd)
        ids = chosen.ids_at(places)
        scores[places] = unit_rows(rows.W[ids], scales.norms[ids]) @ query
    return scores


class Cosine(Measure):
    """The cosine with a unit vector.

    Parameters
    ----------
    rows : Rows
    query : (d,) float64
        Of length 1, or zeros.
    products : (n,) float32, optional
        The products of the rows that will be asked for with the query, where they are known.
    """

    def __init__(self, rows: Rows, query: NDArray[np.float64], products: Any = None) -> None:
        super().__init__(rows)
        self._query, self._products = query, products

    def scores(self, rows: Eligible) -> Scores:
        """Return the cosines."""
        return _cosines(self._rows, rows, self._query, self._products), self._rounding

    def exact(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosines in float64."""
        # row by row, unlike a BLAS product: equal rows get equal sums wherever they stand
        units = unit_rows(self._rows.W[ids], self._rows.norms[ids])
        found: NDArray[np.float64] = np.einsum("ij,j->i", units, self._query)
        return found

    def reported(self, score: float) -> float:
        """Return the cosine, rounding errors cut off."""
        return min(1.0, max(-1.0, score))

    def reported_all(self, scores: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return the cosines, rounding errors cut off."""
        cut: NDArray[np.float32] = np.clip(scores, -1.0, 1.0).astype(np.float32, copy=False)
        return cut


class Euclid(Measure):
    """The Euclidean distance from a point, negative, so that higher is nearer; scores are squared.

    Parameters
    ----------
    rows : Rows
    query : (d,) float64
    """

    cancels = True

    def __init__(self, rows: Rows, query: NDArray[np.float64]) -> None:
        super().__init__(rows)
        self._query = query
        self._length = float(np.sqrt(query @ query))
        self.zero_score = -self._length

    def scores(self, rows: Eligible) -> Scores:
        """Return -|x - q|^2 from |x|^2 - 2 x.q + |q|^2; where that cancels, the slack is large."""
        norms = self._rows.norms[rows.rows]
        with np.errstate(invalid="ignore", over="ignore"):
            products = (self._rows.W[rows.rows] @ self._query.astype(np.float32)).astype(np.float64)
        found = 2 * products - norms**2 - self._length**2
        slack = 2 * self._rounding * norms * self._length + 1e-14 * (norms + self._length) ** 2
        odd = np.flatnonzero(~np.isfinite(found) | (norms > 1e15) | (norms < 1e-15))
        ids = rows.ids_at(odd)
        found[odd], slack[odd] = self.exact(ids), 0.0
        return found, slack

    def exact(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return -|x - q|^2 in float64."""
        offset = self._rows.W[ids].astype(np.float64) - self._query
        found: NDArray[np.float64] = -np.einsum("ij,ij->i", offset, offset)
        return found

    def reported(self, score: float) -> float:
        """Return minus the distance."""
        return -float(np.sqrt(max(0.0, -score)))

    def reported_all(self, scores: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return minus the distances."""
        distances: NDArray[np.float32] = np.sqrt(np.maximum(0.0, -scores)).astype(np.float32)
        return -distances


class Context(Measure):
    """The product w.c of a word vector with the context vectors: which words are expected next to it.

    Parameters
    ----------
    rows : Rows
    query : (d,) float64
        A vector of the kind of W, not taken to length 1.
    """

    def __init__(self, rows: Rows, query: NDArray[np.float64]) -> None:
        super().__init__(rows)
        self._query = query
        self._length = float(np.sqrt(query @ query))

    @property
    def scales(self) -> RowScales:
        """Lengths of the context vectors."""
        return self._rows.context_scales

    def scores(self, rows: Eligible) -> Scores:
        """Return w.c."""
        norms = self.scales.norms[rows.rows]
        with np.errstate(invalid="ignore", over="ignore"):
            found = (self._rows.contexts[rows.rows] @ self._query.astype(np.float32)).astype(np.float64)
        slack = self._rounding * norms * self._length
        odd = np.flatnonzero(~np.isfinite(found) | (norms > 1e15) | (norms < 1e-15))
        found[odd], slack[odd] = self.exact(rows.ids_at(odd)), 0.0
        return found, slack

    def exact(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return w.c in float64."""
        found: NDArray[np.float64] = np.einsum("ij,j->i", self._rows.contexts[ids].astype(np.float64), self._query)
        return found


class _OfThreeWords(Measure):
    """A score of the relation a : b :: c : x, from unit vectors (d,) of a, b and c."""

    def __init__(self, rows: Rows, a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> None:
        super().__init__(rows)
        self._a, self._b, self._c = a, b, c

    def _cosine_of_all(self, rows: Eligible, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        return _cosines(self._rows, rows, vector).astype(np.float64)

    def _units(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        return unit_rows(self._rows.W[ids], self._rows.norms[ids])


class CosineProduct(_OfThreeWords):
    """3CosMul of Levy & Goldberg 2014, equation 4, from cosines shifted to 0..1."""

    zero_score = 0.25 / (0.5 + EPSILON)

    @staticmethod
    def _product(a: Any, b: Any, c: Any) -> Any:
        return (1 + b) / 2 * (1 + c) / 2 / ((1 + a) / 2 + EPSILON)

    def scores(self, rows: Eligible) -> Scores:
        """Return the products."""
        a, b, c = (self._cosine_of_all(rows, vector) for vector in (self._a, self._b, self._c))
        off, bottom = self._rounding, np.maximum((1 + a) / 2, 0) + EPSILON
        found = self._product(a, b, c)
        slack = off * (np.abs(found) / bottom + (2 + np.abs(b) + np.abs(c)) / (4 * bottom) + off / bottom) + 1e-15
        return found, slack * (1 + 4 * off / EPSILON)

    def exact(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the products in float64."""
        units = self._units(ids)
        a, b, c = (np.einsum("ij,j->i", units, vector) for vector in (self._a, self._b, self._c))
        found: NDArray[np.float64] = self._product(a, b, c)
        return found


class PairDirection(_OfThreeWords):
    """The cosine of x - c with b - a, of unit vectors (Mikolov, Yih & Zweig 2013; Levy & Goldberg 2014, equation 2)."""

    def __init__(self, rows: Rows, a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> None:
        super().__init__(rows, a, b, c)
        offset = b - a
        length = float(np.sqrt(offset @ offset))
        self._direction = offset / length if length > 0 else offset
        self._of_c = float(self._direction @ c)
        self.zero_score = 0.0

    def scores(self, rows: Eligible) -> Scores:
        """Return the cosines of the offsets; near c they are uncertain, and the slack says so."""
        along = self._cosine_of_all(rows, self._direction) - self._of_c
        squared = 2 - 2 * self._cosine_of_all(rows, self._c)
        off = self._rounding
        floor = np.maximum(squared - 2 * off, MIN_SQUARED_DISTANCE)
        found = along / np.sqrt(np.maximum(squared, MIN_SQUARED_DISTANCE))
        slack = off / np.sqrt(floor) + (np.abs(along) + off) * off / floor**1.5 + 1e-15
        slack[squared < MIN_SQUARED_DISTANCE + 2 * off] = 2.0
        return found, slack

    def exact(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosines of the offsets in float64."""
        offset = self._units(ids) - self._c
        squared = np.einsum("ij,ij->i", offset, offset)
        found: NDArray[np.float64] = np.einsum("ij,j->i", offset, self._direction)
        found /= np.sqrt(np.maximum(squared, MIN_SQUARED_DISTANCE))
        found[squared < MIN_SQUARED_DISTANCE] = 0.0
        return found
