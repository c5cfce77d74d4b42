"""What the query commands share: options about the answers, words from standard input, one answer or many."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from w2v.cli.terminal import echo_lines, note, result, result_json, shown, table
from w2v.errors import FileAccessError, FormatError, UnknownWordError
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["Lines", "among", "answer_options", "answers", "from_stdin", "listed", "numbers", "records"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def answer_options(function: _Function) -> _Function:
    """Add the options about how many answers are given, and which words may be answers."""
    for option in reversed(
        (
            click.option("-n", "--topn", type=click.IntRange(min=1), default=10, show_default=True, help="How many."),
            click.option(
                "--restrict-vocab",
                type=click.IntRange(min=1),
                metavar="N",
                help="Only the N most frequent words may be answers.  [default: all]",
            ),
            click.option("--clip-start", type=click.IntRange(min=0), metavar="N", help="None of the first N words."),
            click.option("--clip-end", type=click.IntRange(min=0), metavar="N", help="The first N words only."),
            click.option("--min-count", type=int, metavar="N", help="Only words seen N times or more."),
            click.option("--candidates", metavar="FILE", help="Only the words of FILE, one a line; others are told."),
            click.option("--include-query", is_flag=True, help="The words asked about may be answers."),
        )
    ):
        function = option(function)
    return function


def among(embedding: Embedding, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `answer_options` that say which words may be answers, as the library takes them."""
    names = ("restrict_vocab", "clip_start", "clip_end", "min_count")
    found = {name: options[name] for name in names if options[name] is not None}
    if options["candidates"] is not None:
        words = embedding.vocabulary.parse(_words_of(options["candidates"]))
        known = [word for word in words if word in embedding]
        if len(known) < len(words):
            unknown, every = len(words) - len(known), counted(len(words), "word")
            note(f"{unknown:,} of the {every} of {options['candidates']} are not known")
        found["candidates"] = known
    return found


def _words_of(path: str) -> list[str]:
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise FileAccessError(f"cannot read {path}: {error.strerror or error}") from error
    return [line.strip(" \t\r") for line in lines if line.strip(" \t\r")]


def numbers(given: str | None, count: int, what: str) -> list[float] | None:
    """Return comma-separated numbers, exactly so many; raises `click.UsageError`."""
    if given is None:
        return None
    try:
        found = [float(part) for part in given.split(",")]
    except ValueError:
        raise click.UsageError(f"--weights takes numbers separated by commas; got {given!r}") from None
    if len(found) != count:
        raise click.UsageError(f"--weights takes a number for each of the {count} {what}; got {len(found)}")
    return found


def from_stdin(words: Sequence[str]) -> bool:
    """Return whether the words are to be read from standard input: none were typed, or a -."""
    if tuple(words) == ("-",):
        return True
    if words:
        return False
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError("give words, or - to read them from standard input, a query a line")
    return True


class Lines:
    """Queries from standard input: a line each, words separated by blanks, empty lines left out.

    Attributes
    ----------
    failed : int
        Lines that could not be answered.
    """

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding
        self.failed = 0

    @property
    def batch_size(self) -> int:
        """How many lines may be read before one is answered: more than one of a file, which is there already."""
        try:
            regular = stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
        except (OSError, ValueError, AttributeError):
            regular = False
        return 64 if regular else 1

    def read(self, least: int, what: str, as_json: bool) -> Iterator[tuple[int, list[Any]]]:
        """Yield the number (from 1) and the words of each line, all of them known."""
        for number, line in enumerate(_input(), start=1):
            try:
                text = line.decode("utf-8").strip(" \t\r\n")
            except UnicodeDecodeError:
                raise FormatError(f"standard input, line {number}: not UTF-8") from None
            words = text.split()
            if not words:
                continue
            if len(words) < least:
                self.fail(number, words, f"expected {what}, got {len(words)}", as_json)
                continue
            found = self._embedding.vocabulary.parse(words)
            try:
                self._embedding.vocabulary.ids(found)
            except UnknownWordError as error:
                self.fail(number, words, str(error), as_json)
                continue
            yield number, found

    def fail(self, number: int, words: Sequence[str], message: str, as_json: bool) -> None:
        """Tell that a line could not be answered, and go on."""
        self.failed += 1
        if as_json:
            result_json({"query": {"words": list(words)}, "error": message})
        else:
            note(f"Line {number}: {message}")

    def end(self, ctx: click.Context) -> None:
        """End the command, with status 1 if a line could not be answered."""
        if self.failed:
            note(f"{self.failed} of the lines could not be answered")
            ctx.exit(1)


def _input() -> BinaryIO:
    return sys.stdin.buffer


def listed(words: Iterable[object]) -> str:
    """Return words as they are told in a line."""
    return ", ".join(dict.fromkeys(shown(word) for word in words))


def records(found: Iterable[Any]) -> list[dict[str, Any]]:
    """Return neighbours as JSON values."""
    return [{"word": neighbor.word, "similarity": neighbor.similarity} for neighbor in found]


def answers(found: Iterable[Any], *, blank: bool = False) -> None:
    """Write neighbours as a table."""
    echo_lines(table(((shown(n.word), f"{n.similarity:.4f}") for n in found), "lr"))
    if blank:
        result()
