"""Why an analogy a : b :: c : d works, or not: offsets, gaps, ranks, and what is answered without the analogy."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import SettingsError
from w2v.geometry.blocks import SCORE_CELLS, score_slices

if TYPE_CHECKING:
    from w2v.embedding import Embedding, Neighbor

__all__ = ["AnalogyExplanation", "OffsetStatistics", "explain_analogy", "offset_statistics"]

_SHUFFLES = 10


@dataclasses.dataclass(frozen=True, kw_only=True)
class AnalogyExplanation:
    """What lies behind the answer to a : b :: c : ?, all on unit vectors.

    Attributes
    ----------
    a, b, c : word
    right : word or None
        The right answer, where one was named.
    answers : tuple of Neighbor
        The nearest to b - a + c, the three words left out.
    answer : word
        What is explained: the right answer, else the first one.
    rank : int
        Of `answer` among all words but a, b and c.
    cosine_to_target : float
        Of `answer` to b - a + c.
    gap : float
        Distance between the target b - a + c and the vector of `answer`: 0 for a perfect parallelogram.
    gap_to_b : float
        Distance between the target and b: what the offset moves at all, the length of c - a.
    cosine_of_offsets : float or None
        Of b - a and d - c, d being `answer`; 1 for a parallelogram. None where one of them is zero.
    cosine_of_crossed_offsets : float or None
        Of c - a and d - b, the other two sides.
    nearest_to_target : Neighbor
        Nearest to the target when nothing is left out; it is mostly b or c itself.
    nearest_to_b, nearest_to_c : Neighbor
        What is nearest to b alone and to c alone, the three words left out.
    rank_near_b, rank_near_c : int
        Of `answer` among the neighbours of b alone and of c alone.
    cosines : dict
        Of the pairs a-b, c-d, a-c, b-d, b-c, a-d.
    """

    a: str | int
    b: str | int
    c: str | int
    right: str | int | None
    answers: tuple[Neighbor, ...]
    answer: str | int
    rank: int
    cosine_to_target: float
    gap: float
    gap_to_b: float
    cosine_of_offsets: float | None
    cosine_of_crossed_offsets: float | None
    nearest_to_target: Neighbor
    nearest_to_b: Neighbor
    nearest_to_c: Neighbor
    rank_near_b: int
    rank_near_c: int
    cosines: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        plain = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        for name in ("nearest_to_target", "nearest_to_b", "nearest_to_c"):
            plain[name] = plain[name]._asdict()
        plain["answers"] = [neighbor._asdict() for neighbor in self.answers]
        return plain


def explain_analogy(
    embedding: Embedding,
    *,
    a: Any,
    b: Any,
    c: Any,
    right: Any = None,
    topn: int = 10,
    restrict_vocab: int | None = None,
) -> AnalogyExplanation:
    """Explain the answer to a : b :: c : ?, or why it is not the right one.

    Parameters
    ----------
    a, b, c : word
        ``a="man", b="king", c="woman"`` asks for king - man + woman.
    right : word, optional
        The right answer; without it the first answer is explained.
    topn, restrict_vocab
        As in `Embedding.analogy`. The right answer is ranked among the candidates whether or not it is one of them.

    Raises
    ------
    UnknownWordError
        Naming all unknown words.
    SettingsError
        When no word is left to answer with, or the right answer is one of the three.
    """
    from w2v.embedding import Neighbor

    given = [a, b, c] if right is None else [a, b, c, right]
    ids = embedding.vocabulary.ids(given)
    if right is not None and ids[3] in ids[:3]:
        raise SettingsError(f"{right!r} is one of the three words asked about, and these are never answers")
    answers = embedding.analogy(a=a, b=b, c=c, topn=max(1, topn), restrict_vocab=restrict_vocab)
    if not answers:
        raise SettingsError("no word is left to answer with: the vocabulary holds only the words asked about")
    row = ids[3] if right is not None else embedding.vocabulary.id(answers[0].word)
    stop = len(embedding) if restrict_vocab is None else min(restrict_vocab, len(embedding))
    vectors = embedding.unit_vectors[[*ids[:3], row]].astype(np.float64)
    va, vb, vc, vd = vectors
    target = vb - va + vc
    near = {name: _Ranking(embedding, query, stop) for name, query in (("target", target), ("b", vb), ("c", vc))}
    excluded = set(ids[:3])

    def nearest(name: str, left_out: set[int]) -> Neighbor:
        best = near[name].best(left_out)
        return Neighbor(embedding.word(best), near[name].cosine(best))

    listed = next((i for i, neighbor in enumerate(answers, 1) if neighbor.word == embedding.word(row)), None)
    pairs = {"a-b": (va, vb), "c-d": (vc, vd), "a-c": (va, vc), "b-d": (vb, vd), "b-c": (vb, vc), "a-d": (va, vd)}
    return AnalogyExplanation(
        a=a,
        b=b,
        c=c,
        right=right,
        answers=tuple(answers),
        answer=embedding.word(row),
        rank=listed or near["target"].rank(row, excluded),
        cosine_to_target=near["target"].cosine(row),
        gap=_length(target - vd),
        gap_to_b=_length(target - vb),
        cosine_of_offsets=_cosine(vb - va, vd - vc),
        cosine_of_crossed_offsets=_cosine(vc - va, vd - vb),
        nearest_to_target=nearest("target", set()),
        nearest_to_b=nearest("b", excluded),
        nearest_to_c=nearest("c", excluded),
        rank_near_b=near["b"].rank(row, excluded),
        rank_near_c=near["c"].rank(row, excluded),
        cosines={name: float(np.clip(u @ v, -1, 1)) for name, (u, v) in pairs.items()},
    )


class _Ranking:
    """The words in the order of their cosine to a query."""

    def __init__(self, embedding: Embedding, query: NDArray[np.float64], stop: int) -> None:
        length = _length(query)
        self._query = query / length if length > 1e-12 else np.zeros_like(query)
        self._unit = embedding.unit_vectors
        self._scores = self._unit[:stop] @ self._query.astype(np.float32)

    def cosine(self, row: int) -> float:
        return float(np.clip(self._unit[row].astype(np.float64) @ self._query, -1.0, 1.0))

    def rank(self, row: int, excluded: set[int]) -> int:
        """Return 1 + the number of other words, the excluded ones apart, with a higher cosine."""
        stop = len(self._scores)
        score = self._scores[row] if row < stop else self._unit[row] @ self._query.astype(np.float32)
        above = int(np.count_nonzero(self._scores > score))
        return 1 + above - sum(1 for i in excluded if i < stop and self._scores[i] > score)

    def best(self, excluded: set[int]) -> int:
        scores = self._scores.copy()
        scores[[i for i in excluded if i < len(scores)]] = -np.inf
        return int(scores.argmax())


@dataclasses.dataclass(frozen=True, kw_only=True)
class OffsetStatistics:
    """Means over questions a : b :: c : d of one relation; None where there is no question.

    Attributes
    ----------
    questions : int
    gap : float or None
        Distance between b - a + c and d.
    cosine_to_target : float or None
        Of d and b - a + c.
    cosine_b_d, cosine_c_d : float or None
        How near d is to b and to c before any arithmetic.
    cosine_of_offsets : float or None
        Of b - a and d - c.
    cosine_of_shuffled_offsets : float or None
        The same with the words d of the section exchanged among its pairs: what offsets have in common only because
        all the b and d are of one kind (a control in the spirit of Fournier, Dupoux & Dunbar 2020, "Analogies minus
        analogy test"). None with fewer than two different pairs (c, d).
    inputs_kept : float or None
        Share of questions still answered rightly when a, b and c may be answers too.
    """

    questions: int
    gap: float | None = None
    cosine_to_target: float | None = None
    cosine_b_d: float | None = None
    cosine_c_d: float | None = None
    cosine_of_offsets: float | None = None
    cosine_of_shuffled_offsets: float | None = None
    inputs_kept: float | None = None


def offset_statistics(
    unit: NDArray[np.float32], questions: NDArray[np.int64], *, cells: int = SCORE_CELLS
) -> OffsetStatistics:
    """Return what the offsets of questions have in common.

    Parameters
    ----------
    unit : (n, d) float32
        Unit vectors of all candidates.
    questions : (q, 4) int
        Rows a, b, c, d.
    cells : int
        Scores held at a time.
    """
    if not len(questions):
        return OffsetStatistics(questions=0)
    a, b, c, d = (unit[column].astype(np.float64) for column in questions.T)
    target = b - a + c
    offsets = _row_cosines(b - a, d - c)
    kept = 0
    for part in score_slices(len(questions), len(unit), cells):
        scores = target[part].astype(np.float32) @ unit.T
        kept += int(np.count_nonzero(scores.argmax(axis=1) == questions[part, 3]))
    return OffsetStatistics(
        questions=len(questions),
        gap=float(np.sqrt(((target - d) ** 2).sum(axis=1)).mean()),
        cosine_to_target=float(_row_cosines(target, d).mean()),
        cosine_b_d=float((b * d).sum(axis=1).mean()),
        cosine_c_d=float((c * d).sum(axis=1).mean()),
        cosine_of_offsets=float(offsets.mean()),
        cosine_of_shuffled_offsets=_shuffled(unit, questions),
        inputs_kept=kept / len(questions),
    )


def _shuffled(unit: NDArray[np.float32], questions: NDArray[np.int64]) -> float | None:
    """Return the mean cosine of b - a and d' - c, each d' taken from the next ten pairs (c', d') in turn."""
    pairs, inverse = np.unique(questions[:, 2:], axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    a, b, c = (unit[column].astype(np.float64) for column in questions[:, :3].T)
    total, number = 0.0, 0
    for shift in range(1, min(len(pairs), _SHUFFLES + 1)):
        exchanged = np.roll(pairs[:, 1], shift)[inverse]
        differs = (exchanged != questions[:, 3]) & (exchanged != questions[:, 2])
        total += float(_row_cosines(b - a, unit[exchanged] - c)[differs].sum())
        number += int(np.count_nonzero(differs))
    return total / number if number else None


def _row_cosines(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    dots = (x * y).sum(axis=1)
    cosines: NDArray[np.float64] = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    return cosines


def _length(vector: NDArray[np.float64]) -> float:
    return float(np.sqrt(vector @ vector))


def _cosine(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    lengths = _length(x) * _length(y)
    return float(np.clip(x @ y / lengths, -1.0, 1.0)) if lengths > 1e-12 else None
