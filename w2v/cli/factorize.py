"""``w2v factorize``: from text files to vectors by way of a matrix of pair statistics."""

from __future__ import annotations

import datetime
import time
from typing import Any

import click

from w2v._version import __version__
from w2v.cli.options import DEFAULT_MODEL, SectionedCommand, json_option, options_of, quiet_option, settings_of
from w2v.cli.outputs import after_saving, refuse_inputs
from w2v.cli.terminal import result, result_json, since
from w2v.cli.train_view import TrainView
from w2v.plurals import counted
from w2v.settings import ContextSettings, CorpusSettings, FactorizationSettings, usable_cpus

__all__ = ["factorize"]


_HOMES = {
    "Factorisation": FactorizationSettings,
    "Pairs of word and context": ContextSettings,
    "Text and vocabulary": CorpusSettings,
}


@click.command(
    cls=SectionedCommand,
    epilog="\b\nExamples:\n  w2v factorize corpus.txt -o ppmi.safetensors\n"
    "  w2v factorize corpus.txt --matrix sppmi --shift 5 --context-smoothing 0.75 -o sppmi.safetensors\n"
    "  w2v analogy king man woman --model ppmi.safetensors",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", default=DEFAULT_MODEL, show_default=True, metavar="FILE", help="Where the model goes.")
@click.option("--force", is_flag=True, help="Replace an output file that exists.")
@click.option(
    "--memory",
    type=click.IntRange(min=64),
    default=1024,
    show_default=True,
    metavar="MB",
    help="Bound of the memory for counting; more is spilled to temporary files.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Threads.  [default: usable CPUs]")
@quiet_option
@json_option
@options_of(_HOMES)
def factorize(
    files: tuple[str, ...],
    output: str,
    force: bool,
    memory: int,
    workers: int | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Count the pairs of FILEs, factorise PMI or a relative of it, and save the vectors as a model.

    The counts are expectations under the same windows and subsampling that `w2v train` knows; the matrix is factorised
    by a truncated SVD whose residual is printed. W = U S^p, C = V S^(1-p), p by --eig. Unobserved cells are 0 in every
    matrix but mstar, where they are -2.
    """
    settings, context, corpus_settings = (settings_of(home, options) for home in _HOMES.values())
    from w2v import pmi
    from w2v.atomic import check_target
    from w2v.corpus import encode_files, find_files

    refuse_inputs(output, find_files(files))
    check_target(output, force=force)
    started = time.perf_counter()
    workers, view = workers or usable_cpus(), TrainView(quiet=quiet)
    view.say(f"Reading {', '.join(files)}")
    with encode_files(list(files), corpus_settings, hint=view.hint) as corpus:
        size = f"{counted(len(corpus), 'token')}, {counted(len(corpus.vocabulary), 'word')}"
        view.say(f"Counting the pairs of {size} ({since(started)})")
        counts = pmi.count_pairs(corpus, context, workers=workers, memory_bytes=memory << 20)
        view.say(f"Factorising {counted(counts.cells, 'distinct pair')} ({since(started)})")
        found = pmi.factorize(counts, settings)
        embedding = found.embedding(
            package_version=__version__,
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            corpus=corpus.source.to_dict(),
        )
        embedding.settings["corpus"] = corpus_settings.to_dict()
        embedding.save(output, force=force)
    summary = {
        "model": output,
        "words": len(embedding),
        "vector_size": embedding.vector_size,
        "matrix": settings.matrix,
        "cells": counts.cells,
        "residual": found.residual,
        "seconds": time.perf_counter() - started,
    }
    with after_saving(output):
        if as_json:
            result_json(summary)
        else:
            result(
                f"Saved {output}: {counted(len(embedding), 'word')}, {counted(embedding.vector_size, 'dimension')} of "
                f"{settings.matrix}, residual {found.residual:.1e}"
            )
