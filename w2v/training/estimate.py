"""What a training will cost in time, memory and disk, from a short trial on its own corpus."""

from __future__ import annotations

import dataclasses
import math
import sys
import time
from pathlib import Path
from typing import Any

from w2v.training.progress import STOP, Progress
from w2v.training.session import Training

__all__ = ["Estimate", "estimate"]

_WARM_UP = 0.25  # share of the trial that is not counted: caches are cold, pages are touched for the first time


@dataclasses.dataclass(frozen=True, kw_only=True)
class Estimate:
    """The cost of a training.

    Attributes
    ----------
    words_per_second : float
        Measured on this corpus, with all workers.
    measured_seconds : float
        How long the measurement was.
    training_seconds : float
        For all words that are still to be trained.
    memory_bytes : int
        Of the whole process while it trains, without files that are mapped (where the system tells them apart).
    matrix_bytes : int
        Of W and C in memory, a part of the former.
    model_bytes, checkpoint_bytes : int
        Size of the files.
    temporary_bytes : int
        The encoded corpus on disk, where temporary files are kept.
    """

    words_per_second: float
    measured_seconds: float
    training_seconds: float
    memory_bytes: int
    matrix_bytes: int
    model_bytes: int
    checkpoint_bytes: int
    temporary_bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


def estimate(session: Training, *, seconds: float = 3.0) -> Estimate:
    """Train for a few seconds and work out what all of it will cost.

    Parameters
    ----------
    session : Training
        To be thrown away afterwards: it has been trained a little.
    seconds : float
        Length of the trial; a training that is shorter is run to its end.

    Notes
    -----
    The speed is that of the first chunks, with the load that the machine has now.
    """
    session.compile()
    todo = session.plan.tokens * session.plan.epochs - session.words_done
    marks: list[tuple[float, int]] = []
    started = time.perf_counter()

    def note(progress: Progress) -> object:
        marks.append((time.perf_counter() - started, progress.words))
        return STOP if marks[-1][0] >= seconds else None

    words_before = session.words_done
    session.run(note, report_seconds=0.0)
    marks.append((time.perf_counter() - started, session.words_done))
    warm = next((mark for mark in marks if mark[0] >= _WARM_UP * seconds), marks[-1])
    if warm[1] >= marks[-1][1]:  # so little text that all of it is warming up
        warm = (0.0, words_before)
    measured, words = marks[-1][0] - warm[0], marks[-1][1] - warm[1]
    speed = words / measured if measured > 0 else math.nan
    vocabulary = session.corpus.vocabulary
    V, d = len(vocabulary), session.training.vector_size
    len(vocabulary.index)  # as saving does
    matrices = session.touch()
    model = 8 * V * d + 16 * V + (sum(len(str(word).encode("utf-8", "replace")) for word in vocabulary.words))
    corpora = [session.corpus] if session.heldout is None else [session.corpus, session.trained, session.heldout]
    return Estimate(
        words_per_second=speed,
        measured_seconds=measured,
        training_seconds=todo / speed if speed > 0 else math.nan,
        memory_bytes=_memory(),
        matrix_bytes=matrices,
        model_bytes=model,
        checkpoint_bytes=model + 16 * session.plan.chunks,
        temporary_bytes=sum(4 * len(corpus) + 8 * (corpus.sentences + 1) for corpus in corpora),
    )


def _memory() -> int:
    """Return the memory that this process holds for itself; where the system does not say, the most it ever held."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        line = next(line for line in status.splitlines() if line.startswith("RssAnon:"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        import resource  # not on every platform, but wherever there is no /proc

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
