"""Encodings of text: read rightly, told when they are wrong, and guessed where they can be."""

import contextlib
import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from texts import ALL, put, read, sentences

from w2v.corpus import encode_files
from w2v.errors import (
    CorpusError,
    SettingsError,
)
from w2v.settings import CorpusSettings


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-be", "gb18030", "utf-32", "cp1252"])
def test_encodings(encoding):
    text = "na\u00efve caf\u00e9\nund so weiter\n" * 30_000
    put("e.txt", text.encode(encoding))
    with encode_files(["e.txt"], CorpusSettings(encoding=encoding)) as corpus, encode_files([put("u", text)]) as plain:
        assert sentences(corpus) == sentences(plain)


@pytest.mark.parametrize("tokenizer", ["whitespace", "words", "chars"])
def test_bytes_that_are_not_utf8(tokenizer):
    path = put("latin.txt", b"na\xc3\xafve\nun caf\xe9 au lait\n\xff\n")
    with pytest.raises(
        CorpusError, match=r"latin\.txt, line 2, byte 13: 0xe9 is not valid utf-8.*--encoding.*--errors"
    ):
        encode_files([path], CorpusSettings(min_count=1, tokenizer=tokenizer))
    text = CorpusSettings(min_count=1, tokenizer=tokenizer, encoding="latin-1")
    with encode_files([path], text) as corpus:
        assert "café" in corpus.vocabulary


def test_bad_bytes_at_the_very_end_of_a_file_without_a_line_end():
    with pytest.raises(CorpusError, match=r"end\.txt, line 2, byte 4: 0xb5 is not valid utf-8"):
        encode_files([put("end.txt", b"a b\n\xb5")], ALL)


def test_the_place_of_bad_bytes_in_a_later_file_and_chunk():
    good, bad = (
        put("good.txt", "x y\n" * 5),
        put("bad.txt", b"\xef\xbb\xbf" + b"fine line\n" * 300_000 + b"ab \xe4\xbd c\n"),
    )
    for settings in (ALL, CorpusSettings(lowercase=True), CorpusSettings(encoding="utf-8-sig")):
        with pytest.raises(CorpusError, match=r"bad\.txt, line 300001, byte 3000006: 0xe4 0xbd is not valid"):
            encode_files([good, bad], settings)
    with pytest.raises(CorpusError, match=r"bad\.txt, line 300001, byte 3000006: 0xe4 is not valid ascii"):
        encode_files([good, put("bad.txt", b"fine line\n" * 300_000 + b"abcdef\xe4")], CorpusSettings(encoding="ascii"))


def test_byte_order_marks():
    assert read(b"\xef\xbb\xbfthe cat") == [["the", "cat"]]
    assert read(b"\xef\xbb\xbfthe cat", CorpusSettings(min_count=1, tokenizer="words")) == [["the", "cat"]]
    for encoding in ("utf-16", "utf-32"):
        with pytest.raises(
            CorpusError, match=f"looks like {encoding.upper()} text: read it with --encoding {encoding}"
        ):
            read("the cat sat".encode(encoding))
        assert read("the cat".encode(encoding), CorpusSettings(min_count=1, encoding=encoding)) == [["the", "cat"]]


def test_text_that_is_none():
    with pytest.raises(CorpusError, match="looks like UTF-16-LE text"):
        read("the cat sat on the mat".encode("utf-16-le"))
    with pytest.raises(CorpusError, match="looks like UTF-16-BE text"):
        read("the cat sat on the mat".encode("utf-16-be"))
    with pytest.raises(CorpusError, match="looks like UTF-32-LE text: read it with --encoding utf-32-le"):
        read("the cat sat on the mat".encode("utf-32-le"))
    with pytest.raises(CorpusError, match=r"not text: \d+ of its first 4096 bytes are zero"):
        read(bytes(random.Random(1).choices([0, 7, 65, 200], k=5000)))
    hints = []
    assert read("the c\x00at sat " * 20, hint=hints.append) == [["the", "c\x00at", "sat"] * 20]
    assert hints == [f"{Path('read.txt').absolute()} looks binary: 20 of its first 260 bytes are zero"]


