"""Mutated files in front of every reader: ``python tests/fuzz.py --count 200000``, a bounded part of it in the tests.

A file is good, then bytes of it are changed, dropped, repeated or put in from another one. Whatever comes of it, a
reader may only return or raise an error of ours, within five seconds of work, and may not take memory beyond a small
multiple of what the file holds. What breaks that is kept in ``fuzz-failures/`` and tried again with ``--replay``.

Every file is made from the seed, its number and its kind alone, so that a long run can be done in pieces:
``--start 50000 --count 50000`` is the second quarter of 200,000. ``--kind training`` trains on mutated text with
settings of all sorts, ``--kind checkpoint`` resumes from mutated checkpoints.
"""

import argparse
import bz2
import collections
import contextlib
import gzip
import io
import json
import lzma
import math
import random
import resource
import signal
import struct
import sys
import time
import traceback
import tracemalloc
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import w2v
from w2v.embedding import Embedding, load, read_tokens, recognise
from w2v.embedding.writing import write
from w2v.errors import W2VError
from w2v.evaluation.pairs import SimilarityPairs
from w2v.evaluation.questions import AnalogyQuestions
from w2v.settings import ContextSettings, CorpusSettings, FactorizationSettings, TrainingSettings
from w2v.vocabulary import Vocabulary

GOLDEN = Path(__file__).parent / "golden"
MOST_SECONDS = 5.0
SLACK_BYTES, BYTES_PER_BYTE = 48 << 20, 200  # buffers of fixed size; Python's objects for each byte of text
XZ_BYTES = 256 << 20  # what the header of an xz file may ask for, however short the file
MOST_ADDRESS_SPACE = 8 << 30
INTERESTING = (-1, 0, 1, 2, 255, 2**15, 2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1, 2**64 - 1)
TEXT = b'0123456789-+"{}[](),:.eE_ \\\t\n\r\x00\x1a\xff\xef\xbb\xbfnai'
PIECES = (b"nan", b"inf", b"-inf", b"1e999", b"1_0", b"9" * 19, b"9" * 400, b"\xef\xbb\xbf", b"\r\n", b"\n\n", b" ",
          b"null", b"true", b"{", b"}", b"[" * 50, b'"', b"\\ud800", b"\xf0\x9f", b"  ", b"\t", b"\xe3\x80\x80",
          b"\x00")  # fmt: skip


class TookTooLong(BaseException):
    """Raised inside a reader that does not come back."""


def embedding(words, d=3, context=False):
    rng = np.random.default_rng(len(words))
    W = rng.standard_normal((len(words), d)).astype(np.float32)
    return Embedding(Vocabulary(words, list(range(len(words), 0, -1))), W, W[::-1] if context else None)


def written(folder, kind, words, **options):
    """Return the bytes that a writer of ours makes."""
    path = folder / "written"
    write(embedding(words, context=kind == "model"), path, kind, force=True, **options)
    return path.read_bytes()


def packed(plain):
    """Return the same content plain and compressed in every way that is there."""
    found = [*plain, *map(gzip.compress, plain), *map(bz2.compress, plain), *map(lzma.compress, plain)]
    try:
        import zstandard
    except ImportError:
        return found
    return found + [zstandard.ZstdCompressor().compress(content) for content in plain]


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def golden(*names):
    return [(GOLDEN / name).read_bytes() for name in names]


