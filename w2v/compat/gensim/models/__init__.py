"""The modules of ``gensim.models`` that there are here, under the same names."""

from w2v.compat.gensim.models import basemodel, callbacks, keyedvectors, word2vec
from w2v.compat.gensim.models.keyedvectors import KeyedVectors
from w2v.compat.gensim.models.word2vec import Word2Vec

__all__ = ["KeyedVectors", "Word2Vec", "basemodel", "callbacks", "keyedvectors", "word2vec"]
