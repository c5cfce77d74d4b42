"""The place of ``gensim.models.keyedvectors``."""

from numpy import float32 as REAL  # noqa: N812

from w2v.compat.gensim.vectors import KeyedVectors

__all__ = ["REAL", "EuclideanKeyedVectors", "KeyedVectors", "Word2VecKeyedVectors", "load_word2vec_format"]

EuclideanKeyedVectors = Word2VecKeyedVectors = KeyedVectors
load_word2vec_format = KeyedVectors.load_word2vec_format