def seeds(folder):
    """Return the good files of each kind."""
    words = ["the", "king", "queen", "月", "new", "café"]
    text = b"".join(b"%b %d %g\n" % (word.encode(), i, i / 7) for i, word in enumerate(words))
    table = {"embed.weight": {"dtype": "BF16", "shape": [6, 2], "data_offsets": [0, 24]},
             "bias": {"dtype": "F32", "shape": [6], "data_offsets": [24, 48]}}  # fmt: skip
    header = json.dumps(table).encode()
    tokenizer = {"model": {"type": "BPE", "vocab": {w: i for i, w in enumerate(words[:5])}, "merges": []},
                 "added_tokens": [{"id": 5, "content": "<eos>"}]}  # fmt: skip
    corpus = "the king and the queen\n国王 和 王后 。\n\nthe café, the naïve 10\u00a0km\r\n".encode() * 3
    kinds = {
        "checkpoint": [*golden("checkpoint-v1.safetensors"), checkpoint_of_text(folder)],
        "training": [corpus, corpus.replace(b"\n", b"\r\n"), corpus.decode().encode("utf-16")] * 12 + packed([corpus]),
        "model": [
            *golden("model-v1.safetensors", "model-v1-keys.safetensors"),
            written(folder, "model", words),
            *(written(folder, "model", words, dtype=dtype) for dtype in ("float16", "int8")),
        ],
        "text": packed([b"6 2\n" + text, text, *golden("glove.txt", "fasttext.vec", "word2vec-c.txt")]),
        "binary": packed(golden("gensim.bin", "word2vec-c.bin")),
        "fasttext": packed(golden("fasttext.bin", "gensim-fasttext.bin", "fasttext-words.bin")),
        "npy": packed([npy(np.ones((6, 2))), npy(np.ones((6, 2), np.float16, order="F"))]),
        "npz": [written(folder, "npz", words)],
        "tensors": [struct.pack("<Q", len(header)) + header + bytes(range(48))],
        "tokens": [json.dumps(tokenizer).encode(), json.dumps(words).encode(), "\n".join(words).encode()],
        "projector": [written(folder, "projector", words)],
        "metadata": [b"word\tcount\nthe\t9\n\\e\t3\n\\u00e9\\t\t2\n"],
        "corpus": packed([corpus, b"\xef\xbb\xbf" + corpus, corpus.replace(b"\n", b"\r\n")]),
        "settings": [json.dumps(s().to_dict()).encode() for s in SETTINGS],
        "questions": [b": capital\nathens greece oslo norway\n: family\nking queen man woman\n"],
        "pairs": [b"word1\tword2\tscore\nking\tqueen\t8.5\ncat\tdog\t7\n", b"king;queen;8,5\ncat;dog;7,25\n"],
    }
    np.savez_compressed(folder / "z.npz", v=np.ones((6, 2), np.float32), w=np.array(words), counts=np.arange(6))
    kinds["npz"].append((folder / "z.npz").read_bytes())
    try:
        kinds["arrow"] = [written(folder, kind, words) for kind in ("parquet", "arrow")]
    except W2VError:  # pyarrow is not installed
        print("without Arrow tables: pyarrow is not installed", file=sys.stderr)  # noqa: T201
    return kinds


SETTINGS = (CorpusSettings, ContextSettings, TrainingSettings, FactorizationSettings)


