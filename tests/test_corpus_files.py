"""Where text comes from and what it leaves behind: files, folders, archives, errors of the system, temporary files."""

import bz2
import gc
import gzip
import io
import lzma
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import zstandard
from texts import ALL, noise_text, put, sentences

from w2v.corpus import compression, encode_files
from w2v.errors import (
    CorpusError,
    FileAccessError,
    FormatError,
    MissingExtraError,
    NotAvailableError,
)
from w2v.settings import CorpusSettings

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


# ------------------------------------------------------------------------------------------------------ life and memory


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
