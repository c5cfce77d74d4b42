"""Two embeddings brought into one space: by a dictionary, by words spelt alike, or by nothing but their shapes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from w2v.arguments import one_of, whole_number
from w2v.embedding import Embedding
from w2v.errors import AlignmentError, SettingsError
from w2v.geometry.dictionaries import BilingualDictionary, KnownPairs
from w2v.geometry.nearest import Floats
from w2v.geometry.procrustes import SpaceMaps, normalized, orthogonal_maps, reweighted_maps, unit_float32
from w2v.geometry.self_learning import (
    ANNEALED_WORDS,
    SelfLearning,
    agreement,
    mutual_pairs,
    profile_pairs,
    self_learn,
)
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.vocabulary import Vocabulary

__all__ = ["MAPPINGS", "NORMALIZATION_STEPS", "Alignment", "align"]

MAPPINGS = ("reweighted", "orthogonal")
NORMALIZATION_STEPS = ("unit", "center")
DEFAULT_STEPS = ("unit", "center", "unit")
_TRUSTED_AGREEMENT = 0.5
_PAIRS_PER_DIMENSION = 2

Report = Callable[[int, float, float], None]


@dataclass(frozen=True)
class Alignment:
    """Two embeddings in one space, and how they came there.

    Attributes
    ----------
    source, target : Embedding
        Rows of length 1 in a common space; words and counts are those of the originals. Cosines across the two are
        similarities of meaning, as far as the alignment is good.
    mapping : str
        ``"orthogonal"``: the source was rotated, the target only normalised. ``"reweighted"``: both were mapped.
    given_pairs, learnt_pairs : int
        Pairs of words that were given, and that the last map was learnt from.
    rounds : int
        Rounds of refinement or self-learning.
    objective : float or None
        Mean cosine of the pairs that self-learning ended with; None where there was none.
    mutual : int
        Words, among the most frequent ones, that are each other's best translation.
    agreement : float or None
        Unsupervised: the share of frequent words that a second run, with other noise, translates alike.
    """

    source: Embedding
    target: Embedding
    mapping: str
    given_pairs: int
    learnt_pairs: int
    rounds: int
    objective: float | None
    mutual: int
    agreement: float | None

    @property
    def trusted(self) -> bool:
        """False where unsupervised learning failed: its runs end in different places, so none of them is right."""
        return self.agreement is None or self.agreement >= _TRUSTED_AGREEMENT

    @property
    def verdict(self) -> str:
        """One sentence on what the alignment rests on."""
        if self.agreement is None:
            return f"The map rests on {self.given_pairs:,} given pairs; a test says what it is worth."
        if self.trusted:
            return f"Two runs with different noise translate {self.agreement:.0%} of the frequent words alike: learnt."
        return (
            f"The unsupervised alignment failed: two runs with different noise translate only {self.agreement:.0%} of "
            "the frequent words alike, so the two spaces were not found to share a shape; give pairs in a "
            "dictionary, start from the words spelt alike, or train on more text."
        )


def align(
    source: Embedding,
    target: Embedding,
    seed_pairs: BilingualDictionary | KnownPairs | None = None,
    *,
    steps: Sequence[str] = DEFAULT_STEPS,
    mapping: str = "reweighted",
    refine: int = 2,
    neighbors: int = 10,
    words: int = 10_000,
    case: str = "lower",
    seed: int = 1,
    report: Report | None = None,
) -> Alignment:
    """Bring two embeddings, of any sizes and dimensions, into one space.

    Parameters
    ----------
    source, target : Embedding
        The most frequent words first.
    seed_pairs : BilingualDictionary, KnownPairs or None
        Words, or rows, that translate each other. None: unsupervised, from the similarity distributions alone.
    steps : sequence of {"unit", "center"}
        How the vectors of both sides are normalised first, in this order; rows always end at length 1.
    mapping : {"reweighted", "orthogonal"}
        The last map: see `w2v.geometry.procrustes`. Reweighting needs more pairs than dimensions; with fewer than two
        pairs a dimension the orthogonal map is taken, and `Alignment.mapping` says so.
    refine : int
        With seed pairs: how often the pairs that are each other's best translation are added and the map is learnt
        again.
    neighbors : int
        Neighbours of CSLS.
    words : int
        Pairs are induced among this many words of each side, the most frequent.
    case : {"lower", "none"}
        See `BilingualDictionary.lookup`.
    seed : int
        Of the noise in unsupervised learning.
    report : callable, optional
        Called with (round, objective, share of cells kept) as unsupervised learning proceeds.

    Returns
    -------
    Alignment
        Look at `Alignment.trusted` before using an unsupervised one.

    Raises
    ------
    AlignmentError
        When no seed pair is known on both sides, or a side has fewer than two words.
    SettingsError
    """
    steps = _checked(steps, mapping, refine, neighbors, words)
    if min(len(source), len(target)) < 2:
        both = f"{len(source)} and {counted(len(target), 'word')}"
        raise AlignmentError(f"{both} cannot be aligned: each side needs at least two")
    for side in (source, target):
        side.norms  # noqa: B018 - finds rows that are not finite, and names them
    X, Y = (unit_float32(normalized(side.W, steps)) for side in (source, target))
    near_x, near_y = X[:words], Y[:words]
    objective = agreed = None
    given = 0
    if seed_pairs is None:
        few_x, few_y = near_x[:ANNEALED_WORDS], near_y[:ANNEALED_WORDS]
        learnt, again = _two_runs(near_x, near_y, few_x, few_y, k=neighbors, seed=seed, report=report)
        pairs, objective, rounds = learnt.pairs, learnt.objective, learnt.rounds
        agreed = agreement(few_x, few_y, learnt.maps, again.maps, neighbors)
    else:
        pairs = _known(seed_pairs, source.vocabulary, target.vocabulary, case)
        given, rounds = len(pairs), refine
        pairs = _refined(near_x, near_y, X, Y, pairs, mapping=mapping, rounds=refine, k=neighbors)
    maps, mapping = _maps(X, Y, pairs, mapping)
    A, B = unit_float32(X, maps.source), unit_float32(Y, maps.target)
    told: dict[str, Any] = {
        "method": "unsupervised" if seed_pairs is None else "supervised",
        "steps": list(steps),
        "mapping": mapping,
        "given_pairs": given,
        "learnt_pairs": len(pairs),
        "rounds": rounds,
        "words": words,
        "neighbors": neighbors,
        "seed": seed,
    }
    return Alignment(
        source=_mapped(source, A, {**told, "side": "source"}),
        target=_mapped(target, B, {**told, "side": "target"}),
        mapping=mapping,
        given_pairs=given,
        learnt_pairs=len(pairs),
        rounds=rounds,
        objective=objective,
        mutual=len(mutual_pairs(A[:words], B[:words], neighbors)),
        agreement=agreed,
    )


def _checked(steps: Sequence[str], mapping: str, refine: int, neighbors: int, words: int) -> tuple[str, ...]:
    steps = (steps,) if isinstance(steps, str) else tuple(steps)
    for step in steps:
        if step not in NORMALIZATION_STEPS:
            raise SettingsError(f"a normalisation step is one of {', '.join(NORMALIZATION_STEPS)}; got {step!r}")
    one_of("mapping", mapping, MAPPINGS)
    for name, value, low in (("refine", refine, 0), ("neighbors", neighbors, 1), ("words", words, 2)):
        whole_number(name, value, low)
    return steps


def _known(pairs: BilingualDictionary | KnownPairs, source: Vocabulary, target: Vocabulary, case: str) -> KnownPairs:
    if isinstance(pairs, BilingualDictionary):
        return pairs.seed_pairs(source, target, case=case)
    found = KnownPairs(*(np.asarray(side, dtype=np.int64) for side in pairs))
    for rows, vocabulary, name in ((found.source, source, "source"), (found.target, target, "target")):
        if rows.shape != found.source.shape or rows.ndim != 1:
            raise AlignmentError(f"pairs are two equally long lists of rows; got shapes {[s.shape for s in found]}")
        if not rows.size:
            raise AlignmentError("0 pairs were given: nothing can be learnt from them")
        if rows.min() < 0 or rows.max() >= len(vocabulary):
            raise AlignmentError(
                f"the pairs name rows {rows.min()} to {rows.max()} of the {name}, which has "
                f"{counted(len(vocabulary), 'word')}"
            )
    return found


def _two_runs(
    near_x: Floats, near_y: Floats, few_x: Floats, few_y: Floats, *, k: int, seed: int, report: Report | None
) -> tuple[SelfLearning, SelfLearning]:
    """Learn without pairs, and again with other noise on the few words that show whether both end alike.

    The runs go side by side, as numpy lets go of the interpreter's lock; neither depends on the other.
    """
    stop = threading.Event()

    def unless_stopped(*_: float) -> None:
        if stop.is_set():
            raise CancelledError

    start = profile_pairs(few_x, few_y, k)
    with ThreadPoolExecutor(1) as beside:
        again = beside.submit(self_learn, few_x, few_y, start, k=k, seed=seed + 1, report=unless_stopped)
        try:
            return self_learn(near_x, near_y, start, k=k, seed=seed, report=report), again.result()
        except BaseException:  # Ctrl-C too: the other run ends after its round
            stop.set()
            raise


def _refined(
    near_x: Floats, near_y: Floats, X: Floats, Y: Floats, given: KnownPairs, *, mapping: str, rounds: int, k: int
) -> KnownPairs:
    """Add to the given pairs those that are each other's best translation under the map so far, several times."""
    pairs = given
    for _ in range(rounds):
        maps, _ = _maps(X, Y, pairs, mapping)
        found = mutual_pairs(unit_float32(near_x, maps.source), unit_float32(near_y, maps.target), k)
        pairs = KnownPairs(*(np.concatenate(sides) for sides in zip(given, found, strict=True)))
    return pairs


def _maps(X: Floats, Y: Floats, pairs: KnownPairs, mapping: str) -> tuple[SpaceMaps, str]:
    x, y = X[pairs.source], Y[pairs.target]
    if mapping == "reweighted" and len(pairs) >= _PAIRS_PER_DIMENSION * max(X.shape[1], Y.shape[1]):
        return reweighted_maps(x, y), mapping
    return orthogonal_maps(x, y), "orthogonal"


def _mapped(side: Embedding, W: Floats, told: Mapping[str, Any]) -> Embedding:
    provenance = {**side.provenance, "alignment": dict(told)}
    return Embedding(side.vocabulary, W, settings=side.settings, provenance=provenance, losses=side.losses)
