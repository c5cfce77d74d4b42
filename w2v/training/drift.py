"""How far the vectors of old words moved while a model was trained further: the cosine of before and after."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.embedding import Embedding
from w2v.vocabulary import Vocabulary

__all__ = ["Cosines", "Drift", "drift_between"]

_ROWS = 16_384
_SHOWN = 10


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cosines:
    """Cosines of before and after over some words: how many words, mean, and quantiles from the lowest up."""

    words: int
    mean: float
    lowest: float
    p05: float
    p25: float
    median: float

    @classmethod
    def of(cls, cosines: NDArray[np.float64]) -> Cosines | None:
        """Summarise; None of no words."""
        if len(cosines) == 0:
            return None
        lowest, p05, p25, median = np.quantile(cosines, [0.0, 0.05, 0.25, 0.5]).tolist()
        return cls(words=len(cosines), mean=float(cosines.mean()), lowest=lowest, p05=p05, p25=p25, median=median)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Drift:
    """How far old words moved.

    Attributes
    ----------
    occurring, absent : Cosines or None
        Of old words that occur in the new text, and of those that do not.
    farthest : tuple of (word, cosine)
        The old words that moved most, first the one that moved farthest.
    """

    occurring: Cosines | None
    absent: Cosines | None
    farthest: tuple[tuple[str | int, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**dataclasses.asdict(self), "farthest": [list(pair) for pair in self.farthest]}


def drift_between(
    before: Embedding, vocabulary: Vocabulary, W: NDArray[np.float32], occurring: NDArray[np.bool_]
) -> Drift:
    """Compare the word vectors of a model with the rows that these words have now.

    Parameters
    ----------
    before : Embedding
    vocabulary : Vocabulary
        Of now; holds all words of before.
    W : (V, d) float32
        Of now.
    occurring : (V,) bool
        Which words of now occur in the new text.
    """
    rows = np.array(vocabulary.ids(before.words), dtype=np.intp)
    cosines = np.empty(len(rows))
    for first in range(0, len(rows), _ROWS):
        part = slice(first, first + _ROWS)
        cosines[part] = _cosines(before.W[part].astype(np.float64), W[rows[part]].astype(np.float64))
    here = occurring[rows]
    order = np.argsort(cosines, kind="stable")[:_SHOWN]
    return Drift(
        occurring=Cosines.of(cosines[here]),
        absent=Cosines.of(cosines[~here]),
        farthest=tuple((before.word(int(i)), float(cosines[i])) for i in order if cosines[i] < 1),
    )


def _cosines(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosines of rows; 1 where both are the same, even if zero, and 0 where only one is zero."""
    lengths = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    products: NDArray[np.float64] = np.einsum("ij,ij->i", x, y)
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return np.where((x == y).all(axis=1), 1.0, np.clip(cosines, -1.0, 1.0))
