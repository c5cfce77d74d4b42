"""A file of analogy questions explained: what is right, by which means, and how the offsets lie, by section."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from w2v.embedding import Embedding
    from w2v.evaluation import AnalogyReport, AnalogyTally
    from w2v.pmi import PairCounts

__all__ = ["explain_questions"]

_RESTRICTED = 30_000
_Counted = Callable[[int], "PairCounts | None"]


def explain_questions(
    embedding: Embedding, questions: str, *, restrict_vocab: int | None, counted: _Counted | None
) -> dict[str, Any]:
    """Explain the questions of a file or bundled set.

    Parameters
    ----------
    embedding : Embedding
    questions : str
        A path, or the name of a bundled set.
    restrict_vocab : int or None
        30,000 unless given, as in `w2v evaluate`.
    counted : callable or None
        Returns the pair counts of so many first words, or None.

    Returns
    -------
    dict
        name, restrict_vocab, cspmi_counted, and plain rows "sections" and "all".
    """
    from w2v.evaluation import evaluate_analogies, file_or_bundled
    from w2v.evaluation.candidates import Candidates
    from w2v.geometry import offset_statistics

    restrict = restrict_vocab or _RESTRICTED
    asked: Any = file_or_bundled(questions, "analogies")
    report = evaluate_analogies(embedding, asked, restrict_vocab=restrict, resamples=0)
    candidates = Candidates(embedding, restrict_vocab=restrict, case=report.case)
    counts = None if counted is None else counted(min(restrict, len(embedding)))
    section, ranks, quads = _arrays(report, candidates)
    rows = []
    for number, tally in enumerate(report.sections):
        inside = section == number
        offsets = offset_statistics(candidates.unit, quads[inside])
        rows.append(_row(tally.name, tally, ranks[inside], offsets, _association_gap(counts, quads[inside])))
    whole = offset_statistics(candidates.unit, quads)
    # shuffled over all sections, words of different kinds would be exchanged: the mean of the sections is what is meant
    shuffled = _weighted((row["cosine_of_shuffled_offsets"], row["explained"]) for row in rows)
    whole = dataclasses.replace(whole, cosine_of_shuffled_offsets=shuffled)
    every = _row(None, report.total, ranks, whole, _association_gap(counts, quads))
    return {
        "name": report.name,
        "restrict_vocab": restrict,
        "cspmi_counted": counts is not None,
        "sections": rows,
        "all": every,
    }


def _arrays(report: AnalogyReport, candidates: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return section (q,), rank (q,) and rows a b c d (q, 4) of the questions that have an answer besides a, b, c."""
    numbers = {tally.name: number for number, tally in enumerate(report.sections)}
    answers = [answer for answer in report.answers if answer.rank is not None]
    section = np.array([numbers[answer.section] for answer in answers], dtype=np.int64)
    ranks = np.array([answer.rank for answer in answers], dtype=np.int64)
    words = [word for answer in answers for word in answer.question.words]
    quads = candidates.first[candidates.lookup(words)].reshape(-1, 4)
    return section, ranks, quads


def _row(
    name: str | None, tally: AnalogyTally, ranks: NDArray[np.int64], offsets: Any, association_gap: float | None
) -> dict[str, Any]:
    described = dataclasses.asdict(offsets)
    return {
        "section": name,
        "asked": tally.total,
        "answerable": tally.answerable,
        "accuracy": tally.accuracy,
        "nearest_to_b": tally.baselines["only_b"],
        "nearest_to_c": tally.baselines["only_c"],
        "median_rank": float(np.median(ranks)) if len(ranks) else None,
        "explained": described.pop("questions"),
        **described,
        "cspmi_gap": association_gap,
    }


def _association_gap(counts: PairCounts | None, quads: NDArray[np.int64]) -> float | None:
    """Return the mean of |csPMI(a, b) - csPMI(c, d)| over the questions whose pairs both met; None without any."""
    if counts is None or not len(quads):
        return None
    from w2v.pmi import cs_pmi

    pairs, inverse = np.unique(np.concatenate([quads[:, :2], quads[:, 2:]]), axis=0, return_inverse=True)
    first, second = cs_pmi(counts, [(int(x), int(y)) for x, y in pairs])[inverse.reshape(-1)].reshape(2, -1)
    gaps = np.abs(first - second)
    return float(np.nanmean(gaps)) if bool(np.isfinite(gaps).any()) else None


def _weighted(values: Iterator[tuple[float | None, int]]) -> float | None:
    kept = [(value, weight) for value, weight in values if value is not None and weight]
    total = sum(weight for _, weight in kept)
    return sum(value * weight for value, weight in kept) / total if total else None
