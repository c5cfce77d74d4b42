"""fastText's .bin models: the vectors of their words, each the mean of its own row and those of its letter n-grams."""

from __future__ import annotations

import io
import mmap
import os
import struct
from collections.abc import Sequence
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from w2v.embedding.container import Embedding
from w2v.embedding.foreign import checked_counts, imported
from w2v.embedding.streams import open_vectors, read_bounded
from w2v.errors import FormatError

__all__ = ["looks_like_fasttext", "read_fasttext_binary"]

MAGIC = struct.pack("<i", 793712314)
OLDEST, NEWEST = 11, 12
ARGUMENTS = struct.Struct("<12id")
SUPERVISED = 3
ROWS_PER_STEP = 2000
LONGEST_WORD = 1 << 16
END_OF_SENTENCE = b"</s>"
HASH_START, HASH_FACTOR = np.uint32(2166136261), np.uint32(16777619)


class Arguments(NamedTuple):
    """The settings in front of a model, by fastText's names."""

    dim: int
    ws: int
    epoch: int
    min_count: int
    neg: int
    word_ngrams: int
    loss: int
    model: int
    bucket: int
    minn: int
    maxn: int
    lr_update_rate: int
    t: float

    def possible(self) -> bool:
        """Whether fastText could have written them."""
        return (
            0 < self.dim <= 1 << 20
            and self.epoch >= 0
            and 1 <= self.loss <= 4
            and 1 <= self.model <= 3
            and 0 <= self.bucket < 1 << 31
            and 0 <= self.minn <= 1000
            and 0 <= self.maxn <= 1000
            and 0 <= self.t <= 1
        )


def looks_like_fasttext(start: bytes) -> bool:
    """Tell a fastText model by its first bytes; the models of 2016 have no magic number but the same settings."""
    return start.startswith(MAGIC) or (
        len(start) >= ARGUMENTS.size and Arguments(*ARGUMENTS.unpack_from(start)).possible()
    )


def read_fasttext_binary(
    path: str | os.PathLike[str], *, errors: str = "replace", duplicates: str = "first"
) -> Embedding:
    """Read the words, counts and word vectors of a fastText model that is not quantised.

    The vector of a word is what fastText itself gives and writes to its .vec file: the mean of the row of the word
    and of the rows of its letter n-grams (Bojanowski et al. 2017, "Enriching Word Vectors with Subword Information",
    section 3.2). The n-grams themselves, labels and the output matrix are left behind: words outside the vocabulary
    have no vector here.

    Parameters
    ----------
    path : str or path-like
    errors, duplicates
        See `read_word2vec_text`.

    Returns
    -------
    Embedding
        Without C; the counts are those of the file.

    Raises
    ------
    FormatError
        When the file is damaged, cut short, of an unknown version, or quantised (.ftz).
    FileAccessError
    """
    name = os.fspath(path)
    with open_vectors(path) as (stream, size):
        arguments, new = _read_arguments(stream, name)
        words, counts, others, pruned = _read_dictionary(stream, name, new)
        if new and _exactly(stream, 1, name) != b"\0":
            raise FormatError(f"{name} is a quantised fastText model (.ftz); only full models are read")
        rows, d = struct.unpack("<qq", _exactly(stream, 16, name))
        subwords = arguments.bucket if arguments.maxn > 0 else 0
        expected = len(words) + others + (subwords if pruned is None else len(pruned))
        if d != arguments.dim or rows < expected:
            raise FormatError(
                f"{name}: a matrix of {rows} rows of {d} numbers; at least {expected} of {arguments.dim} expected"
            )
        needed = 4 * rows * d
        data: Any  # mapped where it can be: the rows of n-grams are often many times those of the words
        data, start = (read_bounded(stream, needed), 0) if size is None else (_mapped(stream), stream.tell())
    if len(data) - start < needed:
        raise FormatError(f"{name}: the file ends inside its matrix, after {len(data) - start} of {needed} bytes")
    matrix = np.frombuffer(data, "<f4", rows * d, start).reshape(rows, d)
    W = np.array(matrix[: len(words)])
    if arguments.maxn > 0 and arguments.bucket > 0:
        first = len(words) + others
        # of the models with a magic number, the end of a sentence has no n-grams
        whole = next((row for row, word in enumerate(words) if new and word == END_OF_SENTENCE), -1)
        _add_subwords(W, words, matrix[first:], arguments, pruned, whole)
    return imported(name, "fastText .bin", words, W, errors=errors, duplicates=duplicates, counts=counts)


