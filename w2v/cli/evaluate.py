"""``w2v evaluate``: analogies, similarity, categories and odd-one-out lists, bundled ones or files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from w2v.cli.evaluate_report import analogy_lines, category_lines, error_lines, odd_lines, similarity_lines
from w2v.cli.options import json_option, load_model, model_option
from w2v.cli.outputs import refuse_inputs
from w2v.cli.terminal import echo_lines, note, result, result_json

if TYPE_CHECKING:
    from w2v.embedding import Embedding
    from w2v.evaluation import AnalogyReport

__all__ = ["evaluate"]

# The choices of w2v.evaluation, which is not imported for the help
METHODS = ("3cosadd", "3cosmul", "pairdirection", "lrcos")
CASES = ("none", "lower", "casefold")
OOV_POLICIES = ("skip", "zero")


@click.command(
    epilog="\b\nExamples:\n  w2v evaluate\n"
    "  w2v evaluate --analogies questions.txt --method 3cosmul --errors misses.tsv\n"
    "  w2v evaluate --similarity wordsim353.tsv --similarity simlex.txt --json\n"
    "  w2v evaluate --analogies questions-words --similarity wordsim353.tsv",
)
@click.option(
    "--analogies",
    multiple=True,
    metavar="FILE",
    help="Questions a b c d, ': section' lines; or the name of a bundled set (questions-words, CA8-semantic, "
    "CA8-morphological, cwe-analogy). Repeatable.",
)
@click.option(
    "--similarity",
    multiple=True,
    metavar="FILE",
    help="Lines of word, word, score; or the bundled wordsim-240. Repeatable.",
)
@click.option("--categories", multiple=True, metavar="FILE", help="Lines of word, category. Repeatable.")
@click.option("--odd-one-out", multiple=True, metavar="FILE", help="Lists of words, the odd one last. Repeatable.")
@click.option("--method", type=click.Choice(METHODS), default="3cosadd", show_default=True, help="Of the analogies.")
@click.option(
    "--case",
    type=click.Choice(CASES),
    default="lower",
    show_default=True,
    help="How spellings are compared: as they stand, in lower case, or case-folded.",
)
@click.option(
    "--restrict-vocab",
    type=click.IntRange(min=1),
    default=30_000,
    show_default=True,
    metavar="N",
    help="Analogies are asked about, and answered with, the N most frequent words.",
)
@click.option(
    "--oov",
    type=click.Choice(OOV_POLICIES),
    default="skip",
    show_default=True,
    help="Similarity pairs with an unknown word: left out, or the cosine 0.",
)
@click.option(
    "--score-column",
    type=int,
    default=-1,
    show_default=True,
    metavar="N",
    help="Where the score of a similarity file stands, from 0, or from -1 backwards.",
)
@click.option(
    "--resamples", type=click.IntRange(min=0), default=1000, show_default=True, help="Of the intervals; 0: none."
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of what is random here.")
@click.option("--errors", metavar="FILE", help="Write the wrong answers to FILE, with the ranks of the right ones.")
@click.option("--force", is_flag=True, help="Replace a file of --errors that exists.")
@model_option
@json_option
def evaluate(
    analogies: tuple[str, ...],
    similarity: tuple[str, ...],
    categories: tuple[str, ...],
    odd_one_out: tuple[str, ...],
    method: str,
    case: str,
    restrict_vocab: int,
    oov: str,
    score_column: int,
    resamples: int,
    seed: int,
    errors: str | None,
    force: bool,
    model: str,
    as_json: bool,
) -> None:
    """Answer analogy questions, rank word pairs, sort words into categories, find the odd one out.

    Without files the bundled sets in the language of the model are used: the Google analogies, or the Chinese CA8,
    CWE and WordSim-240. There is no English similarity set, for none has a clear licence; give one with --similarity.
    Set the accuracies beside the columns "b alone" (what is nearest to b, whatever a and c are), "random" and asked
    (how many questions there are).
    """
    if errors is not None:
        from w2v.atomic import check_target

        check_target(errors, force=force)
        refuse_inputs(errors, [model, *analogies, *similarity, *categories, *odd_one_out], "--errors")
    embedding = load_model(model)
    from w2v.evaluation import (
        evaluate_analogies,
        evaluate_categories,
        evaluate_odd_one_out,
        evaluate_similarity,
        file_or_bundled,
    )

    questions: Sequence[Any] = [file_or_bundled(name, "analogies") for name in analogies]
    pairs: Sequence[Any] = [file_or_bundled(name, "similarity") for name in similarity]
    if not (analogies or similarity or categories or odd_one_out):
        questions, pairs = _bundled(embedding)
    some: dict[str, Any] = {"case": case, "seed": seed}
    answered = [
        evaluate_analogies(embedding, q, method=method, restrict_vocab=restrict_vocab, resamples=resamples, **some)
        for q in questions
    ]
    ranked = [
        evaluate_similarity(embedding, p, oov=oov, score_column=score_column, resamples=resamples, **some)
        for p in pairs
    ]
    sorted_ = [evaluate_categories(embedding, c, **some) for c in categories]
    odd = [evaluate_odd_one_out(embedding, o, resamples=resamples, **some) for o in odd_one_out]
    if errors is not None:
        _write_errors(answered, errors, force=force)
    if as_json:
        result_json(
            {
                "query": {"model": model, "restrict_vocab": restrict_vocab, "method": method, "case": case},
                "analogies": [report.to_dict() for report in answered],
                "similarity": [report.to_dict() for report in ranked],
                "categories": [report.to_dict() for report in sorted_],
                "odd_one_out": [report.to_dict() for report in odd],
            }
        )
        return
    if not (answered or ranked or sorted_ or odd):
        result("No bundled set applies: the model knows too few of their words.")
    for report in answered:
        echo_lines(analogy_lines(report))
        result()
    if ranked:
        echo_lines(similarity_lines(ranked))
    if sorted_:
        echo_lines(category_lines(sorted_))
    if odd:
        echo_lines(odd_lines(odd))


def _bundled(embedding: Embedding) -> tuple[list[Any], list[Any]]:
    """Return the bundled sets that fit the language of a model, and say which do not."""
    from w2v.evaluation import bundled, fitting

    sets = fitting(embedding.vocabulary)
    others = [s.name for s in bundled() if s not in sets]
    if not sets:
        note(
            "The model knows no word of the bundled sets (English and Chinese): give files, --analogies or --similarity"
        )
    elif others:
        note(f"Left out, since the model knows too few of their words: {', '.join(others)}")
    return [s.load() for s in sets if s.task == "analogies"], [s.load() for s in sets if s.task == "similarity"]


def _write_errors(reports: Sequence[AnalogyReport], path: str, *, force: bool) -> None:
    from w2v.atomic import replacing

    with replacing(path, force=force) as file:
        for line in error_lines(reports):
            file.write(line.encode("utf-8", "surrogatepass") + b"\n")
