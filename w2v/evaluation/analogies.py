"""Analogy questions answered by an embedding: all of them as matrix products, a block of questions at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import one_of
from w2v.evaluation import lrcos
from w2v.evaluation.analogy_report import AnalogyReport, AnalogyTally, Answer, SectionReport
from w2v.evaluation.candidates import Candidates, HasVectors
from w2v.evaluation.intervals import checked_resamples, share_interval
from w2v.evaluation.questions import AnalogyQuestions, Question
from w2v.evaluation.ranking import best_candidates, ranks_of, rounding_distance
from w2v.evaluation.scoring import FORMULAS, ONLY_B, ONLY_C, FormulaScorer, Method, Scorer

__all__ = ["METHODS", "evaluate_analogies"]

METHODS = (*FORMULAS, lrcos.NAME)


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
    method : {"3cosadd", "3cosmul", "pairdirection", "lrcos"}
        How candidates are scored. LRCos alone learns, from the other pairs of the section: an answer that is right
        for looking like the other answers is no analogy of a, b and c.
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
        Of the bootstrap, and of the random words of LRCos.

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
    answered wrongly. A question with several right answers is answerable if one of them is known, and right with any.
    There ``case_insensitive=True`` compares by `str.upper`.
    """
    one_of("method", method, METHODS)
    resamples = checked_resamples(resamples)
    candidates = Candidates(embedding, restrict_vocab=restrict_vocab, case=case)
    if not isinstance(questions, AnalogyQuestions):
        questions = AnalogyQuestions.read(questions)
    asked = _Asked(questions, candidates)
    predicted, ranks, correct = _answer(candidates, asked, _scorer(method, candidates, asked, seed))
    by_baseline = {
        m.name: _answer(candidates, asked, _by_formula(m, candidates, asked), ranked=False)[2]
        for m in (ONLY_B, ONLY_C)
        if baselines
    }
    chance = _chance(candidates, asked)

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
        method=method,
        formula=FORMULAS[method].formula if method in FORMULAS else lrcos.FORMULA,
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
    """The answerable questions as arrays.

    Attributes
    ----------
    groups : (Q, 4) int64
        Their words as spelling groups; of several right answers the first that is known.
    owners, answers : (A,) int64
        Question by question, all groups that are right answers.
    section, first_pair : (Q,) int64
    """

    def __init__(self, questions: AnalogyQuestions, candidates: Candidates) -> None:
        every = [question for section in questions.sections for question in section.questions]
        sections = np.repeat(np.arange(len(questions.sections)), [len(s) for s in questions.sections])
        listed = [(q.a, q.b, q.c, *q.answers) for q in every]
        known = dict.fromkeys(word for words in listed for word in words)
        number = dict(zip(known, candidates.lookup(known).tolist(), strict=True))
        found = [[number[word] for word in words] for words in listed]
        right = [list(dict.fromkeys(group for group in row[3:] if group >= 0)) for row in found]
        answerable = [min(row[:3]) >= 0 and bool(answers) for row, answers in zip(found, right, strict=True)]
        chosen = np.flatnonzero(answerable)
        self.groups: NDArray[np.int64] = np.array(
            [[*found[i][:3], right[i][0]] for i in chosen], dtype=np.int64
        ).reshape(-1, 4)
        self.owners: NDArray[np.int64] = np.repeat(np.arange(len(chosen)), [len(right[i]) for i in chosen])
        self.answers: NDArray[np.int64] = np.array([group for i in chosen for group in right[i]], dtype=np.int64)
        self.section: NDArray[np.int64] = sections[chosen]
        self.questions: list[Question] = [every[i] for i in chosen]
        keys = np.column_stack([self.section, self.groups[:, :2]])
        self.first_pair: NDArray[np.int64] = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
        self.missing_words = tuple(sorted(word for word, group in number.items() if group < 0))

    def __len__(self) -> int:
        return len(self.groups)


def _scorer(method: str, candidates: Candidates, asked: _Asked, seed: int) -> Scorer:
    if method in FORMULAS:
        return _by_formula(FORMULAS[method], candidates, asked)
    usable = np.flatnonzero(candidates.group >= 0)
    return lrcos.ClassScorer(candidates.unit, asked.section, candidates.first[asked.groups], usable, seed)


def _by_formula(method: Method, candidates: Candidates, asked: _Asked) -> Scorer:
    a, b, c = candidates.first[asked.groups[:, :3]].T
    return FormulaScorer(method, candidates.unit, a, b, c)


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
    candidates: Candidates, asked: _Asked, scorer: Scorer, *, ranked: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the predicted candidate (-1: none), the rank of the best right answer (0: none) and whether it is one."""
    predicted = np.full(len(asked), -1, dtype=np.int64)
    ranks = np.zeros(len(asked), dtype=np.int64)
    rows = max(1, scorer.cells // max(1, len(candidates)))
    for start in range(0, len(asked), rows):
        block = slice(start, min(start + rows, len(asked)))
        predicted[block], ranks[block] = _answer_block(candidates, asked, block, scorer, ranked)
    correct = np.zeros(len(asked), dtype=bool)
    given = np.where(predicted >= 0, candidates.group[predicted], -1)
    correct[asked.owners[given[asked.owners] == asked.answers]] = True
    return predicted, ranks, correct


def _answer_block(
    candidates: Candidates, asked: _Asked, block: slice, scorer: Scorer, ranked: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    distance = rounding_distance(candidates.unit.shape[1])

    def exact(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        return scorer.exact(rows + block.start, columns)

    scores = scorer.scores(block)
    scores[:, candidates.unusable] = -np.inf
    for inputs in asked.groups[block, :3].T:
        scores[candidates.members(inputs)] = -np.inf
    predicted = best_candidates(scores, exact, distance)
    if not ranked:
        return predicted, np.zeros_like(predicted)
    return predicted, ranks_of(scores, _best_answers(candidates, asked, block, scores), exact, distance)


def _best_answers(
    candidates: Candidates, asked: _Asked, block: slice, scores: NDArray[np.float32]
) -> NDArray[np.int64]:
    """Return for each row the right answer, in whatever spelling, with the highest score, the first among equals."""
    within = slice(*np.searchsorted(asked.owners, [block.start, block.stop]))
    which, ids = candidates.members(asked.answers[within])
    rows = asked.owners[within][which] - block.start
    order = np.lexsort((ids, -scores[rows, ids], rows))
    best: NDArray[np.int64] = ids[order][np.searchsorted(rows[order], np.arange(block.stop - block.start))]
    return best


def _chance(candidates: Candidates, asked: _Asked) -> NDArray[np.float64]:
    """Return for each question the chance that a random candidate is right."""
    groups = asked.groups
    inputs = np.sort(groups[:, :3], axis=1)
    again = np.column_stack([np.zeros(len(inputs), dtype=bool), inputs[:, 1:] == inputs[:, :-1]])
    excluded = np.where(again, 0, candidates.sizes[inputs]).sum(axis=1)
    left = np.count_nonzero(candidates.group >= 0) - excluded
    possible = ~(groups[asked.owners, :3] == asked.answers[:, None]).any(axis=1)
    right = np.bincount(asked.owners, weights=candidates.sizes[asked.answers] * possible, minlength=len(groups))
    chance: NDArray[np.float64] = np.divide(right, left, out=np.zeros(len(groups)), where=left > 0)
    return chance
