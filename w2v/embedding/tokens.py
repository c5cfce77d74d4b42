"""Lists of tokens beside a bare matrix: one a line, a JSON vocabulary, or the tokenizer.json of a language model."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.container import Embedding
from w2v.embedding.foreign import BOM, VectorFileWarning, imported
from w2v.embedding.streams import open_vectors, read_bounded
from w2v.errors import FormatError

__all__ = ["Tokens", "named_rows", "read_lines", "read_tokens", "tokens_beside"]

JSON_START = re.compile(rb"\s*(\{\s*[\"}]|\[\s*[\"\[])")  # a list of words may well start with [PAD]
BESIDE = ("tokenizer.json", "vocab.txt", "vocab.json")
MOST_ROWS = 1 << 31
MOST_BYTES = 1 << 28
"""No list of tokens is longer; what decompresses to more is not read to its end."""


class Tokens(NamedTuple):
    """The tokens of a list, as UTF-8, and the row of the matrix that belongs to each."""

    source: str
    words: list[bytes]
    rows: NDArray[np.int64]


def tokens_beside(path: str | os.PathLike[str]) -> str | None:
    """Return the list of tokens that lies in the folder of a file, as language models are shipped, or None."""
    folder = Path(path).parent
    return next((str(folder / name) for name in BESIDE if (folder / name).is_file()), None)


def read_tokens(path: str | os.PathLike[str]) -> Tokens:
    """Read a list of tokens, plain or compressed; its content tells its kind.

    Kinds: one token a line (vocab.txt; a carriage return at the end of a line is dropped, and a byte order mark at
    the start), a JSON array of tokens, a JSON object from token to row (vocab.json), or a tokenizer.json of the
    Hugging Face tokenizers (models BPE, WordPiece, WordLevel and Unigram, with the added tokens). Tokens are taken as
    they are spelt there: a byte-level vocabulary has ``Ġking`` for ``king`` after a space.

    Returns
    -------
    Tokens
        In the order of the rows.

    Raises
    ------
    FormatError
    FileAccessError
    """
    name = os.fspath(path)
    raw = _content(path)
    if JSON_START.match(raw):
        return _in_order(name, _from_json(name, raw))
    if b"\0" in raw[:4096]:
        raise FormatError(f"{name} is no list of tokens; it starts with {raw[:16]!r}")
    return _lines(name, raw)


def read_lines(path: str | os.PathLike[str]) -> Tokens:
    """Read a list of tokens that has one on each line, whatever they look like; raises as `read_tokens` does."""
    return _lines(os.fspath(path), _content(path))


def _content(path: str | os.PathLike[str]) -> bytes:
    name = os.fspath(path)
    with open_vectors(path) as (stream, _):
        raw = bytes(read_bounded(stream, MOST_BYTES + 1))
    if len(raw) > MOST_BYTES:
        raise FormatError(f"{name} holds more than {MOST_BYTES} bytes, which no list of tokens does")
    if not raw:
        raise FormatError(f"{name} is empty; a list of tokens was expected")
    return raw.removeprefix(BOM)


def _lines(name: str, raw: bytes) -> Tokens:
    words = [line.removesuffix(b"\r") for line in raw.removesuffix(b"\n").split(b"\n")]
    return Tokens(name, words, np.arange(len(words)))


def _from_json(name: str, raw: bytes) -> Iterable[tuple[Any, Any]]:
    """Return the pairs (token, row) of a JSON vocabulary."""
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name} is not valid JSON: {error}") from None
    if isinstance(content, list):
        return zip(content, range(len(content)), strict=True)
    if not isinstance(content.get("model"), dict):
        return content.items()  # type: ignore[no-any-return]
    vocabulary, added = content["model"].get("vocab"), content.get("added_tokens") or []
    if isinstance(vocabulary, list):  # Unigram: pairs of token and score
        pairs = [
            (entry[0] if isinstance(entry, list) and entry else entry, row) for row, entry in enumerate(vocabulary)
        ]
    elif isinstance(vocabulary, dict):
        pairs = list(vocabulary.items())
    else:
        raise FormatError(f"{name}: the model of this tokenizer.json has no vocab that is an object or a list")
    if not isinstance(added, list) or not all(isinstance(entry, dict) for entry in added):
        raise FormatError(f"{name}: added_tokens must be a list of objects")
    return [*pairs, *((entry.get("content"), entry.get("id")) for entry in added)]


def _in_order(name: str, pairs: Iterable[tuple[Any, Any]]) -> Tokens:
    by_row: dict[int, str] = {}
    for token, row in pairs:
        if not isinstance(token, str) or type(row) is not int or not 0 <= row < MOST_ROWS:
            raise FormatError(f"{name}: a token and its row expected, got {token!r:.60} and {row!r:.60}")
        if by_row.setdefault(row, token) != token:
            raise FormatError(f"{name}: the tokens {by_row[row]!r} and {token!r} have the same row {row}")
    if not by_row:
        raise FormatError(f"{name} holds no tokens")
    rows = sorted(by_row)
    words = [by_row[row].encode("utf-8", "surrogatepass") for row in rows]
    return Tokens(name, words, np.array(rows, dtype=np.int64))


def named_rows(
    name: str, kind: str, W: NDArray[Any], tokens: Tokens, *, errors: str = "replace", duplicates: str = "first"
) -> Embedding:
    """Make an Embedding of a bare matrix and its list of tokens.

    Rows that no token names (language models pad their tables) are left out with a warning; a token without a row is
    an error, and so is a plain list of another length.

    Raises
    ------
    FormatError
    """
    listed = len(tokens.rows)
    plain = listed == 0 or int(tokens.rows[-1]) == listed - 1
    if listed and int(tokens.rows[-1]) >= len(W):
        raise FormatError(
            f"{tokens.source} lists {listed} tokens up to row {tokens.rows[-1]}, but the matrix in {name} has "
            f"{len(W)} rows of {W.shape[1]} numbers; they do not belong together"
        )
    if listed < len(W):
        if plain and not tokens.source.endswith(".json"):
            raise FormatError(
                f"{tokens.source} lists {listed} tokens, but the matrix in {name} has {len(W)} rows of "
                f"{W.shape[1]} numbers; they do not belong together"
            )
        warnings.warn(
            f"{name}: {len(W) - listed} of {len(W)} rows have no token in {tokens.source}; they were left out",
            VectorFileWarning,
            stacklevel=2,
        )
        W = W[:listed] if plain else W[tokens.rows]
    model = imported(name, kind, tokens.words, W, errors=errors, duplicates=duplicates)
    model.provenance["tokens"] = tokens.source
    return model
