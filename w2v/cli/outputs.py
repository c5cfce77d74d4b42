"""Files that a command writes: refused before the work where they would be refused after it."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from w2v.cli.terminal import flush_results
from w2v.errors import FileAccessError

__all__ = ["after_saving", "check_log", "refuse_inputs", "same_file"]


def check_log(path: str, others: Sequence[str], *, force: bool) -> None:
    """Refuse a log that is another file of the same command, would be read as text, or exists already."""
    if path == "-":
        raise FileAccessError("--log-json - would mix with the results: give a file name")
    for other in others:
        if other != "-" and same_file(path, other):
            raise FileAccessError(f"--log-json {path} is {other}, which would be overwritten; choose another")
        if stat.S_ISDIR(_mode(other)) and Path(os.path.realpath(other)) in Path(os.path.realpath(path)).parents:
            raise FileAccessError(f"--log-json {path} lies in {other}, and would be read as text; choose another")
    if stat.S_ISREG(_mode(path)) and not force:
        raise FileAccessError(f"--log-json {path} exists already; --force replaces it")


def refuse_inputs(
    path: str, files: Iterable[str | None], what: str = "the output", other: str = "choose another"
) -> None:
    """Refuse an output that is one of the inputs; None is none."""
    for file in files:
        if file not in (None, "-") and os.path.lexists(file) and same_file(file, path):
            raise FileAccessError(f"{what} {path} is the input {file}: it would be overwritten; {other}")


def same_file(one: str, other: str) -> bool:
    """Return whether two names mean the same file, be it there or not."""
    try:
        return Path(one).samefile(other)
    except OSError:  # one is not there, or nobody may look
        return os.path.realpath(one) == os.path.realpath(other)


def _mode(path: str) -> int:
    """Return the mode of a file, 0 where there is none or nobody may look: opening it says so."""
    try:
        return Path(path).stat().st_mode
    except OSError:
        return 0


@contextlib.contextmanager
def after_saving(path: str) -> Iterator[None]:
    """Write results that follow a saved file: when they cannot be written, the error says that the file is there."""
    try:
        yield
        flush_results()
    except FileAccessError as error:
        raise FileAccessError(f"{error}; the work is not lost: it was saved as {path}") from error