def mutated(rng, goods):
    """Return a good file with a few things changed."""
    raw = bytearray(rng.choice(goods))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        # the first part more often: there the headers are
        at = rng.randrange(len(raw) + 1) if rng.random() < 0.5 else rng.randrange(min(len(raw), 200) + 1)
        size = rng.choice((1, 1, 2, 4, 8, 40, 300))
        match rng.randrange(10):
            case 0:
                raw[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                raw[at : at + 1] = bytes([rng.choice(TEXT)])
            case 2:
                raw[at : at + 1] = bytes([raw[at] ^ (1 << rng.randrange(8))]) if at < len(raw) else b""
            case 3:
                del raw[at : at + size]
            case 4:
                raw[at:at] = raw[at : at + size] * rng.choice((1, 1, 3, 30))
            case 5:
                number = rng.choice(INTERESTING) + rng.randrange(-1, 2)
                raw[at : at + 8] = struct.pack("<Q", number % 2**64)[: rng.choice((4, 8))]
            case 6:
                raw[at : at + rng.choice((0, 1, 3))] = rng.choice(PIECES)
            case 7:
                other = rng.choice(goods)
                start = rng.randrange(len(other) + 1)
                raw[at : at + size] = other[start : start + size]
            case 8:
                digits = str(rng.choice(INTERESTING)).encode()
                raw[at : at + rng.choice((1, len(digits)))] = digits
            case 9:
                del raw[at:]
    return bytes(raw)


# ------------------------------------------------------------------------------------------------- what is read


def use(path, tokens=None, tensor=None):
    """Load vectors and ask them something, so that nothing is left unread."""
    recognise(path)
    model = load(path, tokens=tokens, tensor=tensor)
    len(model.words)
    if len(model):
        model.most_similar(model.word(0), topn=3)


def read_settings(path):
    values = json.loads(path.read_bytes())
    for home in SETTINGS:
        if isinstance(values, dict) and values.keys() <= set(home.names()):
            home.from_dict(values)


def read_corpus(path):
    from w2v.corpus import check_corpus, encode_files

    check_corpus(path).to_dict()
    for tokenizer in ("whitespace", "words"):
        with encode_files([path], CorpusSettings(min_count=1, tokenizer=tokenizer)) as corpus:
            len(corpus.vocabulary.words)


RESUMED_TEXT = "the king and the queen\nthe man and the woman\n" * 150
RESUMED = {"min_count": 1, "vector_size": 3, "workers": 1, "epochs": 3, "sample": 0, "heldout": 0.2}


def sentences():
    """Return the corpus of the golden checkpoint."""
    words = ["the", "king", "new york", "月", "", "café"]
    return [[words[(i * i + j * j) % 6] for j in range(10)] for i in range(460)]


def stop(progress):
    return w2v.STOP


def checkpoint_of_text(folder):
    """Return the bytes of a checkpoint of a training on a file."""
    (folder / "resumed.txt").write_text(RESUMED_TEXT)
    w2v.train(folder / "resumed.txt", checkpoint=folder / "text.ckpt", report=stop, **RESUMED)
    return (folder / "text.ckpt").read_bytes()


def read_checkpoint(path, text):
    """Go on from a checkpoint for an epoch, with the one corpus or the other."""
    raw = path.read_bytes()
    w2v.resume(path, text if b'"kind\\":\\"files' in raw else sentences(), report=stop, workers=1)


# values that a person or a program may give for any setting; large ones only where they cost nothing
ODD = (-1, 0, 1, 2, 3, 0.5, 1.5, 1e-9, 1e300, math.nan, math.inf, -math.inf, 2**31, 2**63, 2**64, 10**30, True, False,
       None, "", "5", "0.1", "nan", "one", "whitespace", "\x00", "\ud800", b"5", [], {}, (1,), object)  # fmt: skip
USUAL = {
    "tokenizer": ("whitespace", "words", "chars"),
    "encoding": ("utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le", "utf-32", "gb18030", "big5", "shift_jis",
                 "cp1252", "utf-7", "hz", "iso2022_jp", "idna", "punycode", "base64", "zlib", "hex", "rot13",
                 "unicode_escape", "raw_unicode_escape", "undefined", "no such"),
    "errors": ("strict", "replace", "ignore"),
    "min_count": (1, 1, 1, 2, 5), "max_vocab": (1, 2, 5), "window": (1, 2, 5, 1000), "sample": (0, 1e-5, 1e-3, 1),
    "subsampling": ("dirty", "clean"), "vector_size": (1, 2, 3, 17, 100), "negative": (1, 5, 20, 1000),
    "ns_exponent": (-10, -1, 0, 0.75, 1, 10), "epochs": (1, 2, 10**9), "alpha": (1e-300, 0.025, 1, 10),
    "min_alpha": (0, 1e-300, 0.025), "seed": (0, 1, 2**63 - 1), "workers": (1, 2, 4096), "heldout": (0, 1e-9, 0.1, 0.5),
    "algorithm": ("blocked", "pairwise"), "block_size": (1, 2, 7, 256), "shared_negatives": (1, 7, 64, 4096),
    "accidental_hits": ("keep", "drop"),
}  # fmt: skip


def settings_for(raw):
    """Return settings that a file decides on, so that a kept file can be tried again."""
    rng = random.Random(raw)
    names = [name for home in SETTINGS[:3] for name in home.names()]
    chosen = {"min_count": 1, "workers": 1, "vector_size": 3}
    for name in rng.sample(names, rng.choice((0, 1, 2, 3, 5, 8))):
        odd = rng.random() < 0.05 or name not in USUAL
        chosen[name] = rng.choice(ODD if odd else USUAL[name])
    return chosen


def train(path):
    """Train for an epoch, with settings of all sorts."""
    model = w2v.train(path, report=stop, **settings_for(path.read_bytes()))
    model.most_similar(model.word(0), topn=3)


def readers(folder):
    """Return the reader of each kind: a function of the path of the mutated file."""
    (folder / "words.txt").write_text("".join(f"w{i}\n" for i in range(6)))
    (folder / "table.npy").write_bytes(npy(np.ones((6, 2))))
    (folder / "table.tsv").write_text("1\t2\n3\t4\n5\t6\n")
    words = folder / "words.txt"
    special = {
        "checkpoint": lambda path: read_checkpoint(path, folder / "resumed.txt"),
        "training": train,
        "npy": lambda path: use(path, tokens=words),
        "npz": lambda path: use(path),
        "tensors": lambda path: use(path, tokens=words),
        "projector": lambda path: use(path, tokens=words),
        "tokens": lambda path: (read_tokens(path), use(folder / "table.npy", tokens=path)),
        "metadata": lambda path: use(folder / "table.tsv", tokens=path),
        "corpus": read_corpus,
        "settings": read_settings,
        "questions": AnalogyQuestions.read,
        "pairs": SimilarityPairs.read,
    }
    return collections.defaultdict(lambda: use, special)


# what Python's own json says of a file that is none; our settings are never read from such a file
ALSO_ALLOWED = {"settings": (ValueError, RecursionError)}


def attempt(reader, kind, path, raw):
    """Read one file; return the outcome, which starts with "!" when it is a failure."""
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    started = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)  # of work: others may have the processor
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader(path)
        outcome = "read"
    except W2VError as error:
        outcome = type(error).__name__
        if not str(error).strip():
            outcome = "!an error without a message"
    except TookTooLong:
        outcome = f"!took more than {MOST_SECONDS} s"
    except ALSO_ALLOWED.get(kind, ()):
        outcome = "no JSON"
    except Exception:  # any other is what is looked for
        outcome = "!" + traceback.format_exc(limit=-3)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = time.process_time() - started
    _, peak = tracemalloc.get_traced_memory()
    allowed = SLACK_BYTES + BYTES_PER_BYTE * len(raw) + XZ_BYTES * raw.startswith(b"\xfd7zXZ")
    if peak - before > allowed:
        outcome = f"!took {peak - before:,} bytes of memory for a file of {len(raw):,} (then: {outcome.lstrip('!')})"
    return outcome, seconds, peak - before


