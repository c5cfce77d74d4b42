"""The nearest words of a query: exact order, stable ties, whatever the measure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.eligible import Eligible
from w2v.embedding.measures import Measure

if TYPE_CHECKING:
    from w2v.embedding.rows import Rows

__all__ = ["Neighbor", "all_scores", "count_nearer", "nearer_than", "nearest"]

RESCORED_ROWS = 4096


class Neighbor(NamedTuple):
    """A word and its similarity to a query: its cosine, unless another measure was asked for."""

    word: str | int
    similarity: float


def nearest(
    rows: Rows, measure: Measure, chosen: Eligible, *, topn: int, excluded: Iterable[int] = ()
) -> list[Neighbor]:
    """Return the `topn` nearest words, the best first; equal similarities in the order of the ids.

    A row of zeros comes after all others. What rounding cannot tell apart is scored again in float64, so that the
    order does not depend on how the product was cut into blocks or threads, and the first n of a longer list are the
    list of n.
    """
    if topn == 0 or len(chosen) == 0:
        return []
    scores, slack = measure.scores(chosen)
    left_out = chosen.positions(excluded)
    zeros = chosen.positions(measure.scales.zero)
    lower = scores - slack
    lower[left_out] = -np.inf
    lower[zeros] = -np.inf
    found = []
    n = min(topn, len(chosen) - len(np.union1d(left_out, zeros)))
    if n > 0:
        bound = np.partition(lower, len(lower) - n)[len(lower) - n]
        places = np.flatnonzero((scores + slack >= bound) & (lower > -np.inf))
        ids = chosen.ids_at(places)
        exact = exact_scores(measure, ids)
        order = np.argsort(-exact, kind="stable")[:n]
        found = [Neighbor(rows.word(int(ids[i])), measure.reported(float(exact[i]))) for i in order]
    rest = np.setdiff1d(zeros, left_out)[: topn - len(found)]
    return found + [Neighbor(rows.word(int(id)), measure.zero_score) for id in chosen.ids_at(rest)]


def exact_scores(measure: Measure, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the exact scores of some rows, a bounded number of them at a time."""
    exact = np.empty(len(ids))
    for start in range(0, len(ids), RESCORED_ROWS):
        part = slice(start, start + RESCORED_ROWS)
        exact[part] = measure.exact(ids[part])
    return exact


def all_scores(measure: Measure, chosen: Eligible) -> NDArray[np.float32]:
    """Return what `measure` reports (n,) for all chosen rows, in their order."""
    found = exact_scores(measure, chosen.ids) if measure.cancels else measure.scores(chosen)[0]
    scores = measure.reported_all(found)
    scores[chosen.positions(measure.scales.zero)] = measure.zero_score
    return scores


def nearer_than(
    rows: Rows, measure: Measure, chosen: Eligible, other: int, *, excluded: Iterable[int] = ()
) -> list[Neighbor]:
    """Return all words that `nearest` would give before the word of row `other`, in its order."""
    if other in measure.scales.zero:
        ids = _before_a_zero(measure, chosen, other, excluded)
        return nearest(rows, measure, Eligible(ids), topn=len(ids))
    certain, doubtful = _compared(measure, chosen, other, excluded)
    ids = np.sort(np.concatenate([certain, doubtful]))
    exact = exact_scores(measure, ids)
    order = np.argsort(-exact, kind="stable")
    return [Neighbor(rows.word(int(ids[i])), measure.reported(float(exact[i]))) for i in order]


def count_nearer(measure: Measure, chosen: Eligible, other: int, *, excluded: Iterable[int] = ()) -> int:
    """Return how many words `nearer_than` would return."""
    if other in measure.scales.zero:
        return len(_before_a_zero(measure, chosen, other, excluded))
    return sum(map(len, _compared(measure, chosen, other, excluded)))


def _before_a_zero(measure: Measure, chosen: Eligible, other: int, excluded: Iterable[int]) -> NDArray[np.int64]:
    """Return the rows before a row of zeros: all that have a direction, and the zeros before it."""
    ids = np.delete(chosen.ids, chosen.positions(excluded))
    before: NDArray[np.int64] = ids[(ids < other) | ~np.isin(ids, measure.scales.zero)]
    return before


def _compared(
    measure: Measure, chosen: Eligible, other: int, excluded: Iterable[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that are nearer than `other` for certain, and those that are so when looked at exactly."""
    limit = float(measure.exact(np.array([other]))[0])
    scores, slack = measure.scores(chosen)
    above = scores - slack > limit
    near = (scores + slack >= limit) & ~above
    for places in (chosen.positions(excluded), chosen.positions(measure.scales.zero)):
        above[places] = near[places] = False
    ids = chosen.ids_at(np.flatnonzero(near))
    exact = exact_scores(measure, ids)
    return chosen.ids_at(np.flatnonzero(above)), ids[(exact > limit) | ((exact == limit) & (ids < other))]
