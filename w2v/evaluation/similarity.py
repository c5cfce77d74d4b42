"""Word similarity: how well the cosines of an embedding agree with human scores of word pairs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import one_of
from w2v.evaluation.candidates import Candidates, HasVectors
from w2v.evaluation.intervals import Interval, checked_resamples, correlation_interval
from w2v.evaluation.pairs import SimilarityPairs
from w2v.plurals import counted

__all__ = ["FEWEST_PAIRS", "OOV_POLICIES", "SimilarityReport", "evaluate_similarity"]

OOV_POLICIES = ("skip", "zero")
FEWEST_PAIRS = 10
"""With fewer pairs a correlation says next to nothing: two pairs always give 1 or -1."""


@dataclass(frozen=True, kw_only=True)
class SimilarityReport:
    """How an embedding agrees with the human scores of a set of word pairs.

    Attributes
    ----------
    name, path : str, str or None
        Of the set.
    spearman, pearson : float or None
        Correlation of scores and cosines (ties average their ranks); None with fewer than two pairs, or where the
        scores or the cosines are all equal.
    spearman_p, pearson_p : float or None
        Two-sided p-values; None with fewer than three pairs.
    spearman_interval, pearson_interval : (float, float) or None
        95% bootstrap intervals, drawn by pairs.
    covered, total : int
        Pairs with both words known, and all pairs.
    oov : str
        What became of the others: ``"skip"``, left out; ``"zero"``, cosine 0.
    case : str
        Case policy.
    restrict_vocab : int or None
    missing_words : tuple of str
        Words that are not known, sorted.
    """

    name: str
    path: str | None
    spearman: float | None
    pearson: float | None
    spearman_p: float | None
    pearson_p: float | None
    spearman_interval: Interval | None
    pearson_interval: Interval | None
    covered: int
    total: int
    oov: str
    case: str
    restrict_vocab: int | None
    missing_words: tuple[str, ...]

    @property
    def coverage(self) -> float | None:
        """Share of the pairs with both words known."""
        return self.covered / self.total if self.total else None

    @property
    def telling(self) -> bool:
        """Whether there is a correlation, over enough pairs to be shown: `FEWEST_PAIRS`."""
        return self.spearman is not None and self.covered >= FEWEST_PAIRS

    def __str__(self) -> str:
        if not self.telling:
            return f"{self.covered} of {counted(self.total, 'pair')} covered, n/a"
        return f"Spearman {self.spearman:.3f}, {self.covered} of {counted(self.total, 'pair')} covered"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**asdict(self), "coverage": self.coverage, "missing_words": len(self.missing_words)}


def evaluate_similarity(
    embedding: HasVectors,
    pairs: SimilarityPairs | str | Path,
    *,
    restrict_vocab: int | None = None,
    case: str = "lower",
    oov: str = "skip",
    score_column: int = -1,
    resamples: int = 1000,
    seed: int = 1,
) -> SimilarityReport:
    """Correlate the cosines of word pairs with their human scores.

    Parameters
    ----------
    embedding : HasVectors
        An `Embedding`, or anything with its `vocabulary`, `W` and `unit_vectors`. It is only read.
    pairs : SimilarityPairs, str or Path
        The pairs, or the file that holds them (see `SimilarityPairs.read`).
    restrict_vocab : int or None
        Only the first so many words, the most frequent ones, are known. None means all.
    case : {"none", "lower", "casefold"}
        How spellings are compared; the most frequent spelling of a word lends its vector.
    oov : {"skip", "zero"}
        What becomes of pairs with an unknown word: left out, or given the cosine 0.
    score_column : int
        As in `SimilarityPairs.read`, for a file.
    resamples : int
        Bootstrap resamples for the intervals; 0 leaves them out.
    seed : int
        Of the bootstrap.

    Returns
    -------
    SimilarityReport

    Raises
    ------
    SettingsError, FileAccessError, FormatError
    """
    one_of("oov", oov, OOV_POLICIES)
    resamples = checked_resamples(resamples)
    candidates = Candidates(embedding, restrict_vocab=restrict_vocab, case=case)
    if not isinstance(pairs, SimilarityPairs):
        pairs = SimilarityPairs.read(pairs, score_column=score_column)
    first = candidates.lookup(pair.first for pair in pairs.pairs)
    second = candidates.lookup(pair.second for pair in pairs.pairs)
    gold = np.array([pair.score for pair in pairs.pairs], dtype=np.float64)
    known = (first >= 0) & (second >= 0)
    cosines = np.zeros(len(gold))
    u, v = (candidates.unit[candidates.first[g[known]]].astype(np.float64) for g in (first, second))
    cosines[known] = (u * v).sum(axis=1)
    used = known if oov == "skip" else np.ones(len(gold), dtype=bool)
    x, y = gold[used], cosines[used]
    missing = {p.first for p, g in zip(pairs.pairs, first, strict=True) if g < 0}
    missing |= {p.second for p, g in zip(pairs.pairs, second, strict=True) if g < 0}
    return SimilarityReport(
        name=pairs.name,
        path=pairs.path,
        **_correlations(x, y, resamples=resamples, seed=seed),
        covered=int(np.count_nonzero(known)),
        total=len(gold),
        oov=oov,
        case=case,
        restrict_vocab=restrict_vocab,
        missing_words=tuple(sorted(missing)),
    )


def _correlations(x: NDArray[np.float64], y: NDArray[np.float64], *, resamples: int, seed: int) -> dict[str, Any]:
    from scipy import stats  # half a second that no other query needs

    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        names = ("spearman", "pearson")
        return {name + part: None for name in names for part in ("", "_p", "_interval")}

    def ranks(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(stats.rankdata(rows, axis=-1), dtype=np.float64)

    found: dict[str, Any] = {}
    for name, u, v, transform in (("pearson", x, y, None), ("spearman", ranks(x), ranks(y), ranks)):
        result = stats.pearsonr(u, v)
        found[name] = float(result.statistic)
        found[f"{name}_p"] = float(result.pvalue) if len(x) > 2 else None
        found[f"{name}_interval"] = correlation_interval(x, y, transform=transform, resamples=resamples, seed=seed)
    return found