def too_long(*_):
    raise TookTooLong


def run(count, *, start=0, seed=0, kinds=None, failures=None, progress=None):
    """Read `count` mutated files, as many of each kind, from number `start` on.

    Returns
    -------
    outcomes : dict of kind to Counter
    failed : list of (kind, number, outcome)
    worst : (most seconds, most bytes) that a file took
    """
    signal.signal(signal.SIGPROF, too_long)
    outcomes = collections.defaultdict(collections.Counter)
    failed, worst = [], (0.0, 0)
    try:
        with TemporaryDirectory() as name:
            folder = Path(name)
            goods, reader = seeds(folder), readers(folder)
            chosen = [kind for kind in goods if kinds is None or kind in kinds]
            for kind in chosen:  # the good ones must be read, and compiling is not counted
                for good in goods[kind]:
                    (folder / "good").write_bytes(good)
                    with contextlib.suppress(W2VError if kind == "training" else ()):  # its settings may be bad
                        reader[kind](folder / "good")
                    (folder / "good").unlink(missing_ok=True)  # a training that is complete removes its checkpoint
            if "training" in chosen:
                for algorithm in USUAL["algorithm"]:
                    w2v.train(sentences()[:9], min_count=1, workers=1, heldout=0.5, algorithm=algorithm)
            tracemalloc.start()
            for number in range(start, start + count):
                kind = chosen[number % len(chosen)]
                raw = mutated(random.Random(f"{seed} {number} {kind}"), goods[kind])
                path = folder / "mutated"
                path.unlink(missing_ok=True)  # never over a file that may still be mapped
                path.write_bytes(raw)
                outcome, seconds, memory = attempt(reader[kind], kind, path, raw)
                worst = max(worst[0], seconds), max(worst[1], memory)
                outcomes[kind]["FAILED" if outcome.startswith("!") else outcome] += 1
                if outcome.startswith("!"):
                    failed.append((kind, number, outcome[1:]))
                    if failures is not None:
                        failures.mkdir(exist_ok=True)
                        (failures / f"{kind}-{seed}-{number}").write_bytes(raw)
                if progress is not None and (number + 1 - start) % 5000 == 0:
                    progress(number + 1 - start, len(failed))
    finally:
        tracemalloc.stop()
    return outcomes, failed, worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200_000, help="how many files [200000]")
    parser.add_argument("--start", type=int, default=0, help="number of the first one [0]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", help="only this kind (repeatable)")
    parser.add_argument("--replay", nargs=2, metavar=("KIND", "FILE"), help="read one file and show what happens")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESS_SPACE, MOST_ADDRESS_SPACE))
    if options.replay:
        with TemporaryDirectory() as name:
            readers(Path(name))[options.replay[0]](Path(options.replay[1]))
        return 0
    started = time.perf_counter()

    def progress(done, failed):
        print(f"{done:,} files, {failed} failures, {time.perf_counter() - started:.0f} s", file=sys.stderr)  # noqa: T201

    outcomes, failed, worst = run(
        options.count,
        start=options.start,
        seed=options.seed,
        kinds=options.kind,
        failures=Path("fuzz-failures"),
        progress=progress,
    )
    for kind, counter in outcomes.items():
        print(f"{kind:10}", ", ".join(f"{name} {n:,}" for name, n in counter.most_common()))  # noqa: T201
    for kind, number, outcome in failed[:20]:
        print(f"\nfuzz-failures/{kind}-{options.seed}-{number}: {outcome}")  # noqa: T201
    files = sum(sum(counter.values()) for counter in outcomes.values())
    print(f"{files:,} files in {time.perf_counter() - started:.0f} s: {len(failed)} failures; "  # noqa: T201
          f"the slowest took {worst[0]:.2f} s, the greediest {worst[1] / 1e6:.1f} MB")  # fmt: skip
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
