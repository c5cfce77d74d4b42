"""``w2v pmi-compare``: find the corpus of a model, count its pairs, and set w.c beside the target x*."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from w2v.cli.options import json_option, load_model, model_option, quiet_option
from w2v.cli.pmi_report import report_lines
from w2v.cli.pmi_self_test import run_self_test
from w2v.cli.terminal import echo_lines, note, result_json, since
from w2v.cli.train_view import TrainView
from w2v.errors import CorpusError, NotAvailableError
from w2v.plurals import counted
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings, usable_cpus

if TYPE_CHECKING:
    from w2v.corpus import EncodedCorpus
    from w2v.embedding import Embedding

__all__ = ["pmi_compare"]


@click.command(
    "pmi-compare",
    epilog="\b\nExamples:\n  w2v pmi-compare\n  w2v pmi-compare --model books.safetensors --corpus books.txt --json\n"
    "  w2v pmi-compare --figure comparison.png\n  w2v pmi-compare --exact",
)
@click.option(
    "--corpus",
    "files",
    multiple=True,
    metavar="FILE",
    help="Where the corpus is now. Repeatable.  [default: where the model was trained]",
)
@click.option(
    "--restrict-vocab",
    "--max-vocab",
    type=click.IntRange(min=1),
    metavar="N",
    help="Compare the N most frequent words only.  [default: all]",
)
@click.option(
    "--second-seed/--no-second-seed",
    default=True,
    show_default=True,
    help="Train once more with another seed: its neighbours show the most that can agree.",
)
@click.option(
    "--factorize/--no-factorize",
    "factorizations",
    default=True,
    show_default=True,
    help="Factorise the same counts at the same dimensions and set the results beside.",
)
@click.option(
    "--analogies", multiple=True, metavar="FILE", help="Questions for all models, or a bundled set.  [default: bundled]"
)
@click.option("--similarity", multiple=True, metavar="FILE", help="Scored pairs, or a bundled set.  [default: bundled]")
@click.option("--figure", metavar="FILE", help="Draw the comparison too: .png, .svg or .pdf (extra reports).")
@click.option("--force", is_flag=True, help="Replace a figure that exists.")
@click.option("--exact", is_flag=True, help="No model: test that both kernels reach x* where they must, at full rank.")
@click.option("--workers", type=click.IntRange(min=1), help="Threads.  [default: usable CPUs]")
@model_option
@quiet_option
@json_option
def pmi_compare(
    files: tuple[str, ...],
    restrict_vocab: int | None,
    second_seed: bool,
    factorizations: bool,
    analogies: tuple[str, ...],
    similarity: tuple[str, ...],
    figure: str | None,
    force: bool,
    exact: bool,
    workers: int | None,
    model: str,
    quiet: bool,
    as_json: bool,
) -> None:
    """Set the products w.c of a model beside the shifted PMI of its corpus.

    Skip-gram with negative sampling has its optimum at w.c = log(a/b): a the expected count of a pair, b that of its
    negative draws (Levy and Goldberg 2014). This counts a and b under the model's own settings and prints how near
    w.c comes, beside baselines that know nothing of single pairs, factorisations of the same counts, and a second
    training. The corpus is found by the path that the model recorded, and is used only if its text has not changed.
    """
    if exact:
        run_self_test(quiet=quiet, as_json=as_json)
        return
    if figure is not None:
        from w2v.reports import check_figure_target

        check_figure_target(figure, force=force)
    embedding = load_model(model)
    settings = _settings_of(embedding, model)
    _say_what_was_trained(embedding, model)
    recorded = embedding.provenance.get("corpus") or {}
    paths = list(files) or _recorded_paths(recorded, model)
    workers = workers or usable_cpus()

    from w2v.corpus import encode_files
    from w2v.equivalence import compare
    from w2v.evaluation import bundled, file_or_bundled
    from w2v.pmi import count_pairs

    started = time.perf_counter()

    view = TrainView(quiet=quiet)

    def step(what: str) -> None:
        view.say(f"{what} ({since(started)})")

    view.say(f"Reading {', '.join(paths)}")
    with encode_files(paths, CorpusSettings.from_dict(settings["corpus"]), vocabulary=embedding.vocabulary) as corpus:
        _check_same_text(corpus, recorded, paths, model)
        corpus = _trained_part(corpus, TrainingSettings.from_dict(settings["training"]))
        step(f"Counting the pairs of {counted(len(corpus), 'token')}")
        context = ContextSettings.from_dict(settings["context"])
        counts = count_pairs(corpus, context, workers=workers, restrict_vocab=restrict_vocab)
        second = _trained_again(corpus, settings, workers, step) if second_seed else None
        source = corpus.source.to_dict()
    step(f"Comparing {counted(counts.cells, 'distinct pair')}")
    questions: list[Any] = [file_or_bundled(name, "analogies") for name in analogies]
    pairs: list[Any] = [file_or_bundled(name, "similarity") for name in similarity]
    if not (questions or pairs):
        questions = [s.load() for s in bundled(task="analogies")]
        pairs = [s.load() for s in bundled(task="similarity")]
    comparison = compare(
        embedding,
        counts,
        restrict_vocab=restrict_vocab,
        factorizations=factorizations,
        second=second,
        questions=questions,
        pairs=pairs,
        workers=workers,
        report=lambda name: step(f"  {name}"),
    )
    step("Done")
    if figure is not None:
        from w2v.reports import draw_comparison

        draw_comparison(comparison, figure, title=f"{model}: w.c and the shifted PMI", force=force)
        view.say(f"Drawn: {figure}")
    if as_json:
        query = {
            "model": model,
            "corpus": source["paths"],
            "sha256": source["sha256"],
            "restrict_vocab": restrict_vocab,
        }
        result_json({"query": query, **comparison.to_dict()})
    else:
        echo_lines(report_lines(comparison, model=model, corpus=source["paths"]))


def _trained_again(
    corpus: EncodedCorpus, settings: dict[str, Any], workers: int, step: Callable[[str], None]
) -> Embedding:
    """Train on the same corpus with the same settings and the next seed."""
    from w2v.training import train_encoded

    training = TrainingSettings.from_dict({**settings["training"], "workers": workers})
    step(f"Training a second time, seed {training.seed + 1}")
    training = dataclasses.replace(training, seed=training.seed + 1, heldout=0.0)  # held out already
    return train_encoded(corpus, ContextSettings.from_dict(settings["context"]), training)


def _settings_of(embedding: Embedding, model: str) -> dict[str, Any]:
    for group in ("corpus", "context", "training"):
        if not isinstance(embedding.settings.get(group), Mapping):
            raise NotAvailableError(
                f"{model} does not say how it was trained (it has no {group} settings), so that its target is unknown; "
                "only a model of w2v train can be compared"
            )
    if embedding.C is None:
        raise NotAvailableError(f"{model} holds no context vectors, without which there is no w.c to compare")
    return embedding.settings


def _say_what_was_trained(embedding: Embedding, model: str) -> None:
    """Refuse a model that holds part of the words of its training; note what else its target depends on."""
    provenance = embedding.provenance
    if "selection" in provenance:
        raise NotAvailableError(
            f"{model} holds a selection of the words that were trained ({provenance['selection']}): noise words and "
            "subsampling came from all of them; compare the whole model, with --restrict-vocab to bound the matrices"
        )
    if "continued_from" in provenance:
        note(f"Note: {model} continued another model; its target is that of the text trained last")
    if "stopped_at" in provenance:
        note(f"Note: the training of {model} was stopped before its end")


def _recorded_paths(recorded: Mapping[str, Any], model: str) -> list[str]:
    paths = [str(path) for path in recorded.get("paths") or []]
    if recorded.get("kind") != "files" or not paths:
        kind = {"stdin": "standard input", "sentences": "a Python object"}.get(
            str(recorded.get("kind")), "no known file"
        )
        raise NotAvailableError(f"{model} was trained on {kind}: name the file with the same text with --corpus FILE")
    for path in paths:
        if not Path(path).exists():
            raise NotAvailableError(
                f"the corpus {path} of {model} is not there any more; if it was moved, name it with --corpus FILE"
            )
    return paths


def _check_same_text(corpus: EncodedCorpus, recorded: Mapping[str, Any], paths: list[str], model: str) -> None:
    expected, found = recorded.get("sha256"), corpus.source.sha256
    if expected is None:
        note(f"Warning: {model} recorded no checksum of its corpus; whether this is the same text was not checked")
    elif expected != found:
        raise CorpusError(
            f"{', '.join(paths)} is not the text that {model} was trained on: its sha256 is {found}, the model "
            f"recorded {expected}; name the right files, in their order, with --corpus"
        )


def _trained_part(corpus: EncodedCorpus, training: TrainingSettings) -> EncodedCorpus:
    """Return the sentences that were trained: those that were held out are no part of the objective."""
    if training.heldout == 0:
        return corpus
    from w2v.corpus.heldout import hold_out

    return hold_out(corpus, training.heldout, training.seed).trained
