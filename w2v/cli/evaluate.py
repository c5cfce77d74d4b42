"""``w2v evaluate``: analogy questions and similarity sets, bundled ones or files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from w2v.cli.options import FileName, json_option, load_model, model_option
from w2v.cli.terminal import echo_lines, note, result, result_json, section, shown, table

if TYPE_CHECKING:
    from w2v.evaluation import AnalogyReport, AnalogyTally, SimilarityReport

__all__ = ["evaluate"]


@click.command(
    epilog="\b\nExamples:\n  w2v evaluate\n  w2v evaluate --analogies questions.txt --similarity wordsim353.tsv --json",
)
@click.option("--analogies", multiple=True, type=FileName(), help="Questions a b c d, ': section' lines. Repeatable.")
@click.option("--similarity", multiple=True, type=FileName(), help="Lines of word, word, score. Repeatable.")
@click.option(
    "--restrict-vocab",
    type=click.IntRange(min=1),
    default=30_000,
    show_default=True,
    metavar="N",
    help="Analogies are asked about, and answered with, the N most frequent words.",
)
@model_option
@json_option
def evaluate(
    analogies: tuple[str, ...], similarity: tuple[str, ...], restrict_vocab: int, model: str, as_json: bool
) -> None:
    """Answer analogy questions (3CosAdd) and rank word pairs (Spearman).

    Without files the bundled sets are used, as far as the model knows their words: the Google analogies, and the
    Chinese CA8, CWE and WordSim-240. Set the accuracies beside the columns "b alone" (what is nearest to b, whatever
    a and c are) and asked (how many questions there are).
    """
    embedding = load_model(model)
    from w2v.evaluation import bundled, evaluate_analogies, evaluate_similarity

    own = bool(analogies or similarity)
    questions: list[Any] = list(analogies) if own else [s.load() for s in bundled(task="analogies")]
    pairs: list[Any] = list(similarity) if own else [s.load() for s in bundled(task="similarity")]
    answered = [evaluate_analogies(embedding, q, restrict_vocab=restrict_vocab) for q in questions]
    ranked = [evaluate_similarity(embedding, p) for p in pairs]
    if as_json:
        result_json(
            {
                "query": {"model": model, "restrict_vocab": restrict_vocab},
                "analogies": [report.to_dict() for report in answered],
                "similarity": [report.to_dict() for report in ranked],
            }
        )
        return
    unknown = []
    for report in answered:
        if own or report.total.answerable:
            echo_lines(_analogy_lines(report))
            result()
        else:
            unknown.append(report.name)
    known = [report for report in ranked if own or report.covered]
    unknown += [report.name for report in ranked if report not in known]
    if known:
        echo_lines(_similarity_lines(known))
    if len(unknown) == len(answered) + len(ranked):
        result("No set applies: the model knows too few of their words. Name your own: --analogies, --similarity FILE.")
    elif unknown:
        note(f"Left out, since the model knows too few of their words: {', '.join(unknown)}")


def _analogy_lines(report: AnalogyReport) -> Iterator[str]:
    restricted = "all" if report.restrict_vocab is None else f"the {report.candidates:,} most frequent"
    yield section(f"{report.name}: analogies a : b :: c : ?, {report.formula}, {restricted} words")
    rows: list[tuple[str, ...]] = [("", "accuracy", "95% interval", "right", "answerable", "asked", "b alone")]
    rows += [_row(shown(tally.name), tally) for tally in report.sections]
    for name, tally in (("semantic", report.semantic), ("syntactic", report.syntactic), ("all", report.total)):
        if tally.total:
            rows.append(_row(name, tally))
    yield from table(rows, "lrrrrrr", indent="  ")


def _row(name: str, tally: AnalogyTally) -> tuple[str, ...]:
    alone = tally.baselines["only_b"]
    return (
        name,
        "n/a" if tally.accuracy is None else f"{tally.accuracy:.1%}",
        "" if tally.interval is None else f"{100 * tally.interval[0]:.1f}-{100 * tally.interval[1]:.1f}",
        f"{tally.correct:,}",
        f"{tally.answerable:,}",
        f"{tally.total:,}",
        "" if alone is None else f"{alone:.1%}",
    )


def _similarity_lines(reports: list[SimilarityReport]) -> Iterator[str]:
    yield section("Similarity: cosines against human scores")
    rows = [("", "Spearman", "95% interval", "Pearson", "pairs covered", "all")]
    for r in reports:
        interval = r.spearman_interval if r.telling else None
        rows.append(
            (
                shown(r.name),
                f"{r.spearman:.3f}" if r.telling else "n/a",
                "" if interval is None else f"{interval[0]:.3f}-{interval[1]:.3f}",
                f"{r.pearson:.3f}" if r.telling else "n/a",
                f"{r.covered:,}",
                f"{r.total:,}",
            )
        )
    yield from table(rows, "lrrrrr", indent="  ")
