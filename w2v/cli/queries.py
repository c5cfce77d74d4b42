"""``w2v analogy``, ``similar`` and ``similarity``: questions about words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from w2v.cli.explain import explain, explain_options, explanation_asked
from w2v.cli.options import json_option, load_model, model_option
from w2v.cli.terminal import echo_lines, result, result_json, shown, table

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["analogy", "similar", "similarity"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _neighbour_options(function: _Function) -> _Function:
    function = click.option(
        "--restrict-vocab",
        type=click.IntRange(min=1),
        metavar="N",
        help="Only the N most frequent words may be answers.  [default: all]",
    )(function)
    return click.option(
        "-n", "--topn", type=click.IntRange(min=1), default=10, show_default=True, help="How many answers."
    )(function)


@click.command(
    epilog="\b\nExamples:\n  w2v analogy king man woman\n  w2v analogy paris france italy --topn 3 --json\n"
    "  w2v analogy king man woman --explain --expect queen\n  w2v analogy --explain --questions questions.txt",
)
@click.argument("words", nargs=-1, metavar="A B C")
@_neighbour_options
@explain_options
@model_option
@json_option
def analogy(
    words: tuple[str, ...], topn: int, restrict_vocab: int | None, model: str, as_json: bool, **explaining: Any
) -> None:
    """Find the words nearest to A - B + C.

    "king man woman" asks for king - man + woman: what is to woman as king is to man? The three words themselves are
    left out of the answers.
    """
    if explanation_asked(words, explaining):
        explain(words, topn=topn, restrict_vocab=restrict_vocab, model=model, as_json=as_json, **explaining)
        return
    embedding = load_model(model)
    first, second, third = _keys(embedding, words)
    # typed A B C means A - B + C; as a relation that is B : A :: C : ?, and the library's roles score b - a + c
    found = embedding.analogy(a=second, b=first, c=third, topn=topn, restrict_vocab=restrict_vocab)
    if as_json:
        asked = {"positive": [first, third], "negative": [second], "topn": topn, "restrict_vocab": restrict_vocab}
        result_json({"query": asked, "results": _records(found)})
        return
    a, b, c = (shown(word) for word in words)
    result(f"{a} - {b} + {c}   (left out: {_listed(words)})")
    echo_lines(_answers(found))


@click.command(
    epilog="\b\nExamples:\n  w2v similar king\n  w2v similar paris london --topn 5 --json",
)
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@_neighbour_options
@model_option
@json_option
def similar(words: tuple[str, ...], topn: int, restrict_vocab: int | None, model: str, as_json: bool) -> None:
    """Find the words nearest to WORD by cosine.

    Several WORDs are taken together: what is nearest to the sum of their unit vectors. They are left out themselves.
    """
    embedding = load_model(model)
    keys = _keys(embedding, words)
    found = embedding.most_similar(positive=keys, topn=topn, restrict_vocab=restrict_vocab)
    if as_json:
        asked = {"positive": keys, "negative": [], "topn": topn, "restrict_vocab": restrict_vocab}
        result_json({"query": asked, "results": _records(found)})
        return
    result(f"{' + '.join(shown(word) for word in words)}   (left out: {_listed(words)})")
    echo_lines(_answers(found))


@click.command(epilog="\b\nExample:\n  w2v similarity king queen")
@click.argument("words", nargs=2, metavar="WORD1 WORD2")
@model_option
@json_option
def similarity(words: tuple[str, str], model: str, as_json: bool) -> None:
    """Print the cosine of WORD1 and WORD2, between -1 and 1."""
    embedding = load_model(model)
    first, second = _keys(embedding, words)
    cosine = embedding.similarity(first, second)
    if as_json:
        result_json({"query": {"word": first}, "results": [{"word": second, "similarity": cosine}]})
        return
    echo_lines(table([(shown(words[0]), shown(words[1]), f"{cosine:.4f}")]))


def _keys(embedding: Embedding, words: Sequence[str]) -> list[Any]:
    """Return the words as the vocabulary has them: typed digits are keys where the keys are integers."""
    if embedding.vocabulary.key_type == "int":
        return [int(word) if word.lstrip("-").isdecimal() else word for word in words]
    return list(words)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(shown(word) for word in words))


def _records(found: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"word": neighbor.word, "similarity": neighbor.similarity} for neighbor in found]


def _answers(found: Iterable[Any]) -> list[str]:
    return table(((shown(n.word), f"{n.similarity:.4f}") for n in found), "lr")
