"""How an analogy a : b :: c : ? is scored: each method as matrix products over all candidates, and exactly for few."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.measures import EPSILON, MIN_SQUARED_DISTANCE
from w2v.evaluation.shared_cosines import SharedCosines

__all__ = ["FEW_CELLS", "FORMULAS", "MANY_CELLS", "ONLY_B", "ONLY_C", "FormulaScorer", "Method", "Scorer"]

FEW_CELLS = 500_000  # scores that stay in the caches while they are added up, searched and counted
MANY_CELLS = 4_000_000  # scores that make a matrix product of some size

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Method:
    """A way to score the candidates x of analogies a : b :: c : x.

    Attributes
    ----------
    name, formula, source : str
        What it is called, computes, and where it comes from.
    exact : callable
        ``exact(unit, a, b, c, x)``: (m,) float64, the score of m single candidates for as many questions, all given by
        row numbers of `unit` (N, d). It is summed in one order whatever the neighbours, so that equal vectors score
        equal and near ties can be settled.
    of_cosines : callable, optional
        ``of_cosines(cosines, a, b, c)``: (Q, N) float32, the score of every candidate for Q questions, from the
        cosines (D, N) of words with all candidates; a, b and c (Q,) are rows of `cosines`.
    of_vectors : callable, optional
        ``of_vectors(unit, a, b, c)``: the same from the vectors, for a score that loses its digits when it is put
        together of cosines.
    """

    name: str
    formula: str
    source: str
    exact: Callable[[Floats, Ids, Ids, Ids, Ids], NDArray[np.float64]]
    of_cosines: Callable[[Floats, Ids, Ids, Ids], Floats] | None = None
    of_vectors: Callable[[Floats, Ids, Ids, Ids], Floats] | None = None


class Scorer(Protocol):
    """Scores the candidates of questions that are known by their numbers.

    Attributes
    ----------
    cells : int
        How many scores are best asked for at a time.
    """

    cells: int

    def scores(self, questions: slice) -> Floats:
        """Return the scores (n, N) of all candidates for a block of questions."""

    def exact(self, questions: Ids, candidates: Ids) -> NDArray[np.float64]:
        """Return the scores (m,) of single candidates in float64."""


class FormulaScorer:
    """Scores by a formula that needs a, b and c only.

    Parameters
    ----------
    method : Method
    unit : (N, d) float32
    a, b, c : (Q,) int64
        Rows of `unit`.
    """

    def __init__(self, method: Method, unit: Floats, a: Ids, b: Ids, c: Ids) -> None:
        self._method, self._unit, self._a, self._b, self._c = method, unit, a, b, c
        self._cosines = SharedCosines(unit, np.column_stack([a, b, c]))
        self.cells = MANY_CELLS if method.of_cosines is None else FEW_CELLS

    def scores(self, questions: slice) -> Floats:
        """Return the scores (n, N) of all candidates for a block of questions."""
        if self._method.of_cosines is not None:
            cosines, rows = self._cosines.rows(questions)
            return self._method.of_cosines(cosines, *rows.T)
        assert self._method.of_vectors is not None
        return self._method.of_vectors(self._unit, self._a[questions], self._b[questions], self._c[questions])

    def exact(self, questions: Ids, candidates: Ids) -> NDArray[np.float64]:
        """Return the scores (m,) of single candidates in float64."""
        a, b, c = self._a[questions], self._b[questions], self._c[questions]
        return self._method.exact(self._unit, a, b, c, candidates)


def _dots(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    products = x.astype(np.float64)
    products *= y
    sums: NDArray[np.float64] = products.sum(axis=1)
    return sums


def _add(cosines: Floats, a: Ids, b: Ids, c: Ids) -> Floats:
    scores = np.empty((len(b), cosines.shape[1]), dtype=cosines.dtype)
    for row, x, y, z in zip(scores, a, b, c, strict=True):
        np.subtract(cosines[y], cosines[x], out=row)
        row += cosines[z]
    return scores


def _add_exact(unit: Floats, a: Ids, b: Ids, c: Ids, x: Ids) -> NDArray[np.float64]:
    return _dots(unit[b].astype(np.float64) - unit[a] + unit[c], unit[x])


def _multiply(cosines: Floats, a: Ids, b: Ids, c: Ids) -> Floats:
    scores = cosines[b]
    scores += 1
    scores *= 0.25
    factor = cosines[c]
    factor += 1
    scores *= factor
    np.take(cosines, a, axis=0, out=factor)
    factor += 1
    factor *= 0.5
    factor += np.float32(EPSILON)
    scores /= factor
    return scores


def _multiply_exact(unit: Floats, a: Ids, b: Ids, c: Ids, x: Ids) -> NDArray[np.float64]:
    shifted_a, shifted_b, shifted_c = ((1 + _dots(unit[word], unit[x])) / 2 for word in (a, b, c))
    return shifted_b * shifted_c / (shifted_a + EPSILON)


def _direction(unit: Floats, a: Ids, b: Ids) -> NDArray[np.float64]:
    offset = unit[b].astype(np.float64) - unit[a]
    length = np.sqrt(_dots(offset, offset))[:, None]
    return np.divide(offset, length, out=np.zeros_like(offset), where=length > 0)


def _pair_direction(unit: Floats, a: Ids, b: Ids, c: Ids) -> Floats:
    direction = _direction(unit, a, b).astype(np.float32)
    scores = direction @ unit.T
    scores -= np.einsum("ij,ij->i", direction, unit[c])[:, None]
    distinct, inverse = np.unique(c, return_inverse=True)
    squared = (unit[distinct] @ unit.T)[inverse]
    squared *= -2
    squared += 2
    undefined = squared < MIN_SQUARED_DISTANCE
    np.maximum(squared, np.float32(MIN_SQUARED_DISTANCE), out=squared)
    scores /= np.sqrt(squared, out=squared)
    scores[undefined] = 0
    return scores


def _pair_direction_exact(unit: Floats, a: Ids, b: Ids, c: Ids, x: Ids) -> NDArray[np.float64]:
    offset = unit[x].astype(np.float64) - unit[c]
    squared = _dots(offset, offset)
    scores = _dots(offset, _direction(unit, a, b)) / np.sqrt(np.maximum(squared, MIN_SQUARED_DISTANCE))
    scores[squared < MIN_SQUARED_DISTANCE] = 0
    return scores


ONLY_B = Method(
    "only_b",
    "cos(x, b)",
    "the neighbour of b, whatever a and c say",
    lambda unit, a, b, c, x: _dots(unit[b], unit[x]),
    lambda cosines, a, b, c: cosines[b],
)
ONLY_C = Method(
    "only_c",
    "cos(x, c)",
    "Linzen 2016, 'Issues in evaluating semantic spaces using word analogies': Only-b of a relation a : a* :: b : b*",
    lambda unit, a, b, c, x: _dots(unit[c], unit[x]),
    lambda cosines, a, b, c: cosines[c],
)
FORMULAS = {
    method.name: method
    for method in (
        Method(
            "3cosadd",
            "cos(x, b) - cos(x, a) + cos(x, c)",
            "Mikolov, Yih & Zweig 2013, 'Linguistic regularities in continuous space word representations'",
            _add_exact,
            _add,
        ),
        Method(
            "3cosmul",
            f"(cos(x, b) + 1)/2 * (cos(x, c) + 1)/2 / ((cos(x, a) + 1)/2 + {EPSILON})",
            "Levy & Goldberg 2014, 'Linguistic regularities in sparse and explicit word representations', equation 4",
            _multiply_exact,
            _multiply,
        ),
        Method(
            "pairdirection",
            "cos(x - c, b - a)",
            "Mikolov, Yih & Zweig 2013; named by Levy & Goldberg 2014, equation 2",
            _pair_direction_exact,
            of_vectors=_pair_direction,
        ),
    )
}
