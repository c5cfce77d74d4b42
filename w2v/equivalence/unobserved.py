"""What x is where the target is minus infinity: unobserved pairs, drawn as the negatives of training are."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.equivalence.observed import ObservedCells

__all__ = ["Unobserved", "sample_unobserved"]

_QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_AT_ONCE = 1 << 15


@dataclasses.dataclass(frozen=True, kw_only=True)
class Unobserved:
    """The distribution of x over pairs never seen, drawn by P(w) P_n(c).

    Attributes
    ----------
    drawn, pairs : int
        Pairs drawn, and those of them never seen.
    mean, standard_deviation, share_positive : float or None
        Of x; None where no pair was found. The optimum is minus infinity, so a share above 0 is error.
    quantiles : dict
        Quantiles of x by their level.
    """

    drawn: int
    pairs: int
    mean: float | None
    standard_deviation: float | None
    share_positive: float | None
    quantiles: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


def sample_unobserved(
    cells: ObservedCells, W: NDArray[np.float32], C: NDArray[np.float32], *, size: int = 200_000, seed: int = 1
) -> Unobserved:
    """Draw pairs w ~ a_w, c ~ P_n, drop those with a count, and describe x = W[w].C[c] of the others."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(seed)
    n = cells.counts.size
    words = rng.choice(n, size, p=cells.mass / cells.mass.sum())
    contexts = rng.choice(n, size, p=cells.noise / cells.noise.sum())
    matrix = cells.counts.matrix()
    # read-only arrays and int64 bounds are fine for looking cells up
    counted: Any = csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    unseen = np.asarray(counted[words, contexts]).ravel() == 0
    words, contexts = words[unseen], contexts[unseen]
    x = np.empty(len(words), np.float32)
    for begin in range(0, len(words), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        x[some] = np.einsum("ij,ij->i", W[words[some]], C[contexts[some]])
    if len(x) == 0:
        return Unobserved(drawn=size, pairs=0, mean=None, standard_deviation=None, share_positive=None, quantiles={})
    return Unobserved(
        drawn=size,
        pairs=len(x),
        mean=float(x.mean(dtype=np.float64)),
        standard_deviation=float(x.std(dtype=np.float64)),
        share_positive=float((x > 0).mean()),
        quantiles={f"{q:g}": float(v) for q, v in zip(_QUANTILES, np.quantile(x, _QUANTILES), strict=True)},
    )
