"""The temporary folder of an encoded corpus, and the streams of numbers that pass through it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import FileAccessError
from w2v.kernels.numbering import renumber

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not on every platform; then abandoned folders are left where they are
    fcntl = None

__all__ = ["Workspace"]

_PREFIX = "w2v-encoded-"
_ITEMS = 1 << 20  # numbers held in memory at a time


class Workspace:
    """A temporary folder with one stream of provisional word numbers, which becomes the ids of the corpus.

    Parameters
    ----------
    directory : str or path, optional
        Where the folder is made; by default where the system keeps temporary files. It needs four bytes for each
        token, and eight for each sentence.

    Notes
    -----
    The folder is removed by `close`, when the object is garbage-collected, or when Python exits. A process that is
    killed leaves it behind, without the lock that it held; the next workspace in the same place removes it.
    """

    def __init__(self, directory: str | os.PathLike[str] | None = None) -> None:
        try:
            self.folder, lock = _new_folder(directory)
        except OSError as error:
            where = directory or tempfile.gettempdir()
            raise FileAccessError(f"cannot make a temporary folder in {where}: {error.strerror}") from error
        self._remove = weakref.finalize(self, _remove_folder, self.folder, lock, os.getpid())
        _remove_abandoned(self.folder.parent)
        self._ids_path = self.folder / "ids.int32"
        self._offsets_path = self.folder / "offsets.int64"
        self._stream: Any = self._ids_path.open("w+b", buffering=0)

    def write(self, numbers: NDArray[np.int32]) -> None:
        """Append provisional numbers and sentence marks."""
        _write(self._stream, numbers)

    def finish(self, numbers: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Replace each provisional number by ``numbers[it]``, drop those that are negative, and map the result.

        Returns
        -------
        ids : int32 (N,)
        offsets : int64 (S + 1,)
            Both read-only; sentence s is ``ids[offsets[s]:offsets[s + 1]]``, none is empty.
        """
        totals = np.zeros(2, dtype=np.int64)
        buffer = np.empty(_ITEMS, dtype=np.int32)
        bounds = np.empty(_ITEMS, dtype=np.int64)
        read = written = sentences = 0
        with self._stream as stream, self._offsets_path.open("wb", buffering=0) as offsets:
            _write(offsets, np.zeros(1, dtype=np.int64))
            # in place: what is written never overtakes what is read
            while count := _read(stream, read, buffer):
                kept, ended = renumber(buffer[:count], numbers, bounds, totals)
                stream.seek(4 * written)
                _write(stream, buffer[:kept])
                _write(offsets, bounds[:ended])
                read, written, sentences = read + count, written + kept, sentences + ended
            stream.truncate(4 * written)
        return _mapped(self._ids_path, np.int32, written), _mapped(self._offsets_path, np.int64, sentences + 1)

    def close(self) -> None:
        """Remove the folder; may be called twice."""
        self._stream.close()
        self._remove()


def _new_folder(directory: str | os.PathLike[str] | None) -> tuple[Path, int | None]:
    """Make a folder and lock it; returns the descriptor that holds the lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=directory))
        if fcntl is None:
            return folder, None
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if folder.exists():  # else another process swept it up between its creation and its lock
            return folder, descriptor
        os.close(descriptor)


def _remove_folder(folder: Path, lock: int | None, owner: int) -> None:
    if os.getpid() == owner:  # not a forked child on its way out
        shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        with contextlib.suppress(OSError):
            os.close(lock)


def _remove_abandoned(place: Path) -> None:
    """Remove what killed processes of this user left: a folder whose lock nobody holds."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        for folder in place.glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError):
                if folder.lstat().st_uid == os.getuid():
                    _remove_unlocked(folder, fcntl)


def _remove_unlocked(folder: Path, fcntl: ModuleType) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)


def _write(stream: Any, values: NDArray[Any]) -> None:
    data = values.data.cast("B") if len(values) else memoryview(b"")
    try:
        while data:
            data = data[stream.write(data) :]
    except OSError as error:
        raise FileAccessError(
            f"cannot write {stream.name}: {error.strerror}. Name a folder with more room (TMPDIR, or directory=)"
        ) from error


def _read(stream: Any, start: int, buffer: NDArray[np.int32]) -> int:
    stream.seek(4 * start)
    target = buffer.data.cast("B")
    size = 0
    while size < len(target) and (count := stream.readinto(target[size:])):
        size += count
    return size // 4


def _mapped(path: Path, dtype: type[Any], size: int) -> NDArray[Any]:
    if size == 0:  # nothing to map
        empty: NDArray[Any] = np.empty(0, dtype=dtype)
        empty.flags.writeable = False
        return empty
    return np.memmap(path, dtype=dtype, mode="r", shape=(size,))
