"""Text files to encoded corpora: sources, compression, encodings, vocabulary, what is refused and how."""

import bz2
import contextlib
import gc
import gzip
import hashlib
import io
import lzma
import os
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import reference
import zstandard

from w2v.corpus import CorpusSource, EncodedCorpus, compression, encode, encode_files, files
from w2v.corpus.scanning import CHUNK
from w2v.errors import (
    CorpusError,
    CorpusTypeError,
    FileAccessError,
    FormatError,
    MissingExtraError,
    NotAvailableError,
    SettingsError,
)
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

ALL = CorpusSettings(min_count=1)


def put(name, data):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def sentences(corpus):
    words = corpus.vocabulary.words
    return [[words[i] for i in corpus.ids[a:b]] for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)]


def read(data, settings=ALL, **more):
    """Return all sentences of a file with this content."""
    with encode_files([put("read.txt", data)], settings, **more) as corpus:
        return sentences(corpus)


def agrees(data, **chosen):
    """Compare everything with the oracle."""
    settings = CorpusSettings(**chosen)
    how = {name: chosen[name] for name in ("lowercase", "unicode_spaces", "encoding", "errors") if name in chosen}
    expected = reference.tokenize(data, **how)
    words, counts = reference.vocabulary(expected, settings.min_count, settings.max_vocab)
    ids, offsets = reference.encode(expected, words)
    with encode_files([put("agrees.txt", data)], settings) as corpus:
        assert corpus.vocabulary.words == words
        assert corpus.vocabulary.counts.tolist() == counts
        assert corpus.ids.tolist() == ids
        assert corpus.offsets.tolist() == offsets
        assert (len(corpus), corpus.sentences) == (len(ids), len(offsets) - 1)
        assert (corpus.ids.dtype, corpus.offsets.dtype) == (np.int32, np.int64)
        assert not corpus.ids.flags.writeable
        assert corpus.settings == settings
        tokens = [t for s in expected for t in s]
        assert corpus.source == CorpusSource(
            kind="files",
            paths=(str(Path("agrees.txt").absolute()),),
            bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            tokens=len(tokens),
            types=len(set(tokens)),
            lines=len(expected),
        )


def noise_text(seed, lines=400):
    rng = random.Random(seed)
    pieces = [
        "a",
        "Bb",
        "ccc",
        "é",
        "Ünter",
        "你好",
        "ΟΔΟΣ",
        "word-of-some-length",
        "w" * 90,
        "a\u2009b",
        "x\u00a0y",
        "z\u3000",
    ]
    ends = [" ", " ", " ", "  ", "\t", "\r", "\n", "\n\n", "\r\n", "\u2028", "\x85"]
    return "".join(rng.choice(pieces) + rng.choice(ends) for _ in range(lines * 6)).encode()


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"lowercase": True},
        {"unicode_spaces": True},
        {"lowercase": True, "unicode_spaces": True, "min_count": 40},
        {"errors": "replace"},
        {"encoding": "utf-8-sig"},
        {"max_vocab": 7},
        {"max_vocab": 3, "min_count": 100},
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_files_equal_plain_python(chosen, seed):
    agrees(noise_text(seed), **{"min_count": 1, **chosen})


@pytest.mark.parametrize("errors", ["replace", "ignore"])
def test_other_bytes_equal_plain_python(errors):
    agrees(noise_text(3) + b"caf\xe9 au lait \xe4\xbd\n\xff" + noise_text(4), errors=errors, min_count=1)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-be", "gb18030", "utf-32", "cp1252"])
def test_encodings(encoding):
    text = "na\u00efve caf\u00e9\nund so weiter\n" * 30_000
    put("e.txt", text.encode(encoding))
    with encode_files(["e.txt"], CorpusSettings(encoding=encoding)) as corpus, encode_files([put("u", text)]) as plain:
        assert sentences(corpus) == sentences(plain)


def test_chunk_seams(monkeypatch):
    monkeypatch.setattr(files, "TextScanner", lambda *a, **k: scanner(*a, chunk=13, **k))
    from w2v.corpus.scanning import TextScanner as scanner

    agrees(noise_text(5), min_count=1)
    agrees(noise_text(5), min_count=1, lowercase=True)


def test_more_than_one_chunk():
    data = b"".join(b"word%d and more\n" % (i % 5000) for i in range(150_000))
    assert len(data) > CHUNK
    with encode_files([put("big.txt", data)], ALL) as corpus:
        assert corpus.source.tokens == len(corpus) == 450_000
        assert corpus.vocabulary.words[:2] == ["and", "more"]
        assert np.diff(corpus.offsets).tolist() == [3] * 150_000


