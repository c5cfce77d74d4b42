"""Words laid out on a plane: which words, by which projection, with the arrows of analogies."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import one_of
from w2v.errors import SettingsError
from w2v.extras import import_extra
from w2v.geometry.tsne import tsne

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["METHODS", "WordMap", "map_words"]

METHODS = ("pca", "tsne", "umap")


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class WordMap:
    """Words on a plane.

    Attributes
    ----------
    words : tuple of words
        The given ones first.
    points : (n, 2) float64
    group : (n,) int64
        Which given word a word came with; of frequent words and those of analogies 0.
    given : int
        How many of the words were given; the rest are their neighbours.
    arrows : tuple of (int, int)
        Arrows from word to word, two for each analogy.
    method : str
    explained : (float, float) or None
        Share of the variance along both axes, of PCA.
    """

    words: tuple[str | int, ...]
    points: NDArray[np.float64]
    group: NDArray[np.int64]
    given: int
    arrows: tuple[tuple[int, int], ...]
    method: str
    explained: tuple[float, float] | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        rows = zip(self.words, self.points.tolist(), self.group.tolist(), strict=True)
        return {
            "method": self.method,
            "explained": None if self.explained is None else list(self.explained),
            "words": [{"word": word, "x": x, "y": y, "group": group} for word, (x, y), group in rows],
            "arrows": [[self.words[i], self.words[j]] for i, j in self.arrows],
        }


def map_words(
    embedding: Embedding,
    words: Iterable[Any] = (),
    *,
    neighbors: int = 0,
    frequent: int = 0,
    analogies: Iterable[Sequence[Any]] = (),
    method: str = "pca",
    perplexity: float = 30.0,
    restrict_vocab: int | None = None,
    seed: int = 1,
) -> WordMap:
    """Lay words out on a plane by their unit vectors.

    Parameters
    ----------
    embedding : Embedding
    words : iterable of words
        Drawn in any case.
    neighbors : int
        So many nearest neighbours of each given word are drawn too.
    frequent : int
        So many of the most frequent words are drawn too.
    analogies : iterable of (a, b, c, d)
        Their four words are drawn, with arrows from a to b and from c to d.
    method : {"pca", "tsne", "umap"}
        UMAP needs the extra ``umap``. PCA and t-SNE are exact and draw no random number.
    perplexity : float
        Of t-SNE.
    restrict_vocab : int, optional
        Neighbours are among this many most frequent words.
    seed : int
        Of UMAP.

    Raises
    ------
    UnknownWordError
        Naming all unknown words.
    SettingsError
        When there are too few words, or too many for the method.
    MissingExtraError
        For UMAP, when it is not installed.
    """
    one_of("method", method, METHODS)
    quads = [tuple(quad) for quad in analogies]
    for quad in quads:
        if len(quad) != 4:
            raise SettingsError(f"an analogy to draw is four words a b c d; got {len(quad)}: {quad!r}")
    given = list(dict.fromkeys(words))
    corners = [word for quad in quads for word in quad]
    vocabulary = embedding.vocabulary
    ids = vocabulary.ids([*given, *corners])
    group = {row: number for number, row in enumerate(ids[: len(given)])}
    for row in [*ids[len(given) :], *np.argsort(-embedding.counts, kind="stable")[:frequent].tolist()]:
        group.setdefault(row, 0)
    drawn = len(group)
    if neighbors:
        for number, word in enumerate(given):
            for near in embedding.most_similar(word, topn=neighbors, restrict_vocab=restrict_vocab):
                group.setdefault(vocabulary.id(near.word), number)
    rows = list(group)
    if len(rows) < 2:
        raise SettingsError(f"a plane needs at least two words; got {len(rows)}: give more, or ask for neighbours")
    X = embedding.unit_vectors[rows].astype(np.float64)
    explained: tuple[float, float] | None
    points, explained = _principal_plane(X)
    if method == "tsne":
        points, explained = tsne(X, points, perplexity=perplexity), None
    elif method == "umap":
        points, explained = _umap(X, seed), None
    place = {row: i for i, row in enumerate(rows)}
    arrows = tuple(
        (place[vocabulary.id(first)], place[vocabulary.id(second)])
        for a, b, c, d in quads
        for first, second in ((a, b), (c, d))
    )
    return WordMap(
        words=tuple(embedding.word(row) for row in rows),
        points=points,
        group=np.array(list(group.values()), dtype=np.int64),
        given=drawn,
        arrows=arrows,
        method=method,
        explained=explained,
    )


def _principal_plane(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return the first two principal components (n, 2) of rows (n, d), and their shares of the variance."""
    centered = X - X.mean(axis=0)
    _, values, components = np.linalg.svd(centered, full_matrices=False)
    points = np.zeros((len(X), 2))
    kept = min(2, len(values))
    signs = [np.sign(row[np.abs(row).argmax()]) or 1.0 for row in components[:kept]]
    points[:, :kept] = centered @ (components[:kept].T * signs)
    total = float((values**2).sum())
    shares = [*(values[:kept] ** 2 / total).tolist(), 0.0, 0.0] if total > 0 else [0.0, 0.0]
    return points, (shares[0], shares[1])


def _umap(X: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    umap = import_extra("umap", "umap", "UMAP")
    if len(X) < 4:
        raise SettingsError(f"UMAP takes at least 4 words; got {len(X)}: use PCA")
    model = umap.UMAP(n_neighbors=min(15, len(X) - 1), metric="cosine", random_state=seed, n_jobs=1)
    return np.asarray(model.fit_transform(X), dtype=np.float64)
