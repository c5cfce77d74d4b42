"""Files that a command writes: refused before the work where they would be refused after it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from w2v.cli.terminal import flush_results
from w2v.errors import FileAccessError

__all__ = ["after_saving", "check_log", "check_output", "same_file"]


def check_output(output: str, files: Sequence[str], *, force: bool, checkpoint: str | None = None) -> None:
    """Refuse, before anything is read, an output that could not be written in the end or would destroy an input.

    Parameters
    ----------
    output : str
        Where the model goes.
    files : sequence of str
        Inputs as they were typed: files, folders, globs, ``"-"``.
    force : bool
        Whether the output may be replaced.
    checkpoint : str, optional
        Where an interrupted training goes; it is replaced without asking.
    """
    from w2v.embedding import check_target

    if output == "-":
        raise FileAccessError("a model cannot be written to standard output: give a file name with -o")
    _refuse_input(output, files, "the output")
    check_target(output, force=force)
    if checkpoint is not None:
        check_target(checkpoint, force=True)
    if Path(output).is_file() or not Path(output).exists():
        _try_to_write_beside(output)
    if Path(output).exists() or (checkpoint is not None and Path(checkpoint).exists()):
        from w2v.corpus.sources import find_files

        inputs = find_files(files)  # folders and globs resolved
        _refuse_input(output, inputs, "the output")
        if checkpoint is not None:
            _refuse_input(checkpoint, inputs, "the file that an interrupted training is saved to,")


def check_log(path: str, outputs: Sequence[str], files: Sequence[str], *, force: bool) -> None:
    """Refuse a log that is another file of the same command, would be read as text, or exists already."""
    if path == "-":
        raise FileAccessError("--log-json - would mix with the results: give a file name")
    for other in [*files, *outputs]:
        if other != "-" and same_file(path, other):
            raise FileAccessError(f"--log-json {path} is {other}, which would be overwritten; choose another")
        if Path(other).is_dir() and Path(os.path.realpath(other)) in Path(os.path.realpath(path)).parents:
            raise FileAccessError(f"--log-json {path} lies in {other}, and would be read as text; choose another")
    if Path(path).is_file() and not force:
        raise FileAccessError(f"--log-json {path} exists already; --force replaces it")


def same_file(one: str, other: str) -> bool:
    """Return whether two names mean the same file, be it there or not."""
    if Path(one).exists() and Path(other).exists():
        return Path(one).samefile(other)
    return os.path.realpath(one) == os.path.realpath(other)


@contextlib.contextmanager
def after_saving(path: str) -> Iterator[None]:
    """Write results that follow a saved file: when they cannot be written, the error says that the file is there."""
    try:
        yield
        flush_results()
    except FileAccessError as error:
        raise FileAccessError(f"{error}; the work is not lost: it was saved as {path}") from error


def _refuse_input(path: str, files: Sequence[str], what: str) -> None:
    for file in files:
        if file != "-" and Path(file).exists() and same_file(file, path):
            raise FileAccessError(f"{what} {path} is the input {file}: it would be overwritten; choose another with -o")


def _try_to_write_beside(output: str) -> None:
    """Make a nameless file in the folder of the output: rights do not tell everything, least of all to root."""
    try:
        with tempfile.TemporaryFile(dir=Path(os.path.realpath(output)).parent):
            pass
    except OSError as error:
        raise FileAccessError(f"cannot write {output}: {error.strerror or error}") from error
