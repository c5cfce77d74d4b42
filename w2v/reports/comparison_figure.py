"""The figure of ``w2v pmi-compare``: x against x*, agreement by tenths of the pairs, the objective of each model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from w2v.reports.canvas import new_figure, save_figure

if TYPE_CHECKING:
    from w2v.equivalence import Comparison

__all__ = ["draw_comparison"]

_OURS, _OTHERS = "#1f5fa8", "#b0b0b0"


def draw_comparison(
    comparison: Comparison, path: str | os.PathLike[str], *, title: str = "", force: bool = False
) -> None:
    """Draw a `Comparison` to a PNG, SVG or PDF file.

    Raises
    ------
    MissingExtraError, SettingsError, FileAccessError
        See `w2v.reports.check_figure_target`.
    """
    figure, axes = new_figure(15, 5, 1, 3)
    if title:
        figure.suptitle(title, fontsize=12, parse_math=False)
    _pairs(figure, axes[0], comparison)
    _tenths(axes[1], comparison)
    _objectives(axes[2], comparison)
    save_figure(figure, path, force=force)


def _pairs(figure: Any, axes: Any, comparison: Comparison) -> None:
    if comparison.cloud is None or not len(comparison.cloud.x):
        return
    x, target = comparison.cloud.x, comparison.cloud.target
    cells = axes.hexbin(target, x, gridsize=60, bins="log", mincnt=1, cmap="Blues", linewidths=0.1)
    figure.colorbar(cells, ax=axes, label="pairs")
    ends = [float(min(target.min(), x.min())), float(max(target.max(), x.max()))]
    axes.plot(ends, ends, color="black", linewidth=1, label="x = x*")
    axes.legend(loc="upper left", frameon=False)
    r = comparison.headline
    axes.set_title("Observed pairs, drawn by curvature" + ("" if r is None else f": r = {r:.2f}"))
    axes.set_xlabel("x* = log(a/b)")
    axes.set_ylabel("x = w.c")


def _tenths(axes: Any, comparison: Comparison) -> None:
    width = 0.8 / max(1, len(comparison.deciles))
    for i, table in enumerate(comparison.deciles):
        numbers = [row.by_curvature.pearson or 0.0 for row in table.rows]
        places = [n + 1 + (i - (len(comparison.deciles) - 1) / 2) * width for n in range(len(numbers))]
        axes.bar(places, numbers, width, label=table.quantity)
    axes.axhline(0, color="black", linewidth=0.5)
    axes.set_title("r of x and x* by tenths of the pairs")
    axes.set_xlabel("tenth, from rare to frequent")
    axes.set_ylabel("r, weighted by curvature")
    axes.legend(frameon=False)


def _objectives(axes: Any, comparison: Comparison) -> None:
    rows = sorted(comparison.objectives, key=lambda row: -row.deviation)
    axes.barh(
        [row.name for row in rows],
        [100 * row.deviation for row in rows],
        color=[_OURS if row.name == "SGNS" else _OTHERS for row in rows],
    )
    for place, row in enumerate(rows):
        axes.annotate(f" {100 * row.deviation:.1f}%", (100 * row.deviation, place), va="center")
    axes.margins(x=0.15)
    axes.set_title("Loss above the optimum, all pairs")
    axes.set_xlabel("per cent")