def _mapped(stream: BinaryIO) -> mmap.mmap:
    return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)


def _exactly(stream: BinaryIO, size: int, name: str) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise FormatError(f"{name}: the fastText model is cut short")
    return data


def _read_arguments(stream: BinaryIO, name: str) -> tuple[Arguments, bool]:
    """Return the settings, and whether the file has the magic number of all models since 2017."""
    start = _exactly(stream, 4, name)
    new = start == MAGIC
    version = NEWEST
    if new:
        (version,) = struct.unpack("<i", _exactly(stream, 4, name))
        if not OLDEST <= version <= NEWEST:
            raise FormatError(f"{name}: fastText format version {version}; {OLDEST} and {NEWEST} are read")
        start = b""
    arguments = Arguments(*ARGUMENTS.unpack(start + _exactly(stream, ARGUMENTS.size - len(start), name)))
    if not arguments.possible():
        raise FormatError(f"{name}: fastText would not write these settings: {arguments}")
    if version == OLDEST and arguments.model == SUPERVISED:
        arguments = arguments._replace(maxn=0)  # as fastText itself treats old classifiers
    return arguments, new


def _read_dictionary(
    stream: BinaryIO, name: str, new: bool
) -> tuple[list[bytes], NDArray[np.int64], int, dict[int, int] | None]:
    """Return words, counts, the number of labels, and where pruned n-grams went (None when all are there)."""
    entries, n_words, n_labels = struct.unpack("<3i", _exactly(stream, 12, name))
    tokens, pruned_size = (
        struct.unpack("<qq", _exactly(stream, 16, name))
        if new
        else (
            *struct.unpack("<q", _exactly(stream, 8, name)),
            -1,
        )
    )
    if min(entries, n_words, n_labels, tokens) < 0 or entries != n_words + n_labels:
        raise FormatError(f"{name}: {entries} entries, but {n_words} words and {n_labels} labels")
    words: list[bytes] = []
    counts: list[int] = []
    for row in range(entries):
        word = _read_word(stream, name)
        count, kind = struct.unpack("<qb", _exactly(stream, 9, name))
        if kind not in (0, 1) or (kind == 1) != (row >= n_words):
            raise FormatError(f"{name}: entry {row} ({word!r}) should be a {'label' if row >= n_words else 'word'}")
        if kind == 0:
            words.append(word)
            counts.append(count)
    pruned = None
    if pruned_size >= 0:
        raw = read_bounded(stream, 8 * pruned_size)
        if len(raw) != 8 * pruned_size:
            raise FormatError(f"{name}: the fastText model is cut short")
        pairs = np.frombuffer(raw, dtype="<i4").reshape(-1, 2)
        pruned = dict(zip(pairs[:, 0].tolist(), pairs[:, 1].tolist(), strict=True))
        if any(not 0 <= row < len(pairs) for row in pruned.values()):
            raise FormatError(f"{name}: the table of pruned n-grams points outside the matrix")
    return words, checked_counts(np.array(counts, dtype=np.int64), name), n_labels, pruned


