"""Writing to a terminal or a pipe: results, notes, JSON lines, tables that fit wide characters."""

from __future__ import annotations

import bisect
import contextlib
import io
import itertools
import json
import math
import os
import sys
import time
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import click

from w2v.errors import FileAccessError

__all__ = [
    "CLOSED",
    "PipeClosedError",
    "be_tolerant",
    "display_width",
    "duration",
    "flush_results",
    "json_line",
    "note",
    "readable",
    "result",
    "result_json",
    "shown",
    "since",
    "table",
]


CLOSED = "standard output is closed: there is nowhere to write the results to"
_WIDEST = 48  # columns of a cell that others have to line up with


class PipeClosedError(Exception):
    """Whoever read the results went away."""


def be_tolerant() -> None:
    """Let no character that the terminal cannot show end the program: such a character is shown as its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def result(text: str = "") -> None:
    """Write a line of results to standard output."""
    if sys.stdout is None:
        raise FileAccessError(CLOSED)
    try:
        sys.stdout.write(readable(text) + "\n")
    except BrokenPipeError:
        raise PipeClosedError from None
    except OSError as error:
        raise _no_results(error) from error


def _no_results(error: OSError) -> FileAccessError:
    return FileAccessError(f"cannot write to standard output: {error.strerror or error}")


def note(text: str) -> None:
    """Write a line for the person at the terminal to standard error."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):  # nobody listens: not a reason to stop the work
            sys.stderr.write(readable(text) + "\n")
            sys.stderr.flush()


def flush_results(*, give_up: bool = False) -> None:
    """Flush standard output; with `give_up`, see to it that what cannot be written is not tried again at exit."""
    if sys.stdout is None:
        return
    if not give_up:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _no_results(error) from error
        return
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)


def json_line(value: Any, *, ascii_only: bool = False) -> str:
    """Return one line of JSON; numbers that JSON does not have (NaN, infinity) become null."""
    return json.dumps(_plain(value), ensure_ascii=ascii_only, allow_nan=False)


def result_json(value: Any) -> None:
    """Write one JSON object on one line of standard output."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    result(json_line(value, ascii_only=encoding != "utf8"))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {readable(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return readable(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if hasattr(value, "item"):  # a numpy scalar
        return _plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)


def readable(text: str) -> str:
    """Return text with the bytes that Python took in undecoded, as it does in a C locale, read as UTF-8."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates of another kind
        return text


def shown(word: object) -> str:
    """Return a word as it can be shown: control characters, which could steer the terminal, as escapes."""
    text = readable(str(word))
    if text.isprintable() and text:
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text) or "''"


def display_width(text: str) -> int:
    """Return the columns that a text takes: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    width = 0
    for character in text:
        if unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width


def _cut(cell: str) -> str:
    if display_width(cell) <= _WIDEST:
        return cell
    kept = list(itertools.accumulate(map(display_width, cell)))
    return cell[: bisect.bisect_right(kept, _WIDEST - 1)] + "…"


def table(rows: Iterable[Sequence[str]], align: str = "", *, gap: str = "  ", indent: str = "") -> list[str]:
    """Return rows as lines with aligned columns; a cell too wide for a column is cut, unless it is the last one.

    Parameters
    ----------
    rows : iterable of sequences of str
        The cells.
    align : str
        ``l`` or ``r`` for each column; columns beyond are left-aligned.
    """
    cells = [[*map(_cut, row[:-1]), *row[-1:]] for row in rows]
    columns = max((len(row) for row in cells), default=0)
    align = align.ljust(columns, "l")
    widths = [max((display_width(row[i]) for row in cells if i < len(row)), default=0) for i in range(columns)]
    lines = []
    for row in cells:
        parts = []
        for i, cell in enumerate(row):
            blank = " " * (widths[i] - display_width(cell))
            parts.append(blank + cell if align[i] == "r" else cell + blank)
        lines.append((indent + gap.join(parts)).rstrip())
    return lines


def duration(seconds: float) -> str:
    """Return a time such as ``8 s``, ``2:05`` or ``1:02:05``."""
    if not math.isfinite(seconds):
        return "?"
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def since(started: float) -> str:
    """Return how long ago a moment of `time.perf_counter` was, as `duration` does."""
    return duration(time.perf_counter() - started)


def echo_lines(lines: Iterable[str]) -> None:
    """Write several lines of results."""
    for line in lines:
        result(line)


def stderr_is_terminal() -> bool:
    """Return whether standard error is a terminal, where a progress bar can be redrawn."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # closed
        return False


def section(title: str) -> str:
    """Return a heading, bold where standard output is a terminal."""
    return click.style(title, bold=True) if sys.stdout is not None and sys.stdout.isatty() else title
