"""``w2v analogy``, ``similar`` and ``similarity``: questions about words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from w2v.cli.asking import Lines, among, answer_options, answers, from_stdin, listed, numbers, records
from w2v.cli.explain import explain, explain_options, explanation_asked
from w2v.cli.options import json_option, load_model, model_option
from w2v.cli.terminal import echo_lines, result, result_json, shown, table

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["analogy", "similar", "similarity"]

_EXPLAINING = ("explain", "questions", "corpus", "no_corpus")  # the options of explain_options
# The choices of w2v.embedding.asking, which is not imported for the help
METHODS = ("3cosadd", "3cosmul", "pairdirection")
MEASURES = ("cosine", "euclid", "context")


@click.command(
    epilog="\b\nExamples:\n  w2v analogy king man woman\n  w2v analogy paris france italy --topn 3 --json\n"
    "  echo 'king man woman queen' | w2v analogy --method 3cosmul\n"
    "  w2v analogy king man woman --explain --right queen\n  w2v analogy --explain --questions questions.txt",
)
@click.argument("words", nargs=-1, metavar="[A B C | -]")
@click.option("--method", type=click.Choice(METHODS), default="3cosadd", show_default=True, help="How to score.")
@click.option("--weights", metavar="X,Y,Z", help="Weights of A, B and C (3cosadd).  [default: 1,1,1]")
@click.option("--right", multiple=True, metavar="WORD", help="A right answer, whose rank is told. Repeatable.")
@answer_options
@explain_options
@model_option
@json_option
@click.pass_context
def analogy(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    method: str,
    weights: str | None,
    right: tuple[str, ...],
    topn: int,
    include_query: bool,
    model: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the words nearest to A - B + C.

    "king man woman" asks for king - man + woman: what is to woman as king is to man? The three words themselves are
    left out of the answers. Without words, questions are read from standard input, three words a line; any further
    words of a line are right answers.
    """
    explaining = {name: options.pop(name) for name in _EXPLAINING}
    stdin = False
    if any(explaining.values()) or (words and words != ("-",)):
        if explanation_asked(words, explaining):
            restrict_vocab = options["restrict_vocab"]
            _refuse_beside_explain(ctx, explaining["questions"])
            explain(
                words, right=right, topn=topn, restrict_vocab=restrict_vocab, model=model, as_json=as_json, **explaining
            )
            return
    else:
        stdin = from_stdin(words)
    given = numbers(weights, 3, "words") or [1.0, 1.0, 1.0]
    embedding = load_model(model)
    asker = _Analogies(embedding, method, given, topn, include_query, among(embedding, options), as_json)
    if not stdin:
        asker.answer(embedding.vocabulary.parse(words), embedding.vocabulary.parse(right))
        return
    lines = Lines(embedding)
    for _, found in lines.read(3, "three words, and right answers if you like", as_json):
        asker.answer(found[:3], [*found[3:], *embedding.vocabulary.parse(right)], blank=True)
    lines.end(ctx)


def _refuse_beside_explain(ctx: click.Context, questions: str | None) -> None:
    """Refuse options that an explanation, which is of 3CosAdd, does not know."""
    known = {"words", "explain", "questions", "corpus", "no_corpus", "restrict_vocab", "model", "as_json"}
    known |= {"right", "topn"} if questions is None else set()
    for option in ctx.command.params:
        given = ctx.get_parameter_source(str(option.name)) not in (ParameterSource.DEFAULT, None)
        if given and option.name not in known:
            beside = "--explain" if questions is None else "--questions"
            raise click.UsageError(f"{option.opts[-1]} does not go with {beside}, which explains 3CosAdd as it stands")
    if questions is None and len(ctx.params["right"]) > 1:
        raise click.UsageError(f"--explain explains one answer; got {len(ctx.params['right'])} times --right")


class _Analogies:
    """Answers questions typed as A B C, which mean A - B + C."""

    def __init__(
        self,
        embedding: Embedding,
        method: str,
        weights: Sequence[float],
        topn: int,
        include_query: bool,
        among: dict[str, Any],
        as_json: bool,
    ) -> None:
        self._embedding, self._topn, self._among, self._as_json = embedding, topn, among, as_json
        self._include_query = include_query
        self._typed_weights = weights
        # typed A B C means A - B + C; as a relation that is B : A :: C : ?, and the library's roles score b - a + c
        self._how: dict[str, Any] = {"method": method, "weights": (weights[1], weights[0], weights[2])}

    def answer(self, words: Sequence[Any], right: Sequence[Any], *, blank: bool = False) -> None:
        first, second, third = words
        roles: dict[str, Any] = {"a": second, "b": first, "c": third}
        found = self._embedding.analogy(
            **roles, topn=self._topn, include_query=self._include_query, **self._how, **self._among
        )
        rank = self._embedding.analogy_rank(**roles, right=right, **self._how, **self._among) if right else None
        if self._as_json:
            asked = {"positive": [first, third], "negative": [second], "topn": self._topn, "restrict_vocab": None}
            asked.update({key: value for key, value in self._among.items() if key != "candidates"})
            if self._how["method"] != "3cosadd":
                asked["method"] = self._how["method"]
            answer: dict[str, Any] = {"query": asked, "results": records(found)}
            if right:
                answer["right"] = {"words": list(right), "rank": rank}
            result_json(answer)
            return
        left_out = "nothing" if self._include_query else listed(words)
        result(f"{self._formula(words)}   (left out: {left_out})")
        answers(found)
        if right:
            result(f"right: {listed(right)}, rank {'none: it is left out' if rank is None else f'{rank:,}'}")
        if blank:
            result()

    def _formula(self, words: Sequence[Any]) -> str:
        x, y, z = (shown(word) for word in words)
        if self._how["method"] == "3cosmul":
            return f"{x} * {z} / {y} (3CosMul)"
        if self._how["method"] == "pairdirection":
            return f"? - {z} along {x} - {y} (PairDirection)"
        if list(self._typed_weights) == [1, 1, 1]:
            return f"{x} - {y} + {z}"
        u, v, w = self._typed_weights
        return f"{u:g} {x} - {v:g} {y} + {w:g} {z}"


