"""How strongly two words hold together: the scores of word2phrase and of normalised mutual information."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.settings import PhraseSettings

__all__ = ["phrase_scores"]


def phrase_scores(
    together: NDArray[np.int64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    total: int,
    settings: PhraseSettings,
) -> NDArray[np.float64]:
    """Return the scores (n,) of pairs of words; -inf where a pair is seen less than `min_count` times.

    Parameters
    ----------
    together : (n,) int64
        How often the two words occur next to each other (or with connectors between them).
    first, second : (n,) int64
        How often each of them occurs, in the same text.
    total : int
        Tokens of that text.
    settings : PhraseSettings
        `scoring` and `min_count` are read.

    Notes
    -----
    ``original`` is the score of Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their
    Compositionality", equation 6, times the tokens of the text, as word2phrase.c has it; `min_count` is the discount.
    ``npmi`` is that of Bouma 2009, "Normalized (Pointwise) Mutual Information in Collocation Extraction":
    ln(p(ab) / (p(a) p(b))) / -ln p(ab), with p = count / total. As a pair is never seen more often than either of
    its words, it lies between -1 and 1.
    """
    n, a, b = (np.asarray(values, dtype=np.float64) for values in (together, first, second))
    if settings.scoring == "npmi":
        scores = np.log(n * total / (a * b)) / np.log(total / n)
    else:
        scores = (n - settings.min_count) * total / (a * b)
    found: NDArray[Any] = np.where(n >= settings.min_count, scores, -np.inf)
    return found
