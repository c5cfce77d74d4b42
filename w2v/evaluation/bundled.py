"""The question and similarity sets that ship with the package."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from w2v.evaluation.pairs import SimilarityPairs
from w2v.evaluation.questions import AnalogyQuestions
from w2v.vocabulary import Vocabulary

__all__ = ["BundledSet", "bundled", "bundled_set", "file_or_bundled", "fitting"]

_LEAST_SHARE = 0.2
_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, kw_only=True)
class BundledSet:
    """An evaluation set that ships with the package.

    Attributes
    ----------
    name : str
    task : str
        ``"analogies"`` or ``"similarity"``.
    language : str
        ISO 639-1 code.
    licence, source : str
        Licence (SPDX) and repository of origin.
    description : str
    kinds : dict
        Kind of the sections whose names do not show it.
    """

    name: str
    task: str
    language: str
    licence: str
    source: str
    description: str
    kinds: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The file."""
        return _DATA / f"{self.name}.txt"

    def load(self) -> AnalogyQuestions | SimilarityPairs:
        """Read the file."""
        if self.task == "similarity":
            return SimilarityPairs.read(self.path)
        return AnalogyQuestions.read(self.path, kinds=self.kinds)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        names = ("name", "task", "language", "licence", "source", "description")
        return {name: getattr(self, name) for name in names}


_SETS = (
    BundledSet(
        name="questions-words",
        task="analogies",
        language="en",
        licence="Apache-2.0",
        source="https://github.com/tmikolov/word2vec",
        description="Google analogies (Mikolov et al. 2013): 19,544 questions in 14 sections",
    ),
    BundledSet(
        name="CA8-morphological",
        task="analogies",
        language="zh",
        licence="Apache-2.0",
        source="https://github.com/Embedding/Chinese-Word-Vectors",
        description="CA8 (Li et al. 2018), morphological: reduplication, prefixes and suffixes; simplified characters",
        kinds=dict.fromkeys(("A", "prefix", "AB", "suffix"), "syntactic"),
    ),
    BundledSet(
        name="CA8-semantic",
        task="analogies",
        language="zh",
        licence="Apache-2.0",
        source="https://github.com/Embedding/Chinese-Word-Vectors",
        description="CA8 (Li et al. 2018), semantic: geography, nature, history, people; simplified characters",
        kinds=dict.fromkeys(("geography", "nature", "history", "people"), "semantic"),
    ),
    BundledSet(
        name="cwe-analogy",
        task="analogies",
        language="zh",
        licence="Apache-2.0",
        source="https://github.com/Leonard-Xu/CWE",
        description="Chinese analogies (Chen et al. 2015): capitals, cities in provinces, family",
    ),
    BundledSet(
        name="wordsim-240",
        task="similarity",
        language="zh",
        licence="Apache-2.0",
        source="https://github.com/Leonard-Xu/CWE",
        description="Chinese word relatedness (Chen et al. 2015), scores from 0 to 10",
    ),
)


def bundled(*, language: str | None = None, task: str | None = None) -> tuple[BundledSet, ...]:
    """Return the bundled sets, all or those of a language (``"en"``, ``"zh"``) and task.

    There is no English similarity set: none was found whose licence is stated and allows redistribution. WordSim-353,
    MEN and SimLex-999 are easily had elsewhere; `evaluate_similarity` takes their files by path.
    """
    return tuple(s for s in _SETS if language in (None, s.language) and task in (None, s.task))


def fitting(vocabulary: Vocabulary) -> tuple[BundledSet, ...]:
    """Return the bundled sets in the language of a vocabulary.

    A language fits if the vocabulary knows words of its sets, and not less than a fifth of the share that it knows of
    another language's sets: the Chinese model that has met *Japan* is not asked English questions.
    """
    known: dict[str, float] = {}
    folded = {str(word).lower() for word in vocabulary.words}
    for s in _SETS:
        words = _words_of(s.load())
        share = len(words & folded) / len(words)
        known[s.language] = max(share, known.get(s.language, 0.0))
    best = max(known.values())
    return tuple(s for s in _SETS if known[s.language] > 0 and known[s.language] >= _LEAST_SHARE * best)


def _words_of(loaded: AnalogyQuestions | SimilarityPairs) -> set[str]:
    if isinstance(loaded, SimilarityPairs):
        return {word.lower() for pair in loaded.pairs for word in (pair.first, pair.second)}
    return {word.lower() for section in loaded.sections for q in section.questions for word in q.words}


def bundled_set(name: str) -> BundledSet:
    """Return the bundled set of that name; raises KeyError with the names there are."""
    for candidate in _SETS:
        if candidate.name == name:
            return candidate
    raise KeyError(f"no bundled set {name!r}; there are {', '.join(s.name for s in _SETS)}")


def file_or_bundled(name: str, task: str) -> AnalogyQuestions | SimilarityPairs | str:
    """Return the bundled set of that name and task, loaded, unless a file has the name; else the path as it stands."""
    if not Path(name).exists():
        for candidate in bundled(task=task):
            if candidate.name == name:
                return candidate.load()
    return name
