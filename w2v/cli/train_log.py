"""The progress of a training for machines: one JSON object a line, flushed line by line."""

from __future__ import annotations

import contextlib
import time
from typing import Any, TextIO

from w2v.cli.terminal import json_line, note

__all__ = ["TrainLog"]

_SECONDS_BETWEEN = 1.0


class TrainLog:
    """Writes records to a text file, or nowhere when the file is None.

    Each record holds ``stage`` (start, reading, corpus, training, epoch, summary, interrupted, error), ``time``
    (seconds since the start) and what the stage is about. A file that cannot be written any more is given up with a
    warning.
    """

    def __init__(self, file: TextIO | None) -> None:
        self._file = file
        self._started = time.perf_counter()
        self._last = self._started

    def write(self, stage: str, **record: Any) -> None:
        """Write a record."""
        if self._file is None:
            return
        now = time.perf_counter()
        line = json_line({"stage": stage, "time": round(now - self._started, 3), **record})
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except OSError as error:  # a full disk: not a reason to lose the training
            note(f"Warning: --log-json {self._file.name} cannot be written any more: {error.strerror or error}")
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None

    def at_times(self, stage: str, **record: Any) -> None:
        """Write a record, unless the last one written in this way is less than a second old."""
        now = time.perf_counter()
        if now - self._last >= _SECONDS_BETWEEN:
            self._last = now
            self.write(stage, **record)