# ----------------------------------------------------------------------------------------------- field reports


def test_a_line_of_25000_tokens_is_kept_whole():
    line = " ".join("tail" if i > 10_000 and i % 100 == 0 else f"t{i % 3000}" for i in range(25_000))
    with encode_files([put("long.txt", line)], ALL) as corpus:
        assert corpus.offsets.tolist() == [0, 25_000]
        where = np.flatnonzero(corpus.ids == corpus.vocabulary.id("tail"))
        assert where.tolist() == [i for i in range(10_001, 25_000) if i % 100 == 0]


def test_lines_are_never_glued():
    for text in ("foo bar baz\n", "foo bar baz\n" * 4, "a b\nc d", "a b\r\nc d\r\n", "a b\n\n\n c d \n"):
        assert read(text) == [line.split() for line in text.split("\n") if line.strip()]
    with pytest.raises(CorpusError, match="3 types, none reaches min_count=5"):
        read("foo bar baz\n" * 4, CorpusSettings())


def test_files_are_never_glued():
    put("d/1.txt", "one two")
    put("d/2.txt", "three four")
    put("d/3.txt", "")
    put("d/4.txt", "five six\n")
    for settings in (ALL, CorpusSettings(min_count=1, tokenizer="words"), CorpusSettings(min_count=1, errors="ignore")):
        with encode_files(["d"], settings) as corpus:
            assert sentences(corpus) == [["one", "two"], ["three", "four"], ["five", "six"]]
            assert corpus.source.lines == 3


def test_long_words_survive():
    words = ["я" * 40 + "ж" * 20, "я" * 40 + "ж" * 19 + "я", "x" * 150, "x" * 149 + "y"]
    assert read(" ".join(words)) == [words]


def test_unicode_spaces_only_on_request():
    line = "old\u2009king 10\u00a0km 東京\u3000大阪 a\u2028b\u0085c"
    assert read(line) == [["old\u2009king", "10\u00a0km", "東京\u3000大阪", "a\u2028b\u0085c"]]
    assert read(line, CorpusSettings(min_count=1, unicode_spaces=True)) == [
        ["old", "king", "10", "km", "東京", "大阪", "a", "b", "c"]
    ]


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


def test_old_mac_line_ends_get_a_hint():
    for encoding in ("utf-8", "utf-16"):
        hints = []
        read("the cat\rthe dog\r".encode(encoding), CorpusSettings(min_count=1, encoding=encoding), hint=hints.append)
        assert len(hints) == 1 and "old Mac line ends" in hints[0] and r"tr '\r' '\n'" in hints[0]
    hints = []
    read("the cat\r\nthe dog\r\n", hint=hints.append)
    assert hints == []


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


def test_tokens_of_control_characters_are_words():
    assert read(b"a\x00 a \x00\x00 \x00 a\x0bb \x7f a\x00\n" + b"plain " * 20) == [
        ["a\x00", "a", "\x00\x00", "\x00", "a\x0bb", "\x7f", "a\x00"],
        ["plain"] * 20,
    ]


# ------------------------------------------------------------------------------------------------------- sources

TEXT = "".join(f"the king of land {i % 7}\nand the queen {i % 5}\n" for i in range(300)).encode()


def compressed():
    return {
        "c.txt": TEXT,
        "c.gz": gzip.compress(TEXT[:5000]) + gzip.compress(TEXT[5000:]),
        "c.bz2": bz2.compress(TEXT[:777]) + bz2.compress(TEXT[777:]),
        "c.xz": lzma.compress(TEXT),
        "c.zst": zstandard.compress(TEXT[:999]) + zstandard.compress(TEXT[999:]),
    }


