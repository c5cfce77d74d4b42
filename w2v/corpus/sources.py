"""Which files make a corpus: paths, folders, globs and standard input become one list in reading order."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from w2v.corpus.compression import STDIN
from w2v.corpus.vector_files import holds_vectors
from w2v.errors import FileAccessError

__all__ = ["as_paths", "find_files", "names_a_file", "total_size"]


def find_files(
    paths: Sequence[str | os.PathLike[str]], *, skipped: Callable[[str], object] = lambda path: None
) -> list[str]:
    """Return the absolute paths of all files meant, in reading order; ``"-"`` stands for standard input.

    Parameters
    ----------
    paths : sequence of str or path
        Files are read in the order given (one may be given twice). A folder means all files below it, sorted,
        without hidden ones and without files of vectors (see `w2v.corpus.vector_files`): the model of an earlier
        training may lie beside its text. A name that does not exist is taken as a glob, ``**`` included, sorted.
    skipped : callable, optional
        Called with each file of vectors that is left out.

    Raises
    ------
    FileAccessError
        Nothing is there: a missing file, an empty folder, a glob without match, a folder that cannot be read.
    """
    found: list[str] = []
    for item in paths:
        name = os.fspath(item)
        if not name:
            raise FileAccessError("an empty name names no file")
        if name == STDIN:
            if STDIN in found:
                raise FileAccessError("standard input (-) can be read only once")
            found.append(STDIN)
        elif (mode := _mode(name)) is None:
            found.extend(_matches(name, skipped))
        elif stat.S_ISDIR(mode):
            found.extend(_files_below(name, skipped))
        else:
            found.append(str(Path(name).absolute()))
    if not found:
        raise FileAccessError("no files given")
    return found


def total_size(names: Sequence[str]) -> int | None:
    """Return the bytes of all files of `find_files`, None if standard input is among them.

    Raises
    ------
    FileAccessError
        A file is not there any more.
    """
    if STDIN in names:
        return None
    try:
        return sum(Path(name).stat().st_size for name in names)
    except OSError as error:
        raise FileAccessError(f"cannot read {error.filename}: {error.strerror}") from error


def _mode(name: str) -> int | None:
    """Return the mode of what is there, None if nothing is and the name may be a glob."""
    try:
        return Path(name).stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        if glob.has_magic(name) and not os.path.lexists(name):
            return None
        link = f" ({name} is a link to {Path(name).readlink()})" if Path(name).is_symlink() else ""
        raise FileAccessError(f"no such file or folder: {name}{link}") from error
    except OSError as error:
        raise FileAccessError(f"cannot read {name}: {error.strerror}") from error
    except ValueError as error:  # a NUL in the name
        raise FileAccessError(f"cannot read {name!r}: {error}") from error


def _files_below(folder: str, skipped: Callable[[str], object]) -> Iterator[str]:
    files = [path for path in _walk(Path(folder).absolute()) if path.is_file()]
    if not files:
        raise FileAccessError(f"there is no file in the folder {folder} (hidden ones are not read)")
    files.sort(key=lambda path: path.parts)
    vectors = set(filter(holds_vectors, files))
    if len(vectors) == len(files):
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        raise FileAccessError(f"there is no text in the folder {folder}, only vectors: {files[0]}{more}")
    for path in files:
        if path in vectors:
            skipped(str(path))
        else:
            yield str(path)


def _walk(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise FileAccessError(f"cannot read the folder {error.filename}: {error.strerror}") from error

    for place, subfolders, files in os.walk(folder, onerror=refuse):
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        yield from (Path(place, name) for name in files if not name.startswith("."))


def _matches(pattern: str, skipped: Callable[[str], object]) -> Iterator[str]:
    matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 (absolute patterns too)
    if not matches:
        raise FileAccessError(f"no file matches {pattern}")
    files = [match for match in matches if not Path(match).is_dir()]
    if files:
        return (str(Path(match).absolute()) for match in files)
    return (path for match in matches for path in _files_below(match, skipped))


def as_paths(corpus: Any) -> list[str | os.PathLike[str]] | None:
    """Return the paths that a corpus names, or None if it is not given by paths."""
    if isinstance(corpus, (str, os.PathLike)):
        return [corpus]
    if isinstance(corpus, (list, tuple)) and corpus and all(isinstance(item, os.PathLike) for item in corpus):
        return list(corpus)
    return None


def names_a_file(text: str | bytes) -> bool:
    """Return whether a string that was given for a list of tokens is the name of a file or folder that is there."""
    try:
        return isinstance(text, str) and text != "" and Path(text).exists()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False
