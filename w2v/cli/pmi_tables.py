"""The further tables of ``w2v pmi-compare``: tenths of the pairs, pairs never seen, neighbours, tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from w2v.cli.terminal import section, shown, table
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.equivalence import Comparison

__all__ = ["decile_lines", "neighbor_lines", "task_lines", "unobserved_line"]


def decile_lines(comparison: Comparison) -> Iterator[str]:
    """Return r, weighted by curvature, and the mean error by tenths of the pairs."""
    if not comparison.deciles:
        return
    yield ""
    yield section("The same by tenths of the pairs, from rare to frequent: r by curvature, mean |x - x*| of all alike")
    rows: list[tuple[str, ...]] = [("tenths by", "", *(str(i) for i in range(1, 11)))]
    for tenths in comparison.deciles:
        r = [_number(row.by_curvature.pearson, 2) for row in tenths.rows]
        error = [_number(row.plain.mean_absolute_error, 2) for row in tenths.rows]
        missing = [""] * (10 - len(r))
        rows += [(tenths.quantity, "r", *r, *missing), ("", "error", *error, *missing)]
    yield from table(rows, "ll" + "r" * 10, indent="  ")


def unobserved_line(comparison: Comparison) -> Iterator[str]:
    """Say how x is distributed over pairs never seen, whose x* is minus infinity."""
    seen = comparison.unobserved
    if seen is None or seen.mean is None:
        return
    yield ""
    yield section("Pairs never seen (x* is minus infinity), drawn by P(w) P_n(c)")
    yield (
        f"  mean x {seen.mean:.2f}, standard deviation {_number(seen.standard_deviation, 2)}; "
        f"{_share(seen.share_positive)} of them above 0 ({counted(seen.pairs, 'pair')})"
    )


def neighbor_lines(comparison: Comparison) -> Iterator[str]:
    """Return how many of the nearest words each other model has in common with the trained one."""
    if not comparison.neighbors:
        return
    first = comparison.neighbors[0]
    yield ""
    yield section(
        f"Nearest {counted(first.topn, 'word')} in common with the model, mean of {counted(first.words, 'word')}"
    )
    rows = [(o.name, f"{o.mean:.1%}", f"+- {o.standard_error:.1%}") for o in comparison.neighbors]
    yield from table(rows, "lrr", indent="  ")


def task_lines(comparison: Comparison) -> Iterator[str]:
    """Return the scores of all models on the same sets."""
    scored = [task for task in comparison.tasks if task.score is not None]
    if not scored:
        return
    columns = list(dict.fromkeys((task.name, task.measure) for task in scored))
    models = list(dict.fromkeys(task.model for task in scored))
    found = {(task.model, task.name, task.measure): task for task in scored}
    yield ""
    yield section("Tasks: analogies (share right; the nearest to b alone), word similarity (Spearman)")
    rows: list[tuple[str, ...]] = [("", *(f"{shown(name)} {measure}" for name, measure in columns), "b alone")]
    for model in models:
        tasks = [found.get((model, *column)) for column in columns]
        alone = next((task.baseline for task in tasks if task is not None and task.baseline is not None), None)
        scores = ["" if task is None else _score(task.score, task.measure) for task in tasks]
        rows.append((model, *scores, "" if alone is None else f"{alone:.1%}"))
    yield from table(rows, "l" + "r" * (len(columns) + 1), indent="  ")


def _score(score: float | None, measure: str) -> str:
    return _share(score) if measure.startswith("3cos") else _number(score, 3)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
