"""``w2v plot``: words on a plane, as a figure."""

from __future__ import annotations

import click

from w2v.cli.options import json_option, load_model, model_option
from w2v.cli.terminal import note, result, result_json, shown
from w2v.plurals import counted

__all__ = ["plot"]

_DEFAULT = "words.png"


@click.command(
    epilog="\b\nExamples:\n  w2v plot paris london berlin france england germany\n"
    "  w2v plot king blue music --neighbors 15 --method tsne -o neighbours.svg\n"
    "  w2v plot --analogy man king woman queen --analogy paris france rome italy -o arrows.pdf\n"
    "  w2v plot --frequent 300 --method tsne",
)
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option(
    "--neighbors",
    "--neighbours",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Draw the N nearest of each WORD too.",
)
@click.option(
    "--frequent", type=click.IntRange(min=0), default=0, metavar="N", help="Draw the N most frequent words too."
)
@click.option(
    "--analogy",
    "analogies",
    nargs=4,
    multiple=True,
    metavar="A B C D",
    help="Draw four words with arrows from A to B and from C to D. Repeatable.",
)
@click.option(
    "--method",
    type=click.Choice(["pca", "tsne", "umap"]),
    default="pca",
    show_default=True,
    help="pca keeps directions, tsne and umap keep neighbours (umap: extra 'umap').",
)
@click.option(
    "--perplexity",
    type=click.FloatRange(min=1, min_open=True),
    default=30.0,
    show_default=True,
    help="Of tsne: about how many neighbours a word has.",
)
@click.option(
    "--restrict-vocab",
    type=click.IntRange(min=1),
    metavar="N",
    help="Neighbours are among the N most frequent words.  [default: all]",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of umap.")
@click.option("--title", default="", help="Above the figure.")
@click.option("--size", nargs=2, type=click.FloatRange(min=1, max=60), default=(10.0, 8.0), show_default=True,
              metavar="WIDTH HEIGHT", help="Inches.")  # fmt: skip
@click.option("--font", metavar="FILE", help="A font for the labels.  [default: one that has their characters]")
@click.option(
    "--font-size", type=click.FloatRange(min=2, max=60), default=9.0, show_default=True, help="Of the labels."
)
@click.option("-o", "--output", default=_DEFAULT, show_default=True, metavar="FILE", help="A .png, .svg or .pdf file.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@model_option
@json_option
def plot(
    words: tuple[str, ...],
    neighbors: int,
    frequent: int,
    analogies: tuple[tuple[str, str, str, str], ...],
    method: str,
    perplexity: float,
    restrict_vocab: int | None,
    seed: int,
    title: str,
    size: tuple[float, float],
    font: str | None,
    font_size: float,
    output: str,
    force: bool,
    model: str,
    as_json: bool,
) -> None:
    """Draw words on a plane: WORDs, their neighbours, frequent words, or analogies as arrows.

    Without any of these the 200 most frequent words are drawn. Labels never overlap: where there is no room for one,
    its word stays a point.
    """
    from w2v.reports import check_figure_target, draw_map

    check_figure_target(output, force=force)
    if not (words or frequent or analogies):
        frequent = 200
    embedding = load_model(model)
    from w2v.geometry import map_words

    drawn = map_words(
        embedding,
        embedding.vocabulary.parse(words),
        neighbors=neighbors,
        frequent=frequent,
        analogies=[embedding.vocabulary.parse(quad) for quad in analogies],
        method=method,
        perplexity=perplexity,
        restrict_vocab=restrict_vocab,
        seed=seed,
    )
    done = draw_map(
        drawn, output, title=title, width=size[0], height=size[1], font_file=font, font_size=font_size, force=force
    )
    if done.hint is not None:
        note(f"Hint: {done.hint}")
    if done.left_out:
        first = ", ".join(shown(word) for word in done.left_out[:5]) + (", ..." if len(done.left_out) > 5 else "")
        of = counted(len(drawn.words), "label")
        note(f"{len(done.left_out):,} of {of} found no room: {first}; a larger --size has more")
    if as_json:
        result_json({"query": {"model": model, "words": list(words)}, "output": output, **drawn.to_dict()})
    else:
        result(f"Drawn {output}: {counted(len(drawn.words), 'word')} by {method}")
