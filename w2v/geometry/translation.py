"""Translations: the words of the target that are nearest to words of the source, by cosine or by CSLS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from w2v.arguments import one_of, whole_number
from w2v.errors import AlignmentError
from w2v.geometry.blocks import score_slices
from w2v.geometry.csls import neighborhood_means
from w2v.geometry.nearest import Floats, Ids, best_columns, largest_values
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["RETRIEVALS", "Translation", "Translator"]

RETRIEVALS = ("csls", "cosine")
_SKETCHES = (1024, 4096, 16384)
"""Words of the source from which lower bounds of the hub terms are taken, one after the other."""


class Translation(NamedTuple):
    """A word of the target, its cosine to the word asked for, and its score (equal to the cosine for "cosine")."""

    word: str | int
    similarity: float
    score: float


class Translator:
    """Finds translations between two spaces that were aligned.

    Parameters
    ----------
    source, target : Embedding
        Both in one space; the most frequent words first.
    neighbors : int
        Neighbours over which the hub terms of CSLS are means.
    neighborhood : int
        The neighbours are sought among this many words of each side, the most frequent.
    restrict_vocab : int, optional
        Answers are among this many words of the target, the most frequent; None for all.

    Raises
    ------
    AlignmentError
        When the spaces differ in dimensions: they were not aligned.
    SettingsError

    Notes
    -----
    The hub term of a target word is its mean cosine to its nearest source words, a product with all of them. So it is
    computed for few words only: the mean over some of the source words cannot be larger, which bounds the score of a
    target word from above, and only words whose bound reaches the n-th best score are looked at closely. The answers
    are those of the full computation.
    """

    def __init__(
        self,
        source: Embedding,
        target: Embedding,
        *,
        neighbors: int = 10,
        neighborhood: int = 50_000,
        restrict_vocab: int | None = None,
    ) -> None:
        if source.vector_size != target.vector_size:
            raise AlignmentError(
                f"the source has {counted(source.vector_size, 'dimension')} and the target {target.vector_size}: they "
                "do not lie in one space; align them first"
            )
        for name, value in (
            ("neighbors", neighbors),
            ("neighborhood", neighborhood),
            ("restrict_vocab", restrict_vocab),
        ):
            if value is not None:
                whole_number(name, value, 1)
        self.source, self.target = source, target
        self._candidates: Floats = target.unit_vectors[:restrict_vocab]
        self._near_source: Floats = source.unit_vectors[:neighborhood]
        self._near_target: Floats = target.unit_vectors[:neighborhood]
        self._k = neighbors
        sizes = [size for size in _SKETCHES if neighbors <= size < len(self._near_source)]
        self._sizes = [*sizes, len(self._near_source)]
        # hub terms over the first `_sizes[level]` source words: exact at the last level, else not above the exact ones
        self._terms: Floats | None = None
        self._level = np.zeros(len(self._candidates), dtype=np.int8)

    @property
    def candidates(self) -> int:
        """How many words of the target, the first ones, may be answers."""
        return len(self._candidates)

    def translate(self, word: Any, *, topn: int = 10, retrieval: str = "csls") -> list[Translation]:
        """Return the translations of a word, the best first; equal scores in the order of the target's words.

        Raises
        ------
        UnknownWordError
            When the source does not know the word.
        """
        return self.translate_many([word], topn=topn, retrieval=retrieval)[0]

    def translate_many(
        self, words: Sequence[Any], *, topn: int = 10, retrieval: str = "csls"
    ) -> list[list[Translation]]:
        """Return the translations of each word; raises one `UnknownWordError` that names all unknown words."""
        rows = np.array(self.source.vocabulary.ids(words), dtype=np.int64)
        if not len(rows):
            return []
        best, scores = self.rank(rows, topn=topn, retrieval=retrieval)
        queries = self.source.unit_vectors[rows]
        cosines = np.einsum("qd,qnd->qn", queries, self._candidates[best])
        if retrieval == "csls":  # which shifts all answers of a word alike
            scores = scores - neighborhood_means(queries, self._near_target, self._k)[:, None]
        return [
            [
                Translation(self.target.word(int(i)), min(1.0, max(-1.0, float(c))), float(s))
                for i, c, s in zip(*row, strict=True)
            ]
            for row in zip(best, cosines, scores, strict=True)
        ]

    def rank(self, rows: Ids, *, topn: int, retrieval: str = "csls") -> tuple[Ids, Floats]:
        """Return the best target rows (Q, topn) for source rows (Q,), and their scores.

        The CSLS scores lack the term of the source word, which is the same for all answers.
        """
        one_of("retrieval", retrieval, RETRIEVALS)
        topn = min(whole_number("topn", topn, 1), len(self._candidates))
        best = np.empty((len(rows), topn), dtype=np.int64)
        values = np.empty((len(rows), topn), dtype=np.float32)
        for part in score_slices(len(rows), len(self._candidates)):
            scores = self.source.unit_vectors[rows[part]] @ self._candidates.T
            if retrieval == "csls":
                scores = self._corrected(scores, topn)
            best[part] = best_columns(scores, topn)
            values[part] = np.take_along_axis(scores, best[part], axis=1)
        return best, values

    def _corrected(self, cosines: Floats, topn: int) -> Floats:
        """Return ``2 cos - r_S``, exact for the `topn` best of each row; the others are not below their true score."""
        if self._terms is None:
            self._terms = neighborhood_means(self._candidates, self._near_source[: self._sizes[0]], self._k)
        scores = cosines * np.float32(2)
        scores -= self._terms
        last = len(self._sizes) - 1
        for level in range(1, last + 1):
            # n exact scores a row set a limit; only what may reach it is looked at more closely
            self._settle(np.unique(best_columns(scores, topn)), last, cosines, scores)
            exact = np.flatnonzero(self._level == last)
            limit = largest_values(np.ascontiguousarray(scores[:, exact]), topn).min(axis=1)
            self._settle(np.flatnonzero((scores >= limit[:, None]).any(axis=0)), level, cosines, scores)
        return scores

    def _settle(self, columns: Ids, level: int, cosines: Floats, scores: Floats) -> None:
        """Bring the hub terms of some target words, and their scores, to a level."""
        assert self._terms is not None
        columns = columns[self._level[columns] < level]
        self._terms[columns] = neighborhood_means(
            self._candidates[columns], self._near_source[: self._sizes[level]], self._k
        )
        self._level[columns] = level
        scores[:, columns] = 2 * cosines[:, columns] - self._terms[columns]
