"""``w2v geometry``: the shape of an embedding, measured beside random directions and one-hot vectors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from w2v.cli.geometry_report import geometry_lines
from w2v.cli.options import json_option, load_model, model_option, neighborhood_option, neighbors_option
from w2v.cli.terminal import echo_lines, note, result_json
from w2v.errors import FileAccessError
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["geometry"]

_UNITS = {"K": 10**3, "M": 10**6, "B": 10**9, "G": 10**9}


class _Parameters(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A number of parameters: ``22713216``, ``22.7M``, ``7B``."""

    name = "number"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).upper().replace(",", "").replace("_", "")
        factor = _UNITS.get(text[-1:], 1)
        try:
            number = float(text.rstrip("KMBG") if factor > 1 else text) * factor
        except ValueError:
            number = 0.0
        if not 1 <= number < 1e18:
            self.fail(f"{value!r} is not a number of parameters such as 22713216, 22.7M or 7B", param, ctx)
        return round(number)


@click.command(
    epilog="\b\nExamples:\n  w2v geometry\n  w2v geometry --figure geometry.png\n"
    "  w2v geometry --model minilm.safetensors --counts-from model.safetensors --whole 22.7M --json",
)
@click.option(
    "--restrict-vocab",
    type=click.IntRange(min=2),
    metavar="N",
    help="Measure the N most frequent words only.  [default: all]",
)
@neighborhood_option(10_000, 2, "Seek nearest neighbours of, and among,")
@neighbors_option()
@click.option(
    "--counts-from",
    metavar="MODEL",
    help="Take the counts of another model's corpus, and measure the words that both have.",
)
@click.option(
    "--whole",
    type=_Parameters(),
    metavar="NUMBER",
    help="Parameters of the whole model that the table is part of, for its share: 22.7M, 7B.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the samples.")
@click.option("--figure", metavar="FILE", help="Draw it too, to a .png, .svg or .pdf file.")
@click.option("--force", is_flag=True, help="Replace an existing figure.")
@model_option
@json_option
def geometry(
    restrict_vocab: int | None,
    neighborhood: int,
    neighbors: int,
    counts_from: str | None,
    whole: int | None,
    seed: int,
    figure: str | None,
    force: bool,
    model: str,
    as_json: bool,
) -> None:
    """Measure the shape of the space: lengths, cone, isotropy, spectrum, hubs, contexts, size.

    Each measure stands beside that of random directions of the same size and of one-hot vectors. Vectors of any kind
    can be measured, those of a language model too.
    """
    if figure is not None:
        from w2v.reports import check_figure_target

        check_figure_target(figure, force=force)
    table = load_model(model)
    embedding = table if counts_from is None else _counted(table, model, counts_from)
    from w2v.geometry import measure

    report = measure(
        embedding,
        restrict_vocab=restrict_vocab,
        neighborhood=neighborhood,
        neighbors=neighbors,
        whole=whole,
        table=len(table),
        seed=seed,
    )
    if as_json:
        query = {"model": model, "restrict_vocab": restrict_vocab, "counts_from": counts_from, "seed": seed}
        result_json({"query": query, **report.to_dict()})
    else:
        echo_lines(geometry_lines(report, model=model))
    if figure is not None:
        from w2v.reports import draw_geometry

        draw_geometry(report, figure, title=os.path.basename(model), force=force)  # noqa: PTH119 - may be no path
        note(f"Drawn: {figure}")


def _counted(embedding: Embedding, model: str, other: str) -> Embedding:
    from w2v.geometry import with_counts

    vocabulary = load_model(other).vocabulary
    if vocabulary.key_type != embedding.vocabulary.key_type:
        raise FileAccessError(f"--counts-from {other}: its keys are {vocabulary.key_type}, those of {model} are not")
    found = with_counts(embedding, vocabulary)
    note(f"{len(found):,} of the {counted(len(embedding), 'word')} of {model} have a count in {other}")
    return found
