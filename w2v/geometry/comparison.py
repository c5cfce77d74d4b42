"""Two embeddings of one language set side by side: how alike they are as a whole, and which words moved most."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import whole_number
from w2v.errors import AlignmentError
from w2v.geometry.blocks import float64_blocks
from w2v.geometry.nearest import Floats, Ids, nearest_rows
from w2v.geometry.procrustes import normalized, orthogonal_maps, unit_float32
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["Likeness", "MovedWord", "SpaceComparison", "compare_spaces", "linear_cka"]

_STEPS = ("unit", "center", "unit")
_BANDS = 4
_SHOWN_NEIGHBORS = 5


@dataclass(frozen=True, kw_only=True)
class Likeness:
    """How alike two spaces are over the same words.

    Attributes
    ----------
    cka : float
        Linear CKA of the vectors, 1 for spaces that a rotation and one scale bring together.
    overlap : float
        Mean share of a word's k nearest neighbours that are its neighbours in the other space too.
    nearest_kept : float
        Share of words with the same nearest neighbour in both.
    aligned_cosine : float
        Mean cosine of a word's two vectors after the best rotation.
    """

    cka: float
    overlap: float
    nearest_kept: float
    aligned_cosine: float


@dataclass(frozen=True, kw_only=True)
class FrequencyBand:
    """Words of ranks `first` to `last` among the compared ones: neighbours kept, and cosine after alignment."""

    first: int
    last: int
    overlap: float
    aligned_cosine: float
    ceiling_overlap: float | None
    ceiling_cosine: float | None


@dataclass(frozen=True, kw_only=True)
class MovedWord:
    """A word whose place changed.

    Attributes
    ----------
    word : str or int
    cosine : float
        Of its two vectors after alignment.
    ceiling : float or None
        The same against the ceiling model: what a mere change of the seed does to it.
    overlap : float
        Share of its neighbours that are kept.
    counts : (int, int)
        Its occurrences in the two corpora.
    neighbors_a, neighbors_b : tuple
        Its nearest neighbours in each space.
    """

    word: str | int
    cosine: float
    ceiling: float | None
    overlap: float
    counts: tuple[int, int]
    neighbors_a: tuple[str | int, ...]
    neighbors_b: tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class SpaceComparison:
    """What `compare_spaces` found.

    Attributes
    ----------
    words : int
        Words compared, the most frequent that both (and the ceiling) know.
    shared, words_a, words_b : int
        Words with enough occurrences in all models; words of each model.
    neighbors : int
        k of the neighbourhoods.
    spaces : Likeness
        The two spaces.
    ceiling : Likeness or None
        The first space against the ceiling model.
    chance : Likeness
        The first space against the second with its words shuffled.
    bands : tuple of FrequencyBand
    moved : tuple of MovedWord
        Those that moved most first: of the lowest cosine or, with a ceiling, of the greatest loss against it.
    asked : tuple of MovedWord
        The words that were asked about, in the order in which they were given.
    """

    words: int
    shared: int
    words_a: int
    words_b: int
    neighbors: int
    spaces: Likeness
    ceiling: Likeness | None
    chance: Likeness
    bands: tuple[FrequencyBand, ...]
    moved: tuple[MovedWord, ...]
    asked: tuple[MovedWord, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)


def linear_cka(X: NDArray[Any], Y: NDArray[Any]) -> float:
    """Return the linear centred kernel alignment of X (n, d1) and Y (n, d2), whose rows belong together.

    ``|Y^T X|_F^2 / (|X^T X|_F |Y^T Y|_F)`` of the centred matrices (Kornblith et al. 2019, "Similarity of Neural
    Network Representations Revisited"): 1 for spaces that differ by a rotation, a shift and one scale; unrelated
    ones of n words are near sqrt(d1 d2) / n. 0 where one side has no extent.
    """
    mean_x, mean_y = (M.mean(axis=0, dtype=np.float64) for M in (X, Y))
    xy = np.zeros((X.shape[1], Y.shape[1]))
    xx, yy = np.zeros((X.shape[1], X.shape[1])), np.zeros((Y.shape[1], Y.shape[1]))
    for x, y in zip(float64_blocks(X), float64_blocks(Y), strict=True):
        x -= mean_x
        y -= mean_y
        xy += x.T @ y
        xx += x.T @ x
        yy += y.T @ y
    scale = np.linalg.norm(xx) * np.linalg.norm(yy)
    return float(np.linalg.norm(xy) ** 2 / scale) if scale > 0 else 0.0


def compare_spaces(
    a: Embedding,
    b: Embedding,
    *,
    ceiling: Embedding | None = None,
    restrict_vocab: int = 10_000,
    min_count: int = 50,
    neighbors: int = 10,
    topn: int = 20,
    seed: int = 1,
    words: Iterable[str | int] = (),
) -> SpaceComparison:
    """Compare two embeddings over the words that both know.

    Both are normalised (unit, center, unit over the compared words), and the first is rotated onto the second
    (orthogonal Procrustes over all compared words). Neighbours are the nearest among the compared words.

    Parameters
    ----------
    a, b : Embedding
        May differ in dimensions.
    ceiling : Embedding, optional
        A twin of `a`, such as the same training with another seed: how alike two spaces are that tell the same.
    restrict_vocab : int
        Compare this many words, the most frequent by the smaller of their two relative frequencies.
    min_count : int
        Words with fewer occurrences in one of the models are left out: their places are mostly noise.
    neighbors : int
        k of the neighbourhoods.
    topn : int
        How many moved words to list.
    seed : int
        Of the shuffle behind the row "chance".
    words : iterable of words
        Words to tell about, however little they moved; they must be among those that are compared.

    Returns
    -------
    SpaceComparison

    Raises
    ------
    AlignmentError
        When fewer than ``neighbors + 2`` words can be compared, or when one of `words` is not; the message says why.
    SettingsError
    """
    for name, value, low in (
        ("restrict_vocab", restrict_vocab, 1),
        ("min_count", min_count, 0),
        ("neighbors", neighbors, 1),
        ("topn", topn, 0),
    ):
        whole_number(name, value, low)
    models = [a, b] if ceiling is None else [a, b, ceiling]
    rows, shared = _shared_rows(models, restrict_vocab, min_count)
    if len(rows) < neighbors + 2:
        raise AlignmentError(
            f"{counted(len(rows), 'word')} with a count of {min_count} or more in each of the "
            f"{counted(len(models), 'model')}: too few to compare neighbourhoods of {neighbors}; lower min_count or "
            "the number of neighbours"
        )
    asked = _places(words, models, rows, min_count)
    spaces = [unit_float32(normalized(m.W[rows[:, i]], _STEPS)) for i, m in enumerate(models)]
    near = [nearest_rows(X, neighbors) for X in spaces]
    cosine, kept, likeness = _compared(spaces[0], spaces[1], near[0], near[1])
    shuffled = np.random.default_rng(seed).permutation(len(rows))
    chance = _compared(spaces[0], spaces[1][shuffled], near[0], np.argsort(shuffled)[near[1][shuffled]])[2]
    top: tuple[NDArray[np.float64], NDArray[np.float64], Likeness] | None = None
    if ceiling is not None:
        top = _compared(spaces[0], spaces[2], near[0], near[2])
    loss = -cosine if top is None else top[0] - cosine
    order = np.argsort(-loss, kind="stable")[:topn]
    edges = np.linspace(0, len(rows), _BANDS + 1).astype(int)

    def mean(values: NDArray[np.float64], first: int, last: int) -> float:
        return float(values[first:last].mean())

    def word(i: int) -> str | int:
        return a.word(int(rows[i, 0]))

    def moved(i: int) -> MovedWord:
        return MovedWord(
            word=word(i),
            cosine=float(cosine[i]),
            ceiling=None if top is None else float(top[0][i]),
            overlap=float(kept[i]),
            counts=(int(a.counts[rows[i, 0]]), int(b.counts[rows[i, 1]])),
            neighbors_a=tuple(word(j) for j in near[0][i, :_SHOWN_NEIGHBORS]),
            neighbors_b=tuple(word(j) for j in near[1][i, :_SHOWN_NEIGHBORS]),
        )

    return SpaceComparison(
        words=len(rows),
        shared=shared,
        words_a=len(a),
        words_b=len(b),
        neighbors=neighbors,
        spaces=likeness,
        ceiling=None if top is None else top[2],
        chance=chance,
        bands=tuple(
            FrequencyBand(
                first=int(first) + 1,
                last=int(last),
                overlap=mean(kept, first, last),
                aligned_cosine=mean(cosine, first, last),
                ceiling_overlap=None if top is None else mean(top[1], first, last),
                ceiling_cosine=None if top is None else mean(top[0], first, last),
            )
            for first, last in itertools.pairwise(edges)
        ),
        moved=tuple(moved(i) for i in order),
        asked=tuple(moved(i) for i in asked),
    )


def _shared_rows(models: list[Embedding], words: int, min_count: int) -> tuple[Ids, int]:
    """Return the rows (n, models) of the words that are compared, the most frequent first, and how many could be."""
    first, *others = models
    rows = [
        (i, *(other.vocabulary.index[word] for other in others))
        for i, word in enumerate(first.words)
        if all(word in other for other in others)
    ]
    found = np.array(rows, dtype=np.int64).reshape(-1, len(models))
    counts = np.stack([m.counts[found[:, i]] for i, m in enumerate(models)], axis=1)
    totals = np.array([max(1, int(m.counts.sum())) for m in models])
    often = (counts >= min_count).all(axis=1)
    found, share = found[often], (counts[often] / totals).min(axis=1)
    order = np.argsort(-share, kind="stable")
    return found[order[:words]], len(found)


def _places(words: Iterable[str | int], models: list[Embedding], rows: Ids, min_count: int) -> list[int]:
    """Return where the words stand among the compared ones; raises what says why one does not."""
    places = {models[0].word(int(row)): i for i, row in enumerate(rows[:, 0])}
    found = []
    for word in words:
        if word not in places:
            raise AlignmentError(f"{word!r} is not compared: {_why_not(word, models, len(rows), min_count)}")
        found.append(places[word])
    return found


def _why_not(word: str | int, models: list[Embedding], compared: int, min_count: int) -> str:
    for name, model in zip(("A", "B", "the ceiling"), models, strict=False):
        if word not in model:
            close = ", ".join(str(other) for other in model.vocabulary.suggest(word))
            return f"{name} does not know it{f' (did you mean {close}?)' if close else ''}"
        count = int(model.counts[model.vocabulary.id(word)])
        if count < min_count:
            return f"it is there {counted(count, 'time')} in {name}; lower min_count={min_count}"
    return f"it is not among the {counted(compared, 'word')} that are most frequent on both sides; raise restrict_vocab"


def _compared(
    X: Floats, Y: Floats, near_x: Ids, near_y: Ids
) -> tuple[NDArray[np.float64], NDArray[np.float64], Likeness]:
    """Return for each word its cosine after alignment and the share of neighbours kept, and the likeness."""
    maps = orthogonal_maps(X, Y)
    cosine = np.einsum("ij,ij->i", unit_float32(X, maps.source), Y, dtype=np.float64)
    k, n = near_x.shape[1], len(X)
    own = np.arange(n)[:, None] * n
    kept = np.isin(own + near_x, own + near_y).sum(axis=1) / k
    likeness = Likeness(
        cka=linear_cka(X, Y),
        overlap=float(kept.mean()),
        nearest_kept=float((near_x[:, 0] == near_y[:, 0]).mean()),
        aligned_cosine=float(cosine.mean()),
    )
    return cosine, kept, likeness
