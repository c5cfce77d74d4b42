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

__all__ = ["Neighbor", "all_scores", "nearer_than", "nearest"]

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
        ids = chosen.ids[places]
        exact = exact_scores(measure, ids)
        order = np.argsort(-exact, kind="stable")[:n]
        found = [Neighbor(rows.word(int(ids[i])), measure.reported(float(exact[i]))) for i in order]
    rest = np.setdiff1d(zeros, left_out)[: topn - len(found)]
    return found + [Neighbor(rows.word(int(id)), measure.zero_score) for id in chosen.ids[rest]]


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
    zeros = measure.scales.zero
    if other in zeros:  # after all that have a direction, and after the zeros before it
        ids = np.delete(chosen.ids, chosen.positions(excluded))
        ids = ids[(ids < other) | ~np.isin(ids, zeros)]
        return nearest(rows, measure, Eligible(ids), topn=len(ids))
    limit = float(measure.exact(np.array([other]))[0])
    scores, slack = measure.scores(chosen)
    near = scores + slack >= limit
    near[chosen.positions(excluded)] = False
    near[chosen.positions(zeros)] = False
    ids = chosen.ids[np.flatnonzero(near)]
    exact = exact_scores(measure, ids)
    before = (exact > limit) | ((exact == limit) & (ids < other))
    ids, exact = ids[before], exact[before]
    return [
        Neighbor(rows.word(int(ids[i])), measure.reported(float(exact[i]))) for i in np.argsort(-exact, kind="stable")
    ]
