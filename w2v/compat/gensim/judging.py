"""Evaluation of KeyedVectors by the names and in the result layout of gensim, counted by `w2v.evaluation`."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from w2v.compat.gensim.similarity import Queries
from w2v.errors import FormatError, SettingsError
from w2v.evaluation import (
    AnalogyQuestions,
    AnalogyReport,
    SimilarityPairs,
    WordPair,
    evaluate_analogies,
    evaluate_similarity,
)

__all__ = ["Correlation", "Evaluations"]

_METHODS = {"most_similar": "3cosadd", "most_similar_cosmul": "3cosmul"}
_FOUND_BY_ITSELF = ("\t", ";", ",", " ")

logger = logging.getLogger(__name__)


class Correlation(NamedTuple):
    """A correlation coefficient and its two-sided p-value; NaN where there is none."""

    statistic: float
    pvalue: float


class Evaluations(Queries):
    """Vectors that can be judged by analogies and by human scores of word pairs."""

    def evaluate_word_analogies(
        self,
        analogies: Any,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
        similarity_function: str = "most_similar",
    ) -> tuple[float, list[dict[str, Any]]]:
        """Answer analogy questions and count the right answers; the vectors are only read.

        Parameters
        ----------
        analogies : str, path or text file
            Lines of four words, in sections that start with ``: name``.
        restrict_vocab : int or None
            Only the first so many keys are asked about and answered with.
        case_insensitive : bool
            Compare words by their lower case; the most frequent spelling lends its vector, and no spelling of the
            words asked about is an answer.
        dummy4unknown : bool
            Count questions with unknown words as answered wrongly; else they are left out.
        similarity_function : {"most_similar", "most_similar_cosmul"}

        Returns
        -------
        accuracy : float
            NaN when no question could be answered.
        sections : list of dict
            ``"section"``, ``"correct"`` and ``"incorrect"`` (tuples of four words as they stand in the file); the
            last one holds all questions.
        """
        if similarity_function not in _METHODS:
            raise SettingsError(
                f"similarity_function must be one of {', '.join(_METHODS)}; got {similarity_function!r}"
            )
        with _as_path(analogies) as path:
            questions = AnalogyQuestions.read(path)
        report = evaluate_analogies(
            self.embedding,
            questions,
            method=_METHODS[similarity_function],
            restrict_vocab=restrict_vocab or None,
            case="lower" if case_insensitive else "none",
            baselines=False,
            resamples=0,
        )
        sections = _sections(questions, report, dummy4unknown)
        correct, incorrect = len(sections[-1]["correct"]), len(sections[-1]["incorrect"])
        logger.info("analogies: %s", report.total)
        return (correct / (correct + incorrect) if correct + incorrect else math.nan), sections

    @staticmethod
    def log_accuracy(section: dict[str, Any]) -> float | None:
        """Log and return the accuracy of one section of `evaluate_word_analogies`; None when nothing was answered."""
        correct, incorrect = len(section["correct"]), len(section["incorrect"])
        if not correct + incorrect:
            return None
        accuracy = correct / (correct + incorrect)
        logger.info("%s: %.1f%% (%d of %d)", section["section"], 100 * accuracy, correct, correct + incorrect)
        return accuracy

    def evaluate_word_pairs(
        self,
        pairs: Any,
        delimiter: str = "\t",
        encoding: str = "utf8",
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> tuple[Correlation, Correlation, float]:
        """Correlate the cosines of word pairs with human scores; the vectors are only read.

        Parameters
        ----------
        pairs : str, path or text file
            Lines of two words and a score; lines that start with ``#`` are skipped, and a header.
        delimiter : str
            Tabs, semicolons, commas and blanks are found by themselves; name another one.
        encoding : str
            Of the file.
        restrict_vocab : int or None
            Only the first so many keys are known.
        case_insensitive : bool
            Compare words by their lower case; the most frequent spelling lends its vector.
        dummy4unknown : bool
            Give pairs with unknown words the similarity 0; else they are left out.

        Returns
        -------
        pearson, spearman : (statistic, pvalue)
        oov : float
            Percentage of the pairs with an unknown word.
        """
        with _as_path(pairs, encoding) as path:
            read = SimilarityPairs.read(path) if delimiter in _FOUND_BY_ITSELF else _read_pairs(path, delimiter)
        report = evaluate_similarity(
            self.embedding,
            read,
            restrict_vocab=restrict_vocab or None,
            case="lower" if case_insensitive else "none",
            oov="zero" if dummy4unknown else "skip",
            resamples=0,
        )
        pearson = Correlation(_number(report.pearson), _number(report.pearson_p))
        spearman = Correlation(_number(report.spearman), _number(report.spearman_p))
        oov = 100.0 * (report.total - report.covered) / report.total
        self.log_evaluate_word_pairs(pearson, spearman, oov, pairs)
        return pearson, spearman, oov

    @staticmethod
    def log_evaluate_word_pairs(pearson: Any, spearman: Any, oov: float, pairs: Any) -> None:
        """Log what `evaluate_word_pairs` returns."""
        logger.info("%s: Pearson %.4f, Spearman %.4f, unknown %.1f%%", pairs, pearson[0], spearman[0], oov)


def _sections(questions: AnalogyQuestions, report: AnalogyReport, dummy: bool) -> list[dict[str, Any]]:
    """Return the answers in gensim's layout: lists of right and wrong questions by section, and all of them."""
    outcome = {id(answer.question): answer.correct for answer in report.answers}
    sections: list[dict[str, Any]] = []
    total: dict[str, Any] = {"section": "Total accuracy", "correct": [], "incorrect": []}
    for section in questions.sections:
        part: dict[str, Any] = {"section": section.name, "correct": [], "incorrect": []}
        for question in section.questions:
            correct = outcome.get(id(question), False if dummy else None)
            if correct is not None:
                part["correct" if correct else "incorrect"].append(question.words)
        sections.append(part)
        total["correct"] += part["correct"]
        total["incorrect"] += part["incorrect"]
    return [*sections, total]


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _read_pairs(path: Path, delimiter: str) -> SimilarityPairs:
    pairs = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split(delimiter)]
        try:
            pairs.append(WordPair(fields[0], fields[1], float(fields[-1]), number))
        except (ValueError, IndexError):
            if number > 1:
                raise FormatError(f"{path}:{number}: expected two words and a score; got {fields!r}") from None
    if not pairs:
        raise FormatError(f"{path}: no line of two words and a score, separated by {delimiter!r}")
    return SimilarityPairs(path.stem, tuple(pairs), str(path))


@contextlib.contextmanager
def _as_path(source: Any, encoding: str = "utf8") -> Iterator[Path]:
    """Yield the path of a file, or of a temporary copy in UTF-8 of a file object or of a file in another encoding."""
    named = isinstance(source, (str, os.PathLike))
    utf8 = encoding.lower().replace("-", "").replace("_", "") in ("utf8", "ascii", "utf8sig")
    if named and utf8:
        yield Path(source)
        return
    content = Path(source).read_bytes() if named else source.read()
    if isinstance(content, bytes) and not utf8:
        content = content.decode(encoding)
    with tempfile.TemporaryDirectory(prefix="w2v-") as folder:
        copy = Path(folder, "questions")
        copy.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        yield copy
