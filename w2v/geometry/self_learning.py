"""Learning a dictionary and a map from each other, starting from a few pairs or from nothing at all.

A map gives a dictionary (what is nearest to what), and a dictionary gives a map (Procrustes). Without any pairs the
first dictionary comes from the shape of each space alone: a word is told by its sorted similarities to all others,
and words with like profiles are paired (Artetxe, Labaka and Agirre 2018, "A robust self-learning method for fully
unsupervised cross-lingual mappings of word embeddings", ACL).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from w2v.geometry.blocks import score_slices
from w2v.geometry.dictionaries import KnownPairs
from w2v.geometry.nearest import Floats, Ids, largest_values
from w2v.geometry.procrustes import SpaceMaps, normalized, orthogonal_maps, unit_float32

__all__ = ["SelfLearning", "agreement", "mutual_pairs", "profile_pairs", "self_learn"]

ANNEALED_WORDS = 4000
"""The noisy rounds are learnt on this many words: enough for a map of a few hundred dimensions, and quick."""
_CACHED_CELLS = 1 << 20  # a block stays in the caches
_LEFT_OUT = np.float32(-4)
_STEPS = ("unit", "center", "unit")


class SelfLearning(NamedTuple):
    """What self-learning ended with; `objective` is the mean cosine of the induced pairs, `rounds` all rounds."""

    pairs: KnownPairs
    maps: SpaceMaps
    objective: float
    rounds: int


def profile_pairs(X: Floats, Y: Floats, k: int = 10) -> KnownPairs:
    """Pair rows by their sorted similarities to all rows of their own side, without any dictionary.

    Parameters
    ----------
    X : (n, d1) float32
    Y : (m, d2) float32
        Rows of length 1, the most frequent words first; as many rows of each are used as the smaller one has.
    k : int
        Neighbours for the hub correction.

    Returns
    -------
    KnownPairs
        The best partner of each row of X and of each row of Y.
    """
    n = min(len(X), len(Y))
    first, second = _profiles(X[:n]), _profiles(Y[:n])
    forward, backward, _ = best_partners(first, second, k)
    return _union(forward, backward)


def _profiles(X: Floats) -> Floats:
    """Return each row's sorted similarities (n, n) under the square root of X X^T, made comparable by norming."""
    from scipy import linalg

    squares, axes = linalg.eigh(X.T.astype(np.float64) @ X.astype(np.float64))
    roots = np.sqrt(np.maximum(squares, 0.0))
    # X = U S A^T, so (X X^T)^(1/2) = U S U^T = X A S^(-1) A^T X^T, without an n by n decomposition
    inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 1e-9 * roots[-1])
    half = ((axes * np.sqrt(inverse)).T @ X.T.astype(np.float64)).T.astype(np.float32)
    profiles: Floats = half @ half.T
    profiles.sort(axis=1)
    return normalized(profiles, _STEPS)


def best_partners(
    X: Floats, Y: Floats, k: int, *, keep: float = 1.0, rng: np.random.Generator | None = None
) -> tuple[Ids, Ids, float]:
    """Return the best row of Y for each row of X by CSLS, the best of X for each of Y, and the mean of both cosines.

    With `keep` below 1 each cell is left out with probability 1 - keep, which lets learning leave a poor solution.
    """
    scores = np.empty((len(X), len(Y)), dtype=np.float32)
    half_target, half_source = np.empty(len(Y), dtype=np.float32), np.empty(len(X), dtype=np.float32)
    forward, backward = np.empty(len(X), dtype=np.int64), np.empty(len(Y), dtype=np.int64)
    total_forward = total_backward = 0.0
    for rows in score_slices(len(X), len(Y), _CACHED_CELLS):
        np.matmul(X[rows], Y.T, out=scores[rows])
        half_source[rows] = largest_values(scores[rows], min(k, len(Y))).mean(axis=1) / 2
    for columns in score_slices(len(Y), len(X), _CACHED_CELLS):
        part = np.ascontiguousarray(scores[:, columns].T)
        half_target[columns] = largest_values(part, min(k, len(X))).mean(axis=1) / 2
        backward[columns], total = _picked(part, half_source, keep, rng)
        total_backward += total
    for rows in score_slices(len(X), len(Y), _CACHED_CELLS):
        forward[rows], total = _picked(scores[rows], half_target, keep, rng)
        total_forward += total
    return forward, backward, (total_forward / len(X) + total_backward / len(Y)) / 2


