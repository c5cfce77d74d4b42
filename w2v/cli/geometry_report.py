"""The report of ``w2v geometry``: each measure with its references and what it means, and a few sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from w2v.cli.terminal import section, shown, table
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.geometry import GeometryReport, Shape

__all__ = ["geometry_lines"]

_WIDTH = 110
_MEASURES = (
    ("mean_cosine", "mean cosine of pairs", ".3f", "0: no direction is preferred"),
    ("sd_cosine", "  and its spread", ".3f", "1/sqrt(d) for random directions: nearly all are nearly orthogonal"),
    ("cosine_to_mean", "cosine to the mean vector", ".3f", "the cone: 1 if all words point the same way"),
    ("isotropy", "isotropy, min Z / max Z", ".3f", "1: no direction is preferred (Mu & Viswanath 2018)"),
    ("iso_score", "IsoScore", ".3f", "1: all dimensions used alike, 0: one alone (Rudman et al. 2022)"),
    ("top_share", "variance in component 1", ".1%", "much in one component: often frequency, not meaning"),
    ("participation_ratio", "effective dimensions", ",.1f", "so many equal components would be as uneven"),
    ("hub_skew", "skew of k-occurrence", ".2f", "hubs: few words are near to very many; 0 has none"),
    ("cosine_euclid_overlap", "neighbours: cosine = Euclid", ".1%", "of the k nearest; 100% if all are equally long"),
    ("distance_mean", "distance of unit vectors", ".3f", "sqrt(2) when orthogonal, as all one-hot vectors are"),
    ("distance_spread", "  and its relative spread", ".1%", "small: everything is about equally far"),
)  # fmt: skip


def geometry_lines(report: GeometryReport, *, model: str) -> Iterator[str]:
    """Return the report, line by line."""
    zeros = f", {counted(report.zeros, 'zero vector')} left out" if report.zeros else ""
    yield section(
        f"{shown(model)}: {counted(report.words, 'vector')} in {counted(report.dimensions, 'dimension')}{zeros}"
    )
    yield from table(_shape_rows(report), "lrrrl", indent="  ")
    if report.neighborhoods.words < report.words:
        which = "most frequent" if report.counted else "first"
        yield f"  The last four rows are of the {report.neighborhoods.words:,} {which} words alone"
    yield ""
    yield section("By frequency" if report.counted else "By place in the file, which gives no counts")
    yield from table(_band_rows(report), "lrrr", indent="  ")
    yield from _frequency_lines(report)
    yield ""
    yield section("Hubs, contexts, size")
    yield from table(_other_rows(report), indent="  ")
    yield ""
    yield from textwrap.wrap(_in_words(report), _WIDTH)


def _shape_rows(report: GeometryReport) -> Iterator[tuple[str, ...]]:
    yield ("", "here", "random", "one-hot", "")
    for name, label, style, meaning in _MEASURES:
        shapes = (report.shape, report.random, report.one_hot)
        yield (label, *(_value(shape, name, style) for shape in shapes), meaning)


def _value(shape: Shape | None, name: str, style: str) -> str:
    value = None if shape is None else getattr(shape, name)
    return "-" if value is None else _number(value, style)


def _number(value: float, style: str) -> str:
    text = format(value, style)
    return text.removeprefix("-") if not any(c in "123456789" for c in text) else text  # no minus zero


def _band_rows(report: GeometryReport) -> Iterator[tuple[str, ...]]:
    counted = ("mean count",) if report.counted else ()
    yield ("ranks", *counted, "mean length", "cosine to the mean")
    for length, cone in zip(report.lengths.by_band, report.cone.by_band, strict=True):
        count = (f"{length.mean_count:,.1f}",) if report.counted else ()
        yield (f"{length.first:,}-{length.last:,}", *count, f"{length.mean_length:.3f}", f"{cone.cosine_to_mean:.3f}")


def _frequency_lines(report: GeometryReport) -> Iterator[str]:
    rho = report.lengths.spearman
    what = "count" if report.counted else "place from the end"
    if rho is None:
        yield "  All vectors are equally long, or all counts equal: length says nothing of frequency"
    else:
        yield f"  Spearman of length and {what}: {rho:.3f} (1: the longer the more frequent)"


def _other_rows(report: GeometryReport) -> Iterator[tuple[str, str]]:
    near, contexts, size = report.neighborhoods, report.contexts, report.size
    hubs = ", ".join(f"{shown(word)} {count}" for word, count in report.hubs)
    yield ("hubs", f"{hubs}: so many of {counted(near.words, 'word')} have them among their {near.neighbors} nearest")
    yield ("", f"{near.never:.1%} of the words are among the {near.neighbors} nearest of no other")
    yield ("spectrum", _spectrum(report))
    yield ("partition function", f"Z_c varies by {report.partition.spread:.1%} over random directions c; 0 is flat")
    if contexts is None:
        yield ("contexts", "no context vectors in this file")
    else:
        yield (
            "contexts",
            f"w.c of random pairs: mean {contexts.mean_product:.2f}, {contexts.negative:.1%} negative; of a word and "
            f"itself {contexts.own_product:.2f}",
        )
        yield ("", f"the means of word and context vectors are {contexts.angle:.0f} degrees apart")
    share = "" if size.share is None else f", {size.share:.1%} of {size.whole:,}"
    yield ("size", f"{size.words:,} x {size.dimensions:,} = {size.parameters:,} numbers{share}")
    more = f" with C ({size.context_parameters:,} more)" if size.context_parameters else ""
    yield ("", f"{size.bytes / 1e6:,.1f} MB{more}; one-hot vectors would be {size.one_hot_parameters:,} numbers")


def _spectrum(report: GeometryReport) -> str:
    spectrum = report.spectrum
    shares = ", ".join(f"{share:.1%} in {k}" for k, share in spectrum.shares.items())
    return f"variance: {shares}; 90% in {spectrum.components_90} of {report.dimensions} components"


def _in_words(report: GeometryReport) -> str:
    """Say in a few sentences what the tables show."""
    cone, spectrum, rho = report.cone, report.spectrum, report.lengths.spearman
    parts = []
    if abs(cone.mean_cosine) > cone.random_sd:
        parts.append(
            f"The space is a cone: two random words have cosine {cone.mean_cosine:.2f}, where random directions would "
            f"have 0 give or take {cone.random_sd:.2f}; {spectrum.mean_share:.0%} of the squared length is the mean "
            "vector, which w2v postprocess center takes away."
        )
    else:
        parts.append(
            f"There is hardly a cone: two random words have cosine {cone.mean_cosine:.2f}, within the "
            f"{cone.random_sd:.2f} by which random directions vary."
        )
    if rho is not None and report.counted:
        strength = "closely follows" if abs(rho) > 0.7 else "partly follows" if abs(rho) > 0.3 else "hardly follows"
        falls = ", falling as it rises" if rho < -0.3 else ""
        bands = report.lengths.by_band
        longest = max(bands, key=lambda band: band.mean_length)
        bend = ""
        if rho > 0.3 and longest.first > 1 and bands[0].mean_length < 0.95 * longest.mean_length:
            bend = f", but the {bands[0].last:,} most frequent words are shorter than those of ranks {longest.first:,} "
            bend += f"to {longest.last:,}"
        parts.append(f"Length {strength} frequency (Spearman {rho:.2f}{falls}){bend}.")
    parts.append(
        f"Of {counted(report.dimensions, 'dimension')} {spectrum.participation_ratio:.0f} are in effective use "
        f"({spectrum.entropy_dimension:.0f} by entropy)."
    )
    if report.contexts is not None and report.contexts.mean_product < 0 and report.contexts.angle > 90:
        negative = f"{report.contexts.negative:.1%}"
        parts.append(
            f"Word and context vectors point apart: w.c is negative for {negative} of random pairs, "
            "as negative sampling makes it for words that do not occur together."
        )
    return " ".join(parts)
