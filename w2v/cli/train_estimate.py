"""``w2v train --dry-run``: what the training would cost, as lines or as JSON."""

from __future__ import annotations

import contextlib
import tempfile
from typing import TYPE_CHECKING, Any

from w2v.cli.terminal import duration, echo_lines, result_json, table
from w2v.cli.train_job import TrainJob
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.training import Training

__all__ = ["cost_rows", "estimate_values", "tell_estimate"]

_TRIAL_SECONDS = 3.0


def tell_estimate(job: TrainJob, *, as_json: bool) -> None:
    """Read the text, train for a few seconds, throw it away, and tell what all of it would cost."""
    with contextlib.ExitStack() as stack:
        session = job.set_up(stack)
        with job.view.compiling():
            session.compile()
        values = {"dry_run": True, **estimate_values(session)}
        job.log.write("estimate", **values)
        job.view.close()
        if as_json:
            result_json(values)
        else:
            note = "Dry run: a short trial was thrown away, nothing was written."
            echo_lines([note, *table(cost_rows(values), indent="  ")])


def estimate_values(session: Training) -> dict[str, Any]:
    """Train for a few seconds and return what all of it would cost, as plain values; the session is then used up."""
    from w2v.training import estimate

    found = estimate(session, seconds=_TRIAL_SECONDS)
    corpus = session.corpus
    return {
        "words": len(corpus.vocabulary),
        "tokens": len(corpus),
        "sentences": corpus.sentences,
        "workers": session.training.workers,
        "epochs": session.training.epochs,
        **found.to_dict(),
    }


def cost_rows(values: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the rows of a table of what `estimate_values` found."""
    workers, epochs = values["workers"], values["epochs"]
    return [
        ("corpus", f"{counted(values['tokens'], 'token')} of {counted(values['words'], 'word')}"),
        (
            "speed",
            f"{values['words_per_second']:,.0f} words/s with {counted(workers, 'worker')}, measured "
            f"for {values['measured_seconds']:.1f} s on this corpus",
        ),
        ("training", f"{duration(values['training_seconds'])} for {counted(epochs, 'epoch')}"),
        ("memory", f"{_size(values['memory_bytes'])}, {_size(values['matrix_bytes'])} of it for W and C"),
        ("disk", f"{_size(values['model_bytes'])} for the model, and as much for a checkpoint"),
        ("", f"{_size(values['temporary_bytes'])} in {tempfile.gettempdir()} while it trains"),
    ]


def _size(size: int) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size / 1e3:,.0f} kB"