@pytest.mark.parametrize("name", [*compressed(), "c.without.suffix", "-", "-.xz", "folder", "glob*", "twice"])
def test_the_same_corpus_from_everywhere(name, monkeypatch):
    data = {**compressed(), "c.without.suffix": gzip.compress(TEXT)}
    half = TEXT.index(b"\n", len(TEXT) // 2) + 1
    paths = [name]
    if name.startswith("-"):
        raw = compressed().get(f"c{name[1:]}", TEXT)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        paths = ["-"]
    elif name == "folder":
        put("folder/a/one.txt", TEXT[:half])
        put("folder/b.txt.gz", gzip.compress(TEXT[half:]))
        put("folder/.hidden", "not this")
        put("folder/.git/config", "nor this")
    elif name == "glob*":
        put("glob1.txt", TEXT[:half])
        put("glob2.xz", lzma.compress(TEXT[half:]))
    elif name == "twice":
        put("twice", "the queen 1\n")
        paths = [put("c.txt", TEXT), "twice", "twice"]
    else:
        put(name, data[name])
    whole = put("plain", TEXT + b"the queen 1\n" * 2 * (name == "twice"))
    with encode_files([whole], ALL) as plain, encode_files(paths, ALL) as corpus:
        assert corpus.vocabulary.words == plain.vocabulary.words
        assert corpus.vocabulary.counts.tolist() == plain.vocabulary.counts.tolist()
        assert corpus.ids.tolist() == plain.ids.tolist()
        assert corpus.offsets.tolist() == plain.offsets.tolist()
        assert (corpus.source.sha256, corpus.source.bytes) == (plain.source.sha256, plain.source.bytes)
        assert corpus.source.kind == ("stdin" if name.startswith("-") else "files")
        assert all(Path(p).is_absolute() or p == "-" for p in corpus.source.paths)


def test_order_of_files():
    for name in ("b", "a/z", "a/b/c", "a!"):
        put(f"d/{name}", f"{name} x\n")
    with encode_files(["d/b", "d"], ALL) as corpus:
        assert [Path(p).relative_to(Path("d").absolute()).as_posix() for p in corpus.source.paths] == [
            "b", "a/b/c", "a/z", "a!", "b"
        ]  # fmt: skip


def test_names_with_magic_characters_are_files_first():
    put("a[1].txt", "in brackets\n")
    put("a1.txt", "without\n")
    with encode_files(["a[1].txt"], ALL) as corpus:
        assert sentences(corpus) == [["in", "brackets"]]


@pytest.mark.parametrize("cut", [20, 200, -1])
@pytest.mark.parametrize("name", ["c.gz", "c.bz2", "c.xz", "c.zst"])
def test_cut_off_archives(name, cut):
    data = {
        "c.gz": gzip.compress, "c.bz2": bz2.compress, "c.xz": lzma.compress, "c.zst": zstandard.compress
    }[name](noise_text(1))[:cut]  # fmt: skip
    with pytest.raises(FormatError, match=rf"{name} (is cut off|holds damaged)"):
        encode_files([put(name, data)], ALL)


@pytest.mark.parametrize("name", ["c.gz", "c.bz2", "c.xz", "c.zst"])
def test_damaged_archives(name):
    data = bytearray(compressed()[name])
    data[len(data) // 3 : len(data) // 3 + 40] = bytes(40)
    with pytest.raises((FormatError, CorpusError), match=rf"{name} (is cut off|holds damaged)"):
        encode_files([put(name, data)], ALL)


def test_a_name_that_promises_compression():
    with pytest.raises(FormatError, match=r"is named as gzip-compressed but begins with b'plain te'"):
        encode_files([put("t.gz", "plain text")])
    with pytest.raises(FormatError, match="named as zstd-compressed but is empty"):
        encode_files([put("t.zst", "")])


def test_zstd_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"w2v\[zstd\]"):
        encode_files([put("t.zst", compressed()["c.zst"])])


def test_nothing_there():
    put("empty/.hidden", "x")
    for path, message in {
        "missing.txt": "no such file or folder: missing.txt",
        "": "an empty name names no file",
        "empty": "no file in the folder empty",
        "*.nothing": r"no file matches \*.nothing",
    }.items():
        with pytest.raises(FileAccessError, match=message):
            encode_files([path])
    with pytest.raises(FileAccessError, match="no files given"):
        encode_files([])
    with pytest.raises(FileAccessError, match="only once"):
        encode_files(["-", "-"])
    with pytest.raises(FileAccessError, match="cannot make a temporary folder in nowhere"):
        encode_files([put("t.txt", "a b")], ALL, directory="nowhere")


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read():
    put("locked/t.txt", "a b")
    Path("locked").chmod(0)
    with pytest.raises(FileAccessError, match="locked"):
        encode_files(["locked"])
    Path("locked").chmod(0o700)


def test_errors_of_the_system_name_the_file(monkeypatch):
    path = put("t.txt", "a b")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FileAccessError, match=r"cannot read .*t\.txt: Permission denied"):
        compression.ByteStream(str(path))


def test_a_full_disk_is_told(monkeypatch):
    from w2v.corpus.workspace import Workspace

    workspace = Workspace()

    class Full:
        name = "ids"

        def write(self, data):
            raise OSError(28, "No space left on device")

        def close(self): ...

    workspace._stream.close()
    workspace._stream = Full()
    with pytest.raises(FileAccessError, match=r"No space left on device.*TMPDIR"):
        workspace.write(np.zeros(3, dtype=np.int32))
    workspace.close()


