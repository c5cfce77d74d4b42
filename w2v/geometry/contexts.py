"""The cloud of word vectors W beside the cloud of context vectors C."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

__all__ = ["Contexts", "measure_contexts"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Contexts:
    """How word and context vectors lie to each other.

    Mimno & Thompson 2017 ("The strange geometry of skip-gram with negative sampling") found that they point apart.

    Attributes
    ----------
    mean_product : float
        Mean of W[w] . C[c] over all pairs of words, exactly.
    own_product : float
        Mean of W[w] . C[w], of words with themselves.
    negative : float
        Share of random pairs with W[w] . C[c] < 0, sampled.
    angle : float
        Between the mean of W and the mean of C, in degrees; NaN where one of them is zero.
    """

    mean_product: float
    own_product: float
    negative: float
    angle: float


def measure_contexts(W: NDArray[np.float32], C: NDArray[np.float32], pairs: int, rng: np.random.Generator) -> Contexts:
    """Measure two clouds (n, d), row i of both belonging to the same word."""
    w, c = W.mean(axis=0, dtype=np.float64), C.mean(axis=0, dtype=np.float64)
    first, second = rng.integers(len(W), size=(2, pairs))
    products = np.einsum("ij,ij->i", W[first], C[second], dtype=np.float64)
    own = np.einsum("ij,ij->i", W, C, dtype=np.float64)
    lengths = float(np.sqrt((w @ w) * (c @ c)))
    cosine = float(w @ c) / lengths if lengths > 0 else float("nan")
    return Contexts(
        mean_product=float(w @ c),
        own_product=float(own.mean()),
        negative=float((products < 0).mean()),
        angle=float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))),
    )
