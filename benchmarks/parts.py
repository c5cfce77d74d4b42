"""Parts of a corpus, whole lines of it: the first bytes, or so many words; or all of them in another order."""

import contextlib
import random
import tempfile
from pathlib import Path


@contextlib.contextmanager
def shuffled(corpus, seed):
    """Give a file that holds the lines of the corpus in an order that the seed governs, and goes in the end."""
    lines = corpus.read_bytes().splitlines()
    random.Random(seed).shuffle(lines)
    with tempfile.TemporaryDirectory(prefix="w2v-benchmark-") as folder:
        path = Path(folder) / corpus.name
        path.write_bytes(b"\n".join([*lines, b""]))
        yield path


def write_bytes(corpus, size, target):
    """Copy the first `size` bytes of the corpus, and the rest of the line they end in."""
    with corpus.open("rb") as lines:
        target.write_bytes(lines.read(size) + lines.readline())


def write_words(corpus, words, target):
    """Copy lines of the corpus until there are so many words; from its start again where it holds fewer."""
    copied = 0
    with target.open("wb") as out:
        while copied < words:
            at_start = copied
            with corpus.open("rb") as lines:
                for line in lines:
                    out.write(line)
                    copied += len(line.split())
                    if copied >= words:
                        break
            if copied == at_start:
                raise SystemExit(f"{corpus} holds no words")
