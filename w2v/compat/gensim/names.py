"""Names and arguments of gensim that mean something else here, nothing, or belong to its versions before 4."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from w2v.errors import CorpusError, FormatError, SettingsError, UnknownWordError, W2VError

__all__ = [
    "OLD_MODEL_NAMES",
    "OLD_VECTOR_NAMES",
    "AttributeNameError",
    "ClassOnly",
    "EmptyQueryError",
    "EmptyVocabularyError",
    "KeyEncodingError",
    "NoModelError",
    "PositionError",
    "UnknownArgumentError",
    "attribute_error",
    "refuse_arguments",
]


class UnknownArgumentError(SettingsError, TypeError):
    """An argument that there is not, such as `size` of gensim 3; also a TypeError, as Python raises."""


class AttributeNameError(W2VError, AttributeError):
    """An attribute that there is not, such as `index2word` of gensim 3; also an AttributeError."""


class ClassOnly(classmethod):  # type: ignore[type-arg]
    """A class method that an instance has not, since it would leave the instance as it is."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is not None:
            raise AttributeError("to be called on the class")
        return super().__get__(instance, owner)


class EmptyQueryError(SettingsError, ZeroDivisionError):
    """A query about no words; also the ZeroDivisionError that gensim raises."""


class EmptyVocabularyError(CorpusError, RuntimeError):
    """A corpus of which no word is left; also the RuntimeError that gensim raises."""


class NoModelError(FormatError, AttributeError):
    """A file of vectors that is no model to be trained; also the AttributeError that gensim raises."""


class KeyEncodingError(FormatError, UnicodeDecodeError):
    """A key that is not valid in the encoding of its file; also the UnicodeDecodeError that gensim raises."""

    def __init__(self, message: str, error: UnicodeDecodeError) -> None:
        UnicodeDecodeError.__init__(self, error.encoding, error.object, error.start, error.end, error.reason)
        self.message = message

    def __str__(self) -> str:
        """Return the message that names file and row."""
        return self.message


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
    "index2word": "use index_to_key",
    "index2entity": "use index_to_key",
    "vocab": "use key_to_index, and get_vecattr(key, 'count') for counts",
    "syn0": "use vectors",
    "syn0norm": "use get_normed_vectors()",
    "vectors_norm": "use get_normed_vectors()",
    "wv": "these are the vectors themselves",
    "similarity_unseen_docs": "it belongs to Doc2Vec, which there is not here",
}

OLD_MODEL_NAMES = {
    "load": "call it on the class, it returns a new model and leaves this one as it is",
    "syn0": "use wv.vectors",
    "syn0_lockf": "use wv.vectors_lockf",
    "vectors_lockf": "use wv.vectors_lockf",
    "syn1": "it belongs to hierarchical softmax (hs=1), which there is not here; the context vectors are syn1neg",
    "vocab": "use wv.key_to_index",
    "index2word": "use wv.index_to_key",
    "iter": "use epochs",
    "size": "use vector_size",
    "vocabulary": "use wv.key_to_index",
    "trainables": "its parts are attributes of the model (syn1neg, vector_size)",
    "cum_table": "noise words are drawn without such a table here",
    "make_cum_table": "noise words are drawn without such a table here",
    "create_binary_tree": "it belongs to hierarchical softmax (hs=1), which there is not here",
    "add_null_word": "it belongs to models that this package does not train",
    "seeded_vector": "start vectors follow from seed here; put others into wv.vectors after build_vocab",
    "random": "everything random follows from seed here",
    "accuracy": "use wv.evaluate_word_analogies",
    "load_word2vec_format": "use KeyedVectors.load_word2vec_format",
    **{
        name: f"use wv.{name}"
        for name in (
            *("most_similar", "most_similar_cosmul", "similarity", "similar_by_word", "similar_by_vector"),
            *("doesnt_match", "n_similarity", "wmdistance", "evaluate_word_pairs", "save_word2vec_format"),
            *("intersect_word2vec_format", "evaluate_word_analogies", "index_to_key", "key_to_index", "vectors"),
        )
    },
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
        return AttributeNameError(f"{owner} has no attribute {name!r}: {old_names[name]}")
    return AttributeNameError(f"{owner} has no attribute {name!r}")
