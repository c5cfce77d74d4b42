"""bzip2, xz and zstd in frames: one after the other, cut off, damaged, or asking for absurd memory."""

import binascii
import bz2
import io
import lzma
import struct
import tracemalloc
import zlib

import pytest
import zstandard

from w2v.frames import PIECE, Bz2Reader, XzReader, ZstdReader, zstd_writer

DATA = bytes(range(256)) * 300 + b"0" * 200_000


def read(reader, data, size=1000):
    stream, parts = reader(io.BytesIO(data)), []
    while part := stream.read(size):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("size", [1, 999, 1 << 20])
@pytest.mark.parametrize(
    ("reader", "compress"),
    [(Bz2Reader, bz2.compress), (XzReader, lzma.compress), (ZstdReader, zstandard.compress)],
)
def test_frames_one_after_the_other(reader, compress, size):
    data = DATA if size > 1 else DATA[:2000]
    assert read(reader, compress(data), size) == data
    assert read(reader, compress(data) + compress(b"") + compress(data[:70]), size) == data + data[:70]
    assert read(reader, b"", size) == b""


def test_xz_padding():
    stream = lzma.compress(DATA)
    assert read(XzReader, stream + b"\0" * 4 + stream + b"\0" * (PIECE + 8)) == DATA * 2


def checked(data):
    """Zstd as we write it, with a checksum: without one a changed byte may go unseen."""
    file = io.BytesIO()
    with zstd_writer(file) as stream:
        stream.write(data)
    return file.getvalue()


@pytest.mark.parametrize(
    ("reader", "compress"),
    [(Bz2Reader, bz2.compress), (XzReader, lzma.compress), (ZstdReader, checked)],
)
def test_what_is_cut_off_or_damaged_is_noticed(reader, compress):
    good = compress(DATA)
    for cut in (len(good) - 1, len(good) // 2, 13):
        with pytest.raises((EOFError, OSError, lzma.LZMAError, zlib.error)):
            read(reader, good[:cut])
    for bad in (good[:40] + bytes(255 - byte for byte in good[40:43]) + good[43:], good + b"no frame at all"):
        with pytest.raises((EOFError, OSError, lzma.LZMAError, zlib.error)):
            read(reader, bad)


@pytest.mark.parametrize(("reader", "compress"), [(Bz2Reader, bz2.compress), (XzReader, lzma.compress)])
@pytest.mark.parametrize("rest", [b"garbage\n", b"x", b"B\0\0", b"\xfd7zip" * 5000])
def test_what_follows_the_last_stream_and_is_none_is_told(reader, compress, rest):
    with pytest.raises((OSError, lzma.LZMAError), match="other data follow the last stream"):
        read(reader, compress(DATA) + rest)


def test_a_hole_after_a_stream_hides_nothing():
    with pytest.raises(OSError, match="other data follow"):
        read(Bz2Reader, bz2.compress(DATA) + b"\0" * 5000 + bz2.compress(DATA))


def test_a_dictionary_of_four_gigabytes_is_refused_before_memory_is_taken():
    good = bytearray(lzma.compress(b"a", preset=0))
    at = good.index(b"\x21\x01", 12)  # the filter LZMA2, one byte of properties: the size of its dictionary
    good[at + 2] = 40
    header = good[12 : 12 + (good[12] + 1) * 4 - 4]
    good[12 + len(header) : 16 + len(header)] = struct.pack("<I", binascii.crc32(header))
    tracemalloc.start()
    with pytest.raises(lzma.LZMAError, match=r"[Mm]emory"):
        read(XzReader, bytes(good))
    assert tracemalloc.get_traced_memory()[1] < 5 << 20
    tracemalloc.stop()


def test_written_zstd_is_read():
    assert read(ZstdReader, checked(DATA)) == DATA