def _picked(cosines: Floats, half_terms: Floats, keep: float, rng: np.random.Generator | None) -> tuple[Ids, float]:
    """Return the best column of each row by CSLS, and the sum of their cosines; the cosines are overwritten."""
    cosines -= half_terms
    if keep < 1.0 and rng is not None:
        drawn = np.frombuffer(rng.bytes(cosines.size), dtype=np.uint8).reshape(cosines.shape)
        np.copyto(cosines, _LEFT_OUT, where=drawn >= round(keep * 256))
    best: Ids = cosines.argmax(axis=1).astype(np.int64)
    values = cosines[np.arange(len(cosines)), best] + half_terms[best]
    return best, float(values.sum(dtype=np.float64))


def mutual_pairs(X: Floats, Y: Floats, k: int = 10) -> KnownPairs:
    """Return the rows that are each other's best partner by CSLS."""
    forward, backward, _ = best_partners(X, Y, k)
    own = np.arange(len(X))
    mutual = backward[forward] == own
    return KnownPairs(own[mutual], forward[mutual])


def self_learn(
    X: Floats,
    Y: Floats,
    pairs: KnownPairs,
    *,
    k: int = 10,
    patience: int = 20,
    first_keep: float = 0.1,
    seed: int = 1,
    report: Callable[[int, float, float], None] | None = None,
) -> SelfLearning:
    """Learn map and dictionary in turn until the mean cosine of the induced pairs rises no more.

    Parameters
    ----------
    X : (n, d1) float32
    Y : (m, d2) float32
        Normalised rows of length 1, the most frequent words first.
    pairs : KnownPairs
        Where to begin.
    k : int
        Neighbours of CSLS.
    patience : int
        Rounds without a gain after which the share of kept cells is doubled, and after which learning ends when all
        are kept.
    first_keep : float
        Share of kept cells in the first rounds; 1 for no noise.
    seed : int
        Of the noise: one byte a cell and round, first for the rows of Y, then for those of X.
    report : callable, optional
        Called with (round, objective, share kept) after each round.
    """
    rng = np.random.default_rng(seed)
    keep, best, since, rounds = first_keep, -np.inf, 0, 0
    maps = orthogonal_maps(X[pairs.source], Y[pairs.target])
    while True:
        last = keep >= 1.0
        size = None if last else ANNEALED_WORDS
        A, B = unit_float32(X[:size], maps.source), Y[:size]
        forward, backward, objective = best_partners(A, B, k, keep=keep, rng=rng)
        pairs = _union(forward, backward)
        maps = orthogonal_maps(X[pairs.source], Y[pairs.target])
        rounds += 1
        if report is not None:
            report(rounds, objective, keep)
        if objective > best + 1e-6:
            # in the last stage only a gain that can be seen is waited for: its rounds are dear
            since = 0 if objective > best + (1e-4 if last else 1e-6) else since + 1
            best = objective
        else:
            since += 1
        if since >= (3 if last else patience):
            if last:
                return SelfLearning(pairs, maps, objective, rounds)
            keep, best, since = min(1.0, 2 * keep), -np.inf, 0


def agreement(X: Floats, Y: Floats, first: SpaceMaps, second: SpaceMaps, k: int = 10) -> float:
    """Return the share of the rows of X that have the same best partner in Y by CSLS under both maps.

    Two unrelated clouds are brought to some local optimum too, one with a high objective and many mutual partners,
    but each run with other noise ends in another one; where the spaces share a shape all runs end in the same.
    """
    found = [best_partners(unit_float32(X, maps.source), Y, k)[0] for maps in (first, second)]
    return float(np.mean(found[0] == found[1]))


def _union(forward: Ids, backward: Ids) -> KnownPairs:
    """Pair both ways; a pair found both ways counts twice, for it is the surer one."""
    return KnownPairs(
        np.concatenate([np.arange(len(forward)), backward]), np.concatenate([forward, np.arange(len(backward))])
    )
