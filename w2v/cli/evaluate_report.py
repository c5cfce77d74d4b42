"""How evaluations look in a terminal, and how wrong answers look in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from w2v.cli.terminal import section, shown, table

if TYPE_CHECKING:
    from w2v.evaluation import AnalogyReport, AnalogyTally, CategoriesReport, OddOneOutReport, SimilarityReport

__all__ = ["analogy_lines", "category_lines", "error_lines", "odd_lines", "similarity_lines"]

_ERROR_COLUMNS = ("set", "section", "line", "a", "b", "c", "right", "predicted", "rank")


def analogy_lines(report: AnalogyReport) -> Iterator[str]:
    """Yield a table of the sections of an analogy set."""
    restricted = "all" if report.restrict_vocab is None else f"the {report.candidates:,} most frequent"
    yield section(f"{report.name}: analogies a : b :: c : ?, {report.formula}, {restricted} words, case {report.case}")
    rows: list[tuple[str, ...]] = [
        ("", "accuracy", "95% interval", "right", "answerable", "asked", "b alone", "random")
    ]
    rows += [_row(shown(tally.name), tally) for tally in report.sections]
    for name, tally in (("semantic", report.semantic), ("syntactic", report.syntactic), ("all", report.total)):
        if tally.total:
            rows.append(_row(name, tally))
    yield from table(rows, "lrrrrrrr", indent="  ")


def _row(name: str, tally: AnalogyTally) -> tuple[str, ...]:
    alone, random = tally.baselines["only_b"], tally.baselines["random"]
    return (
        name,
        "n/a" if tally.accuracy is None else f"{tally.accuracy:.1%}",
        _interval(tally.interval, 100, 1),
        f"{tally.correct:,}",
        f"{tally.answerable:,}",
        f"{tally.total:,}",
        "" if alone is None else f"{alone:.1%}",
        "" if random is None else f"{random:.2%}",
    )


def _interval(interval: tuple[float, float] | None, scale: int, digits: int) -> str:
    return "" if interval is None else f"{scale * interval[0]:.{digits}f}-{scale * interval[1]:.{digits}f}"


def similarity_lines(reports: Sequence[SimilarityReport]) -> Iterator[str]:
    """Yield a table of similarity sets."""
    what = {"skip": "unknown words left out", "zero": "unknown words have the cosine 0"}[reports[0].oov]
    yield section(f"Similarity: cosines against human scores, {what}, case {reports[0].case}")
    rows: list[tuple[str, ...]] = [("", "Spearman", "95% interval", "Pearson", "95% interval", "pairs covered", "all")]
    for r in reports:
        rows.append(
            (
                shown(r.name),
                f"{r.spearman:.3f}" if r.telling else "n/a",
                _interval(r.spearman_interval, 1, 3) if r.telling else "",
                f"{r.pearson:.3f}" if r.telling else "n/a",
                _interval(r.pearson_interval, 1, 3) if r.telling else "",
                f"{r.covered:,}",
                f"{r.total:,}",
            )
        )
    yield from table(rows, "lrrrrrr", indent="  ")


def category_lines(reports: Sequence[CategoriesReport]) -> Iterator[str]:
    """Yield a table of categorised words."""
    yield section("Categories: purity of clusters of the unit vectors")
    rows: list[tuple[str, ...]] = [("", "purity", "random", "clusters", "words covered", "all")]
    for r in reports:
        rows.append(
            (
                shown(r.name),
                "n/a" if r.purity is None else f"{r.purity:.3f}",
                "" if r.random is None else f"{r.random:.3f}",
                f"{r.clusters:,}",
                f"{r.covered:,}",
                f"{r.total:,}",
            )
        )
    yield from table(rows, "lrrrrr", indent="  ")


def odd_lines(reports: Sequence[OddOneOutReport]) -> Iterator[str]:
    """Yield a table of odd-one-out sets."""
    yield section("Odd one out: the lowest cosine to the mean of the list")
    rows: list[tuple[str, ...]] = [("", "accuracy", "95% interval", "right", "answerable", "asked", "random")]
    for r in reports:
        rows.append(
            (
                shown(r.name),
                "n/a" if r.accuracy is None else f"{r.accuracy:.1%}",
                _interval(r.interval, 100, 1),
                f"{r.correct:,}",
                f"{r.answerable:,}",
                f"{r.total:,}",
                f"{r.random / r.answerable:.1%}" if r.answerable else "",
            )
        )
    yield from table(rows, "lrrrrrr", indent="  ")


def error_lines(reports: Sequence[AnalogyReport]) -> Iterator[str]:
    """Yield a table of the wrong answers, separated by tabs; an empty rank means that the answer was left out."""
    yield "\t".join(_ERROR_COLUMNS)
    for report in reports:
        for miss in report.misses:
            values = {"set": report.name, **miss.to_dict()}
            yield "\t".join("" if values[column] is None else str(values[column]) for column in _ERROR_COLUMNS)
