"""A stream of numbers in a nameless temporary file, written once and read in pieces as often as needed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.closing import Closing
from w2v.errors import FileAccessError

__all__ = ["NumberStream"]

PIECE = 1 << 20  # numbers held in memory at a time


class NumberStream(Closing):
    """Numbers (int32) on disk; a context manager, whose file is gone when it ends.

    Parameters
    ----------
    directory : str or path, optional
        Where the file is made; by default where the system keeps temporary files. It needs four bytes a number.
    """

    def __init__(self, directory: str | os.PathLike[str] | None = None) -> None:
        self.directory = directory
        try:
            self._file: Any = tempfile.TemporaryFile(prefix="w2v-phrases-", dir=directory, buffering=0)  # noqa: SIM115
        except OSError as error:
            where = directory or tempfile.gettempdir()
            raise FileAccessError(f"cannot make a temporary file in {where}: {error.strerror}") from error

    def append(self, numbers: NDArray[np.int32]) -> None:
        """Write numbers at the end."""
        data = np.ascontiguousarray(numbers).data.cast("B") if len(numbers) else memoryview(b"")
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            where = self.directory or tempfile.gettempdir()
            raise FileAccessError(
                f"cannot write to {where}: {error.strerror}. Name a folder with more room (TMPDIR, or directory=)"
            ) from error

    def pieces(self) -> Iterator[NDArray[np.int32]]:
        """Yield all numbers in order; a piece is good until the next one is asked for."""
        buffer = np.empty(PIECE, dtype=np.int32)
        target = buffer.data.cast("B")
        self._file.seek(0)
        while True:
            size = 0
            while size < len(target) and (count := self._file.readinto(target[size:])):
                size += count
            if size == 0:
                return
            yield buffer[: size // 4]

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
