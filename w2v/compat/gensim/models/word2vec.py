"""The place of ``gensim.models.word2vec``."""

from w2v.compat.gensim.corpora import LineSentence, PathLineSentences, Text8Corpus
from w2v.compat.gensim.model import Word2Vec
from w2v.compat.gensim.vectors import KeyedVectors

__all__ = [
    "FAST_VERSION",
    "MAX_WORDS_IN_BATCH",
    "KeyedVectors",
    "LineSentence",
    "PathLineSentences",
    "Text8Corpus",
    "Word2Vec",
]

FAST_VERSION = 1  # the compiled code is there
MAX_WORDS_IN_BATCH = 10_000  # programs compare their sentences with it; sentences may be of any length
