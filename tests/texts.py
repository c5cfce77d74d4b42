"""What the tests of corpora share: files of text put down and read, and a text of all kinds of pieces."""

import random
from pathlib import Path

from w2v.corpus import encode_files
from w2v.settings import CorpusSettings

ALL = CorpusSettings(min_count=1)


def put(name, data):
    """Write a file with this content, and the folders it lies in; return its path."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def sentences(corpus):
    """Return the sentences of an encoded corpus as lists of words."""
    words = corpus.vocabulary.words
    return [[words[i] for i in corpus.ids[a:b]] for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)]


def read(data, settings=ALL, **more):
    """Return all sentences of a file with this content."""
    with encode_files([put("read.txt", data)], settings, **more) as corpus:
        return sentences(corpus)


def noise_text(seed, lines=400):
    """Return bytes of UTF-8: words of several scripts and all kinds of white space, in any order."""
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
