"""Word pairs with human scores, and the reader of the many layouts in which they are shared."""

from __future__ import annotations

import csv
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from w2v.errors import FormatError
from w2v.evaluation.lines import numbered_lines

__all__ = ["SimilarityPairs", "WordPair"]

_DELIMITERS = ("\t", ";", ",")  # in this order: a comma may be the decimal mark of a file with semicolons


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words, the human score of their similarity, and the line of the file (0 for none)."""

    first: str
    second: str
    score: float
    line: int = 0


@dataclass(frozen=True)
class SimilarityPairs:
    """A set of scored word pairs.

    Attributes
    ----------
    name : str
    pairs : tuple of WordPair
    path : str or None
        The file they were read from.
    """

    name: str
    pairs: tuple[WordPair, ...]
    path: str | None = None

    def __len__(self) -> int:
        return len(self.pairs)

    @classmethod
    def read(cls, path: str | Path, *, score_column: int = -1) -> SimilarityPairs:
        """Read a file of scored word pairs.

        Parameters
        ----------
        path : str or Path
            UTF-8 text, a pair a line: two words, then the score as the last field. Fields are separated by tabs,
            semicolons, commas (both with quotes, if need be) or blanks, whichever divides most lines. A header
            line, blank lines and lines that start with ``#`` are skipped.
        score_column : int
            Where the score stands, counted from 0, or from -1 backwards: 3 for SimLex-999 as published.

        Raises
        ------
        FileAccessError, FormatError
            The latter names file and line; a score that is no finite number is refused, except in the first line,
            which is then the header.
        """
        path = Path(path)
        lines = list(numbered_lines(path))
        delimiter = _delimiter([text for _, text in lines])
        pairs = []
        for position, (number, text) in enumerate(lines):
            try:
                fields = _fields(text, delimiter)
            except csv.Error as error:
                raise FormatError(
                    f"{path}:{number}: the quotes or line ends are damaged ({error}): {text!r:.80}"
                ) from None
            place = score_column if score_column >= 0 else len(fields) + score_column
            if len(fields) < 3 or not 2 <= place < len(fields):
                raise FormatError(
                    f"{path}:{number}: expected two words and a score in fields separated by "
                    f"{_DELIMITER_NAMES[delimiter]}, the score in column {score_column}; got {fields!r}"
                )
            score = _number(fields[place], decimal_comma=delimiter != ",")
            if score is None:
                if position == 0:
                    continue  # the header
                raise FormatError(f"{path}:{number}: the score must be a finite number; got {fields[place]!r}")
            if not fields[0] or not fields[1]:
                raise FormatError(f"{path}:{number}: a pair with an empty word: {fields!r}")
            pairs.append(WordPair(fields[0], fields[1], score, number))
        if not pairs:
            raise FormatError(f"{path}: no word pair in the file; each is a line of two words and a score")
        return cls(path.stem, tuple(pairs), str(path))


_DELIMITER_NAMES = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "blanks"}


def _delimiter(lines: list[str]) -> str:
    """Return the delimiter that makes three fields or more of most lines; blanks where none does."""
    fitting = Counter({d: sum(line.count(d) >= 2 for line in lines) for d in _DELIMITERS})
    for delimiter in _DELIMITERS:
        if lines and fitting[delimiter] * 2 > len(lines):
            return delimiter
    return " "


def _fields(text: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return text.split()
    if delimiter == "\t":
        return [part.strip() for part in text.rstrip("\t \r").split("\t")]
    return [part.strip() for part in next(csv.reader([text], delimiter=delimiter, skipinitialspace=True))]


def _number(text: str, *, decimal_comma: bool) -> float | None:
    if decimal_comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