WIDE = {
    "English": "the cat sat on the mat\r\n",
    "German": "Der Fuß über Österreich\n",
    "Russian": "кошка сидела на ковре, и это было хорошо.\n",
    "Chinese": "猫 坐 在 垫子 上 ， 一只 猫 。\n",
    "Hindi": "बिल्ली चटाई पर बैठी थी\n",
    "Persian": "گربه روی قالی نشسته می\u200cشود\n",
    "pictures": "a cat 🐈 sat 😀 on\n",
}


@pytest.mark.parametrize("mark", [True, False])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("language", WIDE)
def test_text_of_wide_characters_is_recognised_and_read_as_advised(language, encoding, mark):
    for times in (5, 700):  # shorter and longer than what is looked at
        data = (("\ufeff" if mark else "") + WIDE[language] * times).encode(encoding)
        with pytest.raises(CorpusError, match=r"looks like .* text: read it with --encoding") as told:
            read(data)
        advised = encoding.removesuffix("-le").removesuffix("-be") if mark else encoding
        assert str(told.value).endswith(f"looks like {advised.upper()} text: read it with --encoding {advised}")
        assert read(data, CorpusSettings(min_count=1, encoding=advised)) == [WIDE[language].split()] * times


@pytest.mark.parametrize(
    "data",
    [
        bytes(3_000_000),
        bytes(2),
        bytes(7) + b"a",
        Path(sys.executable).read_bytes(),
        np.arange(4096).tobytes(),
        np.arange(512.0).tobytes(),
        np.random.default_rng(1).integers(-100, 100, 4096).astype("<i2").tobytes(),
        np.random.default_rng(1).integers(0, 2**24, 1024).astype("<i4").tobytes(),
    ],
    ids=["zeros", "two zeros", "zeros and a letter", "program", "int64", "float64", "int16", "int32"],
)
def test_zero_bytes_that_spell_nothing_are_no_wide_characters(data):
    with pytest.raises(CorpusError, match=r"read\.txt is not text: \d+ of its first \d+ bytes are zero.*--encoding$"):
        read(data)


@pytest.mark.parametrize("errors", ["strict", "replace", "ignore"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_text_without_the_mark_that_its_encoding_needs(encoding, errors):
    with pytest.raises(CorpusError, match=rf"read\.txt.* not (valid )?{encoding}.*--encoding"):
        read("the cat sat on the mat\n" * 9, CorpusSettings(min_count=1, encoding=encoding, errors=errors))


@pytest.mark.parametrize("errors", ["strict", "replace", "ignore"])
def test_no_encoding_of_python_ends_in_another_error_than_ours(errors):
    from encodings.aliases import aliases

    for encoding in sorted(
        {*aliases.values(), "idna", "punycode", "undefined", "unicode_escape", "utf-8-sig", "nonsense"}
    ):
        for data in (b"the cat\n" * 5 + b"\xff \xc3\xa9 the cat", b"\xff", b""):
            with contextlib.suppress(CorpusError, SettingsError):
                read(data, CorpusSettings(min_count=1, encoding=encoding, errors=errors))


def test_unknown_encoding_is_refused_before_reading():
    for encoding in ("utf-9", "base64", "a\0b"):
        with pytest.raises(SettingsError, match=r"encoding .* is not known"):
            encode_files(["missing.txt"], CorpusSettings(encoding=encoding))
    for encoding in ("idna", "punycode"):
        with pytest.raises(SettingsError, match=r"encoding .* is for domain names, not for text"):
            encode_files(["missing.txt"], CorpusSettings(encoding=encoding))


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"PK\x03\x04\x14\0\0\0\b\0", "a zip archive (as .docx, .odt and .epub are)"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16), "a document of an office program"),
    ],
    ids=["zip", "PDF", "office"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_documents_are_not_text(head, kind, encoding):
    with pytest.raises(CorpusError, match=rf"read\.txt is {re.escape(kind)}, not text; take the text out of it first$"):
        read(head + b"the king and the queen\n" * 20, CorpusSettings(encoding=encoding, errors="replace"))
