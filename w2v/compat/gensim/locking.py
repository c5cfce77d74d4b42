"""Vectors that training leaves as they are: gensim's `vectors_lockf`, of whose factors 0 and 1 have a meaning here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import NotAvailableError, SettingsError

__all__ = ["frozen_keys", "lock", "unlocked"]


def unlocked() -> NDArray[np.float32]:
    """Return the factor of all keys as it is at first: everything is trained."""
    return np.ones(1, dtype=np.float32)


def lock(vectors: Any, rows: list[int], factor: float) -> None:
    """Set the factor of some rows; there is one for each key afterwards."""
    held = np.asarray(vectors.vectors_lockf)
    if len(held) != len(vectors):
        vectors.vectors_lockf = np.full(len(vectors), held[0] if len(held) else 1.0, dtype=np.float32)
    vectors.vectors_lockf[rows] = factor


def frozen_keys(vectors: Any) -> NDArray[np.bool_] | None:
    """Return which keys (V,) are not to be trained, None if all are.

    Raises
    ------
    SettingsError
        (a ValueError) when there are neither one factor nor as many as keys.
    NotAvailableError
        (a RuntimeError) for a factor other than 0 and 1.
    """
    factors = np.asarray(vectors.vectors_lockf)
    if factors.shape not in ((1,), (len(vectors),)):
        raise SettingsError(
            f"wv.vectors_lockf must hold one factor, or {len(vectors)}, one for each key; its shape is {factors.shape}"
        )
    odd = factors[(factors != 0) & (factors != 1)]
    if len(odd):
        raise NotAvailableError(
            f"wv.vectors_lockf holds {odd[0]}: a vector is trained (1.0) or frozen (0.0) here, nothing between"
        )
    return np.broadcast_to(factors == 0, (len(vectors),)) if not factors.all() else None
