"""How an analogy a : b :: c : ? is scored: each method as matrix products over all candidates, and exactly for few."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.measures import EPSILON, MIN_SQUARED_DISTANCE

__all__ = ["FORMULAS", "ONLY_B", "ONLY_C", "FormulaScorer", "Method", "Scorer"]

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Method:
    """A way to score the candidates x of analogies a : b :: c : x.

    Attributes
    ----------
    name, formula, source : str
        What it is called, computes, and where it comes from.
    scores : callable
        ``scores(unit, a, b, c)``: (Q, N) float32, the score of every row of `unit` (N, d) for Q questions, given by
        their row numbers (Q,).
    exact : callable
        ``exact(unit, a, b, c, x)``: (m,) float64, the same score for m single candidates, summed in one order
        whatever the neighbours, so that equal vectors score equal and near ties can be settled.
    """

    name: str
    formula: str
    source: str
    scores: Callable[[Floats, Ids, Ids, Ids], Floats]
    exact: Callable[[Floats, Ids, Ids, Ids, Ids], NDArray[np.float64]]


class Scorer(Protocol):
    """Scores the candidates of questions that are known by their numbers."""

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

    def scores(self, questions: slice) -> Floats:
        """Return the scores (n, N) of all candidates for a block of questions."""
        return self._method.scores(self._unit, self._a[questions], self._b[questions], self._c[questions])

    def exact(self, questions: Ids, candidates: Ids) -> NDArray[np.float64]:
        """Return the scores (m,) of single candidates in float64."""
        a, b, c = self._a[questions], self._b[questions], self._c[questions]
        return self._method.exact(self._unit, a, b, c, candidates)


def _cosines(unit: Floats, words: Ids) -> Floats:
    """Return the cosine of each word with every candidate; repeated words are multiplied out once."""
    distinct, inverse = np.unique(words, return_inverse=True)
    cosines: Floats = (unit[distinct] @ unit.T)[inverse]
    return cosines


def _dots(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    products = x.astype(np.float64)
    products *= y
    sums: NDArray[np.float64] = products.sum(axis=1)
    return sums


def _add(unit: Floats, a: Ids, b: Ids, c: Ids) -> Floats:
    query: Floats = unit[b]
    query -= unit[a]
    query += unit[c]
    scores: Floats = query @ unit.T
    return scores


def _add_exact(unit: Floats, a: Ids, b: Ids, c: Ids, x: Ids) -> NDArray[np.float64]:
    return _dots(unit[b].astype(np.float64) - unit[a] + unit[c], unit[x])


def _multiply(unit: Floats, a: Ids, b: Ids, c: Ids) -> Floats:
    distinct, inverse = np.unique(np.concatenate([a, b, c]), return_inverse=True)
    shifted = unit[distinct] @ unit.T
    shifted += 1
    shifted *= 0.5
    of_a, of_b, of_c = np.split(inverse, 3)
    scores: Floats = shifted[of_b]
    scores *= shifted[of_c]
    shifted += np.float32(EPSILON)
    scores /= shifted[of_a]
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
    squared = _cosines(unit, c)
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
    lambda unit, a, b, c: _cosines(unit, b),
    lambda unit, a, b, c, x: _dots(unit[b], unit[x]),
)
ONLY_C = Method(
    "only_c",
    "cos(x, c)",
    "Linzen 2016, 'Issues in evaluating semantic spaces using word analogies': Only-b of a relation a : a* :: b : b*",
    lambda unit, a, b, c: _cosines(unit, c),
    lambda unit, a, b, c, x: _dots(unit[c], unit[x]),
)
FORMULAS = {
    method.name: method
    for method in (
        Method(
            "3cosadd",
            "cos(x, b) - cos(x, a) + cos(x, c)",
            "Mikolov, Yih & Zweig 2013, 'Linguistic regularities in continuous space word representations'",
            _add,
            _add_exact,
        ),
        Method(
            "3cosmul",
            f"(cos(x, b) + 1)/2 * (cos(x, c) + 1)/2 / ((cos(x, a) + 1)/2 + {EPSILON})",
            "Levy & Goldberg 2014, 'Linguistic regularities in sparse and explicit word representations', equation 4",
            _multiply,
            _multiply_exact,
        ),
        Method(
            "pairdirection",
            "cos(x - c, b - a)",
            "Mikolov, Yih & Zweig 2013; named by Levy & Goldberg 2014, equation 2",
            _pair_direction,
            _pair_direction_exact,
        ),
    )
}
