"""Files that appear whole or not at all: written beside the target, synced, renamed."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from w2v.errors import FileAccessError

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not on every platform; then abandoned files are left where they are
    fcntl = None

__all__ = ["Identity", "check_target", "identity", "remove_abandoned", "replacing"]

Identity = tuple[int, int, int, int]


def check_target(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse a target that could not be written; to be asked before hours of work.

    Raises
    ------
    FileAccessError
        When the target is a folder, exists and may not be replaced, or lies in a folder that is missing or that may
        not be written to.
    """
    shown = os.fspath(path)
    if not shown:
        raise FileAccessError("an empty name names no file to write")
    if _is_stream(shown):
        return
    target = _resolved(shown)
    if target.is_dir():
        raise FileAccessError(f"cannot write {shown}: it is a folder; give the name of a file")
    if os.path.lexists(target) and not force:
        raise FileAccessError(f"{shown} exists already; --force (force=True) replaces it")
    folder = target.parent
    if not folder.is_dir():
        raise FileAccessError(f"cannot write {shown}: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileAccessError(f"cannot write {shown}: no permission to write in the folder {folder}")


def identity(path: str | os.PathLike[str]) -> Identity | None:
    """Return which file stands at a path, another one after each save; None where there is none that could be lost."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that takes the place of `path` when the block ends without an error.

    Until then an older file at `path` stays as it is; when the block fails nothing is left behind. A process that is
    killed leaves a hidden ``.NAME.XXXXXXXX.tmp``, which the next save to the same name removes. A link is followed
    and stays a link; a device or a pipe is written to directly.

    Parameters
    ----------
    path : str or path-like
        The target.
    force : bool
        Whether an existing file may be replaced.

    Yields
    ------
    file
        Open for binary writing.

    Raises
    ------
    FileAccessError
        See `check_target`; also when the disk is full or the write fails in another way.
    """
    shown = os.fspath(path)
    check_target(shown, force=force)
    try:
        if _is_stream(shown):
            with Path(shown).open("wb") as stream:
                yield stream
            return
        target = _resolved(shown)
        remove_abandoned(target)
        temporary, file = _create_beside(target)
        try:
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if not force and os.path.lexists(target):  # it may have appeared in the meantime
                    raise FileAccessError(f"{shown} exists already; --force (force=True) replaces it")
                temporary.replace(target)  # still locked, so that nobody takes it for abandoned
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)
    except FileAccessError:
        raise
    except OSError as error:
        raise FileAccessError(f"cannot write {shown}: {error.strerror or error}") from error


def _is_stream(shown: str) -> bool:
    try:
        mode = Path(shown).stat().st_mode
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:
        raise FileAccessError(f"cannot write {shown}: {getattr(error, 'strerror', None) or error}") from error
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _resolved(shown: str) -> Path:
    return Path(os.path.realpath(shown))


def _temporary_name(target: Path) -> tuple[str, str]:
    """Return what stands before and after eight random letters; cut, as the whole may be no longer than 255 bytes."""
    return f".{target.name[:48]}.", ".tmp"


def _create_beside(target: Path) -> tuple[Path, BinaryIO]:
    """Create and lock the temporary file, with the rights of the file it replaces or of any new file."""
    while True:
        temporary = target.with_name(os.urandom(4).hex().join(_temporary_name(target)))
        try:
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
        except FileExistsError:
            continue
        file = os.fdopen(descriptor, "wb")
        try:
            with contextlib.suppress(FileNotFoundError):
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            if fcntl is not None:
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
            if temporary.exists():  # else another save swept it up between its creation and its lock
                return temporary, file
        except BaseException:
            file.close()
            temporary.unlink(missing_ok=True)
            raise
        file.close()


def remove_abandoned(path: str | os.PathLike[str]) -> None:
    """Remove what killed processes left beside a target: temporary files whose lock nobody holds."""
    target = _resolved(os.fspath(path))
    if fcntl is None or not target.parent.is_dir():
        return
    head, tail = _temporary_name(target)
    with os.scandir(target.parent) as entries:
        names = [e.name for e in entries if e.name.startswith(head) and e.name.endswith(tail)]
    for name in names:
        if len(name) != len(head) + 8 + len(tail):
            continue
        with contextlib.suppress(OSError), target.with_name(name).open("rb") as left:
            fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
            target.with_name(name).unlink()


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
