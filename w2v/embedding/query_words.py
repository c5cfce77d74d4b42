"""What a query asks about: words with weights and raw vectors, brought to one vector."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import one_of
from w2v.embedding.norms import unit_rows
from w2v.errors import SettingsError

if TYPE_CHECKING:
    from w2v.embedding.rows import Rows

__all__ = ["direction", "mean_of", "point", "unit", "weighted_items"]

OOV_POLICIES = ("error", "skip", "zero")


def direction(rows: Rows, positive: Any, negative: Any) -> tuple[NDArray[np.float64], list[int]]:
    """Return the unit vector (d,) of sum(weight * unit(positive)) - sum(weight * unit(negative)), and the ids used.

    Parameters
    ----------
    rows : Rows
    positive, negative : word, raw vector, or iterable of them; None for none
        An item may be a pair (word, weight). A string is one word.

    Raises
    ------
    UnknownWordError
        Naming all unknown words of both lists.
    SettingsError
        (a ValueError) when both are empty or a weight is not a finite number.
    """
    total, _, ids = _sum(rows, _signed(positive, negative), to_unit=True)
    return unit(total), ids


def point(rows: Rows, positive: Any, negative: Any) -> tuple[NDArray[np.float64], list[int]]:
    """Return the vector (d,) that weighs the vectors as they are, and the ids used; otherwise as `direction`.

    The sum is divided by the sum of the weights where that is positive: two words mean the point between them, and
    king - man + woman is taken as it is.
    """
    total, weight, ids = _sum(rows, _signed(positive, negative), to_unit=False)
    return total / weight if weight > 0 else total, ids


def _signed(positive: Any, negative: Any) -> list[tuple[Any, float]]:
    items = [(item, weight) for item, weight in weighted_items(positive)]
    items += [(item, -weight) for item, weight in weighted_items(negative)]
    if not items:
        raise SettingsError("a query needs at least one word, positive or negative")
    return items


def _sum(rows: Rows, items: list[tuple[Any, float]], *, to_unit: bool) -> tuple[NDArray[np.float64], float, list[int]]:
    ids = rows.vocabulary.ids([item for item, _ in items if not isinstance(item, np.ndarray)])
    weights = np.array([weight for item, weight in items if not isinstance(item, np.ndarray)])
    known = unit_rows(rows.W[ids], rows.norms[ids]) if to_unit else rows.W[ids].astype(np.float64)
    total = weights @ known if ids else np.zeros(rows.vector_size)
    for item, weight in items:
        if isinstance(item, np.ndarray):
            vector = _raw_vector(item, rows.vector_size)
            total = total + weight * (unit(vector / _largest(vector)) if to_unit else vector)
    return total, sum(weight for _, weight in items), ids


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a vector taken to length 1, or zeros."""
    length = float(np.sqrt(vector @ vector))
    # what cancels to less than rounding errors has no direction (king - king)
    return vector / length if length > 1e-12 else np.zeros_like(vector)


def _raw_vector(vector: NDArray[Any], size: int) -> NDArray[np.float64]:
    values = vector.astype(np.float64)
    if values.shape != (size,) or not np.all(np.isfinite(values)):
        raise SettingsError(f"a raw vector must hold {size} finite numbers; got shape {values.shape}")
    return values


def _largest(vector: NDArray[np.float64]) -> float:
    return float(np.max(np.abs(vector))) or 1.0


def weighted_items(given: Any) -> list[tuple[Any, float]]:
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


def mean_of(rows: Rows, words: Any, *, to_unit: bool, oov: str) -> NDArray[np.float64]:
    """Return sum(weight * vector) / sum(|weight|) (d,) of words, (word, weight) pairs or raw vectors.

    Parameters
    ----------
    rows : Rows
    words : as for `direction`
    to_unit : bool
        Whether each vector is taken to length 1 first.
    oov : {"error", "skip", "zero"}
        What becomes of unknown words: all are named in an error; left out, with their weight; taken as zeros.

    Raises
    ------
    UnknownWordError, SettingsError
        The latter where no word is left, or the weights are all zero.
    """
    one_of("oov", oov, OOV_POLICIES)
    items = weighted_items(words)
    known = [item for item in items if isinstance(item[0], np.ndarray) or oov == "error" or item[0] in rows.vocabulary]
    weight = sum(abs(weight) for _, weight in (known if oov == "skip" else items))
    if not known or weight == 0:
        what = "no known word" if items else "no word"
        raise SettingsError(f"the mean of {what} is not defined" if not known else "the weights of a mean are all zero")
    return _sum(rows, known, to_unit=to_unit)[0] / weight
