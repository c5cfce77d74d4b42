"""Copies of an encoded corpus: of some of its sentences, or with other numbers for its words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from w2v.corpus.encoded import EncodedCorpus
from w2v.corpus.workspace import Workspace
from w2v.kernels.text import SENTENCE_END
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

__all__ = ["copied"]

_SENTENCES = 1 << 16  # copied at a time


def copied(
    corpus: EncodedCorpus,
    *,
    sentences: NDArray[np.bool_] | None = None,
    vocabulary: Vocabulary | None = None,
    numbers: NDArray[np.int32] | None = None,
    settings: CorpusSettings | None = None,
    inside: bool = True,
) -> EncodedCorpus:
    """Return a copy on disk.

    Parameters
    ----------
    corpus : EncodedCorpus
    sentences : (S,) bool, optional
        Which sentences to copy; by default all.
    vocabulary : Vocabulary, optional
        Of the copy; by default the same.
    numbers : (V,) int32, optional
        The id in the new vocabulary for each id in the old one, negative for tokens to be dropped.
    settings : CorpusSettings, optional
        Of the copy; by default the same.
    inside : bool
        Whether its folder lies inside that of the corpus, and goes with it, or beside it.
    """
    folder = corpus.folder
    workspace = Workspace(folder if inside or folder is None else folder.parent)
    try:
        chosen = np.ones(corpus.sentences, np.bool_) if sentences is None else sentences
        for first in range(0, corpus.sentences, _SENTENCES):
            bounds = corpus.offsets[first : first + _SENTENCES + 1]
            here = chosen[first : first + _SENTENCES]
            lengths = np.diff(bounds)
            ids = corpus.ids[bounds[0] : bounds[-1]][np.repeat(here, lengths)]
            workspace.write(np.insert(ids, np.cumsum(lengths[here]), SENTENCE_END))
        if numbers is None:
            numbers = np.arange(len(corpus.vocabulary), dtype=np.int32)
        ids, offsets = workspace.finish(numbers)
        return EncodedCorpus(
            corpus.vocabulary if vocabulary is None else vocabulary,
            ids,
            offsets,
            corpus.source,
            corpus.settings if settings is None else settings,
            workspace,
        )
    except BaseException:
        workspace.close()
        raise
