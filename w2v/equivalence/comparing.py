"""Set the products of an embedding beside the optimum of its own objective, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from w2v.equivalence.additive import AdditiveModel, fit_least_squares, fit_objective
from w2v.equivalence.agreement import Agreements, TargetRanks, correlation, moments
from w2v.equivalence.cloud import sample_cloud
from w2v.equivalence.comparison import Baseline, Comparison, ObjectiveRow, Setup
from w2v.equivalence.deciles import deciles
from w2v.equivalence.neighbors import overlaps
from w2v.equivalence.objective import (
    Objective,
    objective_of_additive,
    objective_of_factors,
    objective_of_values,
    optimum,
)
from w2v.equivalence.observed import ObservedCells
from w2v.equivalence.rivals import Rival, factorize_rivals, positive_target
from w2v.equivalence.tasks import evaluate_tasks
from w2v.equivalence.unobserved import sample_unobserved
from w2v.errors import NotAvailableError, SettingsError
from w2v.pmi import NoiseLaw, PairCounts

if TYPE_CHECKING:
    from w2v.embedding import Embedding
    from w2v.evaluation import AnalogyQuestions, SimilarityPairs

__all__ = ["FITTED", "LEAST_SQUARES", "compare", "formula_of"]

FITTED = "r_w + s_c fitted to L"
LEAST_SQUARES = "r_w + s_c by least squares"

Factors = tuple[NDArray[np.float32], NDArray[np.float32]]


def compare(
    embedding: Embedding,
    counts: PairCounts,
    *,
    law: NoiseLaw | None = None,
    restrict_vocab: int | None = None,
    objective: bool = True,
    factorizations: bool = False,
    second: Embedding | None = None,
    questions: Sequence[AnalogyQuestions | str | Path] = (),
    pairs: Sequence[SimilarityPairs | str | Path] = (),
    seed: int = 1,
    workers: int = 1,
    report: Callable[[str], object] | None = None,
) -> Comparison:
    """Compare x = W[w].C[c] of an embedding with x* = log(a/b) on the observed pairs of its corpus.

    Parameters
    ----------
    embedding : Embedding
        With context vectors, on the vocabulary of the counts.
    counts : PairCounts
        Of the corpus it was trained on, under its own ContextSettings.
    law : NoiseLaw, optional
        Of its training; read from ``embedding.settings["training"]`` when left out.
    restrict_vocab : int, optional
        Bound all matrices to the most frequent words.
    objective : bool
        Whether to compute L over all cells as well (V^2 d operations).
    factorizations : bool
        Whether to factorise the same counts at the same d and set the results beside: objective, neighbours, tasks.
    second : Embedding, optional
        Trained alike from another seed: how well its neighbours agree is the most that can be asked for.
    questions, pairs : sequence, optional
        Analogy and similarity sets (or their files) for the embedding and each factorisation.
    seed : int
        Of the shuffled baseline, the samples and the start vectors.
    workers : int
        Threads.
    report : callable, optional
        Called with the name of each step as it begins.

    Raises
    ------
    NotAvailableError
        If the embedding has no context vectors, or nothing says how its negatives were drawn.
    SettingsError
        If embedding and counts are not about the same words, or there is no pair to compare.

    Notes
    -----
    After Levy & Goldberg (2014), with the target of the options really used (see `w2v.pmi.target`). Under dirty
    subsampling a pair enters the unweighted statistics from an expected count of 0.01 on.
    """
    say = report or (lambda step: None)
    if law is None:
        law = law_of(embedding)
    if restrict_vocab is not None:
        counts = counts.head(restrict_vocab)
    W, C = factors_of(embedding, counts)
    others = {} if second is None else {"SGNS, second seed": factors_of(second, counts)[0]}
    cells = ObservedCells.of(counts, law, workers)
    if not cells.plain.any():
        raise SettingsError("the corpus holds no pair that could be compared: is the right corpus given?")
    say("agreement on observed pairs")
    x = cells.products(W, C)
    additive = {FITTED: fit_objective(cells), LEAST_SQUARES: fit_least_squares(cells, cells.target, cells.plain)}
    agreement, baselines = _agreements(cells, x, additive, seed)
    tables, unseen = deciles(cells, x), sample_unobserved(cells, W, C, seed=seed)
    cloud = sample_cloud(cells, x, seed=seed)
    best = optimum(cells)
    found: list[tuple[str, Objective]] = []
    if objective:
        say("objective over all pairs")
        found.append(("SGNS", objective_of_factors(cells, W, C, x, seed=seed)))
        found += [(name, objective_of_additive(cells, model)) for name, model in additive.items()]
        found += constants(cells)
    del x
    rivals: tuple[Rival, ...] = ()
    if factorizations:
        rivals = factorize_rivals(cells, W.shape[1], objective=objective, seed=seed, report=say)
        if objective:
            found.append(("SPPMI", positive_target(cells)))
            found += [(_scaled(rival), rival.objective) for rival in rivals if rival.objective is not None]
    others = {**{rival.name: rival.W for rival in rivals}, **others}
    if questions or pairs:
        say("tasks")
    models = {"SGNS": W, **others}
    return Comparison(
        setup=_setup(cells, W.shape[1]),
        agreement=agreement,
        baselines=baselines,
        optimum=best,
        objectives=rows_of(found, best),
        deciles=tables,
        unobserved=unseen,
        rivals=rivals,
        neighbors=overlaps(W, others, seed=seed) if others else (),
        tasks=evaluate_tasks(models, counts.vocabulary, questions=questions, pairs=pairs) if questions or pairs else (),
        cloud=cloud,
    )


def _agreements(
    cells: ObservedCells, x: NDArray[np.float32], additive: dict[str, AdditiveModel], seed: int
) -> tuple[Agreements, tuple[Baseline, ...]]:
    """Return the statistics of x, and those of the baselines one after the other: each is as large as x."""
    ranks = TargetRanks(cells)
    agreement = ranks.agreements(x, _partials(cells, x, additive[LEAST_SQUARES]))
    nothing = (None, None, None)
    shuffled = np.random.default_rng(seed).permutation(x)
    baselines = [Baseline(name="shuffled pairs", agreement=ranks.agreements(shuffled, nothing))]
    del shuffled
    for name, model in additive.items():
        baselines.append(Baseline(name=name, agreement=ranks.agreements(model.values(cells), nothing)))
    return agreement, tuple(baselines)


def _scaled(rival: Rival) -> str:
    return rival.name if rival.scale == 1.0 else f"{rival.name} x {rival.scale:.2f}"


def law_of(embedding: Embedding) -> NoiseLaw:
    """Return how the negatives of an embedding were drawn."""
    training = embedding.settings.get("training")
    if not training:
        raise NotAvailableError(
            "this model does not say how its negatives were drawn (it has no training settings); only a model trained "
            "by `train` can be compared"
        )
    return NoiseLaw.from_settings(training)


def factors_of(embedding: Embedding, counts: PairCounts) -> Factors:
    """Return W and C (n, d) of the words of the matrix, in memory, after checking that they are the same words."""
    if embedding.C is None:
        raise NotAvailableError("this model holds no context vectors (C), without which there is no w.c to compare")
    n = counts.size
    ours, theirs = embedding.vocabulary, counts.vocabulary
    if len(ours) != len(theirs) or ours.words[:n] != theirs.words[:n]:
        raise SettingsError(
            f"the model ({len(ours)} words) and the pair counts ({len(theirs)} words) are not on the same vocabulary: "
            "count the corpus with the vocabulary of the model"
        )
    return np.array(embedding.W[:n], np.float32, order="C"), np.array(embedding.C[:n], np.float32, order="C")


def constants(cells: ObservedCells) -> list[tuple[str, Objective]]:
    """Return L of x = 0 and, where it differs, of x = -log k."""
    n, k = cells.counts.cells, cells.law.negative
    shift = -float(np.log(k))
    levels = [("x = 0", 0.0)] + ([("x = -log k", shift)] if k != 1 else [])
    return [(name, objective_of_values(cells, np.full(n, level, np.float32), level)) for name, level in levels]


def rows_of(found: list[tuple[str, Objective]], best: Objective) -> tuple[ObjectiveRow, ...]:
    """Set each objective beside the optimum and the L-fitted additive model."""
    floor = next((one.total for name, one in found if name == FITTED), None)
    gap = None if floor is None else best.total - floor
    return tuple(
        ObjectiveRow(
            name=name,
            objective=one,
            deviation=(one.total - best.total) / best.total if best.total else 0.0,
            gap_closed=(one.total - floor) / gap if gap and floor is not None else None,
        )
        for name, one in found
    )


def formula_of(law: NoiseLaw) -> str:
    """Return the formula of the target in one line."""
    noise = f"P_n(c) = n(c)^{law.ns_exponent:g} / sum"
    if law.drops_hits:
        return f"x* = log(a_wc / (k P_n(c) (a_w - a_wc))), {noise}, k = {law.negative:g}"
    return f"x* = log(a_wc / (k a_w P_n(c))), {noise}, k = {law.negative:g}"


def _partials(
    cells: ObservedCells, x: NDArray[np.float32], by_squares: AdditiveModel
) -> tuple[float | None, float | None, float | None]:
    """Return the correlation of x and x* without word and context effects, under the three weightings."""
    found = []
    for weights in (cells.plain, cells.by_count, cells.by_curvature):
        known = by_squares if weights is cells.plain else fit_least_squares(cells, cells.target, weights)
        y, u = known.values(cells), fit_least_squares(cells, x, weights).values(cells)
        np.subtract(cells.target, y, out=y)
        np.subtract(x, u, out=u)
        found.append(correlation(moments(u, y, weights, cells.workers)[0]))
    return found[0], found[1], found[2]


def _setup(cells: ObservedCells, d: int) -> Setup:
    counts, law, context = cells.counts, cells.law, cells.counts.context
    return Setup(
        tokens=counts.tokens,
        vocabulary=len(counts.vocabulary),
        matrix_size=counts.size,
        pairs=counts.total,
        distinct_pairs=counts.cells,
        compared_pairs=int(np.count_nonzero(cells.plain)),
        infinite_targets=cells.infinite,
        fill=counts.fill,
        negative=law.negative,
        ns_exponent=law.ns_exponent,
        accidental_hits=law.accidental_hits,
        window=context.window,
        shrink_windows=context.shrink_windows,
        sample=context.sample,
        subsampling=context.subsampling,
        vector_size=d,
        formula=formula_of(law),
    )
