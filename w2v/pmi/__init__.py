"""Pair counts, association measures and factorisations: what SGNS factorises, written out."""

from w2v.pmi.association import mstar, pmi, ppmi, sppmi, target
from w2v.pmi.counting import count_pairs
from w2v.pmi.counts import PairCounts
from w2v.pmi.cspmi import cs_pmi
from w2v.pmi.factorization import Factorization, association_matrix, factorize, factorize_karkada
from w2v.pmi.noise import NoiseLaw, negative_counts

__all__ = [
    "Factorization",
    "NoiseLaw",
    "PairCounts",
    "association_matrix",
    "count_pairs",
    "cs_pmi",
    "factorize",
    "factorize_karkada",
    "mstar",
    "negative_counts",
    "pmi",
    "ppmi",
    "sppmi",
    "target",
]
