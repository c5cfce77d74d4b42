"""Odd-one-out sets: lists of words of which one does not belong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from w2v.errors import FormatError
from w2v.evaluation.candidates import Candidates, HasVectors
from w2v.evaluation.intervals import Interval, checked_resamples, share_interval
from w2v.evaluation.lines import numbered_lines

__all__ = ["OddOneOutReport", "OddOneOutSets", "evaluate_odd_one_out"]


@dataclass(frozen=True)
class OddOneOutSets:
    """Lists of words, the last of each the one that does not belong.

    Attributes
    ----------
    name : str
    lists : tuple of tuples of str
    path : str or None
        The file they were read from.
    """

    name: str
    lists: tuple[tuple[str, ...], ...]
    path: str | None = None

    def __len__(self) -> int:
        return len(self.lists)

    @classmethod
    def read(cls, path: str | Path) -> OddOneOutSets:
        """Read a file: three words or more a line, separated by blanks, the odd one last.

        Blank lines and lines that start with ``#`` are skipped.

        Raises
        ------
        FileAccessError, FormatError
            The latter names file and line.
        """
        path = Path(path)
        lists = []
        for number, text in numbered_lines(path):
            words = tuple(text.split())
            if len(set(words)) < 3 or len(set(words)) < len(words):
                raise FormatError(
                    f"{path}:{number}: expected three different words or more, the odd one last; got {words!r}"
                )
            lists.append(words)
        if not lists:
            raise FormatError(f"{path}: no list in the file; each is a line of words, the odd one last")
        return cls(path.stem, tuple(lists), str(path))


@dataclass(frozen=True, kw_only=True)
class OddOneOutReport:
    """How often an embedding finds the odd one out.

    Attributes
    ----------
    name, path : str, str or None
        Of the set.
    correct, answerable, total : int
        Lists answered rightly, lists of which all words are known, and all lists.
    random : float
        Right answers to expect by chance.
    interval : (float, float) or None
        95% bootstrap interval of the accuracy.
    case : str
    restrict_vocab : int or None
    missing_words : tuple of str
        Words that are not known, sorted.
    """

    name: str
    path: str | None
    correct: int
    answerable: int
    total: int
    random: float
    interval: Interval | None
    case: str
    restrict_vocab: int | None
    missing_words: tuple[str, ...]

    @property
    def accuracy(self) -> float | None:
        """Share of right answers among the answerable lists; None when there is none."""
        return self.correct / self.answerable if self.answerable else None

    def __str__(self) -> str:
        if not self.answerable:
            return f"0 of {self.total} answerable, n/a"
        return f"{self.correct} of {self.answerable} ({self.correct / self.answerable:.1%}), {self.total} asked"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**asdict(self), "accuracy": self.accuracy, "missing_words": len(self.missing_words)}


def evaluate_odd_one_out(
    embedding: HasVectors,
    sets: OddOneOutSets | str | Path,
    *,
    restrict_vocab: int | None = None,
    case: str = "lower",
    resamples: int = 1000,
    seed: int = 1,
) -> OddOneOutReport:
    """Ask for the word with the lowest cosine to the mean of all unit vectors of its list.

    Parameters
    ----------
    embedding : HasVectors
        An `Embedding`, or anything with its `vocabulary`, `W` and `unit_vectors`. It is only read.
    sets : OddOneOutSets, str or Path
        The lists, or the file that holds them (see `OddOneOutSets.read`).
    restrict_vocab, case, resamples, seed
        As for `evaluate_similarity`. A list with an unknown word is not answerable.

    Raises
    ------
    SettingsError, FileAccessError, FormatError
    """
    resamples = checked_resamples(resamples)
    candidates = Candidates(embedding, restrict_vocab=restrict_vocab, case=case)
    if not isinstance(sets, OddOneOutSets):
        sets = OddOneOutSets.read(sets)
    right, chance = [], 0.0
    missing: set[str] = set()
    for words in sets.lists:
        groups = candidates.lookup(words)
        missing.update(word for word, group in zip(words, groups.tolist(), strict=True) if group < 0)
        if (groups < 0).any():
            continue
        units = candidates.unit[candidates.first[groups]].astype(np.float64)
        fits = np.einsum("ij,j->i", units, units.mean(axis=0))
        # equal to another word is not found: no direction tells them apart
        right.append(bool(fits[-1] < fits[:-1].min()))
        chance += 1 / len(words)
    hits = np.array(right, dtype=bool)
    return OddOneOutReport(
        name=sets.name,
        path=sets.path,
        correct=int(np.count_nonzero(hits)),
        answerable=len(hits),
        total=len(sets),
        random=chance,
        interval=share_interval(hits, np.arange(len(hits)), resamples=resamples, seed=seed),
        case=case,
        restrict_vocab=restrict_vocab,
        missing_words=tuple(sorted(missing)),
    )
