"""Text files to encoded corpora: as plain Python reads them, what is refused and how, the vocabulary."""

import hashlib
import random
from pathlib import Path

import numpy as np
import pytest
import reference
from texts import ALL, noise_text, put, read, sentences

from w2v.corpus import CorpusSource, EncodedCorpus, encode, encode_files, files
from w2v.corpus.scanning import CHUNK
from w2v.errors import (
    CorpusError,
    CorpusTypeError,
    FormatError,
)
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary


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


# -------------------------------------------------------------------------------------------------------- field reports


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


def test_old_mac_line_ends_get_a_hint():
    for encoding in ("utf-8", "utf-16"):
        hints = []
        read("the cat\rthe dog\r".encode(encoding), CorpusSettings(min_count=1, encoding=encoding), hint=hints.append)
        assert len(hints) == 1 and "old Mac line ends" in hints[0] and r"tr '\r' '\n'" in hints[0]
    hints = []
    read("the cat\r\nthe dog\r\n", hint=hints.append)
    assert hints == []


def test_tokens_of_control_characters_are_words():
    assert read(b"a\x00 a \x00\x00 \x00 a\x0bb \x7f a\x00\n" + b"plain " * 20) == [
        ["a\x00", "a", "\x00\x00", "\x00", "a\x0bb", "\x7f", "a\x00"],
        ["plain"] * 20,
    ]


# ------------------------------------------------------------------------------------------- unusable corpora and hints


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


# ----------------------------------------------------------------------------------------------------------- vocabulary


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


# -------------------------------------------------------------------------------------------------------------- sources


def test_source_round_trip():
    source = CorpusSource("files", ("/a", "/b"), 5, "ff", 3, 2, 1)
    assert CorpusSource.from_dict({**source.to_dict(), "later": 1}) == source


def test_encode_takes_what_it_gets():
    one, two = put("one.txt", "a b\n"), put("two.txt", "c d\n")
    with encode(str(one), ALL) as corpus:
        assert sentences(corpus) == [["a", "b"]]
        assert encode(corpus, CorpusSettings()) is corpus
        assert isinstance(corpus, EncodedCorpus)
        assert repr(corpus) == "<EncodedCorpus of 2 tokens in 1 sentence, 2 words>"
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
