"""Linear maps that bring two spaces together, from rows that belong together: rotation, and its reweighted form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.geometry.blocks import row_slices

__all__ = ["SpaceMaps", "normalized", "orthogonal_maps", "reweighted_maps", "unit_float32"]

Matrix = NDArray[np.float64]


class SpaceMaps(NamedTuple):
    """Maps of both sides into their common space: rows are multiplied from the left, ``X @ source``, ``Y @ target``.

    `singular_values` (d,) tell how strongly the two sides agree along each axis of the common space.
    """

    source: Matrix
    target: Matrix
    singular_values: Matrix


def orthogonal_maps(X: NDArray[Any], Y: NDArray[Any]) -> SpaceMaps:
    """Return the rotation Q that minimises ``|X Q - Y|`` (orthogonal Procrustes, Schönemann 1966); Y stays as it is.

    Parameters
    ----------
    X : (n, d1) real
    Y : (n, d2) real
        Row i belongs to row i of X.

    Returns
    -------
    SpaceMaps
        ``source`` (d1, d2) is ``U V^T`` of the singular value decomposition ``X^T Y = U S V^T``: orthogonal where
        d1 = d2; with d1 < d2 its rows are orthonormal, so that lengths and angles of the source are kept; with
        d1 > d2 its columns are, so that the source is projected. ``target`` is the identity.
    """
    from scipy import linalg

    U, s, Vt = linalg.svd(X.T.astype(np.float64) @ Y.astype(np.float64), full_matrices=False)
    return SpaceMaps(U @ Vt, np.eye(Y.shape[1]), s)


def reweighted_maps(X: NDArray[Any], Y: NDArray[Any], power: float = 0.5) -> SpaceMaps:
    """Return maps that weight each axis of the common space by how strongly the two sides agree along it.

    Both sides are whitened on the pairs, rotated onto their axes of agreement, weighted by the `power` of the
    singular values (canonical correlations) and coloured again (Artetxe, Labaka and Agirre 2018, "Generalizing and
    Improving Bilingual Word Embedding Mappings with a Multi-Step Framework of Linear Transformations", AAAI,
    steps S1 to S4 with each side coloured like itself).

    Parameters
    ----------
    X : (n, d1) real
    Y : (n, d2) real
        Row i belongs to row i of X.
    power : float
        0 leaves the axes alone, 1 weights by the canonical correlation.

    Returns
    -------
    SpaceMaps
        Into a space of min(d1, d2) dimensions. Neither map is orthogonal: what the two sides do not share is made
        smaller.
    """
    from scipy import linalg

    white_x, color_x = _whitening(X)
    white_y, color_y = _whitening(Y)
    agreement = white_x.T @ (X.T.astype(np.float64) @ Y.astype(np.float64)) @ white_y
    U, s, Vt = linalg.svd(agreement, full_matrices=False)
    weights = s**power
    source = (white_x @ U * weights) @ (U.T @ color_x @ U)
    target = (white_y @ Vt.T * weights) @ (Vt @ color_y @ Vt.T)
    return SpaceMaps(source, target, s)


def _whitening(X: NDArray[Any]) -> tuple[Matrix, Matrix]:
    """Return (X^T X)^(-1/2) and (X^T X)^(1/2), both (d, d); directions in which X has no extent are left out."""
    from scipy import linalg

    squares, axes = linalg.eigh(X.T.astype(np.float64) @ X.astype(np.float64))
    extent = squares > squares[-1] * len(squares) * np.finfo(np.float64).eps
    roots = np.sqrt(np.where(extent, squares, 0.0))
    inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=extent)
    return (axes * inverse) @ axes.T, (axes * roots) @ axes.T


def unit_float32(X: NDArray[Any], map_: Matrix | None = None) -> NDArray[np.float32]:
    """Return the rows of X, or of ``X @ map_``, at length 1 as float32; a row of zeros stays zero.

    Computed in float64 a few thousand rows at a time.
    """
    out = np.empty((len(X), X.shape[1] if map_ is None else map_.shape[1]), dtype=np.float32)
    for part in row_slices(len(X)):
        rows = X[part].astype(np.float64)
        if map_ is not None:
            rows = rows @ map_
        # the largest entry first: squares of very small or large numbers leave even the range of float64
        largest = np.abs(rows).max(axis=1, keepdims=True)
        rows = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        out[part] = np.divide(rows, lengths, out=rows, where=lengths > 0)
    return out


def normalized(W: NDArray[Any], steps: tuple[str, ...]) -> NDArray[np.float32]:
    """Return W (V, d) after the steps, in their order: ``"unit"`` (rows at length 1), ``"center"`` (mean taken off)."""
    X: NDArray[np.float32] = W.astype(np.float32)
    for step in steps:
        X = unit_float32(X) if step == "unit" else X - X.mean(axis=0, dtype=np.float64).astype(np.float32)
    return X
