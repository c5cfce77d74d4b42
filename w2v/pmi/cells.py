"""A growing store of matrix cells that moves to disk when it outgrows its share of memory."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import FileAccessError

__all__ = ["CellStore"]

_CELL_BYTES = 12


class CellStore:
    """Cells (index, value) appended in order.

    Parameters
    ----------
    limit : int
        Bytes held in memory; beyond them everything goes to nameless temporary files, whose space is free again when
        the arrays are.
    cells : int
        No more cells than these will come. The arrays are reserved at once; untouched pages cost nothing.
    directory : path, optional
        Where the files lie; the system's temporary folder by default.
    """

    def __init__(self, limit: int, cells: int, directory: str | Path | None = None) -> None:
        room = max(0, min(limit // _CELL_BYTES, cells))
        self._indices: NDArray[np.int32] = np.empty(room, np.int32)
        self._values: NDArray[np.float64] = np.empty(room, np.float64)
        self._directory = directory
        self._files: tuple[IO[bytes], IO[bytes]] | None = None
        self.cells = 0

    def append(self, indices: NDArray[np.int32], values: NDArray[np.float64], divisor: float = 1.0) -> None:
        """Append a copy of some cells, their values divided by `divisor`."""
        begin, self.cells = self.cells, self.cells + len(indices)
        if self._files is None and self.cells <= len(self._indices):
            self._indices[begin : self.cells] = indices
            np.divide(values, divisor, out=self._values[begin : self.cells])
            return
        if self._files is None:
            self._files = self._open(), self._open()
            self._write(self._indices[:begin], self._values[:begin])
            self._indices, self._values = self._indices[:0].copy(), self._values[:0].copy()
        self._write(indices, values / divisor)

    def _open(self) -> IO[bytes]:
        # closed by `finish`, or by the collector when counting was interrupted
        return tempfile.TemporaryFile(prefix="w2v-cells-", dir=self._directory)

    def _write(self, indices: NDArray[np.int32], values: NDArray[np.float64]) -> None:
        assert self._files is not None
        with _told():
            self._files[0].write(np.ascontiguousarray(indices).data)
            self._files[1].write(np.ascontiguousarray(values).data)

    def finish(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return all cells as two arrays: in memory, or mapped from the temporary files."""
        if self._files is None:
            return self._indices[: self.cells], self._values[: self.cells]
        mapped = _map(self._files[0], np.int32, self.cells), _map(self._files[1], np.float64, self.cells)
        self._files = None
        return mapped


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Say what could not be written: an error of the system does not, for a file without a name."""
    try:
        yield
    except OSError as error:
        raise FileAccessError(
            f"cannot write the temporary files of the pair counts: {error.strerror or error}. Name a folder with more "
            "room (TMPDIR, or directory=)"
        ) from error


def _map(file: IO[bytes], dtype: Any, size: int) -> Any:
    with _told():
        file.flush()
    mapped = np.memmap(file, dtype=dtype, mode="r", shape=(size,))
    file.close()  # the map keeps the space
    return mapped
