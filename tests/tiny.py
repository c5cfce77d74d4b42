"""Tiny corpora, counts and distributions, by which the oracles themselves are judged."""

import numpy as np
import reference as ref

ALL = 2**32


def everything(V):
    """Thresholds that keep every token."""
    return np.full(V, ALL, dtype=np.uint64)


def only(V, word):
    """The bounds of a distribution that draws nothing but `word`, for any number of strata up to 16."""
    return [0 if w < word else 2**44 for w in range(V)]


def small_corpus(V, lengths, seed):
    rng = np.random.default_rng(seed)
    ids = rng.choice(V, size=sum(lengths), p=np.arange(V, 0, -1) / (V * (V + 1) / 2))
    return [int(i) for i in ids], [0, *np.cumsum(lengths).tolist()]


def xyz():
    """Counts and noise of the sentences x y / x y / x z / y z with window 1."""
    words, counts = ref.vocabulary([["x", "y"], ["x", "y"], ["x", "z"], ["y", "z"]])
    assert (words, counts) == (["x", "y", "z"], [3, 3, 2])
    ids, offsets = ref.encode([["x", "y"], ["x", "y"], ["x", "z"], ["y", "z"]], words)
    return ref.expected_pair_counts(ids, offsets, [1, 1, 1], 1), ref.noise_distribution(counts, 1.0)