def _read_word(stream: BinaryIO, name: str) -> bytes:
    """Read up to the NUL that ends a word."""
    word = b""
    while held := cast(io.BufferedReader, stream).peek(1):
        end = held.find(b"\0")
        word += stream.read(end + 1 if end >= 0 else len(held))
        if end >= 0:
            return word[:-1]
        if len(word) > LONGEST_WORD:
            raise FormatError(f"{name}: a word of more than {LONGEST_WORD} bytes; the fastText model is damaged")
    raise FormatError(f"{name}: the fastText model is cut short")


def _add_subwords(
    W: NDArray[np.float32],
    words: Sequence[bytes],
    subwords: NDArray[np.float32],
    arguments: Arguments,
    pruned: dict[int, int] | None,
    whole: int,
) -> None:
    """Turn the rows of words into the means of them and of the rows of their n-grams, in place; one row stays."""
    for start in range(0, len(words), ROWS_PER_STEP):
        part = words[start : start + ROWS_PER_STEP]
        owners, buckets = _ngrams(part, arguments)
        if pruned is not None:
            kept = [pruned.get(bucket, -1) for bucket in buckets.tolist()]
            buckets = np.array(kept, dtype=np.int64)
            owners, buckets = owners[buckets >= 0], buckets[buckets >= 0]
        order = np.argsort(owners, kind="stable")
        owners, buckets = owners[order], buckets[order]
        bounds = np.searchsorted(owners, np.arange(len(part) + 1))
        for i in range(len(part)):
            if start + i == whole:
                continue
            grams = subwords[buckets[bounds[i] : bounds[i + 1]]]
            total = W[start + i].astype(np.float64) + grams.sum(axis=0, dtype=np.float64)
            W[start + i] = total / (1 + len(grams))


def _ngrams(words: Sequence[bytes], arguments: Arguments) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return word and bucket of every n-gram of ``<word>``: FNV-1a over its bytes, taken as signed, modulo `bucket`.

    All n-grams of a length are hashed together, and each from the one that is a character shorter.
    """
    marked = [b"<" + word + b">" for word in words]
    text = np.frombuffer(b"".join(marked), dtype=np.int8).astype(np.uint32)  # signed, as char is in fastText
    lengths = np.array([len(word) for word in marked])
    owner_of_byte = np.repeat(np.arange(len(marked)), lengths)
    leading = np.flatnonzero((text & 0xC0) != 0x80)  # where characters start; a word may start inside one
    owner = owner_of_byte[leading]
    ends = np.cumsum(lengths)
    after = np.minimum(np.append(leading[1:], len(text)), ends[owner])  # where each character ends
    first_of_word = np.searchsorted(owner, np.arange(len(marked)))
    last_of_word = np.searchsorted(owner, np.arange(len(marked)), side="right") - 1
    at = np.arange(len(leading))  # the characters from which n-grams start, and the last one of each n-gram
    tip = at.copy()
    hashes = np.full(len(at), HASH_START)
    owners, buckets = [], []
    for n in range(1, arguments.maxn + 1):
        hashes = _extended(hashes, text, leading[tip], after[tip])
        if n >= arguments.minn:
            # single marks, < and >, are no n-grams
            real = (at != first_of_word[owner[at]]) & (tip != last_of_word[owner[at]]) if n == 1 else slice(None)
            owners.append(owner[at][real])
            buckets.append(hashes[real].astype(np.int64) % arguments.bucket)
        more = tip < last_of_word[owner[at]]
        at, tip, hashes = at[more], tip[more] + 1, hashes[more]
        if not len(at):
            break
    if not owners:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate(owners), np.concatenate(buckets)


def _extended(
    hashes: NDArray[np.uint32], text: NDArray[np.uint32], start: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Return the hashes after one more character each, whose bytes lie from start to end."""
    hashes = hashes.copy()
    longest = int((end - start).max(initial=0))
    for offset in range(longest):
        going = np.flatnonzero(start + offset < end)
        hashes[going] = (hashes[going] ^ text[start[going] + offset]) * HASH_FACTOR
    return hashes