# -------------------------------------------------------------------------------------- unusable corpora and hints


def test_four_messages():
    with pytest.raises(CorpusError, match=r"^0 sentences read from .*empty\.txt"):
        encode_files([put("empty.txt", "")])
    for text in ("\n\n", " \n\t\r\n", " \n "):
        with pytest.raises(CorpusError, match=r"^2 sentences, 0 tokens"):
            read(text)
    for text in ("the,cat,sat", "the,cat\na,dog\n"):
        with pytest.raises(CorpusError, match=r"^every line holds 1 token: separator\?"):
            read(text)
    for tokenizer, advice in (("words", "for Chinese try"), ("jieba", "one line$")):
        with pytest.raises(CorpusError, match=f"1 token under --tokenizer {tokenizer}.*{advice}") as refused:
            read("cat\ndog\n", CorpusSettings(tokenizer=tokenizer))
        assert "try --tokenizer words" not in str(refused.value)
    with pytest.raises(CorpusError, match=r"^7 types, none reaches min_count=50 \(most frequent has 7\)"):
        read("".join(f"the {w}\n" for w in "abcdeff"), CorpusSettings(min_count=50))
    for tokenizer in ("words", "chars"):
        with pytest.raises(CorpusError, match=r"^2 sentences, 0 tokens"):
            read(" ...\n!? ", CorpusSettings(tokenizer=tokenizer))


def hints(text, **chosen):
    lines = []
    with encode_files([put("hint.txt", text)], CorpusSettings(min_count=1, **chosen), hint=lines.append):
        return lines


def test_hints():
    english = "He said, that she came. Then the king went home; all was well.\n" * 50
    [line] = hints(english)
    assert "\n" not in line
    assert "31% of the tokens end in punctuation" in line
    assert "--tokenizer words" in line
    assert hints(english, tokenizer="words") == []
    assert hints(english.replace(",", " ,").replace(".", " . ").replace(";", " ;")) == []
    assert hints("the king went home\n" * 50) == []
    chinese = "秦川雄帝宅，函谷壮皇居。 绮殿千寻起，离宫百雉余。\n" * 20
    for tokenizer in ("whitespace", "words"):
        [line] = hints(chinese, tokenizer=tokenizer)
        assert "--tokenizer chars" in line
        assert "jieba" in line
    assert hints(chinese, tokenizer="chars") == []
    assert hints("中国 人民 银行 的 历史 悠久\n" * 20) == []


# ------------------------------------------------------------------------------------------------------ vocabulary


def test_ties_are_broken_by_the_word_itself():
    words = ["b", "a", "B", "é", "你", "aaaaaaaab", "aaaaaaaac", "aaaaaaaa", "aaaaaaaa\x00", "\U00020000", "\uffee"]
    random.Random(3).shuffle(words)
    with encode_files([put("t.txt", " ".join(words) + "\nz z z y y")], ALL) as corpus:
        assert corpus.vocabulary.words == ["z", "y", *sorted(words)]
    with encode_files(["t.txt"], CorpusSettings(min_count=1, max_vocab=5)) as corpus:
        assert corpus.vocabulary.words == ["z", "y", *sorted(words)][:5]
        assert len(corpus) == 3 + 2 + 3
    with encode_files(["t.txt"], CorpusSettings(min_count=2, max_vocab=50)) as corpus:
        assert corpus.vocabulary.words == ["z", "y"]
        assert corpus.sentences == 1


def test_a_given_vocabulary():
    vocabulary = Vocabulary(["", "sat", "new york", "cat", "ca\tt", "é", "unseen"], [7, 6, 5, 4, 3, 2, 1])
    path = put("t.txt", "the cat sat\nthe é\nthe the\nnew york cat")
    with encode_files([path], CorpusSettings(min_count=50), vocabulary=vocabulary) as corpus:
        assert corpus.vocabulary is vocabulary
        assert corpus.ids.tolist() == [3, 1, 5, 3]
        assert corpus.offsets.tolist() == [0, 2, 3, 4]
        assert (corpus.source.tokens, corpus.source.types, corpus.source.lines) == (10, 6, 4)
    with pytest.raises(CorpusError, match=r"none of the 6 types of .*t.txt is among the 1 word given"):
        encode_files([path], vocabulary=Vocabulary(["dog"], [1]))
    with pytest.raises(CorpusTypeError, match="integer keys"):
        encode_files([path], vocabulary=Vocabulary([1, 2], [1, 1]))
    with pytest.raises(FormatError, match="1 words twice"):
        encode_files([path], vocabulary=Vocabulary(["dog", "cat", "dog"], [1, 1, 1]))


