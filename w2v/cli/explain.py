"""``w2v analogy --explain``: why an analogy works, or not; one, or a file of questions as a table by section."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from w2v.cli.explain_corpus import counts_at_hand
from w2v.cli.explain_questions import explain_questions
from w2v.cli.explain_report import explanation_lines, section_lines
from w2v.cli.options import load_model
from w2v.cli.terminal import echo_lines, result_json

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["explain", "explain_options", "explanation_asked"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PAIRS = ("a-b", "c-d", "a-c", "b-d")


def explain_options(function: _Function) -> _Function:
    """Add the options of an explanation."""
    for option in reversed(
        (
            click.option(
                "--explain", is_flag=True, help="Show why it works, or not: of the first answer, or of --right."
            ),
            click.option(
                "--questions",
                metavar="FILE",
                help="Explain the questions of a file (a b c d, ': section' lines) or of a bundled set, by its name.",
            ),
            click.option(
                "--corpus",
                multiple=True,
                metavar="FILE",
                help="Where the model's corpus is now, for csPMI. Repeatable.  [default: where it was trained]",
            ),
            click.option("--no-corpus", is_flag=True, help="Explain without csPMI, which has to read the corpus."),
        )
    ):
        function = option(function)
    return function


def explanation_asked(words: Sequence[str], options: Mapping[str, Any]) -> bool:
    """Tell whether an explanation was asked for; raises UsageError when the words do not fit."""
    if options["questions"] is not None:
        if words:
            raise click.UsageError("give either three words A B C or --questions FILE")
        return True
    if len(words) < 3:
        missing = " ".join("ABC"[len(words) :])
        raise click.UsageError(f"Missing argument '{missing}': three words A B C are needed, for A - B + C.")
    if len(words) > 3:
        raise click.UsageError(f"Got unexpected extra argument ({words[3]}): three words A B C are needed.")
    return bool(options["explain"])


def explain(
    words: Sequence[str],
    *,
    topn: int,
    restrict_vocab: int | None,
    model: str,
    as_json: bool,
    right: Sequence[str],
    questions: str | None,
    corpus: Sequence[str],
    no_corpus: bool,
    **_: Any,
) -> None:
    """Explain one analogy, or a file of questions."""
    embedding = load_model(model)
    if questions is not None:
        counted = None if no_corpus else lambda size: counts_at_hand(embedding, model, corpus, restrict_vocab=size)
        found_by_section = explain_questions(embedding, questions, restrict_vocab=restrict_vocab, counted=counted)
        if as_json:
            result_json({"query": {"model": model, "questions": questions}, **found_by_section})
        else:
            echo_lines(section_lines(found_by_section))
        return
    from w2v.geometry import explain_analogy

    # typed A B C means A - B + C; as a relation that is B : A :: C : ?
    b, a, c, *more = embedding.vocabulary.parse([*words, *right])
    found = explain_analogy(
        embedding, a=a, b=b, c=c, right=more[0] if more else None, topn=topn, restrict_vocab=restrict_vocab
    )
    quad = {"a": found.a, "b": found.b, "c": found.c, "d": found.answer}
    associations = None if no_corpus else _associations(embedding, quad, model, corpus)
    if as_json:
        query = {"positive": [b, c], "negative": [a], "topn": topn, "restrict_vocab": restrict_vocab}
        result_json({"query": query, **found.to_dict(), "cspmi": associations})
    else:
        echo_lines(explanation_lines(found, associations))


def _associations(
    embedding: Embedding, quad: Mapping[str, Any], model: str, files: Sequence[str]
) -> dict[str, float | None] | None:
    """Return csPMI of the four sides, None where two words never met; None when there is no corpus at hand."""
    ids = {role: embedding.vocabulary.id(word) for role, word in quad.items()}
    counts = counts_at_hand(embedding, model, files, restrict_vocab=max(ids.values()) + 1)
    if counts is None:
        return None
    from w2v.pmi import cs_pmi

    values = cs_pmi(counts, [(ids[x], ids[y]) for x, y in (pair.split("-") for pair in _PAIRS)])
    return {pair: None if value != value else float(value) for pair, value in zip(_PAIRS, values, strict=True)}
