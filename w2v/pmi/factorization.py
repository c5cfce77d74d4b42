"""Truncated factorisations of association matrices: word and context vectors without any training."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import SettingsError
from w2v.pmi.association import mstar, pmi, target
from w2v.pmi.counts import PairCounts
from w2v.pmi.noise import NoiseLaw
from w2v.settings import FactorizationSettings

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from w2v.embedding import Embedding

__all__ = ["Factorization", "association_matrix", "factorize", "factorize_karkada"]

_DENSE_UP_TO = 400  # below, a dense SVD costs nothing and ARPACK may lack room for its basis
_TOLERANCE = 1e-3  # of ARPACK; what is achieved is far smaller and is returned

Matrix32 = NDArray[np.float32]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Factorization:
    """Leading singular triplets of an association matrix, M ~ U S V^T.

    Attributes
    ----------
    U, V : (n, r) float32
        Singular vectors, by falling singular value.
    values : (r,) float64
        S.
    residual : float
        Largest |M v - s u| over the triplets, relative to the largest singular value.
    plane : bool
        Whether the first triplet is the constant plane of M*, which the objective needs and similarity does not.
    settings : FactorizationSettings
    counts : PairCounts
    """

    U: Matrix32
    V: Matrix32
    values: NDArray[np.float64]
    residual: float
    plane: bool
    settings: FactorizationSettings
    counts: PairCounts

    def factors(self, *, plane: bool = True) -> tuple[Matrix32, Matrix32]:
        """Return W = U S^p and C = V S^(1-p), with the constant plane of M* or without."""
        first = 1 if self.plane and not plane else 0
        S, p = self.values[first:], self.settings.eig
        return (self.U[:, first:] * S**p).astype(np.float32), (self.V[:, first:] * S ** (1 - p)).astype(np.float32)

    def embedding(self, **provenance: Any) -> Embedding:
        """Return the vectors (without the plane) as an embedding of the words of the matrix.

        Parameters
        ----------
        **provenance
            Kept with it, such as ``corpus``.
        """
        from w2v.embedding import Embedding

        W, C = self.factors(plane=False)
        vocabulary = self.counts.vocabulary
        return Embedding(
            vocabulary if len(vocabulary) == len(W) else vocabulary.head(len(W)),
            W,
            C,
            settings={"context": self.counts.context.to_dict(), "factorization": self.settings.to_dict()},
            provenance={
                "algorithm": f"truncated SVD of {self.settings.matrix} (ARPACK, float32)",
                "residual": self.residual,
                **provenance,
            },
        )


def factorize(
    counts: PairCounts,
    settings: FactorizationSettings | None = None,
    *,
    law: NoiseLaw | None = None,
    tolerance: float = _TOLERANCE,
) -> Factorization:
    """Factorise an association matrix of pair counts (Levy & Goldberg 2014, section 5).

    Parameters
    ----------
    counts : PairCounts
    settings : FactorizationSettings, optional
        Which matrix, how many dimensions, shift log k, power p, context smoothing, seed.
    law : NoiseLaw, optional
        For ``target``, ``mstar`` and ``sppmi``: take x* and b under this law of negatives. Without it k is
        ``settings.shift`` and the noise exponent ``settings.context_smoothing``.
    tolerance : float
        Of ARPACK. What was achieved is in the result.

    Notes
    -----
    Unobserved cells are 0 in every matrix but M*, where they are -2. That constant is of rank one: M* is multiplied as
    sparse(M* + 2) - 2 u 1^T and one more triplet is computed, whose plane is set apart.

    Raises
    ------
    SettingsError
        If there are more dimensions than words, or a shift is given for the unshifted ``ppmi``.
    """
    settings = settings or FactorizationSettings()
    n, d = counts.size, settings.vector_size
    plane = settings.matrix == "mstar"
    if d + plane > n:
        raise SettingsError(f"vector_size = {d} is more than a matrix of {n} words has to give")
    matrix = association_matrix(counts, settings, law)
    constant = np.where(counts.word_counts[:n] > 0, -2.0, 0.0) if plane else None
    symmetric = law is None and settings.context_smoothing == 1.0 and settings.matrix in ("pmi", "ppmi", "sppmi")
    U, S, V = _leading(matrix, constant, d + plane, settings.seed, tolerance, symmetric)
    return Factorization(
        U=U,
        V=V,
        values=S,
        residual=_residual(matrix, constant, U, S, V),
        plane=plane,
        settings=settings,
        counts=counts,
    )


def association_matrix(counts: PairCounts, settings: FactorizationSettings, law: NoiseLaw | None = None) -> csr_array:
    """Return the sparse matrix that `factorize` factorises, float32; for M* it holds M* + 2."""
    kind, shift, smoothing = settings.matrix, settings.shift, settings.context_smoothing
    if kind == "ppmi" and shift != 1.0:
        raise SettingsError(f"ppmi is not shifted; for max(PMI - log {shift:g}, 0) use the matrix sppmi")
    if kind in ("target", "mstar"):
        law = law or NoiseLaw(negative=shift, ns_exponent=smoothing)
        values = target(counts, law) if kind == "target" else mstar(counts, law) + 2.0
        if kind == "target" and law.drops_hits:
            values[np.isinf(values)] = 0.0
    elif kind == "sppmi" and law is not None:
        values = target(counts, law)
        values[np.isinf(values)] = 0.0
    else:
        values = pmi(counts, smoothing) - np.log(shift)
    if kind in ("ppmi", "sppmi"):
        return _positive(counts, values)
    return counts.matrix(values.astype(np.float32))


def factorize_karkada(
    counts: PairCounts, vector_size: int, *, seed: int = 1, tolerance: float = _TOLERANCE
) -> Matrix32:
    """Return W (n, d) from the largest positive eigenvalues of the symmetric M* for k = 1 and P_n(c) = a_c / |D|.

    M*_ij = (P_ij - P_i P_j) / ((P_ij + P_i P_j)/2), W = Q sqrt(eigenvalue) (Karkada et al. 2025).

    Raises
    ------
    SettingsError
        If the matrix has fewer positive eigenvalues than `vector_size`.
    """
    from scipy.sparse.linalg import eigsh

    n = counts.size
    if vector_size >= n:
        raise SettingsError(f"vector_size = {vector_size} is more than a matrix of {n} words has to give")
    expected = np.repeat(counts.word_counts[:n], np.diff(counts.indptr))
    expected *= counts.context_counts[counts.indices] / counts.total
    matrix = counts.matrix((4.0 * counts.data / (counts.data + expected)).astype(np.float32))  # M* + 2
    seen = (counts.word_counts[:n] > 0).astype(np.float32)
    if n <= _DENSE_UP_TO:
        values, vectors = np.linalg.eigh(matrix.toarray().astype(np.float64) - 2.0 * np.outer(seen, seen))
    else:
        operator = _operator(matrix, -2.0 * seen, seen)
        values, vectors = eigsh(operator, k=vector_size, which="LA", v0=_start(n, seed), tol=tolerance)
    order = np.argsort(-values)[:vector_size]
    values, vectors = values[order], vectors[:, order]
    if values[-1] <= 0:
        raise SettingsError(f"M* has fewer than {vector_size} positive eigenvalues")
    W: Matrix32 = _signed(vectors, vectors)[0] * np.sqrt(values).astype(np.float32)
    return W


def _positive(counts: PairCounts, values: NDArray[np.float64]) -> csr_array:
    """Return max(values, 0) without its zeros, in arrays of its own: the counts share theirs with nobody."""
    from scipy.sparse import csr_array

    kept = values > 0
    before = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))
    indptr = before[counts.indptr]
    shape = counts.size, counts.size
    return csr_array((values[kept].astype(np.float32), counts.indices[kept], indptr), shape=shape)


def _leading(
    matrix: csr_array, left: NDArray[np.float64] | None, rank: int, seed: int, tolerance: float, symmetric: bool
) -> tuple[Matrix32, NDArray[np.float64], Matrix32]:
    """Return U, S, V of the leading triplets of matrix + left 1^T."""
    from scipy.sparse.linalg import eigsh, svds

    n = matrix.shape[0]
    if n <= _DENSE_UP_TO or rank >= n - 1:
        dense = matrix.toarray().astype(np.float64)
        U, S, Vt = np.linalg.svd(dense if left is None else dense + left[:, None], full_matrices=False)
        U, S, V = U[:, :rank], S[:rank], Vt[:rank].T
    elif symmetric:  # half the products of an SVD, and no squared condition
        values, U = eigsh(matrix, k=rank, which="LM", v0=_start(n, seed), tol=tolerance)
        order = np.argsort(-np.abs(values))
        values, U = values[order], U[:, order]
        S, V = np.abs(values), U * np.sign(values)
    else:
        ones = np.ones(n, np.float32)
        operator = matrix if left is None else _operator(matrix, left.astype(np.float32), ones)
        U, S, Vt = svds(operator, k=rank, v0=_start(n, seed), tol=tolerance)
        order = np.argsort(-S)
        U, S, V = U[:, order], S[order], Vt[order].T
    U, V = _signed(U, V)
    return U, S.astype(np.float64), V


def _operator(matrix: csr_array, left: Matrix32, right: Matrix32) -> Any:
    """Return matrix + left right^T as a linear operator."""
    from scipy.sparse.linalg import LinearOperator

    transposed = matrix.T  # a view of the same cells

    def product(cells: Any, a: Matrix32, b: Matrix32) -> Callable[[Any], Any]:
        def times(x: Any) -> Any:
            return cells @ x + (a * (b @ x) if x.ndim == 1 else np.outer(a, b @ x))

        return times

    forward, backward = product(matrix, left, right), product(transposed, right, left)
    return LinearOperator(
        matrix.shape, matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=np.float32
    )


def _start(n: int, seed: int) -> Matrix32:
    """Return the start vector of the iteration: fixed, so that the result repeats."""
    return np.random.default_rng(seed).standard_normal(n).astype(np.float32)


def _signed(U: NDArray[Any], V: NDArray[Any]) -> tuple[Matrix32, Matrix32]:
    """Fix the sign of each pair of vectors: the largest entry of u is positive."""
    sign = np.sign(U[np.argmax(np.abs(U), axis=0), np.arange(U.shape[1])])
    sign[sign == 0] = 1.0
    return np.ascontiguousarray(U * sign, dtype=np.float32), np.ascontiguousarray(V * sign, dtype=np.float32)


def _residual(
    matrix: csr_array, left: NDArray[np.float64] | None, U: Matrix32, S: NDArray[np.float64], V: Matrix32
) -> float:
    worst = 0.0
    for begin in range(0, len(S), 16):  # sixteen columns at a time: n x 16 floats
        some = slice(begin, begin + 16)
        product = (matrix @ V[:, some]).astype(np.float64)
        if left is not None:
            product += np.outer(left, V[:, some].sum(axis=0, dtype=np.float64))
        product -= U[:, some] * S[some]
        worst = max(worst, float(np.linalg.norm(product, axis=0).max()))
    return worst / float(S[0]) if len(S) and S[0] > 0 else 0.0
