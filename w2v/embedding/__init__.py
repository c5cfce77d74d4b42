"""Embeddings: words with their vectors, stored, queried, and brought from and to other formats."""

from w2v.atomic import check_target, replacing
from w2v.embedding.asking import ANALOGY_METHODS, MEASURES
from w2v.embedding.container import Embedding
from w2v.embedding.fasttext_binary import read_fasttext_binary
from w2v.embedding.foreign import VectorFileWarning
from w2v.embedding.projector import read_projector, write_projector
from w2v.embedding.queries import Neighbor
from w2v.embedding.recognise import load, recognise
from w2v.embedding.tokens import read_tokens
from w2v.embedding.word2vec_binary import read_word2vec_binary, write_word2vec_binary
from w2v.embedding.word2vec_text import read_word2vec_text, write_word2vec_text

__all__ = [
    "ANALOGY_METHODS",
    "MEASURES",
    "Embedding",
    "Neighbor",
    "VectorFileWarning",
    "check_target",
    "load",
    "read_fasttext_binary",
    "read_projector",
    "read_tokens",
    "read_word2vec_binary",
    "read_word2vec_text",
    "recognise",
    "replacing",
    "write_projector",
    "write_word2vec_binary",
    "write_word2vec_text",
]
