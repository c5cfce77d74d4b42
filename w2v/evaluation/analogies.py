"""Analogy questions answered by an embedding: all of them as matrix products, a block of questions at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import SettingsError
from w2v.evaluation.analogy_report import AnalogyReport, AnalogyTally, Answer, SectionReport
from w2v.evaluation.candidates import Candidates, HasVectors
from w2v.evaluation.intervals import checked_resamples, share_interval
from w2v.evaluation.questions import AnalogyQuestions, Question
from w2v.evaluation.ranking import best_candidates, ranks_of, rounding_distance
from w2v.evaluation.scoring import METHODS, ONLY_B, ONLY_C, Method

__all__ = ["evaluate_analogies"]

_CELLS = 4_000_000  # scores held at a time


def evaluate_analogies(
    embedding: HasVectors,
    questions: AnalogyQuestions | str | Path,
    *,
    method: str = "3cosadd",
    restrict_vocab: int | None = 30_000,
    case: str = "lower",
    baselines: bool = True,
    resamples: int = 1000,
    seed: int = 1,
) -> AnalogyReport:
    """Answer analogy questions a : b :: c : ? and count the right answers.

    Parameters
    ----------
    embedding : HasVectors
        An `Embedding`, or anything with its `vocabulary`, `W` and `unit_vectors`. It is only read.
    questions : AnalogyQuestions, str or Path
        The questions, or the file that holds them (see `AnalogyQuestions.read`).
    method : {"3cosadd", "3cosmul", "pairdirection"}
        How candidates are scored; formulas and sources are in `METHODS`.
    restrict_vocab : int or None
        Only the first so many words, the most frequent ones, are asked about and answered with; a question with any
        other word is not answerable. None means all.
    case : {"none", "lower", "casefold"}
        How spellings are compared. Under ``"lower"`` and ``"casefold"`` the most frequent spelling of a word lends its
        vector, none of the spellings of a, b and c is a candidate, and any spelling of d is right.
    baselines : bool
        Also answer with the neighbour of b alone and of c alone: what these get right, no analogy explains.
    resamples : int
        Bootstrap resamples for the intervals; 0 leaves them out.
    seed : int
        Of the bootstrap, the only random thing here.

    Returns
    -------
    AnalogyReport

    Raises
    ------
    SettingsError, FileAccessError, FormatError

    Notes
    -----
    Equal scores go to the more frequent word. The counting is that of gensim's ``evaluate_word_analogies`` with
    ``dummy4unknown=False``: a question whose right answer is one of its own three words is answerable, and is
    answered wrongly. There ``case_insensitive=True`` compares by `str.upper`.
    """
    if method not in METHODS:
        raise SettingsError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    resamples = checked_resamples(resamples)
    candidates = Candidates(embedding, restrict_vocab=restrict_vocab, case=case)
    if not isinstance(questions, AnalogyQuestions):
        questions = AnalogyQuestions.read(questions)
    asked = _Asked(questions, candidates)
    scorer = METHODS[method]
    predicted, ranks, correct = _answer(candidates, asked.groups, scorer)
    by_baseline = {m.name: _answer(candidates, asked.groups, m, ranked=False)[2] for m in (ONLY_B, ONLY_C) if baselines}
    chance = _chance(candidates, asked.groups)

    def tally(sections: list[int]) -> dict[str, Any]:
        within = np.isin(asked.section, sections)
        return {
            "total": sum(len(questions.sections[s]) for s in sections),
            "answerable": int(np.count_nonzero(within)),
            "correct": int(np.count_nonzero(correct[within])),
            "random": float(chance[within].sum()),
            "interval": share_interval(correct[within], asked.first_pair[within], resamples=resamples, seed=seed),
            **{name: int(np.count_nonzero(right[within])) for name, right in by_baseline.items()},
        }

    def tally_of(kind: str | None = None) -> AnalogyTally:
        return AnalogyTally(**tally([s for s, x in enumerate(questions.sections) if kind in (None, x.kind)]))

    return AnalogyReport(
        name=questions.name,
        path=questions.path,
        method=scorer.name,
        formula=scorer.formula,
        case=case,
        restrict_vocab=restrict_vocab,
        candidates=len(candidates),
        total=tally_of(),
        semantic=tally_of("semantic"),
        syntactic=tally_of("syntactic"),
        sections=tuple(
            SectionReport(name=section.name, kind=section.kind, **tally([s]))
            for s, section in enumerate(questions.sections)
        ),
        answers=_answers(questions, asked, candidates.words, predicted, ranks, correct),
        missing_words=asked.missing_words,
    )


class _Asked:
    """The answerable questions as arrays: their words as spelling groups (Q, 4), their sections, their first pairs."""

    def __init__(self, questions: AnalogyQuestions, candidates: Candidates) -> None:
        every = [question for section in questions.sections for question in section.questions]
        sections = np.repeat(np.arange(len(questions.sections)), [len(s) for s in questions.sections])
        words = [word for question in every for word in question.words]
        known = dict.fromkeys(words)
        number = dict(zip(known, candidates.lookup(known).tolist(), strict=True))
        groups = np.array([number[word] for word in words], dtype=np.int64).reshape(-1, 4)
        answerable = (groups >= 0).all(axis=1)
        self.groups: NDArray[np.int64] = groups[answerable]
        self.section: NDArray[np.int64] = sections[answerable]
        self.questions: list[Question] = [every[i] for i in np.flatnonzero(answerable)]
        keys = np.column_stack([self.section, self.groups[:, :2]])
        self.first_pair: NDArray[np.int64] = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
        self.missing_words = tuple(sorted(word for word, group in number.items() if group < 0))


def _answers(
    questions: AnalogyQuestions,
    asked: _Asked,
    words: list[str],
    predicted: NDArray[np.int64],
    ranks: NDArray[np.int64],
    correct: NDArray[np.bool_],
) -> tuple[Answer, ...]:
    names = [section.name for section in questions.sections]
    rows = zip(
        asked.section.tolist(), asked.questions, predicted.tolist(), correct.tolist(), ranks.tolist(), strict=True
    )
    return tuple(
        Answer(names[section], question, words[best] if best >= 0 else None, right, rank or None)
        for section, question, best, right, rank in rows
    )


def _answer(
    candidates: Candidates, groups: NDArray[np.int64], method: Method, *, ranked: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the predicted candidate (-1: none), the rank of the right answer (0: none) and whether it was given."""
    predicted = np.full(len(groups), -1, dtype=np.int64)
    ranks = np.zeros(len(groups), dtype=np.int64)
    rows = max(1, _CELLS // max(1, len(candidates)))
    for start in range(0, len(groups), rows):
        block = slice(start, start + rows)
        predicted[block], ranks[block] = _answer_block(candidates, groups[block], method, ranked)
    correct = (predicted >= 0) & (candidates.group[predicted] == groups[:, 3])
    return predicted, ranks, correct


def _answer_block(
    candidates: Candidates, groups: NDArray[np.int64], method: Method, ranked: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    unit = candidates.unit
    a, b, c = candidates.first[groups[:, :3]].T
    distance = rounding_distance(unit.shape[1])

    def exact(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        return method.exact(unit, a[rows], b[rows], c[rows], columns)

    scores = method.scores(unit, a, b, c)
    scores[:, candidates.unusable] = -np.inf
    for inputs in groups[:, :3].T:
        scores[candidates.members(inputs)] = -np.inf
    predicted = best_candidates(scores, exact, distance)
    if not ranked:
        return predicted, np.zeros_like(predicted)
    return predicted, ranks_of(scores, _best_spellings(candidates, groups[:, 3], scores), exact, distance)


def _best_spellings(
    candidates: Candidates, groups: NDArray[np.int64], scores: NDArray[np.float32]
) -> NDArray[np.int64]:
    """Return for each row the member of its group with the highest score, the first among equals."""
    rows, ids = candidates.members(groups)
    order = np.lexsort((ids, -scores[rows, ids], rows))
    return ids[order][np.searchsorted(rows[order], np.arange(len(groups)))]


def _chance(candidates: Candidates, groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each question the chance that a random candidate is right."""
    inputs = np.sort(groups[:, :3], axis=1)
    again = np.column_stack([np.zeros(len(inputs), dtype=bool), inputs[:, 1:] == inputs[:, :-1]])
    excluded = np.where(again, 0, candidates.sizes[inputs]).sum(axis=1)
    left = np.count_nonzero(candidates.group >= 0) - excluded
    right = np.where((groups[:, :3] == groups[:, 3:]).any(axis=1), 0, candidates.sizes[groups[:, 3]])
    chance: NDArray[np.float64] = np.divide(right, left, out=np.zeros(len(groups)), where=left > 0)
    return chance
