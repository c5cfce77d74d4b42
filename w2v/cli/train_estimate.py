"""``w2v train --dry-run``: what the training would cost, as lines or as JSON."""

from __future__ import annotations

import contextlib
import tempfile
from typing import TYPE_CHECKING, Any

from w2v.cli.terminal import duration, echo_lines, result_json, table
from w2v.cli.train_job import TrainJob
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.training import Estimate, Training

__all__ = ["tell_estimate"]

_TRIAL_SECONDS = 3.0


def tell_estimate(job: TrainJob, *, as_json: bool) -> None:
    """Read the text, train for a few seconds, throw it away, and tell what all of it would cost."""
    from w2v.training import estimate

    with contextlib.ExitStack() as stack:
        session = job.set_up(stack)
        with job.view.compiling():
            session.compile()
        found = estimate(session, seconds=_TRIAL_SECONDS)
        corpus = session.corpus
        values: dict[str, Any] = {
            "dry_run": True,
            "words": len(corpus.vocabulary),
            "tokens": len(corpus),
            "sentences": corpus.sentences,
            "workers": session.training.workers,
            "epochs": session.training.epochs,
            **found.to_dict(),
        }
        job.log.write("estimate", **values)
        job.view.close()
        if as_json:
            result_json(values)
        else:
            echo_lines(_lines(session, found))


def _lines(session: Training, found: Estimate) -> list[str]:
    workers, epochs = session.training.workers, session.training.epochs
    rows = [
        ("corpus", f"{counted(len(session.corpus), 'token')} of {counted(len(session.corpus.vocabulary), 'word')}"),
        (
            "speed",
            f"{found.words_per_second:,.0f} words/s with {counted(workers, 'worker')}, measured for "
            f"{found.measured_seconds:.1f} s on this corpus",
        ),
        ("training", f"{duration(found.training_seconds)} for {counted(epochs, 'epoch')}"),
        ("memory", f"{_size(found.memory_bytes)}, {_size(found.matrix_bytes)} of it for W and C"),
        ("disk", f"{_size(found.model_bytes)} for the model, and as much for a checkpoint"),
        ("", f"{_size(found.temporary_bytes)} in {tempfile.gettempdir()} while it trains"),
    ]
    return ["Dry run: a short trial was thrown away, nothing was written.", *table(rows, indent="  ")]


def _size(size: int) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size / 1e3:,.0f} kB"
