"""What all foreign vector formats share: doubtful words on the way in, impossible words on the way out."""

from __future__ import annotations

import codecs
import datetime
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v._version import __version__
from w2v.embedding.container import Embedding
from w2v.errors import FormatError, SettingsError
from w2v.vocabulary import Vocabulary

__all__ = [
    "BOM",
    "HEADER",
    "RowBuffer",
    "VectorFileWarning",
    "check_choices",
    "checked_counts",
    "checked_words",
    "counted",
    "imported",
]

BOM = b"\xef\xbb\xbf"

HEADER = re.compile(rb"[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?\n?")
"""The first line of a word2vec file: the number of rows and of dimensions."""


class VectorFileWarning(UserWarning):
    """A vector file holds something doubtful that was read all the same."""


class RowBuffer:
    """A float32 matrix that grows as rows are read, never much beyond what has been read.

    Parameters
    ----------
    d : int
        Columns.
    rows : int
        Rows to make room for at once; must be bounded by the size of the file, not by what it claims.
    """

    def __init__(self, d: int, rows: int) -> None:
        self._rows = np.empty((rows, d), dtype=np.float32)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def add(self, rows: NDArray[np.float32]) -> None:
        """Append rows."""
        end = self._used + len(rows)
        if end > len(self._rows):
            self._rows.resize((max(end, len(self._rows) * 3 // 2), self._rows.shape[1]), refcheck=False)
        self._rows[self._used : end] = rows
        self._used = end

    def finish(self) -> NDArray[np.float32]:
        """Return the matrix, cut to the rows added; the buffer is used up."""
        rows, self._rows = self._rows, self._rows[:0].copy()
        if len(rows) > self._used:
            rows.resize((self._used, rows.shape[1]), refcheck=False)
        return rows


def check_choices(errors: str, duplicates: str) -> None:
    """Check the two policies of the readers."""
    if errors not in ("replace", "strict"):
        raise SettingsError(f"errors must be 'replace' or 'strict'; got {errors!r}")
    if duplicates not in ("first", "error"):
        raise SettingsError(f"duplicates must be 'first' or 'error'; got {duplicates!r}")


def counted(embedding: Embedding) -> bool:
    """Tell whether the counts of an embedding were counted in a corpus, and do not merely stand in (`imported`)."""
    return "counts" not in embedding.provenance


def checked_counts(counts: NDArray[np.int64], name: str) -> NDArray[np.int64]:
    """Return the counts of a file, or raise `FormatError` when a corpus could not have them."""
    if len(counts) and (int(counts.min()) < 0 or float(counts.sum(dtype=np.float64)) >= 2.0**63):
        raise FormatError(f"{name}: the counts are negative or too large")
    return counts


def imported(
    name: str,
    kind: str,
    raw_words: Sequence[bytes],
    W: NDArray[Any],
    *,
    errors: str = "replace",
    duplicates: str = "first",
    counts: NDArray[np.int64] | None = None,
    encoding: str = "utf-8",
) -> Embedding:
    """Make an Embedding of the words and rows of a foreign file.

    Most such files carry no counts. As usual, V - rank stands in for them, which keeps the order (and no count is 0,
    so that logarithms stay finite); the provenance says so under "counts".

    Parameters
    ----------
    name, kind : str
        File and format, for messages and provenance.
    raw_words : sequence of bytes
    W : (V, d) float32, or of another real type, which is converted
    errors : {"replace", "strict"}
        Bytes that the encoding does not have: put U+FFFD and warn once, or raise.
    duplicates : {"first", "error"}
        A word that occurs again: keep the first, which is the most frequent, and warn once, or raise.
    counts : (V,) int64, optional
        Where the file does hold them.
    encoding : str
        Of the words.

    Raises
    ------
    FormatError
    """
    check_choices(errors, duplicates)
    words = _decoded(name, raw_words, errors, encoding)
    if len(set(words)) < len(words):
        keep = _first_of_each(name, words, duplicates)
        words, W = [words[row] for row in keep], W[keep]
        counts = None if counts is None else counts[keep]
    provenance = {
        "package_version": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "algorithm": f"imported from {kind}",
        "source": name,
    }
    if counts is None:
        counts = np.arange(len(words), 0, -1, dtype=np.int64)
        provenance["counts"] = "not in the file; V - rank stands in"
    return Embedding(Vocabulary(words, counts), W, provenance=provenance)


def _decoded(name: str, raw_words: Sequence[bytes], errors: str, encoding: str) -> list[str]:
    try:
        known = codecs.lookup(encoding).name
    except LookupError:
        raise SettingsError(f"there is no encoding {encoding!r}") from None
    valid = "valid UTF-8" if known == "utf-8" else f"valid {known}"
    words: list[str] = []
    bad: list[int] = []
    for row, raw in enumerate(raw_words):
        try:
            words.append(raw.decode(encoding))
        except UnicodeDecodeError as error:
            if errors == "strict":
                raise FormatError(
                    f"{name}: the word of row {row} is not {valid}: {raw!r} ({error.reason}); "
                    "errors='replace' reads it all the same"
                ) from None
            words.append(raw.decode(encoding, "replace"))
            bad.append(row)
    if bad:
        _warn(
            f"{name}: {len(bad)} of {len(raw_words)} words are not {valid}, the first in row {bad[0]} "
            f"({raw_words[bad[0]]!r}); their bad bytes were replaced by U+FFFD"
        )
    return words


def _first_of_each(name: str, words: list[str], duplicates: str) -> list[int]:
    seen: set[str] = set()
    keep: list[int] = []
    dropped: list[int] = []
    for row, word in enumerate(words):
        (dropped if word in seen else keep).append(row)
        seen.add(word)
    first = words[dropped[0]]
    if duplicates == "error":
        raise FormatError(
            f"{name}: the word {first!r} occurs again in row {dropped[0]} ({len(dropped)} such rows); "
            "duplicates='first' keeps the first of each"
        )
    _warn(
        f"{name}: {len(dropped)} rows repeat a word, the first is row {dropped[0]} ({first!r}); "
        "the first vector of each word was kept"
    )
    return keep


def _warn(message: str) -> None:
    warnings.warn(message, VectorFileWarning, stacklevel=2)


def checked_words(words: Iterable[str | int], forbidden: str, format_name: str, way_out: str) -> list[bytes]:
    """Return the words as UTF-8, or refuse the first that a format cannot hold, naming it.

    Integer keys are written as decimal numbers; they come back as strings.

    Raises
    ------
    FormatError
    """
    encoded = []
    for row, word in enumerate(words):
        text = str(word)
        letter = next((letter for letter in forbidden if letter in text), None)
        if letter is not None:
            reason = f"holds {letter!r}"
        elif not text:
            reason = "is empty"
        elif text[0] in " \t" or text[-1] in " \t":
            reason = "starts or ends with a blank"
        else:
            try:
                encoded.append(text.encode("utf-8"))
                continue
            except UnicodeEncodeError:
                reason = "holds half of a character"
        raise FormatError(f"the word {text!r} (row {row}) {reason}, which {format_name} cannot hold; {way_out}")
    return encoded
