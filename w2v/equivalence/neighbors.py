"""Do two spaces have the same neighbours? Mean overlap of the nearest words, over a sample of words."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Overlap", "nearest_ids", "overlaps"]

_AT_ONCE = 256


@dataclasses.dataclass(frozen=True, kw_only=True)
class Overlap:
    """Mean share of the top `topn` neighbours that a model has in common with the one compared.

    Attributes
    ----------
    name : str
        The other model.
    mean, standard_error : float
        Over the sampled words.
    words, topn : int
    """

    name: str
    mean: float
    standard_error: float
    words: int
    topn: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


def overlaps(
    W: NDArray[np.float32],
    others: Mapping[str, NDArray[np.float32]],
    *,
    topn: int = 10,
    words: int = 1000,
    among: int = 10_000,
    seed: int = 1,
) -> tuple[Overlap, ...]:
    """Compare the nearest words by cosine of W with those of other matrices of the same rows.

    Parameters
    ----------
    W : (n, d) float32
    others : mapping of name to (n, d') float32
    topn : int
        Neighbours.
    words, among : int
        So many words are drawn from the so many most frequent; all n rows are candidates.
    seed : int
        Of the draw.
    """
    n = len(W)
    topn = min(topn, n - 1)
    if topn < 1:
        return ()
    pool = min(among, n)
    rows = np.sort(np.random.default_rng(seed).permutation(pool)[: min(words, pool)])
    own = nearest_ids(W, rows, topn)
    found = []
    for name, other in others.items():
        theirs = nearest_ids(other, rows, topn)
        shares = np.array([len(set(a) & set(b)) / topn for a, b in zip(own.tolist(), theirs.tolist(), strict=True)])
        error = float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else 0.0
        found.append(Overlap(name=name, mean=float(shares.mean()), standard_error=error, words=len(rows), topn=topn))
    return tuple(found)


def nearest_ids(W: NDArray[np.float32], rows: NDArray[np.int64], topn: int) -> NDArray[np.int64]:
    """Return the ids (len(rows), topn), in no order, of the rows of W with the greatest cosine to each of `rows`."""
    norms = np.linalg.norm(W, axis=1, keepdims=True)
    units = np.divide(W, norms, out=np.zeros_like(W), where=norms > 0)
    found = np.empty((len(rows), topn), np.int64)
    for begin in range(0, len(rows), _AT_ONCE):
        some = rows[begin : begin + _AT_ONCE]
        scores = units[some] @ units.T
        scores[np.arange(len(some)), some] = -np.inf
        found[begin : begin + len(some)] = np.argpartition(scores, -topn, axis=1)[:, -topn:]
    return found
