"""The questions that an embedding answers: nearest words, analogies, ranks, the odd one out, means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import one_of, whole_number
from w2v.embedding.eligible import Eligible, eligible
from w2v.embedding.measures import Context, Cosine, CosineProduct, Euclid, Measure, PairDirection
from w2v.embedding.norms import unit_rows
from w2v.embedding.queries import Neighbor, all_scores, count_nearer, nearer_than, nearest
from w2v.embedding.query_words import direction, mean_of, point, unit
from w2v.embedding.rows import Rows
from w2v.errors import SettingsError

__all__ = ["ANALOGY_METHODS", "MEASURES", "Asking"]

MEASURES = ("cosine", "euclid", "context")
ANALOGY_METHODS = ("3cosadd", "3cosmul", "pairdirection")


class Asking(Rows):
    """Rows that answer questions; see `Embedding`."""

    @overload
    def most_similar(
        self,
        positive: Any = None,
        *,
        negative: Any = None,
        topn: int = 10,
        by: str = "cosine",
        include_query: bool = False,
        **among: Any,
    ) -> list[Neighbor]: ...

    @overload
    def most_similar(
        self,
        positive: Any = None,
        *,
        negative: Any = None,
        topn: None,
        by: str = "cosine",
        include_query: bool = False,
        **among: Any,
    ) -> NDArray[np.float32]: ...

    def most_similar(
        self,
        positive: Any = None,
        *,
        negative: Any = None,
        topn: int | None = 10,
        by: str = "cosine",
        include_query: bool = False,
        **among: Any,
    ) -> list[Neighbor] | NDArray[np.float32]:
        """Return the words nearest to a word, or to a sum and difference of words.

        By cosine the query is sum(unit vectors of `positive`) - sum(unit vectors of `negative`). Its own words are
        never answers, unless `include_query` says so.

        Parameters
        ----------
        positive, negative : word, or list of words, (word, weight) pairs or raw vectors (d,)
            A string is one word.
        topn : int or None
            How many answers; None returns the similarities of all words instead.
        by : {"cosine", "euclid", "context"}
            ``"euclid"``: the distance from the sum of the vectors as they are, divided by the sum of the weights where
            that is positive; what is returned is minus the distance, so that higher is nearer. ``"context"``: the
            product w.c of that vector with the context vectors, high for words that occur next to those of the query
            (of the first order), where cosines are high for words that occur in the same places.
        include_query : bool
            Whether the words of the query may be answers.
        restrict_vocab : int, optional
            Look for answers among this many words only, the most frequent.
        clip_start, clip_end : int, optional
            Look among the rows from `clip_start` on, up to but without `clip_end`.
        min_count : int, optional
            Look among the words seen at least so often.
        candidates : iterable of words, optional
            Look among these words.

        Returns
        -------
        list of Neighbor
            The best first, equal similarities in the order of the vocabulary; the first n of a longer list are the
            list of n. A zero vector has cosine 0 to everything and comes after all others, by every measure. With
            ``topn=None`` a float32 array in the order of the rows looked at (V, if there are no conditions).

        Raises
        ------
        UnknownWordError
            Naming all unknown words.
        SettingsError
            (a ValueError) when the query is empty or an option is out of range.
        NotAvailableError
            `by` is ``"context"`` and there are no context vectors.
        """
        if topn is not None:
            topn = whole_number("topn", topn, 0)
        measure, ids = self._measure(by, positive, negative)
        chosen = eligible(self, **among)
        if topn is None:
            return all_scores(measure, chosen)
        return nearest(self, measure, chosen, topn=topn, excluded=() if include_query else ids)

    def _measure(self, by: str, positive: Any, negative: Any = None) -> tuple[Measure, list[int]]:
        if by == "cosine":
            query, ids = direction(self, positive, negative)
            return Cosine(self, query), ids
        one_of("by", by, MEASURES)
        query, ids = point(self, positive, negative)
        return (Euclid if by == "euclid" else Context)(self, query), ids

    def most_similar_many(
        self, queries: Iterable[Any], *, topn: int = 10, include_query: bool = False, batch_size: int = 64, **among: Any
    ) -> Iterator[list[Neighbor]]:
        """Yield what `most_similar` returns, by cosine, for each of many queries; much faster than one by one.

        Parameters
        ----------
        queries : iterable
            Each as `positive` of `most_similar`. Read a batch at a time, as answers are asked for.
        topn, include_query, **among
            As for `most_similar`.
        batch_size : int
            Queries read and multiplied at a time.
        """
        topn = whole_number("topn", topn, 0)
        batch_size = whole_number("batch_size", batch_size, 1)
        chosen = eligible(self, **among)
        batch: list[tuple[NDArray[np.float64], list[int]]] = []
        for query in queries:
            batch.append(direction(self, query, None))
            if len(batch) == batch_size:
                yield from self._answers(batch, chosen, topn, include_query)
                batch = []
        yield from self._answers(batch, chosen, topn, include_query)

    def _answers(
        self, batch: Sequence[tuple[NDArray[np.float64], list[int]]], chosen: Eligible, topn: int, include_query: bool
    ) -> Iterator[list[Neighbor]]:
        if not batch:
            return
        vectors = np.stack([query for query, _ in batch]).astype(np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            products = vectors @ self.W[chosen.rows].T
        for (query, ids), product in zip(batch, products, strict=True):
            measure = Cosine(self, query, product)
            yield nearest(self, measure, chosen, topn=topn, excluded=() if include_query else ids)

    def analogy(
        self,
        *,
        a: Any,
        b: Any,
        c: Any,
        topn: int = 10,
        method: str = "3cosadd",
        weights: Sequence[float] = (1.0, 1.0, 1.0),
        include_query: bool = False,
        **among: Any,
    ) -> list[Neighbor]:
        """Return the answers to ``a : b :: c : ?``, the words nearest to unit(b) - unit(a) + unit(c).

        ``analogy(a="man", b="king", c="woman")`` asks for king - man + woman.

        Parameters
        ----------
        a, b, c : word
            Not among the answers, unless `include_query` says so.
        topn, include_query, **among
            As for `most_similar`: `restrict_vocab`, `clip_start`, `clip_end`, `min_count`, `candidates`.
        method : {"3cosadd", "3cosmul", "pairdirection"}
            ``"3cosadd"`` (Mikolov et al. 2013, "Linguistic Regularities in Continuous Space Word Representations") is
            the cosine with the sum above; ``"3cosmul"`` the product of Levy & Goldberg 2014, equation 4;
            ``"pairdirection"`` the cosine of x - c with b - a.
        weights : three numbers
            Of a, b and c, for ``"3cosadd"``.

        Returns
        -------
        list of Neighbor
            With the score of the method.

        Raises
        ------
        UnknownWordError
            Naming all unknown words.
        SettingsError
        """
        topn = whole_number("topn", topn, 0)
        measure, ids = self._relation(a, b, c, method, weights)
        return nearest(self, measure, eligible(self, **among), topn=topn, excluded=() if include_query else ids)

    def _relation(self, a: Any, b: Any, c: Any, method: str, weights: Sequence[float]) -> tuple[Measure, list[int]]:
        one_of("method", method, ANALOGY_METHODS)
        if len(weights) != 3:
            raise SettingsError(f"weights must be three numbers, of a, b and c; got {weights!r}")
        of_a, of_b, of_c = weights
        if method == "3cosadd":
            query, ids = direction(self, [(b, of_b), (c, of_c)], [(a, of_a)])
            return Cosine(self, query), ids
        if tuple(weights) != (1, 1, 1):
            raise SettingsError(f"weights go with the method 3cosadd only, not with {method}")
        ids = self.vocabulary.ids([a, b, c])
        unit_a, unit_b, unit_c = unit_rows(self.W[ids], self.norms[ids])
        return (CosineProduct if method == "3cosmul" else PairDirection)(self, unit_a, unit_b, unit_c), ids

    def analogy_rank(
        self,
        *,
        a: Any,
        b: Any,
        c: Any,
        right: Any,
        method: str = "3cosadd",
        weights: Sequence[float] = (1.0, 1.0, 1.0),
        **among: Any,
    ) -> int | None:
        """Return the rank of the best of one or several right answers, 1 for the best; None if it is a, b or c.

        Parameters are those of `analogy`; words of `right` count whether or not they are among the words looked at.
        """
        measure, ids = self._relation(a, b, c, method, weights)
        wanted = self.vocabulary.ids([right] if isinstance(right, str) or not isinstance(right, Iterable) else right)
        chosen = eligible(self, **among)
        ranks = [1 + count_nearer(measure, chosen, id, excluded=ids) for id in wanted if id not in ids]
        return min(ranks, default=None)

    def similarity(self, first: Any, second: Any) -> float:
        """Return the cosine of two words; 0.0 when one of them has a zero vector."""
        ids = self.vocabulary.ids([first, second])
        u, v = unit_rows(self.W[ids], self.norms[ids])
        return min(1.0, max(-1.0, float(u @ v)))

    def closer_than(self, word: Any, other: Any, *, by: str = "cosine", **among: Any) -> list[Neighbor]:
        """Return all words nearer to `word` than `other` is, the nearest first; `by` and more as for `most_similar`."""
        first, second = self.vocabulary.ids([word, other])
        measure, ids = self._measure(by, [word])
        if first == second:
            return []
        return nearer_than(self, measure, eligible(self, **among), second, excluded=ids)

    def rank(self, word: Any, other: Any, *, by: str = "cosine", **among: Any) -> int:
        """Return the place of `other` among the words nearest to `word`, 1 for the nearest; 0 for `word` itself."""
        first, second = self.vocabulary.ids([word, other])
        if first == second:
            return 0
        measure, ids = self._measure(by, [word])
        return 1 + count_nearer(measure, eligible(self, **among), second, excluded=ids)

    def doesnt_match(self, words: Iterable[Any]) -> Any:
        """Return the word that fits least: the one with the lowest cosine to the mean of the unit vectors of all.

        Parameters
        ----------
        words : iterable of words
            Two or more; of words that fit equally badly the first is returned.

        Raises
        ------
        UnknownWordError
            Naming all unknown words.
        SettingsError
            Fewer than two words.
        """
        listed = [words] if isinstance(words, str) else list(words)
        ids = self.vocabulary.ids(listed)
        if len(set(ids)) < 2:
            raise SettingsError(f"the odd one out is asked of two different words or more; got {len(set(ids))}")
        units = unit_rows(self.W[ids], self.norms[ids])
        fits = np.einsum("ij,j->i", units, unit(units.mean(axis=0)))
        return listed[int(np.argmin(fits))]

    def mean_vector(self, words: Any, *, unit_length: bool = True, oov: str = "error") -> NDArray[np.float32]:
        """Return the mean (d,) of word vectors: sum(weight * vector) / sum(|weight|).

        Parameters
        ----------
        words : word, or list of words, (word, weight) pairs or raw vectors (d,)
        unit_length : bool
            Whether each vector is taken to length 1 first.
        oov : {"error", "skip", "zero"}
            What becomes of unknown words: all are named in an error; left out, with their weight; taken as zeros.

        Raises
        ------
        UnknownWordError, SettingsError
            The latter where no known word is left.
        """
        return mean_of(self, words, to_unit=unit_length, oov=oov).astype(np.float32)
