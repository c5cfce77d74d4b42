"""``w2v postprocess``: centre, whiten, remove top components, reduce; before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from w2v.cli.options import json_option, load_model, model_option
from w2v.cli.outputs import same_file
from w2v.cli.terminal import echo_lines, note, result, result_json, section, shown, table
from w2v.errors import FileAccessError
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["postprocess"]

_RESTRICTED = 30_000


@click.command(
    epilog="\b\nSteps:\n"
    "  center          subtract the mean vector\n"
    "  unit            take every vector to length 1\n"
    "  abtt[=D]        all-but-the-top: subtract the mean, remove the D first principal\n"
    "                  components (d/100 unless given)\n"
    "  whiten[=zca]    unit covariance, as near to the old vectors as can be\n"
    "  whiten=pca      unit covariance along the principal components\n"
    "  pca=K           keep the K first principal components\n"
    "\n\b\nExamples:\n  w2v postprocess abtt=2 unit -o better.safetensors --evaluate\n"
    "  w2v postprocess unit center whiten=zca --evaluate",
)
@click.argument("steps", nargs=-1, required=True, metavar="STEP...")
@click.option("-o", "--output", metavar="FILE", help="Where the new model goes.  [default: nowhere]")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option(
    "--fit-words",
    type=click.IntRange(min=2),
    metavar="N",
    help="Means and components are those of the N most frequent words.  [default: all]",
)
@click.option("--evaluate", is_flag=True, help="Show similarity, analogies and isotropy before and after.")
@click.option(
    "--analogies", multiple=True, metavar="FILE", help="Questions for --evaluate, or a bundled set.  [default: bundled]"
)
@click.option(
    "--similarity", multiple=True, metavar="FILE", help="Pairs for --evaluate, or a bundled set.  [default: bundled]"
)
@model_option
@json_option
def postprocess(
    steps: tuple[str, ...],
    output: str | None,
    force: bool,
    fit_words: int | None,
    evaluate: bool,
    analogies: tuple[str, ...],
    similarity: tuple[str, ...],
    model: str,
    as_json: bool,
) -> None:
    """Apply STEPs to the word vectors, in the order given, and save them as a model.

    The new model has no context vectors, since their products with the new vectors mean nothing; what was done is in
    its provenance (w2v info).
    """
    if output is None and not (evaluate or analogies or similarity):
        raise click.UsageError("nothing to do with the result: save it with -o FILE, or look at it with --evaluate")
    from w2v.geometry import parse_steps
    from w2v.geometry import postprocess as apply_steps

    parsed = parse_steps(steps)
    if output is not None:
        _check_output(output, model, force=force)
    before = load_model(model)
    after = apply_steps(before, parsed, fit_words=fit_words)
    if output is not None:
        after.save(output, force=force)
    compared = _compared(before, after, analogies, similarity) if evaluate or analogies or similarity else None
    if as_json:
        query = {"model": model, "steps": [str(step) for step in parsed], "fit_words": fit_words}
        measures = None if compared is None else [{"name": n, "before": b, "after": a} for n, b, a, _ in compared]
        result_json({"query": query, "output": output, "vector_size": after.vector_size, "measures": measures})
        return
    if compared is not None:
        echo_lines(_lines(f"{shown(model)}: {' '.join(map(str, parsed))}", compared))
    if output is not None:
        result(f"Saved {output}: {counted(len(after), 'word')}, {counted(after.vector_size, 'dimension')}")


def _check_output(output: str, model: str, *, force: bool) -> None:
    from w2v.atomic import check_target

    check_target(output, force=force)
    if same_file(output, model):
        raise FileAccessError(f"the output {output} is the model itself; choose another with -o")


def _compared(
    before: Embedding, after: Embedding, analogies: tuple[str, ...], similarity: tuple[str, ...]
) -> list[tuple[str, float | None, float | None, str]]:
    """Return name, value before, value after and what it is, of each measure that both have."""
    from w2v.evaluation import bundled, evaluate_analogies, evaluate_similarity, file_or_bundled
    from w2v.geometry import measure

    own = bool(analogies or similarity)
    questions: list[Any] = [file_or_bundled(name, "analogies") for name in analogies]
    pairs: list[Any] = [file_or_bundled(name, "similarity") for name in similarity]
    if not own:
        questions = [s.load() for s in bundled(task="analogies")]
        pairs = [s.load() for s in bundled(task="similarity")]
    rows: list[tuple[str, float | None, float | None, str]] = []
    left_out = []
    for p in pairs:
        both = [evaluate_similarity(e, p, resamples=0) for e in (before, after)]
        if own or both[0].covered:
            rows.append(
                (
                    both[0].name,
                    both[0].spearman,
                    both[1].spearman,
                    f"Spearman, {both[0].covered} of {counted(both[0].total, 'pair')}",
                )
            )
        else:
            left_out.append(both[0].name)
    for q in questions:
        answered = [
            evaluate_analogies(e, q, restrict_vocab=_RESTRICTED, resamples=0, baselines=False) for e in (before, after)
        ]
        total = answered[0].total
        if own or total.answerable:
            what = f"analogies right, of {total.answerable:,} of {counted(total.total, 'question')}"
            rows.append((answered[0].name, total.accuracy, answered[1].total.accuracy, what))
        else:
            left_out.append(answered[0].name)
    if left_out:
        note(f"Left out, since the model knows too few of their words: {', '.join(left_out)}")
    shapes = [measure(e, reference=False).shape for e in (before, after)]
    for name, what in (
        ("mean_cosine", "mean cosine of pairs"),
        ("isotropy", "isotropy, min Z / max Z"),
        ("iso_score", "IsoScore"),
        ("participation_ratio", "effective dimensions"),
        ("hub_skew", "skew of 10-occurrence: hubs"),
    ):
        rows.append((name, getattr(shapes[0], name), getattr(shapes[1], name), what))
    return rows


def _lines(title: str, compared: list[tuple[str, float | None, float | None, str]]) -> Iterator[str]:
    yield section(title)
    rows = [("", "before", "after", "change", "")]
    for name, old, new, what in compared:
        change = "" if old is None or new is None else f"{new - old:+.3f}"
        rows.append((shown(name), _shown_number(old), _shown_number(new), change, what))
    yield from table(rows, "lrrrl", indent="  ")


def _shown_number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"