def test_same_ids_with_the_vocabulary_of_a_first_reading():
    path = put("t.txt", noise_text(9))
    for chosen in ({}, {"lowercase": True}, {"tokenizer": "words"}):
        settings = CorpusSettings(**chosen)
        with encode_files([path], settings) as first:
            second = encode_files([path], settings, vocabulary=first.vocabulary)
            assert second.ids.tolist() == first.ids.tolist()
            assert second.offsets.tolist() == first.offsets.tolist()
            assert second.source == first.source
            second.close()


def test_unknown_encoding_is_refused_before_reading():
    for encoding in ("utf-9", "base64", "a\0b"):
        with pytest.raises(SettingsError, match=r"encoding .* is not known"):
            encode_files(["missing.txt"], CorpusSettings(encoding=encoding))
    for encoding in ("idna", "punycode"):
        with pytest.raises(SettingsError, match=r"encoding .* is for domain names, not for text"):
            encode_files(["missing.txt"], CorpusSettings(encoding=encoding))


# ------------------------------------------------------------------------------------------------- life and memory


def test_the_temporary_folder_goes(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    path = put("t.txt", "a b\n" * 9)
    with encode_files([path], directory=place) as corpus:
        assert len(list(place.iterdir())) == 1
        ids = corpus.ids
    assert list(place.iterdir()) == []
    assert ids.tolist() == [0, 1] * 9
    corpus.close()
    with pytest.raises(NotAvailableError, match="closed"):
        corpus.ids  # noqa: B018
    corpus = encode_files([path], directory=place)
    assert len(list(place.iterdir())) == 1
    del corpus
    gc.collect()
    assert list(place.iterdir()) == []
    with pytest.raises(CorpusError):
        encode_files([path], CorpusSettings(min_count=99), directory=place)
    assert list(place.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next_one(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    path = put("t.txt", "a b\n" * 9)
    program = (
        "import os, signal; from w2v.corpus.workspace import Workspace\n"
        f"workspace = Workspace({str(place)!r}); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == -9
    (left,) = place.iterdir()
    (place / "another").mkdir()
    with encode_files([path], directory=place) as first, encode_files([path], directory=place) as second:
        assert not left.exists()
        assert len(list(place.iterdir())) == 3, "a folder in use stays"
        assert first.ids.tolist() == second.ids.tolist()
    assert list(place.iterdir()) == [place / "another"]


def test_memory_does_not_grow_with_the_text():
    lines = b"".join(b"the word%d of many\n" % (i % 1000) for i in range(50_000))

    def peak(times):
        path = put("m.txt", lines * times)
        tracemalloc.start()
        with encode_files([path]) as corpus:
            assert len(corpus) == 200_000 * times
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(1)
    small, large = peak(4), peak(20)
    assert large < small + 1_000_000


def progress_of(paths):
    seen = []
    encode_files(paths, ALL, progress=lambda done, total: seen.append((done, total))).close()
    return seen


def test_progress():
    for name, data in {"t.txt": TEXT * 40, "t.gz": gzip.compress(TEXT * 400)}.items():
        size = put(name, data).stat().st_size
        seen = progress_of([name, name])
        assert seen == sorted(seen)
        assert seen[-1] == (2 * size, 2 * size)
        assert {total for _, total in seen} == {2 * size}


def test_source_round_trip():
    source = CorpusSource("files", ("/a", "/b"), 5, "ff", 3, 2, 1)
    assert CorpusSource.from_dict({**source.to_dict(), "later": 1}) == source


def test_encode_takes_what_it_gets():
    one, two = put("one.txt", "a b\n"), put("two.txt", "c d\n")
    with encode(str(one), ALL) as corpus:
        assert sentences(corpus) == [["a", "b"]]
        assert encode(corpus, CorpusSettings()) is corpus
        assert isinstance(corpus, EncodedCorpus)
        assert "2 tokens in 1 sentences" in repr(corpus)
    with encode(one, ALL) as corpus:
        assert sentences(corpus) == [["a", "b"]]
    with encode([one, two], ALL) as corpus:
        assert sentences(corpus) == [["a", "b"], ["c", "d"]]
    with encode("*.txt", ALL) as corpus:
        assert corpus.sentences == 2
    with encode([["x", "y"]], ALL) as corpus:
        assert sentences(corpus) == [["x", "y"]]
    with pytest.raises(CorpusTypeError, match=r"item 0 .*pathlib\.Path"):
        encode([str(one), str(two)], ALL)
