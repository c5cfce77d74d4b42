"""Names and arguments of gensim that mean something else here, nothing, or belong to its versions before 4."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from w2v.errors import SettingsError, UnknownWordError, W2VError

__all__ = [
    "OLD_MODEL_NAMES",
    "OLD_VECTOR_NAMES",
    "AttributeNameError",
    "EmptyQueryError",
    "PositionError",
    "UnknownArgumentError",
    "attribute_error",
    "refuse_arguments",
]


class UnknownArgumentError(SettingsError, TypeError):
    """An argument that there is not, such as `size` of gensim 3; also a TypeError, as Python raises."""


class AttributeNameError(W2VError, AttributeError):
    """An attribute that there is not, such as `index2word` of gensim 3; also an AttributeError."""


class EmptyQueryError(SettingsError, ZeroDivisionError):
    """A query about no words; also the ZeroDivisionError that gensim raises."""


class PositionError(UnknownWordError):
    """A number was looked up where the keys are strings."""

    def _message(self) -> str:
        number = self.words[0]
        return (
            f"{number!r} is not in the vocabulary, whose keys are strings; rows by position are vectors[{number!r}], "
            f"keys by position index_to_key[{number!r}]"
        )


_OLD_ARGUMENTS = {
    "size": "vector_size",
    "iter": "epochs",
    "sentences": "corpus_iterable",
    "max_vocab": "max_final_vocab",
    "dim": "vector_size",
    "threads": "workers",
}

OLD_VECTOR_NAMES = {
    "index2word": "index_to_key",
    "index2entity": "index_to_key",
    "vocab": "key_to_index, and get_vecattr(key, 'count') for counts",
    "syn0": "vectors",
    "syn0norm": "get_normed_vectors()",
    "vectors_norm": "get_normed_vectors()",
    "vectors_lockf": "nothing here: single vectors cannot be frozen, all are trained",
    "wv": "these vectors themselves",
}

OLD_MODEL_NAMES = {
    "syn0": "wv.vectors",
    "syn1": "nothing here: it belongs to hierarchical softmax (hs=1); the context vectors are syn1neg",
    "vocab": "wv.key_to_index",
    "index2word": "wv.index_to_key",
    "iter": "epochs",
    "size": "vector_size",
    "vocabulary": "wv.key_to_index",
    "trainables": "the model itself (syn1neg, vector_size)",
    "most_similar": "wv.most_similar",
    "most_similar_cosmul": "wv.most_similar_cosmul",
    "similarity": "wv.similarity",
    "similar_by_word": "wv.similar_by_word",
    "similar_by_vector": "wv.similar_by_vector",
    "doesnt_match": "wv.doesnt_match",
    "n_similarity": "wv.n_similarity",
    "wmdistance": "wv.wmdistance",
    "accuracy": "wv.evaluate_word_analogies",
    "evaluate_word_pairs": "wv.evaluate_word_pairs",
    "save_word2vec_format": "wv.save_word2vec_format",
    "load_word2vec_format": "KeyedVectors.load_word2vec_format",
    "intersect_word2vec_format": "wv.intersect_word2vec_format",
    "cum_table": "nothing here: noise words are drawn by the alias method",
    "random": "nothing here: everything random follows from seed",
}


def refuse_arguments(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise `UnknownArgumentError` for the first argument that there is not, with the name that was meant."""
    known = list(known)
    for name in given:
        meant = _OLD_ARGUMENTS.get(name)
        if meant not in known:
            meant = next(iter(difflib.get_close_matches(name, known, n=1)), None)
        hint = f"; it is called {meant!r} here, as in gensim 4" if meant else f"; there are {', '.join(known)}"
        raise UnknownArgumentError(f"{function} has no argument {name!r}{hint}")


def attribute_error(owner: str, name: str, old_names: dict[str, str]) -> AttributeNameError:
    """Return the error for an attribute that there is not, with the name that was meant."""
    if name in old_names:
        return AttributeNameError(f"{owner} has no attribute {name!r}: use {old_names[name]}")
    return AttributeNameError(f"{owner} has no attribute {name!r}")
