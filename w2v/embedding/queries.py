"""Nearest words by cosine: one matrix-vector product over the stored rows, exact order, stable ties."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.norms import unit_rows
from w2v.errors import SettingsError

if TYPE_CHECKING:
    from w2v.embedding.container import Embedding

__all__ = ["Neighbor", "cosines", "direction", "nearest"]

RESCORED_ROWS = 4096


class Neighbor(NamedTuple):
    """A word and its cosine similarity to a query."""

    word: str | int
    similarity: float


def direction(embedding: Embedding, positive: Any, negative: Any) -> tuple[NDArray[np.float64], list[int]]:
    """Return the unit vector (d,) of sum(weight * unit(positive)) - sum(weight * unit(negative)), and the ids used.

    Parameters
    ----------
    embedding : Embedding
    positive, negative : word, raw vector, or iterable of them; None for none
        An item may be a pair (word, weight). A string is one word.

    Raises
    ------
    UnknownWordError
        Naming all unknown words of both lists.
    SettingsError
        (a ValueError) when both are empty or a weight is not a finite number.
    """
    items = [(item, weight) for item, weight in _items(positive)]
    items += [(item, -weight) for item, weight in _items(negative)]
    if not items:
        raise SettingsError("a query needs at least one word, positive or negative")
    words = [item for item, _ in items if not isinstance(item, np.ndarray)]
    ids = embedding.vocabulary.ids(words)
    weights = np.array([weight for item, weight in items if not isinstance(item, np.ndarray)])
    rows = unit_rows(embedding.W[ids], embedding.norms[ids])
    total = weights @ rows if ids else np.zeros(embedding.vector_size)
    for item, weight in items:
        if isinstance(item, np.ndarray):
            total = total + weight * _unit(_raw_vector(item, embedding.vector_size))
    return _unit(total), ids


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.sqrt(vector @ vector))
    # what cancels to less than rounding errors has no direction (king - king)
    return vector / length if length > 1e-12 else np.zeros_like(vector)


def _raw_vector(vector: NDArray[Any], size: int) -> NDArray[np.float64]:
    values = vector.astype(np.float64)
    if values.shape != (size,) or not np.all(np.isfinite(values)):
        raise SettingsError(f"a raw vector must hold {size} finite numbers; got shape {values.shape}")
    largest = float(np.max(np.abs(values)))
    return values / largest if largest > 0 else values


def _items(given: Any) -> list[tuple[Any, float]]:
    """Bring the ways of writing a list of words to (word or vector, weight)."""
    if given is None:
        return []
    if isinstance(given, (str, numbers.Integral)) or _is_vector(given):
        return [(given, 1.0)]
    if not isinstance(given, Iterable):
        raise SettingsError(f"a query takes a word, (word, weight) pairs or a list of them; got {given!r}")
    pairs = []
    for item in given:
        if isinstance(item, (tuple, list)):
            if len(item) != 2 or not isinstance(item[1], numbers.Real) or not np.isfinite(float(item[1])):
                raise SettingsError(f"a weighted word is a pair (word, finite number); got {item!r}")
            pairs.append((item[0], float(item[1])))
        else:
            pairs.append((item, 1.0))
    return pairs


def _is_vector(given: Any) -> bool:
    return isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind == "f"


def cosines(embedding: Embedding, query: NDArray[np.float64], stop: int) -> NDArray[np.float32]:
    """Return the cosine (stop,) float32 of the first `stop` rows with a unit vector; 0 for a row of zeros.

    The rows are used where they lie (mapped, strided): besides the product this takes one number a row.
    """
    scales = embedding.scales
    with np.errstate(invalid="ignore", over="ignore"):  # rows beyond the range of float32 sums are redone below
        scores: NDArray[np.float32] = embedding.W[:stop] @ query.astype(np.float32)
        scores *= scales.inverse[:stop]
    odd = scales.odd[scales.odd < stop]
    scores[odd] = unit_rows(embedding.W[odd], scales.norms[odd]) @ query
    return scores


def nearest(
    embedding: Embedding,
    query: NDArray[np.float64],
    *,
    topn: int,
    restrict_vocab: int | None,
    excluded: Iterable[int] = (),
) -> list[Neighbor]:
    """Return the `topn` nearest words, the best first; equal similarities in the order of the ids.

    A row of zeros comes after all others. What float32 cannot tell apart is scored again in float64, so that the
    order does not depend on how the product was cut into blocks or threads, and the first n of a longer list are the
    list of n.
    """
    stop = candidates(embedding, restrict_vocab)
    scores = cosines(embedding, query, stop)
    scores[embedding.scales.zero[embedding.scales.zero < stop]] = -2.0
    left_out = np.array(sorted({i for i in excluded if i < stop}), dtype=np.int64)
    scores[left_out] = -np.inf
    n = min(topn, stop - len(left_out))
    if n <= 0:
        return []
    bound = float(np.partition(scores, stop - n)[stop - n])
    # a float32 cosine is off by at most (d + 4) half-units in the last place: twice, for two scores are compared
    margin = (embedding.vector_size + 4) * float(np.finfo(np.float32).eps)
    ids = np.flatnonzero(scores >= bound - margin)
    exact = np.empty(len(ids))
    for start in range(0, len(ids), RESCORED_ROWS):
        part = ids[start : start + RESCORED_ROWS]
        # row by row, unlike a BLAS product: equal rows get equal sums wherever they stand
        exact[start : start + RESCORED_ROWS] = np.einsum(
            "ij,j->i", unit_rows(embedding.W[part], embedding.norms[part]), query
        )
    exact[embedding.norms[ids] == 0] = -2.0
    order = np.argsort(-exact, kind="stable")[:n]
    return [
        Neighbor(embedding.word(int(ids[i])), 0.0 if exact[i] == -2.0 else min(1.0, max(-1.0, float(exact[i]))))
        for i in order
    ]


def candidates(embedding: Embedding, restrict_vocab: int | None) -> int:
    """Return how many of the first rows may be answers."""
    return min(len(embedding), len(embedding) if restrict_vocab is None else whole("restrict_vocab", restrict_vocab, 1))


def whole(name: str, value: Any, low: int) -> int:
    """Return a whole number of at least `low`, or raise `SettingsError`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if number < low or isinstance(value, bool):
        raise SettingsError(f"{name} must be a whole number of at least {low}; got {value!r}")
    return number
