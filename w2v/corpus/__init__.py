"""Text to numbers: files or token lists become a vocabulary and an `EncodedCorpus`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from w2v.corpus.checking import CorpusReport, check_corpus
from w2v.corpus.encoded import CorpusSource, EncodedCorpus
from w2v.corpus.files import Hint, Progress, encode_files
from w2v.corpus.findings import Finding
from w2v.corpus.phrases import Phrase, Phrases
from w2v.corpus.sentences import encode_sentences
from w2v.corpus.sources import as_paths, find_files
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

__all__ = [
    "CorpusReport",
    "CorpusSource",
    "EncodedCorpus",
    "Finding",
    "Phrase",
    "Phrases",
    "check_corpus",
    "encode",
    "encode_files",
    "encode_sentences",
    "find_files",
]

_Path = str | os.PathLike[str]


def encode(
    corpus: _Path | Sequence[os.PathLike[str]] | Iterable[Sequence[str] | Sequence[int]] | EncodedCorpus,
    settings: CorpusSettings | None = None,
    *,
    vocabulary: Vocabulary | None = None,
    progress: Progress | None = None,
    directory: _Path | None = None,
    hint: Hint | None = None,
) -> EncodedCorpus:
    """Encode whatever a corpus is given as.

    Parameters
    ----------
    corpus : str, path, list of paths, iterable of token lists, or EncodedCorpus
        A str or a path is a file, a folder, a glob or ``"-"``; a list of `pathlib.Path` is a list of such. Anything
        else is read as token lists (a list of str is refused: is it names of files or sentences that were not
        split?). An encoded corpus is returned as it is.
    settings, vocabulary, progress, directory, hint
        As for `encode_files` and `encode_sentences`.

    Returns
    -------
    EncodedCorpus
        The corpus as numbers.

    Raises
    ------
    CorpusTypeError
        A list of str, or tokens of a wrong kind.
    CorpusError, FileAccessError, FormatError, MissingExtraError
        As `encode_files` and `encode_sentences` do.
    """
    if isinstance(corpus, EncodedCorpus):
        return corpus
    paths = as_paths(corpus)
    if paths is None:
        sentences: Any = corpus
        return encode_sentences(sentences, settings, vocabulary=vocabulary, directory=directory)
    return encode_files(paths, settings, vocabulary=vocabulary, progress=progress, directory=directory, hint=hint)
