"""KeyedVectors: keys with vectors, their queries and evaluation, and the files that they are kept in."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from w2v.compat.gensim.judging import Evaluations
from w2v.compat.gensim.locking import lock
from w2v.compat.gensim.names import KeyEncodingError
from w2v.embedding import (
    Embedding,
    load,
    read_word2vec_binary,
    read_word2vec_text,
    recognise,
    replacing,
    write_word2vec_binary,
    write_word2vec_text,
)
from w2v.embedding.streams import open_vectors
from w2v.errors import FormatError, NotAvailableError, SettingsError
from w2v.vocabulary import Vocabulary

__all__ = ["KeyedVectors"]

logger = logging.getLogger(__name__)


class KeyedVectors(Evaluations):
    """Vectors by key, with the methods of gensim's class of this name.

    Parameters
    ----------
    vector_size : int
    count : int
        Rows to make room for; vectors may be added beyond it.
    dtype : numpy dtype
        Of `vectors`. Queries are computed from float32.
    mapfile_path : str, optional
        Kept and not used.

    Examples
    --------
    >>> vectors = KeyedVectors(2)
    >>> vectors.add_vectors(["up", "high", "down"], [[0, 2], [1, 5], [0, -1]])
    >>> vectors.most_similar("up", topn=1)[0][0]
    'high'
    """

    def save(self, fname: str | os.PathLike[str], *args: Any, **kwargs: Any) -> None:
        """Write keys, vectors and counts as one model file of this package (safetensors), replacing an older one.

        The further arguments of gensim (`separately`, `sep_limit`, `ignore`, `pickle_protocol`, ...) have no effect.
        Attributes other than ``"count"`` are kept when they are numbers or strings.
        """
        extra = {name: values.tolist() for name, values in self.expandos.items() if name != "count"}
        settings = {"gensim": {"kind": "KeyedVectors", "attributes": extra}}
        embedding = self.embedding
        Embedding(embedding.vocabulary, embedding.W, settings=settings).save(fname, force=True)

    @classmethod
    def load(cls, fname: str | os.PathLike[str], mmap: str | None = None, **kwargs: Any) -> Self:
        """Read vectors in any format that `w2v.load` recognises: a model of this package, word2vec, GloVe, ...

        Parameters
        ----------
        fname : str or path-like
        mmap : {None, "r"}
            With ``"r"`` a model file is mapped, not read; its vectors are then read-only.

        Raises
        ------
        FormatError
            For anything else. Pickles, among them what gensim itself saves, are never opened.
        """
        embedding = load(fname)
        made: Self = cls.of(embedding, copy=mmap is None)
        face = embedding.settings.get("gensim", {})
        for name, values in face.get("attributes", {}).items():
            made.expandos[name] = np.array(values)
        return made

    @classmethod
    def load_word2vec_format(
        cls,
        fname: str | os.PathLike[str],
        fvocab: str | os.PathLike[str] | None = None,
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
        limit: int | None = None,
        datatype: Any = np.float32,
        no_header: bool = False,
    ) -> Self:
        """Read a word2vec file, plain or compressed with gzip, bz2 or xz.

        Parameters
        ----------
        fname : str or path-like
        fvocab : str or path-like, optional
            A file of lines ``word count``; without it counts are V - rank.
        binary : bool
            Which of the two formats it is; an error tells when it is the other.
        encoding : str
            Of the keys.
        unicode_errors : {"strict", "replace", "ignore"}
            Keys that are not valid in the encoding: raise, put U+FFFD for the bad bytes, or leave these out.
        limit : int, optional
            Keep the first so many rows.
        datatype : numpy dtype
            Of `vectors`.
        no_header : bool
            Whether the text starts with the first word, as GloVe's does.

        Raises
        ------
        FormatError
            Naming the line or row, or both numbers when the header promises another number of rows.
        FileAccessError
        """
        if unicode_errors not in ("strict", "replace", "ignore"):
            raise SettingsError(f"unicode_errors must be strict, replace or ignore; got {unicode_errors!r}")
        if binary and no_header:
            raise SettingsError("a binary file has a header always: no_header goes with binary=False")
        _check_kind(fname, binary)
        errors = "strict" if unicode_errors == "strict" else "replace"
        try:
            if binary:
                embedding = read_word2vec_binary(fname, errors=errors, encoding=encoding)
            else:
                embedding = read_word2vec_text(fname, header=not no_header, errors=errors, encoding=encoding)
        except FormatError as error:
            if isinstance(error.__context__, UnicodeDecodeError):
                raise KeyEncodingError(str(error), error.__context__) from None
            raise
        words = [str(word) for word in embedding.words[:limit]]
        if unicode_errors == "ignore":
            words = [word.replace("\ufffd", "") for word in words]
        counts = embedding.counts[: len(words)]
        if fvocab is not None:
            known = dict(_counts(fvocab, encoding, unicode_errors))
            counts = np.array([known.get(word, 0) for word in words], dtype=np.int64)
        made = cls(embedding.vector_size)
        made._take(Vocabulary(words, counts), np.array(embedding.W[: len(words)], dtype=datatype))
        return made

    def save_word2vec_format(
        self,
        fname: str | os.PathLike[str],
        fvocab: str | os.PathLike[str] | None = None,
        binary: bool = False,
        total_vec: int | None = None,
        write_header: bool = True,
        prefix: str = "",
        append: bool = False,
        sort_attr: str = "count",
    ) -> None:
        """Write a word2vec file, replacing an older one; compressed when its name ends in .gz, .bz2 or .xz.

        Parameters
        ----------
        fname : str or path-like
        fvocab : str or path-like, optional
            Write a file of lines ``word count`` too.
        binary : bool
        total_vec, append
            Files are written whole: only None (or the number of keys) and False.
        write_header : bool
            Whether text starts with its numbers of rows and dimensions.
        prefix : str
            Put before each key.
        sort_attr : str
            The rows are in the order of this attribute, the greatest first, where there is such an attribute.

        Raises
        ------
        FormatError
            For a key that the format cannot hold, naming it.
        FileAccessError
        """
        if append or total_vec not in (None, len(self)):
            raise NotAvailableError(
                "append and total_vec are not supported: a file is written whole or not at all; gather the vectors in "
                "one KeyedVectors first"
            )
        if binary and not write_header:
            raise SettingsError("a binary file needs its header: write_header=False goes with binary=False")
        sort = self.expandos.get(sort_attr)
        order = np.arange(len(self)) if sort is None else np.argsort(-sort, kind="stable")
        counts = self.expandos.get("count", np.zeros(len(self), dtype=np.int64))
        words = [f"{prefix}{self.index_to_key[row]}" for row in order]
        embedding = Embedding(Vocabulary(words, counts[order]), self.vectors[order])
        if binary:
            write_word2vec_binary(embedding, fname, force=True)
        else:
            write_word2vec_text(embedding, fname, header=write_header, force=True)
        if fvocab is not None:
            with replacing(fvocab, force=True) as file:
                lines = [f"{word} {count}\n" for word, count in zip(words, counts[order].tolist(), strict=True)]
                file.write("".join(lines).encode("utf-8"))

    def intersect_word2vec_format(
        self,
        fname: str | os.PathLike[str],
        lockf: float = 0.0,
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
    ) -> None:
        """Take over the vectors of a word2vec file for the keys that are known; no key is added.

        Parameters
        ----------
        fname, binary, encoding, unicode_errors
            As for `load_word2vec_format`.
        lockf : float
            0.0, and training leaves these vectors as they are; 1.0, and they are trained on. See `vectors_lockf`.
        """
        if lockf not in (0.0, 1.0):
            raise NotAvailableError(f"lockf={lockf}: vectors are frozen (0.0) or trained (1.0) here, nothing between")
        other = type(self).load_word2vec_format(fname, binary=binary, encoding=encoding, unicode_errors=unicode_errors)
        if other.vector_size != self.vector_size:
            raise SettingsError(f"{os.fspath(fname)} has {other.vector_size} dimensions, not {self.vector_size}")
        common = [key for key in other.index_to_key if key in self.key_to_index]
        self[common] = other[common].reshape(-1, self.vector_size)
        lock(self, [self.get_index(key) for key in common], lockf)
        logger.info("%d of %d vectors taken over from %s", len(common), len(other), os.fspath(fname))


def _check_kind(fname: str | os.PathLike[str], binary: bool) -> None:
    kind = recognise(fname)
    if kind == "model":
        raise FormatError(f"{os.fspath(fname)} is a model of this package: KeyedVectors.load reads it")
    if binary != (kind == "word2vec binary"):
        raise FormatError(f"{os.fspath(fname)} looks like {kind}: pass binary={not binary}")


def _counts(fvocab: str | os.PathLike[str], encoding: str, errors: str) -> Iterator[tuple[str, int]]:
    name = os.fspath(fvocab)
    with open_vectors(fvocab) as (stream, _):
        lines = stream.read().split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        word, _, count_text = line.rstrip(b"\r").rpartition(b" ")
        try:
            yield word.decode(encoding, errors), int(count_text)
        except UnicodeDecodeError as error:
            raise KeyEncodingError(f"{name}:{number}: {word[:60]!r} is not valid {error.encoding}", error) from None
        except ValueError:
            raise FormatError(f"{name}:{number}: a line must be a word and its count; got {line[:60]!r}") from None
