"""``w2v compare``: two models of one language side by side, and the words that moved most."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from w2v.cli.options import json_option, load_model, neighbors_option
from w2v.cli.terminal import echo_lines, result_json, section, shown, table
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.geometry import SpaceComparison
    from w2v.geometry.comparison import Likeness, MovedWord

__all__ = ["compare"]

_WIDTH = 96


@click.command(
    epilog="\b\nExamples:\n  w2v compare poems.safetensors prose.safetensors\n"
    "  w2v compare old.safetensors new.safetensors --ceiling old-seed2.safetensors --topn 30 --json\n"
    "  w2v compare old.safetensors new.safetensors --word liberty --word duty",
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--ceiling", metavar="FILE", help="A twin of A (another seed): how alike two like trainings are.")
@click.option(
    "--restrict-vocab",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Compare the N most frequent of the words that both know.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    metavar="N",
    help="Only words seen N times or more by each of the models: the places of others are mostly noise.",
)
@neighbors_option()
@click.option(
    "-n", "--topn", type=click.IntRange(min=0), default=20, show_default=True, metavar="N", help="List N moved words."
)
@click.option(
    "--word", "words", multiple=True, metavar="WORD", help="A word to tell about, however little it moved. Repeatable."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the shuffle behind the row of chance.")
@json_option
def compare(
    a: str,
    b: str,
    ceiling: str | None,
    restrict_vocab: int,
    min_count: int,
    neighbors: int,
    topn: int,
    words: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Compare the models A and B of one language: their shape, their neighbourhoods, the words that moved most.

    For two corpora or periods, two algorithms, or two seeds. Both are normalised and A is rotated onto B.
    """
    first, second = load_model(a), load_model(b)
    top = None if ceiling is None else load_model(ceiling)
    from w2v.geometry import compare_spaces

    found = compare_spaces(
        first,
        second,
        ceiling=top,
        restrict_vocab=restrict_vocab,
        min_count=min_count,
        neighbors=neighbors,
        topn=topn,
        seed=seed,
        words=first.vocabulary.parse(words),
    )
    if as_json:
        asked = {"a": a, "b": b, "ceiling": ceiling, "restrict_vocab": restrict_vocab, "min_count": min_count}
        more = {"neighbors": neighbors, "topn": topn, "seed": seed, "words": list(words)}
        result_json({"query": {**asked, **more}, **found.to_dict()})
        return
    echo_lines(_lines(found, a, b, ceiling))


def _lines(found: SpaceComparison, a: str, b: str, ceiling: str | None) -> Iterator[str]:
    yield section(f"{shown(a)} and {shown(b)} over {counted(found.words, 'word')} that both know")
    k = found.neighbors
    rows: list[tuple[str, ...]] = [
        ("", "linear CKA", f"{counted(k, 'neighbour')} kept", "nearest kept", "cosine after rotation")
    ]
    if found.ceiling is not None:
        rows.append(_row(f"A and {shown(ceiling)}: the ceiling", found.ceiling))
    rows.append(_row("A and B", found.spaces))
    rows.append(_row("A and B, words of B shuffled: chance", found.chance))
    yield from table(rows, "lrrrr", indent="  ")
    yield from textwrap.wrap(
        f"Linear CKA: 1 where a rotation and one scale bring the spaces together. Neighbours kept: the share of a "
        f"word's {k} nearest that it has in both.",
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
    )
    yield ""
    yield section("By frequency")
    with_ceiling = found.ceiling is not None
    heads = ["words of rank", "neighbours kept", "cosine"] + (["ceiling: kept", "cosine"] if with_ceiling else [])
    bands = [tuple(heads)]
    for band in found.bands:
        cells = [f"{band.first:,}-{band.last:,}", f"{band.overlap:.1%}", f"{band.aligned_cosine:.3f}"]
        if band.ceiling_overlap is not None and band.ceiling_cosine is not None:
            cells += [f"{band.ceiling_overlap:.1%}", f"{band.ceiling_cosine:.3f}"]
        bands.append(tuple(cells))
    yield from table(bands, "lrrrr", indent="  ")
    how = "most cosine lost against the ceiling" if with_ceiling else "lowest cosine after rotation"
    for title, listed in (("The words asked about", found.asked), (f"The words that moved most ({how})", found.moved)):
        if listed:
            yield ""
            yield section(title)
            yield from _moved(listed, with_ceiling)


def _moved(words: Iterable[MovedWord], with_ceiling: bool) -> Iterator[str]:
    rows = [("", "cosine", *(["ceiling"] if with_ceiling else []), "in A", "in B", "near in A", "near in B")]
    for word in words:
        rows.append(
            (
                shown(word.word),
                f"{word.cosine:.3f}",
                *([] if word.ceiling is None else [f"{word.ceiling:.3f}"]),
                f"{word.counts[0]:,}",
                f"{word.counts[1]:,}",
                " ".join(shown(near) for near in word.neighbors_a),
                " ".join(shown(near) for near in word.neighbors_b),
            )
        )
    yield from table(rows, "lrrrrll" if with_ceiling else "lrrrll", indent="  ")


def _row(name: str, likeness: Likeness) -> tuple[str, ...]:
    return (
        name,
        f"{likeness.cka:.3f}",
        f"{likeness.overlap:.1%}",
        f"{likeness.nearest_kept:.1%}",
        f"{likeness.aligned_cosine:.3f}",
    )
