"""Queries of KeyedVectors by the names and conventions of gensim, answered by `w2v.Embedding`."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from w2v.compat.gensim.keys import KeyStore, is_key
from w2v.compat.gensim.names import EmptyQueryError
from w2v.embedding import Neighbor
from w2v.errors import SettingsError, UnknownWordError

__all__ = ["Queries"]

_ROWS = 4096


class Queries(KeyStore):
    """Vectors that can be asked for neighbours, similarities, means and ranks."""

    def most_similar(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        clip_start: int = 0,
        clip_end: int | None = None,
        restrict_vocab: int | None = None,
        indexer: Any = None,
    ) -> list[Neighbor] | NDArray[np.float32]:
        """Return the keys nearest to the sum of `positive` less the sum of `negative`, by cosine.

        Parameters
        ----------
        positive, negative : key, vector (d,), or list of them and of pairs (key or vector, weight)
            Keys stand for their vectors of length 1, vectors are taken as they are. Without a weight items of
            `positive` have 1 and those of `negative` -1: a weight that is given there needs its sign.
        topn : int or None
            How many; none below 1; None returns the cosines of all candidates.
        clip_start, clip_end : int
            Only the keys of these rows are answers.
        restrict_vocab : int, optional
            Only the keys of the first so many rows are answers.
        indexer : optional
            Approximate indexers are not used: the answer is always exact, by one product over all rows.

        Returns
        -------
        list of (key, similarity), or (n,) float32
            Best first, equal ones in the order of the rows. Keys of the query are no answers.

        Raises
        ------
        UnknownWordError
            (a KeyError) naming all unknown keys.
        SettingsError
            (a ValueError) for an empty query.
        """
        if topn is not None and operator.index(topn) < 1:
            return []
        start, stop = self._range(clip_start, clip_end, restrict_vocab)
        query, keys = self._direction(positive, negative)
        if topn is None:
            return self.embedding.most_similar(query, topn=None, clip_start=start, clip_end=stop)
        found = self.embedding.most_similar(query, topn=topn + len(keys), clip_start=start, clip_end=stop)
        return [neighbor for neighbor in found if neighbor.word not in keys][:topn]

    def _range(self, clip_start: int, clip_end: int | None, restrict_vocab: int | None) -> tuple[int, int]:
        if restrict_vocab:
            clip_start, clip_end = 0, restrict_vocab
        start, stop, _ = slice(clip_start, clip_end).indices(len(self))
        return start, max(start, stop)

    def _direction(self, positive: Any, negative: Any) -> tuple[NDArray[np.float64], set[Any]]:
        """Return the weighted sum (d,) of the unit vectors of keys and of the vectors given, and the keys."""
        items = _items(positive) + _items(negative, -1.0)
        if not items:
            raise SettingsError("a query needs at least one key or vector, positive or negative")
        keys = [item for item, _ in items if is_key(item)]
        self._check_known(keys)
        return np.sum([weight * self._query_vector(item) for item, weight in items], axis=0), set(keys)

    def _query_vector(self, item: Any) -> NDArray[np.float64]:
        """Return the vector (d,) of an item: that of a key at length 1, in the digits that `get_vector` gives."""
        return self._checked(self.get_vector(item, norm=True) if is_key(item) else item)

    def _checked(self, vector: ArrayLike) -> NDArray[np.float64]:
        values = np.asarray(vector, dtype=np.float64)
        if values.shape != (self.vector_size,) or not np.isfinite(values).all():
            raise SettingsError(f"a vector must hold {self.vector_size} finite numbers; got shape {values.shape}")
        return values

    def _check_known(self, keys: Iterable[Any]) -> None:
        unknown = [key for key in keys if not self.has_index_for(key)]
        if unknown:
            raise UnknownWordError(unknown)

    def _unit(self, key_or_vector: Any) -> NDArray[np.float64]:
        """Return the unit vector (d,), in float64, of a key or a vector; zero stays zero."""
        return _scaled(self._checked(self.get_vector(key_or_vector) if is_key(key_or_vector) else key_or_vector))

    def similar_by_key(
        self, key: Any, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> list[Neighbor] | NDArray[np.float32]:
        """Return the keys nearest to one key; see `most_similar`."""
        return self.most_similar(positive=[key], topn=topn, restrict_vocab=restrict_vocab)

    def similar_by_word(
        self, word: Any, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> list[Neighbor] | NDArray[np.float32]:
        """Return the keys nearest to one word; see `most_similar`."""
        return self.similar_by_key(word, topn, restrict_vocab)

    def similar_by_vector(
        self, vector: ArrayLike, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> list[Neighbor] | NDArray[np.float32]:
        """Return the keys nearest to a vector (d,); see `most_similar`."""
        return self.most_similar(positive=[np.asarray(vector, dtype=float)], topn=topn, restrict_vocab=restrict_vocab)

    def most_similar_cosmul(
        self, positive: Any = None, negative: Any = None, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> list[Neighbor] | NDArray[np.float64]:
        """Return the keys with the greatest prod((1 + cos) / 2) over `positive` / prod(... + 1e-6) over `negative`.

        3CosMul (Levy and Goldberg 2014). Weights are exponents. The other parameters are those of `most_similar`;
        the scores are no cosines.
        """
        items = _items(positive) + _items(negative, -1.0)
        if not items:
            raise SettingsError("a query needs at least one key or vector, positive or negative")
        self._check_known(item for item, _ in items if is_key(item))
        if topn is not None and operator.index(topn) < 1:
            return []
        _, stop = self._range(0, None, restrict_vocab)
        directions = np.array([_scaled(self._query_vector(item)) for item, _ in items])
        scores = np.empty(stop)
        for first in range(0, stop, _ROWS):
            rows = _scaled(self.vectors[first : min(stop, first + _ROWS)].astype(np.float64))
            shifted = (1.0 + np.clip(np.einsum("ij,kj->ik", rows, directions), -1.0, 1.0)) / 2.0
            part = scores[first : first + len(rows)]
            part[:] = 1.0
            for column, (_, weight) in zip(shifted.T, items, strict=True):
                part *= column**weight if weight >= 0 else (column + 1e-6) ** weight
            part[~rows.any(axis=1)] = 0.0
        if topn is None:
            return scores
        keys = {self.get_index(item) for item, _ in items if is_key(item)}
        order = np.argsort(-scores, kind="stable")[: topn + len(keys)]
        best = [int(row) for row in order if int(row) not in keys][:topn]
        return [Neighbor(self.index_to_key[row], float(scores[row])) for row in best]

    def similarity(self, w1: Any, w2: Any) -> float:
        """Return the cosine of two keys; 0 with a zero vector."""
        self._check_known([w1, w2])
        if self._index(w1) == self._index(w2):
            return 1.0 if self.get_vector(w1).any() else 0.0
        return self.embedding.similarity(w1, w2)

    def distance(self, w1: Any, w2: Any) -> float:
        """Return 1 - `similarity`."""
        return 1.0 - self.similarity(w1, w2)

    def distances(self, word_or_vector: Any, other_words: Sequence[Any] = ()) -> NDArray[np.float32]:
        """Return 1 - cosine (n,) of a key or vector to some keys, or to all of them."""
        query = self._unit(word_or_vector)
        if len(other_words):
            rows = self[list(other_words)]
            cosines: NDArray[Any] = _scaled(rows.astype(np.float64)) @ query
        else:
            cosines = self._all_cosines(query)
        distances: NDArray[np.float32] = (1.0 - np.clip(cosines, -1.0, 1.0)).astype(np.float32)
        return distances

    def _all_cosines(self, query: NDArray[np.float64]) -> NDArray[np.float32]:
        cosines: NDArray[np.float32] = self.embedding.most_similar(query, topn=None)
        return cosines

    def most_similar_to_given(self, key1: Any, keys_list: Sequence[Any]) -> Any:
        """Return the key of a list that is nearest to `key1`."""
        if not len(keys_list):
            raise SettingsError("keys_list is empty")
        return keys_list[int(np.argmin(self.distances(key1, keys_list)))]

    def closer_than(self, key1: Any, key2: Any) -> list[Any]:
        """Return all keys that are nearer to `key1` than `key2` is, in the order of the rows."""
        first, second = self.get_index(key1), self.get_index(key2)
        cosines = self._all_cosines(self._unit(key1))
        cosines[self.embedding.scales.zero] = -2.0  # a vector without direction is near to nothing
        cosines[first] = 2.0
        return [self.index_to_key[row] for row in np.flatnonzero(cosines > cosines[second]) if row != first]

    def words_closer_than(self, word1: Any, word2: Any) -> list[Any]:
        """Return `closer_than`, of which it is the old name."""
        return self.closer_than(word1, word2)

    def rank(self, key1: Any, key2: Any) -> int:
        """Return the rank of `key2` among the neighbours of `key1`, 1 for the nearest."""
        return len(self.closer_than(key1, key2)) + 1

    def rank_by_centrality(self, words: Iterable[Any], use_norm: bool = True) -> list[tuple[float, Any]]:
        """Return the known ones of some keys with the cosine to the mean of them all, the nearest first.

        Without `use_norm` it is the product of the vectors as they are with the unit vector of their mean.

        Raises
        ------
        SettingsError
            (a ValueError) when none is known.
        """
        known = [word for word in words if self.has_index_for(word)]
        if not known:
            raise SettingsError("none of the words is in the vocabulary")
        vectors = np.array([self._unit(word) for word in known]) if use_norm else self[known].astype(np.float64)
        cosines = (vectors @ _scaled(vectors.mean(axis=0))).tolist()
        order = sorted(range(len(known)), key=lambda i: -cosines[i])
        return [(cosines[i], known[i]) for i in order]

    def doesnt_match(self, words: Iterable[Any]) -> Any:
        """Return the key farthest from the mean of the others and itself; unknown keys are left out."""
        return self.rank_by_centrality(words)[-1][1]

    def get_mean_vector(
        self,
        keys: Any,
        weights: Any = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> NDArray[np.float32]:
        """Return the weighted mean (d,) of the vectors of keys.

        Parameters
        ----------
        keys : list of keys and of vectors (d,)
        weights : (n,), optional
            Divided by the sum of their absolute values; 1 each by default.
        pre_normalize : bool
            Take the vectors of keys to length 1 first (raw vectors are taken as they are).
        post_normalize : bool
            Take the mean to length 1.
        ignore_missing : bool
            Leave unknown keys out, with their weights; else they raise `UnknownWordError`.

        Raises
        ------
        SettingsError
            (a ValueError) when there are no keys, none is known, or the number of weights differs.
        """
        keys = [keys] if is_key(keys) else list(keys)
        if not keys:
            raise SettingsError("the mean of no vectors does not exist: pass at least one key")
        scales = np.ones(len(keys)) if weights is None else np.asarray(weights, dtype=np.float64)
        if scales.shape != (len(keys),):
            raise SettingsError(f"{len(keys)} keys take as many weights; got {scales.shape}")
        if not ignore_missing:
            self._check_known(key for key in keys if is_key(key))
        total, mean = 0.0, np.zeros(self.vector_size)
        for key, scale in zip(keys, scales.tolist(), strict=True):
            if not is_key(key):
                mean += scale * np.asarray(key, dtype=np.float64)
            elif self.has_index_for(key):
                mean += scale * (self._unit(key) if pre_normalize else self.get_vector(key).astype(np.float64))
            else:
                continue
            total += abs(scale)
        if total == 0:
            raise SettingsError("none of the keys is in the vocabulary, or all weights are 0")
        mean /= total
        return (_scaled(mean) if post_normalize else mean).astype(np.float32)

    def n_similarity(self, ws1: Sequence[Any], ws2: Sequence[Any]) -> float:
        """Return the cosine of the means of two lists of keys, vectors as they are; unknown keys are left out.

        Raises
        ------
        EmptyQueryError
            (a ZeroDivisionError) for an empty list.
        UnknownWordError
            (a KeyError) when no key of a list is known.
        """
        if not len(ws1) or not len(ws2):
            raise EmptyQueryError("n_similarity needs at least one word on either side")
        known = [[word for word in words if self.has_index_for(word)] for words in (ws1, ws2)]
        for words, found in zip((ws1, ws2), known, strict=True):
            if not found:
                raise UnknownWordError(list(words))
        if len(known[0]) == len(known[1]) == 1:
            return self.similarity(known[0][0], known[1][0])
        u, v = (_scaled(self[words].astype(np.float64).mean(axis=0)) for words in known)
        return float(np.clip(u @ v, -1.0, 1.0))

    @staticmethod
    def cosine_similarities(vector_1: ArrayLike, vectors_all: ArrayLike) -> NDArray[np.float64]:
        """Return the cosines (n,) of a vector (d,) with each of (n, d); 0 with a zero vector."""
        rows = np.asarray(vectors_all, dtype=np.float64)
        cosines: NDArray[np.float64] = _scaled(rows) @ _scaled(np.asarray(vector_1, dtype=np.float64))
        return cosines

    def relative_cosine_similarity(self, wa: Any, wb: Any, topn: int = 10) -> float:
        """Return the cosine of two keys over the sum of the cosines of the `topn` neighbours of the first.

        Leeuwenberg et al. 2016, "A Minimally Supervised Approach for Synonym Extraction with Word Embeddings".
        """
        neighbors = self.similar_by_key(wa, topn)
        total = sum(float(neighbor[1]) for neighbor in neighbors)
        if total == 0:
            raise SettingsError(f"the {topn} nearest neighbours of {wa!r} have cosines that sum to 0")
        return self.similarity(wa, wb) / total

    def wmdistance(self, document1: Iterable[Any], document2: Iterable[Any], norm: bool = True) -> float:
        """Return the word mover's distance of two lists of words (Kusner et al. 2015); inf when one has no known word.

        Parameters
        ----------
        document1, document2 : iterable of keys
            Unknown ones are left out.
        norm : bool
            Whether vectors are taken to length 1 first.
        """
        from scipy.optimize import linprog
        from scipy.sparse import identity, kron, vstack

        first, second = ([w for w in words if self.has_index_for(w)] for words in (document1, document2))
        if not first or not second:
            return float("inf")
        (keys1, share1), (keys2, share2) = (np.unique(words, return_counts=True) for words in (first, second))
        a, b = (
            np.array([self._unit(k) if norm else self.get_vector(k).astype(np.float64) for k in keys.tolist()])
            for keys in (keys1, keys2)
        )
        cost = np.sqrt(np.maximum(0.0, ((a[:, None] - b[None]) ** 2).sum(axis=-1)))
        n, m = cost.shape
        flows: Any = vstack([kron(identity(n), np.ones((1, m))), kron(np.ones((1, n)), identity(m))])
        shares = np.concatenate([share1 / share1.sum(), share2 / share2.sum()])
        plan = linprog(cost.ravel(), A_eq=flows, b_eq=shares, method="highs")
        return max(0.0, float(cost.ravel() @ plan.x))


def _scaled(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return vectors (d,) or (n, d) at length 1; zero stays zero."""
    lengths = np.sqrt(np.square(vectors).sum(axis=-1, keepdims=True))
    units: NDArray[np.float64] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return units


def _items(given: Any, weight: float = 1.0) -> list[tuple[Any, float]]:
    """Bring the ways of writing a list of keys or vectors to (key or vector, weight)."""
    if given is None:
        return []
    if is_key(given) or (isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind == "f"):
        return [(given, weight)]
    items = []
    for item in given:
        if isinstance(item, (tuple, list)):
            if len(item) != 2:
                raise SettingsError(f"a weighted item is a pair (key or vector, weight); got {item!r}")
            items.append((item[0], float(item[1])))
        else:
            items.append((item, weight))
    return items
