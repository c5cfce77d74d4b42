"""The figure of ``w2v geometry``: lengths against counts, cosines of pairs, the spectrum, the cone by frequency."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from w2v.reports.canvas import new_figure, save_figure

if TYPE_CHECKING:
    from w2v.geometry import GeometryReport

__all__ = ["draw_geometry"]

_OURS, _RANDOM = "#1f5fa8", "#b0b0b0"


def draw_geometry(
    report: GeometryReport, path: str | os.PathLike[str], *, title: str = "", force: bool = False
) -> None:
    """Draw a `GeometryReport` to a PNG, SVG or PDF file.

    Raises
    ------
    MissingExtraError, SettingsError, FileAccessError
        See `w2v.reports.check_figure_target`.
    """
    figure, axes = new_figure(12, 8.5, 2, 2)
    if title:
        figure.suptitle(title, fontsize=12, parse_math=False)
    _lengths(figure, axes[0, 0], report)
    _cosines(axes[0, 1], report)
    _spectrum(axes[1, 0], report)
    _cone(axes[1, 1], report)
    save_figure(figure, path, force=force)


def _lengths(figure: Any, axes: Any, report: GeometryReport) -> None:
    samples = report.samples
    cells = axes.hexbin(
        samples.log_counts, samples.lengths, gridsize=45, bins="log", mincnt=1, cmap="Blues", linewidths=0.1
    )
    figure.colorbar(cells, ax=axes, label="words")
    rho = report.lengths.spearman
    what = "frequency" if report.counted else "place in the file"
    axes.set_title(f"Length against {what}" + ("" if rho is None else f": Spearman {rho:.2f}"))
    axes.set_xlabel("log10 of the count" if report.counted else "log10 of V - rank (the file holds no counts)")
    axes.set_ylabel("length of the vector")


def _cosines(axes: Any, report: GeometryReport) -> None:
    samples = report.samples
    style = {"bins": 120, "range": (-1, 1), "density": True}
    axes.hist(
        samples.random_cosines, color=_RANDOM, alpha=0.7, label=f"random directions, d = {report.dimensions}", **style
    )
    axes.hist(samples.cosines, color=_OURS, alpha=0.7, label="this embedding", **style)
    axes.axvline(report.cone.mean_cosine, color=_OURS, linewidth=1)
    low = min(float(samples.cosines.min()), float(samples.random_cosines.min()))
    high = max(float(samples.cosines.max()), float(samples.random_cosines.max()))
    axes.set_xlim(max(-1.0, low - 0.05), min(1.0, high + 0.05))
    axes.set_title(f"Cosines of random pairs: mean {report.cone.mean_cosine:.3f}")
    axes.set_xlabel("cosine")
    axes.set_ylabel("density")
    axes.legend(frameon=False)


def _spectrum(axes: Any, report: GeometryReport) -> None:
    variances = report.spectrum.variances
    total = sum(variances)
    if total > 0:
        axes.plot(range(1, len(variances) + 1), [v / total for v in variances], color=_OURS, label="this embedding")
        positive = [v for v in variances if v > 1e-9 * variances[0]]
        axes.set_yscale("log")
        axes.set_ylim(bottom=positive[-1] / total / 2)
    axes.axhline(1 / len(variances), color=_RANDOM, linewidth=1, label="all components equal")
    axes.set_title(f"Spectrum: as {report.spectrum.participation_ratio:.1f} equal components of {len(variances)}")
    axes.set_xlabel("principal component")
    axes.set_ylabel("share of the variance")
    axes.legend(frameon=False)


def _cone(axes: Any, report: GeometryReport) -> None:
    bands = report.cone.by_band
    names = [f"{band.first:,}-\n{band.last:,}" for band in bands]
    axes.bar(names, [band.cosine_to_mean for band in bands], color=_OURS)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.axhline(report.cone.cosine_to_mean, color=_RANDOM, linewidth=1, linestyle="--")
    axes.set_title(f"The cone: cosine to the mean vector, {report.cone.cosine_to_mean:.2f} in all")
    axes.set_xlabel("rank by frequency" if report.counted else "rank in the file")
    axes.set_ylabel("cosine to the mean")
