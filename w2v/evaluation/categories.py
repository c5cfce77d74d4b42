"""Categorisation: whether words of a category fall into one cluster."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import FormatError
from w2v.evaluation.candidates import Candidates, HasVectors
from w2v.evaluation.lines import numbered_lines
from w2v.plurals import counted

__all__ = ["CategoriesReport", "WordCategories", "evaluate_categories"]

_STARTS = 10
_STEPS = 100
_SHUFFLES = 200


@dataclass(frozen=True)
class WordCategories:
    """Words and the category of each.

    Attributes
    ----------
    name : str
    words, categories : tuple of str
        Of equal length; a word stands there once.
    path : str or None
        The file they were read from.
    """

    name: str
    words: tuple[str, ...]
    categories: tuple[str, ...]
    path: str | None = None

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def read(cls, path: str | Path) -> WordCategories:
        """Read a file of words and categories.

        Parameters
        ----------
        path : str or Path
            UTF-8 text. Either ``: category`` lines, each followed by the words of the category, separated by blanks;
            or a word and its category a line, separated by a tab, semicolon, comma or blanks. Blank lines and lines
            that start with ``#`` are skipped.

        Raises
        ------
        FileAccessError, FormatError
            The latter names file and line, also of a word that stands there twice.
        """
        path = Path(path)
        lines = list(numbered_lines(path))
        sections = any(text.lstrip().startswith(":") for _, text in lines)
        found: dict[str, str] = {}
        for number, word, category in _in_sections(path, lines) if sections else _in_columns(path, lines):
            if word in found:
                raise FormatError(f"{path}:{number}: the word {word!r} has a category already, {found[word]!r}")
            found[word] = category
        if len(set(found.values())) < 2:
            raise FormatError(f"{path}: two categories are needed to tell them apart; found {len(set(found.values()))}")
        return cls(path.stem, tuple(found), tuple(found.values()), str(path))


def _in_sections(path: Path, lines: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str, str]]:
    category = None
    for number, text in lines:
        if text.lstrip().startswith(":"):
            category = text.strip()[1:].strip()
        elif category is None:
            raise FormatError(f"{path}:{number}: words before the first ': category' line")
        else:
            yield from ((number, word, category) for word in text.split())


def _in_columns(path: Path, lines: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str, str]]:
    for number, text in lines:
        delimiter = next((d for d in "\t;," if d in text), None)
        fields = [field.strip() for field in text.split(delimiter)]
        if len(fields) != 2 or not all(fields):
            raise FormatError(f"{path}:{number}: expected a word and its category; got {fields!r}")
        yield number, fields[0], fields[1]


@dataclass(frozen=True, kw_only=True)
class CategoriesReport:
    """How well clusters of the vectors agree with categories.

    Attributes
    ----------
    name, path : str, str or None
        Of the set.
    purity : float or None
        Share of the words that are in a cluster in which their category is the most frequent one; None with known
        words of fewer than two categories.
    random : float or None
        The mean purity of clusters of the same sizes, filled at random: purity is never 0.
    clusters : int
        As many as there are categories with known words.
    covered, total : int
        Words that are known, and all words.
    case : str
    restrict_vocab : int or None
    missing_words : tuple of str
        Words that are not known, sorted.
    """

    name: str
    path: str | None
    purity: float | None
    random: float | None
    clusters: int
    covered: int
    total: int
    case: str
    restrict_vocab: int | None
    missing_words: tuple[str, ...]

    @property
    def coverage(self) -> float | None:
        """Share of the words that are known."""
        return self.covered / self.total if self.total else None

    def __str__(self) -> str:
        if self.purity is None:
            return f"{self.covered} of {counted(self.total, 'word')} covered, n/a"
        return f"purity {self.purity:.3f}, {self.covered} of {counted(self.total, 'word')} covered"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**asdict(self), "coverage": self.coverage, "missing_words": len(self.missing_words)}


def evaluate_categories(
    embedding: HasVectors,
    categories: WordCategories | str | Path,
    *,
    restrict_vocab: int | None = None,
    case: str = "lower",
    seed: int = 1,
) -> CategoriesReport:
    """Cluster the unit vectors of categorised words and measure the purity of the clusters.

    Parameters
    ----------
    embedding : HasVectors
        An `Embedding`, or anything with its `vocabulary`, `W` and `unit_vectors`. It is only read.
    categories : WordCategories, str or Path
        The words, or the file that holds them (see `WordCategories.read`).
    restrict_vocab, case
        As for `evaluate_similarity`. Unknown words are left out.
    seed : int
        Of the clustering: k-means, the best of ten starts (k-means++; Arthur & Vassilvitskii 2007).

    Raises
    ------
    SettingsError, FileAccessError, FormatError
    """
    candidates = Candidates(embedding, restrict_vocab=restrict_vocab, case=case)
    if not isinstance(categories, WordCategories):
        categories = WordCategories.read(categories)
    groups = candidates.lookup(categories.words)
    known = groups >= 0
    labels = np.unique(np.array(categories.categories)[known], return_inverse=True)[1].reshape(-1)
    clusters = int(labels.max(initial=-1)) + 1
    purity = random = None
    if clusters > 1:
        rng = np.random.default_rng(seed)
        found = _k_means(candidates.unit[candidates.first[groups[known]]].astype(np.float64), clusters, rng)
        purity = _purity(found, labels)
        random = float(np.mean([_purity(rng.permutation(found), labels) for _ in range(_SHUFFLES)]))
    return CategoriesReport(
        name=categories.name,
        path=categories.path,
        purity=purity,
        random=random,
        clusters=clusters,
        covered=int(np.count_nonzero(known)),
        total=len(categories),
        case=case,
        restrict_vocab=restrict_vocab,
        missing_words=tuple(sorted(w for w, k in zip(categories.words, known.tolist(), strict=True) if not k)),
    )


def _purity(found: NDArray[np.int64], labels: NDArray[np.int64]) -> float:
    table = np.zeros((int(found.max()) + 1, int(labels.max()) + 1), dtype=np.int64)
    np.add.at(table, (found, labels), 1)
    return float(table.max(axis=1).sum() / len(labels))


def _k_means(x: NDArray[np.float64], k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the cluster (n,) of each row, of the start with the least sum of squared distances."""
    best: tuple[float, NDArray[np.int64]] | None = None
    for _ in range(_STARTS):
        centers = _spread_centers(x, k, rng)
        found = np.full(len(x), -1, dtype=np.int64)
        for _ in range(_STEPS):
            distances = _squared_distances(x, centers)
            nearest = distances.argmin(axis=1)
            if (nearest == found).all():
                break
            found = nearest
            for cluster in range(k):
                members = x[found == cluster]
                # an empty cluster starts again at the row that fits worst
                centers[cluster] = members.mean(axis=0) if len(members) else x[distances.min(axis=1).argmax()]
        spread = float(_squared_distances(x, centers)[np.arange(len(x)), found].sum())
        if best is None or spread < best[0]:
            best = spread, found
    assert best is not None
    return best[1]


def _spread_centers(x: NDArray[np.float64], k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    centers = [x[rng.integers(len(x))]]
    for _ in range(k - 1):
        distances = _squared_distances(x, np.array(centers)).min(axis=1)
        total = distances.sum()
        centers.append(x[rng.choice(len(x), p=distances / total) if total > 0 else rng.integers(len(x))])
    return np.array(centers)


def _squared_distances(x: NDArray[np.float64], centers: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = (x * x).sum(axis=1)[:, None] - 2 * (x @ centers.T) + (centers * centers).sum(axis=1)
    distances: NDArray[np.float64] = np.maximum(squares, 0)
    return distances
