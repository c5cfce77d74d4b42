"""Loading vectors whatever their format, told by the content of the file and not by its name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from w2v.embedding.container import Embedding
from w2v.embedding.fasttext_binary import looks_like_fasttext, read_fasttext_binary
from w2v.embedding.foreign import BOM, HEADER, check_choices
from w2v.embedding.projector import is_vector_table, read_projector
from w2v.embedding.storage import read_model
from w2v.embedding.streams import open_vectors
from w2v.embedding.tensors import header_of, read_safetensors
from w2v.embedding.tokens import read_tokens
from w2v.embedding.word2vec_binary import read_word2vec_binary, scan_rows
from w2v.embedding.word2vec_text import is_number, read_word2vec_text, trailing_numbers
from w2v.errors import FormatError, SettingsError

__all__ = ["load", "recognise"]

SAMPLE_BYTES = 1 << 18

CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")

PICKLE = (
    "a Python pickle, which is never opened here, as that would run code; when gensim saved it, load it there and "
    "write it with .wv.save_word2vec_format(NAME, binary=True)"
)
SIGNATURES = (
    (re.compile(rb"\x80[\x02-\x05]|ccopy_reg\n|c__builtin__\n|\(dp\d+\n|\(i[\w.]+\n\w+\n"), PICKLE),
    (
        re.compile(rb"PK\x03\x04"),
        "a zip archive; unpack it first (a PyTorch file is read by torch.load and saved with safetensors)",
    ),
    (re.compile(rb"\x89HDF"), "an HDF5 file; h5py reads it"),
    (re.compile(rb"GGUF"), "a GGUF language model"),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "text in UTF-16; iconv -f UTF-16 -t UTF-8 makes it readable"),
    (re.compile(rb"version https://git-lfs"), "a Git LFS pointer in place of the file itself; run git lfs pull"),
    (re.compile(rb"\s*<(!doctype|html|\?xml|head)", re.IGNORECASE), "a web page or XML; the download went wrong"),
    (re.compile(rb"\x7fELF"), "a program"),
    (
        re.compile(rb'\s*\{\s*"(metadata|weight_map)"'),
        "the index of a safetensors model in several files; it names the file that holds each tensor, load that one",
    ),
    (re.compile(rb"\s*[\[{]\s*[\"\[{\]}]"), "JSON"),
)
ARROW = (re.compile(rb"PAR1"), re.compile(rb"ARROW1\0\0"))


def load(
    path: str | os.PathLike[str],
    *,
    tokens: str | os.PathLike[str] | None = None,
    tensor: str | None = None,
    errors: str = "replace",
    duplicates: str = "first",
) -> Embedding:
    """Load an embedding from any file of vectors that is known here; its content tells the format, not its name.

    Known are the models of this package; word2vec text and binary, GloVe text, fastText .vec, plain or compressed with
    gzip, bz2, xz or zstd; fastText .bin; .npy and .npz; any matrix of a safetensors file; the TSV files of the
    Embedding Projector; Parquet and Arrow tables. A model is mapped into memory, so that loading takes no time and
    little memory. To settle what a file cannot tell, call `read_word2vec_text` or `read_word2vec_binary` yourself.

    Parameters
    ----------
    path : str or path-like
    tokens : str or path-like, optional
        The words of a file that has none (.npy, safetensors, TSV): a vocab.txt with one on each line, a JSON
        vocabulary, or the tokenizer.json of a language model. Beside a safetensors file tokenizer.json, vocab.txt and
        vocab.json are found, beside vectors.tsv vectors.metadata.tsv.
    tensor : str, optional
        The name of the matrix in a safetensors or .npz file that holds several.
    errors : {"replace", "strict"}
        What to do with words that are not valid UTF-8: put U+FFFD for the bad bytes and warn once, or raise.
    duplicates : {"first", "error"}
        What to do when a word occurs again: keep its first vector and warn once, or raise.

    Returns
    -------
    Embedding

    Raises
    ------
    FileAccessError
        When the file is missing or cannot be read.
    FormatError
        When it is damaged, or of another kind, and then the message says what it looks like and what reads it; when it
        holds no words and no list of tokens was given.
    SettingsError
        (a ValueError) when the file has its own words and no other tensors.
    """
    check_choices(errors, duplicates)
    kind = recognise(path)
    policies = {"errors": errors, "duplicates": duplicates}
    if kind == "model":
        stored = read_model(path)  # first of all: what is damaged is told before what was asked of it
    if kind == "safetensors":
        return read_safetensors(path, tokens, tensor=tensor, **policies)
    if kind == "npz":
        from w2v.embedding.numpy_files import read_npz  # here, as it needs zipfile, which takes its time to import

        return read_npz(path, None if tokens is None else read_tokens(tokens), tensor=tensor, **policies)
    if tensor is not None:
        raise SettingsError(f"{os.fspath(path)} ({kind}) holds one matrix only; leave out the name of a tensor")
    if kind == "npy":
        if tokens is None:
            raise FormatError(
                f"{os.fspath(path)} is a numpy array without words; give the file of its words (--tokens FILE, "
                "tokens=...)"
            )
        from w2v.embedding.numpy_files import read_npy

        return read_npy(path, read_tokens(tokens), **policies)
    if kind == "projector TSV":
        return read_projector(path, tokens, **policies)
    if tokens is not None:
        raise SettingsError(f"{os.fspath(path)} ({kind}) holds its words itself; leave out the list of tokens")
    if kind == "model":
        return Embedding(
            stored.vocabulary,
            stored.W,
            stored.C,
            settings=stored.settings,
            provenance=stored.provenance,
            losses=stored.losses,
        )
    return _reader(kind)(path, **policies)


def _reader(kind: str) -> Callable[..., Embedding]:
    if kind == "Arrow table":
        from w2v.embedding.arrow import read_arrow

        return read_arrow
    if kind == "fastText .bin":
        return read_fasttext_binary
    return read_word2vec_binary if kind == "word2vec binary" else read_word2vec_text


def recognise(path: str | os.PathLike[str]) -> str:
    """Return the format of a file of vectors.

    Returns
    -------
    str
        "model", "word2vec binary", "word2vec text", "text without header", "fastText .bin", "safetensors", "npy",
        "npz", "projector TSV" or "Arrow table" (Parquet too).

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
        return _safetensors_kind(path)
    line = sample[: sample.find(b"\n") + 1] or sample
    header = HEADER.fullmatch(line.removeprefix(BOM))
    if header is not None:
        rows = sample[len(line) :]
        if _is_table_of(is_vector_table, rows, whole) and line.count(b"\t"):
            return "projector TSV"
        return _word2vec_kind(rows, int(header[1]), int(header[2]), whole)
    if sample.startswith(b"\x93NUMPY"):
        return "npy"
    if sample.startswith(b"PK\x03\x04") and size is not None:
        from w2v.embedding.numpy_files import is_npz

        if is_npz(path):
            return "npz"
    if any(start.match(sample) for start in ARROW):
        return "Arrow table"
    if looks_like_fasttext(sample[:64]):
        return "fastText .bin"
    for pattern, what in SIGNATURES:
        if pattern.match(sample):
            raise FormatError(f"{name} is no file of vectors; it looks like {what}")
    if _is_table_of(is_vector_table, sample, whole):
        return "projector TSV"
    if _is_table_of(lambda lines: all(trailing_numbers(line) >= 1 for line in lines), sample, whole):
        return "text without header"
    if CONTROL.search(sample[:4096]):
        raise FormatError(f"{name} is no file of vectors that is known here; it starts with {sample[:16]!r}")
    raise FormatError(
        f"{name} is no file of vectors; it looks like plain text (starts with {_start(sample)}). "
        "w2v train makes vectors of text; a file of vectors has a word and its numbers on each line, apart by spaces"
    )


def _safetensors_kind(path: str | os.PathLike[str]) -> str:
    try:
        return "model" if header_of(path).metadata.get("format") == "w2v" else "safetensors"
    except FormatError:
        return "model"  # damaged: reading it says where


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


def _is_table_of(fits: Callable[[list[bytes]], bool], sample: bytes, whole: bool) -> bool:
    """Tell whether the first lines of a file, as far as they lie whole in the sample, fit."""
    lines = sample.removeprefix(BOM).split(b"\n")
    if not whole and len(lines) > 1:
        lines.pop()
    filled = [line for line in lines[:100] if line.strip()]
    return bool(filled) and fits(filled)


def _start(sample: bytes) -> str:
    return repr(sample[:30].decode("utf-8", "replace"))