@click.command(
    epilog="\b\nExamples:\n  w2v similar king\n  w2v similar paris london --topn 5 --json\n"
    "  w2v similar king --negative man\n  w2v similar king man --weights 1,-0.5\n"
    "  w2v similar coffee --by context\n  w2v similar - < words.txt",
)
@click.argument("words", nargs=-1, metavar="[WORD... | -]")
@click.option(
    "--by",
    type=click.Choice(MEASURES),
    default="cosine",
    show_default=True,
    help="cosine; euclid: the distance, shown negative; context: w.c, words that occur next to WORD.",
)
@click.option("--weights", metavar="X,Y,...", help="A weight for each WORD, below 0 to subtract it.  [default: 1]")
@click.option("--negative", multiple=True, metavar="WORD", help="A word to subtract. Repeatable.")
@answer_options
@model_option
@json_option
@click.pass_context
def similar(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    by: str,
    weights: str | None,
    negative: tuple[str, ...],
    topn: int,
    include_query: bool,
    model: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the words nearest to WORD by cosine.

    Several WORDs are taken together: what is nearest to the sum of their unit vectors, less those of --negative. They
    are left out themselves.
    Without words, they are read from standard input, a query a line.
    """
    stdin = from_stdin(words)
    if stdin and (weights is not None or negative):
        option = "--negative" if weights is None else "--weights"
        raise click.UsageError(f"{option} goes with words that are typed")
    given = numbers(weights, len(words), "words")
    embedding = load_model(model)
    chosen = among(embedding, options)
    subtracted = embedding.vocabulary.parse(negative)

    def tell(asked: Sequence[Any], found: Sequence[Any]) -> None:
        if as_json:
            query = {"positive": list(asked), "negative": list(subtracted), "topn": topn, "restrict_vocab": None}
            query.update({key: value for key, value in chosen.items() if key != "candidates"})
            if by != "cosine":
                query["by"] = by
            if given is not None:
                query["weights"] = given
            result_json({"query": query, "results": records(found)})
            return
        left_out = "nothing" if include_query else listed([*asked, *subtracted])
        how = "" if by == "cosine" else f" by {by}"
        minus = "".join(f" - {shown(word)}" for word in subtracted)
        result(f"{_sum_of(asked, given)}{minus}{how}   (left out: {left_out})")
        answers(found, blank=stdin)

    if not stdin:
        asked = embedding.vocabulary.parse(words)
        positive = asked if given is None else list(zip(asked, given, strict=True))
        options = {"negative": subtracted, "topn": topn, "by": by, "include_query": include_query, **chosen}
        tell(asked, embedding.most_similar(positive, **options))
        return
    lines = Lines(embedding)
    queries, again = itertools.tee(found for _, found in lines.read(1, "a word", as_json))
    if by == "cosine":
        every = embedding.most_similar_many(
            queries, topn=topn, include_query=include_query, batch_size=lines.batch_size, **chosen
        )
    else:
        every = (
            embedding.most_similar(query, topn=topn, by=by, include_query=include_query, **chosen) for query in queries
        )
    for found in every:
        tell(next(again), found)
    lines.end(ctx)


def _sum_of(words: Sequence[Any], weights: Sequence[float] | None) -> str:
    if weights is None:
        return " + ".join(shown(word) for word in words)
    return " + ".join(f"{weight:g} {shown(word)}" for word, weight in zip(words, weights, strict=True))


@click.command(epilog="\b\nExamples:\n  w2v similarity king queen\n  w2v similarity - < pairs.txt")
@click.argument("words", nargs=-1, metavar="[WORD1 WORD2 | -]")
@model_option
@json_option
@click.pass_context
def similarity(ctx: click.Context, /, words: tuple[str, ...], model: str, as_json: bool) -> None:
    """Print the cosine of WORD1 and WORD2, between -1 and 1.

    Without words, pairs are read from standard input, a pair a line.
    """
    stdin = from_stdin(words)
    if not stdin and len(words) != 2:
        raise click.UsageError(f"similarity is asked of two words; got {len(words)}")
    embedding = load_model(model)

    def tell(first: Any, second: Any) -> None:
        cosine = embedding.similarity(first, second)
        if as_json:
            result_json({"query": {"word": first}, "results": [{"word": second, "similarity": cosine}]})
        else:
            echo_lines(table([(shown(first), shown(second), f"{cosine:.4f}")]))

    if not stdin:
        tell(*embedding.vocabulary.parse(words))
        return
    lines = Lines(embedding)
    for number, found in lines.read(2, "two words", as_json):
        if len(found) == 2:
            tell(*found)
        else:
            lines.fail(number, [str(word) for word in found], f"expected two words, got {len(found)}", as_json)
    lines.end(ctx)
