"""Tokenisers on files: blocks, their seams, and jieba."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from w2v.corpus import encode_files, files
from w2v.corpus.tokenizers import Rewriter
from w2v.errors import CorpusError, MissingExtraError
from w2v.settings import CorpusSettings


def read(text, tokenizer, **chosen):
    path = Path("read.txt")
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with encode_files([path], CorpusSettings(min_count=1, tokenizer=tokenizer, **chosen)) as corpus:
        words = corpus.vocabulary.words
        bounds = zip(corpus.offsets, corpus.offsets[1:], strict=False)
        return [[words[i] for i in corpus.ids[a:b]] for a, b in bounds]


def test_words():
    assert read("“Don’t!” he said, 'tis well-known: 3.14 naïve_x\r\nहिन्दी में लिखो — ОНА́\n", "words") == [
        ["don't", "he", "said", "tis", "well", "known", "3", "14", "naïve", "x"],
        ["हिन्दी", "में", "लिखो", "она́"],
    ]


def test_chars():
    assert read("秦川雄帝宅，函谷\nI love 北京 and C++。", "chars") == [
        list("秦川雄帝宅函谷"),
        ["i", "love", "北", "京", "and", "c"],
    ]


def test_line_separators_of_unicode_end_no_sentence():
    text = "a b\u2028c d\u0085e f\x0bg\x0ch\x1ci\n"
    for tokenizer in ("words", "chars", "jieba"):
        assert read(text, tokenizer) == [list("abcdefghi")]


def test_jieba():
    assert read("我来到北京清华大学，他来到了网易杭研大厦。\n\n小明硕士毕业于Python研究所", "jieba") == [
        ["我", "来到", "北京", "清华大学", "他", "来到", "了", "网易", "杭研", "大厦"],
        ["小明", "硕士", "毕业", "于", "python", "研究所"],
    ]


@pytest.mark.parametrize("tokenizer", ["words", "chars", "jieba"])
@pytest.mark.parametrize("block", [16, 50, 301])
def test_seams_of_blocks(tokenizer, block, monkeypatch):
    rng = random.Random(block)
    pieces = ["we", "don't", "Ünter", "、", "。", "你好世界", "ΟΔΟΣ", "x" * 40, "北京大学", "क्षि"]
    # spaces around everything for jieba, whose words depend on all of a line
    glue = " " if tokenizer == "jieba" else ""
    text = "".join(rng.choice(pieces) + glue + rng.choice(["", " ", " ", "\n", "，"]) for _ in range(500))
    if tokenizer == "jieba":
        text = text.replace("\n", " ").replace(" ", "\n")
    whole = read(text, tokenizer)
    monkeypatch.setattr(files, "Rewriter", lambda settings, scanner: Rewriter(settings, scanner, block))
    assert read(text, tokenizer) == whole


@pytest.mark.parametrize("tokenizer", ["chars", "words"])
def test_one_line_without_spaces(tokenizer, monkeypatch):
    monkeypatch.setattr(files, "Rewriter", lambda settings, scanner: Rewriter(settings, scanner, 64))
    text = "秦川雄帝宅，函谷壮皇居。" * 500
    expected = [c for c in text if c not in "，。"] if tokenizer == "chars" else ["秦川雄帝宅", "函谷壮皇居"] * 500
    assert read(text, tokenizer) == [expected]
    word = "é" * 5000
    assert read(f"a {word} b", tokenizer) == [["a", word, "b"]]


@pytest.mark.parametrize("tokenizer", ["words", "jieba"])
def test_bad_bytes_in_a_later_block(tokenizer, monkeypatch):
    monkeypatch.setattr(files, "Rewriter", lambda settings, scanner: Rewriter(settings, scanner, 64))
    with pytest.raises(CorpusError, match=r"read\.txt, line 101, byte 1003: 0xe9 is not valid utf-8"):
        read(b"good line\n" * 100 + b"caf\xe9 au lait\n", tokenizer)
    assert read(b"caf\xe9 au lait", "words", errors="ignore") == [["caf", "au", "lait"]]


def test_jieba_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(MissingExtraError, match=r"w2v\[zh\]"):
        read("你好", "jieba")


def test_jieba_says_nothing():
    code = (
        "import warnings; warnings.simplefilter('error')\n"
        "from w2v.corpus import encode_files; from w2v.settings import CorpusSettings\n"
        "encode_files(['t.txt'], CorpusSettings(min_count=1, tokenizer='jieba')).close()"
    )
    Path("t.txt").write_text("我来到北京清华大学\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
