"""How many words of a dictionary are translated rightly: precision at 1, 5 and 10, with coverage and by frequency."""

from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import AlignmentError
from w2v.geometry.dictionaries import BilingualDictionary
from w2v.geometry.translation import RETRIEVALS, Translator
from w2v.plurals import counted

__all__ = ["BANDS", "DEPTHS", "BandPrecision", "TranslationReport", "evaluate_translation"]

DEPTHS = (1, 5, 10)
BANDS = (1_000, 5_000, 20_000, 50_000)
"""Bands of frequency end at these ranks of the source word."""


@dataclass(frozen=True, kw_only=True)
class BandPrecision:
    """Precision for source words of ranks `first` to `last`, the most frequent word having rank 1.

    Attributes
    ----------
    asked : int
        Source words of the dictionary with these ranks and at least one known translation.
    precision : dict
        For each way of retrieval ("csls", "cosine") the shares of words with a right answer among the best 1, 5, 10.
    """

    first: int
    last: int
    asked: int
    precision: dict[str, tuple[float, ...]]


@dataclass(frozen=True, kw_only=True)
class TranslationReport:
    """How well words are translated.

    Attributes
    ----------
    name : str
        Of the dictionary.
    covered, total : int
        Source words that could be asked (the source knows them, the target knows a translation), and all of them.
    candidates : int
        Target words among which the answers are.
    chance : float
        Precision at 1 of a random answer.
    all : BandPrecision
        Over all covered words.
    bands : tuple of BandPrecision
        By frequency of the source word; empty bands are left out.
    """

    name: str
    covered: int
    total: int
    candidates: int
    chance: float
    all: BandPrecision
    bands: tuple[BandPrecision, ...]

    @property
    def coverage(self) -> float:
        """Share of the dictionary's source words that could be asked."""
        return self.covered / self.total

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**asdict(self), "depths": DEPTHS, "coverage": self.coverage}


def evaluate_translation(
    translator: Translator, dictionary: BilingualDictionary, *, case: str = "lower"
) -> TranslationReport:
    """Translate the source words of a dictionary and count how often a right answer is among the best 1, 5 and 10.

    A word with several translations is answered rightly by any of them.

    Raises
    ------
    AlignmentError
        When no word can be asked.
    """
    source, target = translator.source.vocabulary, translator.target.vocabulary
    pairs = dictionary.lookup(source, target, case=case)
    reachable = pairs.target < translator.candidates
    rows, columns = pairs.source[reachable], pairs.target[reachable]
    asked, which = np.unique(rows, return_inverse=True)
    if not len(asked):
        raise AlignmentError(
            f"of {counted(len(dictionary.sources), 'word')} of {dictionary.name}, none can be asked: the source "
            "knows none of them together with a translation among the target's candidates"
        )
    size = translator.candidates
    gold = np.sort(which * size + columns)
    hits = {}
    for retrieval in RETRIEVALS:
        best, _ = translator.rank(asked, topn=max(DEPTHS), retrieval=retrieval)
        hits[retrieval] = np.isin(np.arange(len(asked))[:, None] * size + best, gold)
    ends = [0, *(end for end in BANDS if end < len(source)), len(source)]
    bands = [_band(hits, asked, first, last) for first, last in itertools.pairwise(ends)]
    return TranslationReport(
        name=dictionary.name,
        covered=len(asked),
        total=len({word.lower() if case == "lower" else word for word in dictionary.sources}),
        candidates=size,
        chance=len(columns) / len(asked) / size,
        all=_band(hits, asked, 0, len(source)),
        bands=tuple(band for band in bands if band.asked),
    )


def _band(hits: dict[str, NDArray[np.bool_]], asked: NDArray[np.int64], first: int, last: int) -> BandPrecision:
    here = (asked >= first) & (asked < last)
    precision = {
        retrieval: tuple(float(found[here, :depth].any(axis=1).mean()) for depth in DEPTHS) if here.any() else ()
        for retrieval, found in hits.items()
    }
    return BandPrecision(first=first + 1, last=last, asked=int(np.count_nonzero(here)), precision=precision)
