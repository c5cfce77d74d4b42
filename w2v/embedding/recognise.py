"""Loading vectors whatever their format, told by the content of the file and not by its name."""

from __future__ import annotations

import os
import re

from w2v.embedding.container import Embedding
from w2v.embedding.foreign import HEADER
from w2v.embedding.storage import read_model
from w2v.embedding.streams import open_vectors
from w2v.embedding.word2vec_binary import read_word2vec_binary, scan_rows
from w2v.embedding.word2vec_text import BOM, is_number, read_word2vec_text, trailing_numbers
from w2v.errors import FormatError

__all__ = ["load", "recognise"]

SAMPLE_BYTES = 1 << 18

CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")

PICKLE = (
    "a Python pickle, which is never opened here, as that would run code; when gensim saved it, load it there and "
    "write it with .wv.save_word2vec_format(NAME, binary=True)"
)
SIGNATURES = (
    (re.compile(rb"\x80[\x02-\x05]"), PICKLE),
    (re.compile(rb"\x93NUMPY"), "a numpy .npy file, which holds no words; numpy.load reads it, and Embedding takes it"),
    (
        re.compile(rb"PK\x03\x04"),
        "a zip archive; unpack it first (a numpy .npz is read by numpy.load, a PyTorch file by torch.load)",
    ),
    (re.compile(rb"\xba\x16\x4f\x2f"), "a fastText .bin model; fastText's .vec file beside it is read here"),
    (re.compile(rb"\x89HDF"), "an HDF5 file; h5py reads it"),
    (re.compile(rb"PAR1"), "a Parquet table; pyarrow reads it"),
    (re.compile(rb"GGUF"), "a GGUF language model"),
    (re.compile(rb"version https://git-lfs"), "a Git LFS pointer in place of the file itself; run git lfs pull"),
    (re.compile(rb"\s*<(!doctype|html|\?xml|head)", re.IGNORECASE), "a web page or XML; the download went wrong"),
    (re.compile(rb"\x7fELF"), "a program"),
    (re.compile(rb"\s*[\[{]"), "JSON"),
)


def load(path: str | os.PathLike[str]) -> Embedding:
    """Load an embedding: a model of this package, or word2vec binary or text, GloVe text or fastText .vec.

    A model is mapped into memory, so that loading takes no time and little memory. Other formats are read whole; they
    may be compressed with gzip, bz2 or xz. To settle what a file cannot tell, call `read_word2vec_text` or
    `read_word2vec_binary` yourself.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Embedding

    Raises
    ------
    FileAccessError
        When the file is missing or cannot be read.
    FormatError
        When it is damaged, or of another kind; then the message says what it looks like and what reads it.
    """
    kind = recognise(path)
    if kind == "model":
        stored = read_model(path)
        return Embedding(
            stored.vocabulary,
            stored.W,
            stored.C,
            settings=stored.settings,
            provenance=stored.provenance,
            losses=stored.losses,
        )
    return read_word2vec_binary(path) if kind == "word2vec binary" else read_word2vec_text(path)


def recognise(path: str | os.PathLike[str]) -> str:
    """Return the format of a file: "model", "word2vec binary", "word2vec text" or "text without header".

    Raises
    ------
    FormatError
        For anything else, saying what it looks like.
    FileAccessError
    """
    name = os.fspath(path)
    with open_vectors(path) as (stream, size):
        sample = stream.read(SAMPLE_BYTES)
        whole = not stream.read(1)
    if not sample:
        raise FormatError(f"{name} is empty")
    # a safetensors file, be it cut short or damaged: a length whose upper bytes are 0, then a brace
    if sample[8:9] == b"{" and CONTROL.search(sample[:8]):
        if size is None:
            raise FormatError(f"{name} is a compressed model; decompress it first, models are mapped as they lie")
        return "model"
    line = sample[: sample.find(b"\n") + 1] or sample
    header = HEADER.fullmatch(line.removeprefix(BOM))
    if header is not None:
        return _word2vec_kind(sample[len(line) :], int(header[1]), int(header[2]), whole)
    for pattern, what in SIGNATURES:
        if pattern.match(sample):
            raise FormatError(f"{name} is no file of vectors; it looks like {what}")
    if _is_table(sample, whole):
        return "text without header"
    if CONTROL.search(sample[:4096]):
        raise FormatError(f"{name} is no file of vectors that is known here; it starts with {sample[:16]!r}")
    raise FormatError(
        f"{name} is no file of vectors; it looks like plain text (starts with {_start(sample)}). "
        "w2v train makes vectors of text; a file of vectors has a word and its numbers on each line"
    )


def _word2vec_kind(rows: bytes, promised: int, d: int, whole: bool) -> str:
    """Tell text from binary by the first row: numbers written out, or bytes that no text holds."""
    line, newline, _ = rows.partition(b"\n")
    fields = line.rstrip(b"\r \t").split(b" ")
    if newline or whole:
        text = 0 < d < len(fields) and all(map(is_number, fields[-d:]))
    else:  # the row is longer than the sample; its last field may be cut
        text = len(fields) > 4 and all(map(is_number, fields[-4:-1]))
    if text or not rows.strip():
        return "word2vec text"
    if CONTROL.search(rows) or not _is_utf8(rows):
        return "word2vec binary"
    words, _, end = scan_rows(rows, 4 * d)  # floats whose bytes happen to be letters: does the layout fit to the end?
    return "word2vec binary" if whole and len(words) == promised and not rows[end:].strip() else "word2vec text"


def _is_utf8(sample: bytes) -> bool:
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(sample) - 3  # cut inside a character
    return True


def _is_table(sample: bytes, whole: bool) -> bool:
    lines = sample.removeprefix(BOM).split(b"\n")
    if not whole and len(lines) > 1:
        lines.pop()
    filled = [line for line in lines[:100] if line.strip()]
    return bool(filled) and all(trailing_numbers(line) >= 1 for line in filled)


def _start(sample: bytes) -> str:
    return repr(sample[:30].decode("utf-8", "replace"))
