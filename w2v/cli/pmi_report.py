"""The report of ``w2v pmi-compare``: what was compared, the numbers beside their baselines, and what they say."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from w2v.cli.pmi_tables import decile_lines, neighbor_lines, task_lines, unobserved_line
from w2v.cli.terminal import section, shown, table
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.equivalence import Agreement, Comparison

__all__ = ["report_lines"]

_MODEL = "w.c of the model"
_WEIGHTINGS = (
    ("by_curvature", "Weighted as the objective weighs them (its curvature at x*): the headline"),
    ("by_count", "Weighted by how often they occur (a)"),
    ("plain", "All pairs alike, which mostly means rare ones"),
)
_WIDTH = 96


def report_lines(comparison: Comparison, *, model: str, corpus: Sequence[str]) -> Iterator[str]:
    """Return the report, line by line."""
    yield section(f"{shown(model)}: x = w.c beside its target x*")
    yield from _setup_lines(comparison, corpus)
    yield ""
    yield from textwrap.wrap(_in_words(comparison), _WIDTH)
    for name, title in _WEIGHTINGS:
        yield ""
        yield section(f"Observed pairs, x against x*. {title}")
        rows: list[tuple[str, ...]] = [("", "r", "partial r", "Spearman", "slope", "intercept", "mean |x - x*|")]
        rows.append(_row(_MODEL, getattr(comparison.agreement, name)))
        rows += [_row(baseline.name, getattr(baseline.agreement, name)) for baseline in comparison.baselines]
        yield from table(rows, "lrrrrrr", indent="  ")
    if comparison.objectives:
        yield ""
        yield section("The objective over all pairs, observed or not")
        headed = [("", "loss above the optimum", "gap to the optimum closed")]
        headed += [
            (
                _MODEL if row.name == "SGNS" else row.name,
                f"{row.deviation:.1%}",
                _closed(row.gap_closed),
            )
            for row in comparison.objectives
        ]
        yield from table(headed, "lrr", indent="  ")
    yield from decile_lines(comparison)
    yield from unobserved_line(comparison)
    yield from neighbor_lines(comparison)
    yield from task_lines(comparison)


def _setup_lines(comparison: Comparison, corpus: Sequence[str]) -> Iterator[str]:
    s = comparison.setup
    more = f" and {len(corpus) - 1} more" if len(corpus) > 1 else ""
    bounded = "" if s.matrix_size == s.vocabulary else f", the {s.matrix_size:,} most frequent compared"
    window = f"{s.window}, {'each drawn from 1 to ' + str(s.window) if s.shrink_windows else 'fixed'}"
    sample = f"{s.sample:g} ({s.subsampling})" if s.sample else "none"
    unlimited = f"; {s.infinite_targets:,} without a finite target left out" if s.infinite_targets else ""
    yield from table(
        [
            ("corpus", f"{shown(corpus[0])}{more}"),
            ("", f"{counted(s.tokens, 'token')}, {counted(s.vocabulary, 'word')}{bounded}; d = {s.vector_size}"),
            (
                "pairs",
                f"{s.pairs:,.0f} an epoch in expectation; {s.distinct_pairs:,} distinct, {s.fill:.2%} of all cells",
            ),
            ("", f"{s.compared_pairs:,} compared alike{unlimited}"),
            ("settings", f"window {window}; subsampling {sample}; accidental hits {_kept(s.accidental_hits)}"),
            ("target", s.formula),
        ],
        indent="  ",
    )


def _closed(gap: float | None) -> str:
    if gap is None:
        return ""
    return f"{gap:.1%}" if gap >= 0 else "none: further away"


def _kept(law: str) -> str:
    return {"keep": "kept", "drop": "dropped"}.get(law, law)


def _row(name: str, agreement: Agreement) -> tuple[str, ...]:
    numbers = (
        agreement.pearson,
        agreement.partial,
        agreement.spearman,
        agreement.slope,
        agreement.intercept,
        agreement.mean_absolute_error,
    )
    return (name, *("-" if number is None else f"{number:.3f}" for number in numbers))


def _in_words(comparison: Comparison) -> str:
    """Say in a few sentences what agrees and what does not; every number is also in the tables."""
    weighted, plain = comparison.agreement.by_curvature, comparison.agreement.plain
    additive = [b for b in comparison.baselines if b.name.startswith("r_w")]
    rival = max((b.agreement.by_curvature.pearson or 0.0 for b in additive), default=0.0)
    rival_plain = max((b.agreement.plain.pearson or 0.0 for b in additive), default=0.0)
    parts = []
    if weighted.pearson is not None:
        parts.append(
            f"Where the objective has weight, w.c follows x* with r = {weighted.pearson:.2f}; a model that knows words "
            f"and contexts but no pairs (r_w + s_c) reaches {rival:.2f} at best, and shuffled pairs nothing."
        )
    if weighted.partial is not None:
        parts.append(
            f"With the effects of single words and contexts removed from both, {weighted.partial:.2f} is left: that "
            "part is knowledge of pairs."
        )
    if plain.pearson is not None and rival_plain > plain.pearson:
        parts.append(
            f"With all pairs counted alike r_w + s_c is ahead, {rival_plain:.2f} to {plain.pearson:.2f}: most observed "
            "pairs are rare, and their x* is little but the rarity of their words. So a plain correlation neither "
            "proves nor refutes the equivalence."
        )
    if weighted.slope is not None and weighted.intercept is not None:
        what = "flatter than" if weighted.slope < 0.95 else "steeper than" if weighted.slope > 1.05 else "as steep as"
        parts.append(
            f"The line through the weighted pairs is {what} x = x* (slope {weighted.slope:.2f}, intercept "
            f"{weighted.intercept:.2f})."
        )
    own = next((row for row in comparison.objectives if row.name == "SGNS"), None)
    if own is not None:
        closed = ""
        if own.gap_closed is not None and own.gap_closed >= 0:
            closed = f" and closes {own.gap_closed:.0%} of the gap that r_w + s_c leaves"
        elif own.gap_closed is not None:
            closed = ", further away from it than that of r_w + s_c"
        parts.append(f"The model's loss is {own.deviation:.1%} above the optimum that x* would reach{closed}.")
    others = [row for row in comparison.objectives if "SVD" in row.name]
    if own is not None and others:
        best = min(others, key=lambda row: row.deviation)
        parts.append(f"The best factorisation of the same counts, {best.name}, is {best.deviation:.1%} above it.")
    ceiling = next((o for o in comparison.neighbors if o.name.startswith("SGNS")), None)
    rivals = [o for o in comparison.neighbors if o is not ceiling]
    if ceiling is not None and rivals:
        near = max(rivals, key=lambda o: o.mean)
        parts.append(
            f"Two trainings share {ceiling.mean:.0%} of their nearest words, the training and {near.name} "
            f"{near.mean:.0%}."
        )
    size, d = comparison.setup.matrix_size, comparison.setup.vector_size
    if d < size:
        parts.append(
            f"An exact match would take {size:,} dimensions; with {d} the equivalence is an approximation whose best "
            "fit is where the objective puts its weight."
        )
    return " ".join(parts)
