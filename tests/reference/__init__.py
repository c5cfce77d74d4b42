"""Oracles: slow and obvious twins of what the package computes, sharing no code with it.

Each module holds the twins of one subject; all their names are here too. Only the standard library, numpy and scipy are
imported. Everything is computed in float64 with plain loops unless a docstring says otherwise, and each docstring
states the formula it follows. Letters: V words, d dimensions, R window, k negatives per pair, W (V, d) word matrix, C
(V, d) context matrix, ``s(x) = 1 / (1 + exp(-x))``, ``a`` (V, V) expected positive pairs, ``b`` (V, V) expected
negative pairs; a row is a word, a column is a context.
"""

from .alignment import (
    best_rotation,
    cosine_table,
    csls_table,
    linear_cka_by_grams,
    neighbors,
    precision_at,
    reweighted_cosines,
    similarity_profiles,
)
from .epochs import contexts, count_pairs, half_window, half_windows, kept_tokens, pairs_of_epoch, windows_of_epoch
from .evaluation import (
    analogy_accuracy,
    cosine,
    nearest,
    nearest_to_one,
    three_cos_add,
    three_cos_mul,
    unit_rows,
    word_similarity,
)
from .expectations import expected_pair_counts, noise_counts, pair_numerators, simulate_pair_counts
from .formats import fasttext_hash, fasttext_ngrams, fasttext_vector, read_binary, read_text, write_binary, write_text
from .geometry import all_cosines, iso_score, kl_of_plane, nearest_sets, partition_isotropy, remove_top, skewness
from .matrices import factorize, filled, mstar, pmi, positive_target, ppmi, sppmi
from .objectives import curvature, objective, objective_gradient, objective_slope, optimum, target
from .pairs import dot, log_sigmoid, pair_gradient, sigmoid
from .phrases import join_phrases, phrase_candidates, phrases_of_pass
from .streams import (
    GOLDEN,
    MASK,
    NOISE,
    START,
    TOKENS,
    mix,
    noise_stream,
    start_matrix,
    strata_distribution,
    stratum_word,
    stream_key,
    token_hash,
)
from .survey import survey_text
from .text import encode, keep_probabilities, keep_thresholds, noise_distribution, noise_proposal, tokenize, vocabulary
from .training import bfloat16, chunk_bounds, epoch_blocked, epoch_pairwise
from .two_way import (
    average_ranks,
    fit_objective_two_way,
    fit_two_way,
    partial_correlation,
    spearman,
    two_way_residuals,
    weighted_pearson,
)

__all__ = [
    "GOLDEN",
    "MASK",
    "NOISE",
    "START",
    "TOKENS",
    "all_cosines",
    "analogy_accuracy",
    "average_ranks",
    "best_rotation",
    "bfloat16",
    "chunk_bounds",
    "contexts",
    "cosine",
    "cosine_table",
    "count_pairs",
    "csls_table",
    "curvature",
    "dot",
    "encode",
    "epoch_blocked",
    "epoch_pairwise",
    "expected_pair_counts",
    "factorize",
    "fasttext_hash",
    "fasttext_ngrams",
    "fasttext_vector",
    "filled",
    "fit_objective_two_way",
    "fit_two_way",
    "half_window",
    "half_windows",
    "iso_score",
    "join_phrases",
    "keep_probabilities",
    "keep_thresholds",
    "kept_tokens",
    "kl_of_plane",
    "linear_cka_by_grams",
    "log_sigmoid",
    "mix",
    "mstar",
    "nearest",
    "nearest_sets",
    "nearest_to_one",
    "neighbors",
    "noise_counts",
    "noise_distribution",
    "noise_proposal",
    "noise_stream",
    "objective",
    "objective_gradient",
    "objective_slope",
    "optimum",
    "pair_gradient",
    "pair_numerators",
    "pairs_of_epoch",
    "partial_correlation",
    "partition_isotropy",
    "phrase_candidates",
    "phrases_of_pass",
    "pmi",
    "positive_target",
    "ppmi",
    "precision_at",
    "read_binary",
    "read_text",
    "remove_top",
    "reweighted_cosines",
    "sigmoid",
    "similarity_profiles",
    "simulate_pair_counts",
    "skewness",
    "spearman",
    "sppmi",
    "start_matrix",
    "strata_distribution",
    "stratum_word",
    "stream_key",
    "survey_text",
    "target",
    "three_cos_add",
    "three_cos_mul",
    "token_hash",
    "tokenize",
    "two_way_residuals",
    "unit_rows",
    "vocabulary",
    "weighted_pearson",
    "windows_of_epoch",
    "word_similarity",
    "write_binary",
    "write_text",
]
