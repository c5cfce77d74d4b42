"""The result of an analogy evaluation: what was asked, answered, answerable, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from w2v.evaluation.intervals import Interval
from w2v.evaluation.questions import Question

__all__ = ["AnalogyReport", "AnalogyTally", "Answer", "SectionReport"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to one answerable question.

    Attributes
    ----------
    section : str
    question : Question
    predicted : str or None
        The best candidate; None when the question leaves no candidate.
    correct : bool
    rank : int or None
        Rank of the right answer among the candidates, 1 for the best. None where the right answer is (a spelling of)
        one of the three words asked about, which are never candidates.
    """

    section: str
    question: Question
    predicted: str | None
    correct: bool
    rank: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        a, b, c, d = self.question.words
        return {
            "section": self.section,
            "line": self.question.line,
            "a": a,
            "b": b,
            "c": c,
            "right": d,
            "predicted": self.predicted,
            "rank": self.rank,
        }


@dataclass(frozen=True, kw_only=True)
class AnalogyTally:
    """Counts of questions: asked, answerable, answered rightly; and by the baselines, where they were asked for.

    Attributes
    ----------
    total, answerable, correct : int
        Questions; those whose four words are all known; those of them answered rightly.
    only_b, only_c : int or None
        Answered rightly by the word nearest to b alone, and to c alone.
    random : float
        Right answers to expect from a random candidate.
    interval : (float, float) or None
        95% bootstrap interval of the accuracy, drawn by first pairs (a, b); None with fewer than two of them.
    """

    total: int
    answerable: int
    correct: int
    only_b: int | None = None
    only_c: int | None = None
    random: float = 0.0
    interval: Interval | None = None

    @property
    def accuracy(self) -> float | None:
        """Share of right answers among the answerable questions; None when there is none, which is not 0."""
        return self.correct / self.answerable if self.answerable else None

    @property
    def accuracy_over_all(self) -> float | None:
        """Share of right answers among all questions: an unknown word counts as a wrong answer."""
        return self.correct / self.total if self.total else None

    @property
    def coverage(self) -> float | None:
        """Share of the questions that are answerable."""
        return self.answerable / self.total if self.total else None

    @property
    def baselines(self) -> dict[str, float | None]:
        """Accuracy of the baselines on the same questions."""
        counts = {"only_b": self.only_b, "only_c": self.only_c, "random": self.random}
        return {
            name: count / self.answerable if count is not None and self.answerable else None
            for name, count in counts.items()
        }

    def __str__(self) -> str:
        if not self.answerable:
            return f"0 of {self.total} answerable, n/a"
        return f"{self.correct} of {self.answerable} ({self.correct / self.answerable:.1%}), {self.total} asked"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "correct": self.correct,
            "answerable": self.answerable,
            "total": self.total,
            "accuracy": self.accuracy,
            "interval": list(self.interval) if self.interval else None,
            "coverage": self.coverage,
            "accuracy_over_all": self.accuracy_over_all,
            "baselines": self.baselines,
        }


@dataclass(frozen=True, kw_only=True)
class SectionReport(AnalogyTally):
    """The counts of one section, with its name and kind (``"semantic"``, ``"syntactic"`` or None)."""

    name: str
    kind: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"name": self.name, "kind": self.kind, **AnalogyTally.to_dict(self)}


@dataclass(frozen=True, kw_only=True)
class AnalogyReport:
    """How an embedding answers a set of analogy questions.

    Attributes
    ----------
    name, path : str, str or None
        Of the question set.
    method, formula : str
        How candidates were scored.
    case : str
        Case policy: ``"none"``, ``"lower"`` or ``"casefold"``.
    restrict_vocab : int or None
        The restriction asked for.
    candidates : int
        Words that could be asked about and answered with.
    total, semantic, syntactic : AnalogyTally
        Over all sections, and over the sections of a kind.
    sections : tuple of SectionReport
    answers : tuple of Answer
        One per answerable question, in the order of the file.
    missing_words : tuple of str
        Words of the questions that are not among the candidates, sorted.
    """

    name: str
    path: str | None
    method: str
    formula: str
    case: str
    restrict_vocab: int | None
    candidates: int
    total: AnalogyTally
    semantic: AnalogyTally
    syntactic: AnalogyTally
    sections: tuple[SectionReport, ...]
    answers: tuple[Answer, ...]
    missing_words: tuple[str, ...]

    @property
    def accuracy(self) -> float | None:
        """Share of right answers among the answerable questions of all sections."""
        return self.total.accuracy

    @property
    def coverage(self) -> float | None:
        """Share of the questions that are answerable."""
        return self.total.coverage

    @property
    def misses(self) -> tuple[Answer, ...]:
        """The wrong answers, each with the rank of the right one."""
        return tuple(answer for answer in self.answers if not answer.correct)

    def section(self, name: str) -> SectionReport:
        """Return the section of that name; raises KeyError with the names there are."""
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(f"no section {name!r}; there are {', '.join(s.name for s in self.sections)}")

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; the single answers are left out (see `misses` and `Answer.to_dict`)."""
        return {
            "name": self.name,
            "path": self.path,
            "method": self.method,
            "formula": self.formula,
            "case": self.case,
            "restrict_vocab": self.restrict_vocab,
            "candidates": self.candidates,
            "total": self.total.to_dict(),
            "semantic": self.semantic.to_dict(),
            "syntactic": self.syntactic.to_dict(),
            "sections": [section.to_dict() for section in self.sections],
            "missing_words": len(self.missing_words),
        }
