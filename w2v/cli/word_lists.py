"""``w2v rank`` and ``odd-one-out``: where a word stands among others."""

from __future__ import annotations

from typing import Any

import click

from w2v.cli.asking import Lines, answers, from_stdin, records
from w2v.cli.options import json_option, load_model, model_option
from w2v.cli.queries import MEASURES
from w2v.cli.terminal import result, result_json, shown

__all__ = ["odd_one_out", "rank"]


@click.command(epilog="\b\nExamples:\n  w2v rank king queen\n  w2v rank king queen --list --restrict-vocab 10000")
@click.argument("words", nargs=2, metavar="WORD OTHER")
@click.option("--by", type=click.Choice(MEASURES), default="cosine", show_default=True, help="As for similar.")
@click.option("--restrict-vocab", type=click.IntRange(min=1), metavar="N", help="Among the N most frequent words.")
@click.option("--list", "listing", is_flag=True, help="Also list the words that are nearer.")
@model_option
@json_option
def rank(words: tuple[str, str], by: str, restrict_vocab: int | None, listing: bool, model: str, as_json: bool) -> None:
    """Print the place of OTHER among the words nearest to WORD, 1 for the nearest."""
    embedding = load_model(model)
    word, other = embedding.vocabulary.parse(words)
    nearer = embedding.closer_than(word, other, by=by, restrict_vocab=restrict_vocab)
    place = 0 if word == other else 1 + len(nearer)
    if as_json:
        query = {"word": word, "other": other, "by": by, "restrict_vocab": restrict_vocab}
        result_json({"query": query, "rank": place, "results": records(nearer) if listing else []})
        return
    result(f"{shown(other)} is number {place:,} of the words nearest to {shown(word)}")
    if listing:
        answers(nearer)


@click.command(
    name="odd-one-out",
    epilog="\b\nExamples:\n  w2v odd-one-out breakfast cereal dinner lunch\n  w2v odd-one-out - < lists.txt",
)
@click.argument("words", nargs=-1, metavar="[WORD... | -]")
@model_option
@json_option
@click.pass_context
def odd_one_out(ctx: click.Context, /, words: tuple[str, ...], model: str, as_json: bool) -> None:
    """Print the WORD that fits least: with the lowest cosine to the mean of all of them.

    Without words, lists are read from standard input, a list a line.
    """
    stdin = from_stdin(words)
    embedding = load_model(model)

    def tell(asked: list[Any]) -> None:
        odd = embedding.doesnt_match(asked)
        if as_json:
            result_json({"query": {"words": asked}, "results": [{"word": odd}]})
        else:
            result(shown(odd))

    if not stdin:
        tell(embedding.vocabulary.parse(words))
        return
    lines = Lines(embedding)
    for number, found in lines.read(2, "two words or more", as_json):
        if len(set(found)) < 2:
            lines.fail(number, [str(word) for word in found], "expected two different words or more", as_json)
        else:
            tell(found)
    lines.end(ctx)
