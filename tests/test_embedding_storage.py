"""The model file: golden files, round trips, other readers, damage, and saves that are cut off."""

from __future__ import annotations

import json
import random
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from w2v.embedding import Embedding, load, storage
from w2v.errors import FileAccessError, FormatError, UnknownWordError, W2VError
from w2v.vocabulary import Vocabulary

GOLDEN = Path(__file__).parent / "golden"
WORDS = ["the", "king", "new york", "月", "", "\n", "café"]


def golden_model() -> Embedding:
    W = (np.arange(21, dtype=np.float32).reshape(7, 3) - 10) / 8
    W[3] = 0
    W[1, 1] = 0.1
    return Embedding(
        Vocabulary(WORDS, [90, 40, 12, 7, 5, 5, 5]),
        W,
        -W[::-1],
        settings={
            "corpus": {"tokenizer": "whitespace", "min_count": 5, "max_vocab": None},
            "context": {"window": 5, "shrink_windows": True, "sample": 0.001},
            "training": {"vector_size": 3, "negative": 5, "alpha": 0.025},
        },
        provenance={"package_version": "0.1.0", "created": "2024-01-02T03:04:05+00:00", "algorithm": "by hand 手"},
        losses=(2.5, 1.0 / 3.0),
    )


def golden_keys() -> Embedding:
    return Embedding(Vocabulary([10, -7, 2**62], [3, 2, 1]), np.array([[1, 0], [0, 2], [0.5, 0.5]], dtype=np.float32))


def assert_same(one: Embedding, other: Embedding) -> None:
    assert one.words == other.words
    assert one.counts.tolist() == other.counts.tolist()
    assert np.array_equal(one.W, other.W, equal_nan=True)
    assert (one.C is None) == (other.C is None)
    assert one.C is None or np.array_equal(one.C, other.C)
    assert one.settings == other.settings
    assert one.provenance == other.provenance
    assert np.array_equal(one.losses, other.losses, equal_nan=True)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def parts(path: Path) -> tuple[dict, bytes]:
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    return json.loads(raw[8 : 8 + length]), raw[8 + length :]


def assemble(path: Path, table: dict, data: bytes) -> Path:
    text = json.dumps(table).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


# ---------------------------------------------------------------- golden files


def test_golden_model_loads_with_its_exact_values():
    model = load(GOLDEN / "model-v1.safetensors")
    assert model.words == WORDS
    assert model.counts.tolist() == [90, 40, 12, 7, 5, 5, 5]
    assert model["king"].tolist() == [-0.875, float(np.float32(0.1)), -0.625]
    assert model["月"].tolist() == [0, 0, 0]
    assert model["the"].tolist() == [-1.25, -1.125, -1.0]
    assert model.C is not None
    assert model.C[6].tolist() == [1.25, 1.125, 1.0]
    assert model.settings["context"] == {"window": 5, "shrink_windows": True, "sample": 0.001}
    assert model.provenance["algorithm"] == "by hand 手"
    assert model.epoch_losses == (2.5, 1.0 / 3.0)
    assert_same(model, golden_model())


def test_golden_keys_load_with_their_exact_values():
    model = load(GOLDEN / "model-v1-keys.safetensors")
    assert model.words == [10, -7, 2**62]
    assert model[-7].tolist() == [0.0, 2.0]
    assert model.C is None
    assert (model.settings, model.provenance, model.losses) == ({}, {}, ())


@pytest.mark.parametrize("name", ["model-v1.safetensors", "model-v1-keys.safetensors"])
def test_saving_a_golden_file_again_gives_the_same_bytes(tmp_path, name):
    load(GOLDEN / name).save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (GOLDEN / name).read_bytes()
    made = golden_model() if name == "model-v1.safetensors" else golden_keys()
    made.save(tmp_path / "made.safetensors")
    assert (tmp_path / "made.safetensors").read_bytes() == (GOLDEN / name).read_bytes()


# ---------------------------------------------------------------- round trips


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.text(max_size=12), max_size=12, unique=True),
    d=st.integers(1, 9),
    padding=st.integers(0, 7),
    with_context=st.booleans(),
    losses=st.lists(st.floats(), max_size=3),
)
def test_any_words_and_strided_rows_come_back_exactly(tmp_path, words, d, padding, with_context, losses):
    rng = np.random.default_rng(len(words) + d)
    W = rng.standard_normal((len(words), d + padding)).astype(np.float32)[:, :d]
    C = rng.standard_normal((d, len(words))).astype(np.float32).T if with_context else None
    model = Embedding(Vocabulary(words, list(range(len(words), 0, -1))), W, C, losses=losses)
    model.save(tmp_path / "m", force=True)
    back = load(tmp_path / "m")
    assert np.array_equal(np.isfinite(model.losses), np.isfinite(back.losses))
    back.losses = model.losses = ()
    assert_same(model, back)
    assert all(np.array_equal(back[w], W[i]) for i, w in enumerate(words))


def test_words_that_trip_other_formats_survive(tmp_path):
    words = ["human", " ", "new york", "", "\n", "\t", "\r", "\0", "\ufeffbom", "10\u00a0km", "я" * 40 + "ж" * 80, "#"]
    Embedding(Vocabulary(words, [1] * len(words)), np.eye(len(words))).save(tmp_path / "m.safetensors")
    back = load(tmp_path / "m.safetensors")
    assert back.words == words
    assert [int(back[w].argmax()) for w in words] == list(range(len(words)))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(keys=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8, unique=True))
def test_any_integer_keys_come_back(tmp_path, keys):
    W = np.arange(2 * len(keys), dtype=np.float32).reshape(-1, 2)
    Embedding(Vocabulary(keys, [1] * len(keys)), W).save(tmp_path / "m", force=True)
    back = load(tmp_path / "m")
    assert back.words == keys
    assert all(np.array_equal(back[k], W[i]) for i, k in enumerate(keys))


def test_rows_are_written_in_bounded_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "CHUNK_BYTES", 4 * 5 * 3)  # three rows a piece, 100 is no multiple
    W = np.random.default_rng(0).standard_normal((100, 8)).astype(np.float32)[:, :5]
    Embedding(Vocabulary([f"w{i}" for i in range(100)], [1] * 100), W, W * 2).save(tmp_path / "m")
    back = load(tmp_path / "m")
    assert np.array_equal(back.W, W)
    assert np.array_equal(back.C, W * 2)


def test_values_of_numpy_and_paths_in_the_provenance_become_plain(tmp_path):
    model = Embedding(
        Vocabulary(["a"], [1]),
        [[1.0]],
        settings={"training": {"seed": np.int64(3), "alpha": np.float32(0.5)}},
        provenance={"corpus": {"paths": (Path("/x/y"), "caf\udce9.txt")}},
    )
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    assert back.settings == {"training": {"seed": 3, "alpha": 0.5}}
    assert back.provenance == {"corpus": {"paths": ["/x/y", "caf\udce9.txt"]}}
    assert safe_open(tmp_path / "m", "numpy").metadata()["format"] == "w2v"


def test_words_that_could_not_be_read_again_are_not_written(tmp_path):
    for words, message in ([["a", "b", "a"], "'a' occurs more than once"], [["ok", "bad\ud800"], r"'bad\\ud800'"]):
        with pytest.raises(FormatError, match=message):
            Embedding(Vocabulary(words, [1] * len(words)), np.ones((len(words), 2))).save(tmp_path / "m")
    assert names(tmp_path) == []


# ---------------------------------------------------------------- other readers of the layout


def test_the_reference_reader_opens_our_files():
    tensors = load_file(GOLDEN / "model-v1.safetensors")
    expected = golden_model()
    assert sorted(tensors) == ["C", "W", "counts", "word_offsets", "words"]
    assert np.array_equal(tensors["W"], expected.W)
    assert np.array_equal(tensors["C"], expected.C)
    assert tensors["counts"].tolist() == expected.counts.tolist()
    assert tensors["words"].tobytes().decode() == "".join(WORDS)
    metadata = safe_open(GOLDEN / "model-v1.safetensors", "numpy").metadata()
    assert metadata["format_version"] == "1"
    assert metadata["key_type"] == "str"
    assert json.loads(metadata["settings"]) == expected.settings
    assert load_file(GOLDEN / "model-v1-keys.safetensors")["keys"].tolist() == [10, -7, 2**62]


def test_an_empty_vocabulary_is_a_valid_file_too(tmp_path):
    Embedding(Vocabulary([], []), np.empty((0, 4))).save(tmp_path / "m")
    assert load(tmp_path / "m").W.shape == (0, 4)
    assert load_file(tmp_path / "m")["W"].shape == (0, 4)


def test_a_model_rewritten_by_the_reference_library_loads_with_additions(tmp_path):
    """It orders tensors in its own way; what we do not know is ignored."""
    tensors = load_file(GOLDEN / "model-v1.safetensors")
    metadata = safe_open(GOLDEN / "model-v1.safetensors", "numpy").metadata()
    save_file({**tensors, "extra": np.zeros(3)}, tmp_path / "m", {**metadata, "note": "from elsewhere"})
    assert_same(load(tmp_path / "m"), golden_model())


def test_a_safetensors_file_of_another_kind_is_told_by_its_tensors(tmp_path):
    save_file({"bert.embeddings": np.zeros((3, 2), np.float32)}, tmp_path / "m")
    with pytest.raises(FormatError, match=r"not a w2v model; its tensors: bert\.embeddings F32 \[3, 2\]"):
        load(tmp_path / "m")


@pytest.mark.parametrize("name", ["model-v1.safetensors", "model-v1-keys.safetensors"])
def test_arrays_are_aligned_mapped_and_read_only(name):
    model = load(GOLDEN / name)
    assert model.W.ctypes.data % 64 == 0
    assert model.counts.ctypes.data % 8 == 0
    assert not model.W.flags.writeable
    assert not model.W.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        model.W[0, 0] = 1


def test_loading_reads_no_page_of_the_matrices(tmp_path):
    """4 MB of vectors, and the resident memory does not grow by one."""
    code = """
import sys, os
sys.path.insert(0, sys.argv[2])
import numpy as np
from w2v.embedding import Embedding, load
from w2v.vocabulary import Vocabulary
V, d = 1000, 1000
Embedding(Vocabulary(list(range(V)), [1] * V), np.ones((V, d), np.float32)).save(sys.argv[1])
before = int(open("/proc/self/statm").read().split()[1])
model = load(sys.argv[1])
grown = (int(open("/proc/self/statm").read().split()[1]) - before) * os.sysconf("SC_PAGE_SIZE")
assert grown < 1_000_000, grown
assert model[7].sum() == d
assert not {"numba", "scipy", "click", "tqdm"} & set(sys.modules)
"""
    root = str(Path(__file__).parent.parent)
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "m"), root], check=True, timeout=60)


# ---------------------------------------------------------------- versions and damage


def test_a_newer_format_version_is_refused_in_clear_words(tmp_path):
    table, data = parts(GOLDEN / "model-v1.safetensors")
    table["__metadata__"]["format_version"] = "3"
    with pytest.raises(FormatError, match="format version 3, and this w2v reads up to 2; install a newer"):
        load(assemble(tmp_path / "m", table, data))


def change(table: dict, path: tuple, value: object) -> None:
    for key in path[:-1]:
        table = table[key]
    if value is None:
        del table[path[-1]]
    else:
        table[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("W",), None, "leaves a gap"),
        (("W", "dtype"), "F64", "needs 168 bytes but has 84"),
        (("W", "dtype"), "F99", "unknown dtype 'F99'"),
        (("W", "dtype"), ["F32"], "unknown dtype"),
        (("W", "dtype"), "I32", r"W must be F32 with 2 dimension\(s\); got I32 \[7, 3\]"),
        (("W", "shape"), [3, 7], "shapes do not fit together"),
        (("W", "shape"), [21], r"W must be F32 with 2 dimension"),
        (("W", "shape"), [7, -3], "impossible shape"),
        (("W", "shape"), [7, 3.0], "impossible shape"),
        (("W", "shape"), [True, 21], "impossible shape"),
        (("W", "shape"), [10**30, 10**30], "impossible shape"),
        (("W", "shape"), [2**62, 2**62], "needs .* bytes but has 84"),
        (("W", "data_offsets"), [0, 84], "overlaps"),
        (("W", "data_offsets"), [84, 0], "needs 84 bytes but has -84"),
        (("W", "data_offsets"), [1], "impossible"),
        (("W", "data_offsets"), None, "must have dtype, shape and data_offsets"),
        (("words", "shape"), [10**9], "needs 1000000000 bytes"),
        (("__metadata__", "key_type"), "float", "key_type must be 'str' or 'int'"),
        (("__metadata__", "key_type"), "int", "the tensor 'keys' is missing"),
        (("__metadata__", "key_type"), 3, "must map names to strings"),
        (("__metadata__",), [], "must map names to strings"),
        (("__metadata__",), None, "not a w2v model"),
        (("__metadata__", "format_version"), "one", "format_version must be a whole number; got 'one'"),
        (("__metadata__", "format_version"), "0", "format_version must be a whole number"),
        (("__metadata__", "settings"), "{", "settings in the metadata is not valid JSON"),
        (("__metadata__", "settings"), "[]", "settings in the metadata must be a JSON object"),
        (("__metadata__", "provenance"), "[" * 100_000, "provenance in the metadata is not valid JSON"),
        (("__metadata__", "losses"), '["x"]', "losses in the metadata must be numbers"),
        (("__metadata__", "losses"), f"[1{'0' * 400}]", "losses in the metadata must be numbers"),
        (("__metadata__", "losses"), f"[1{'0' * 5000}]", "losses in the metadata is not valid JSON"),
    ],
)
def test_a_damaged_header_is_named(tmp_path, path, value, message):
    table, data = parts(GOLDEN / "model-v1.safetensors")
    change(table, path, value)
    with pytest.raises(FormatError, match=message):
        load(assemble(tmp_path / "m", table, data))


def test_odd_headers_are_refused_before_memory_is_taken(tmp_path):
    good = (GOLDEN / "model-v1.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", good[:8])
    file = tmp_path / "m"
    for raw, message in [
        (good[:-1], "cut short"),
        (good + b"\0", "belong to no tensor"),
        (good[: 8 + length], "cut short"),
        (good[:100], "the header claims"),
        (struct.pack("<Q", 2**40) + good[8:], "the header claims 1099511627776 bytes but only"),
        (struct.pack("<Q", 2**40 - 1) + good[8:], "the header claims"),
        (struct.pack("<Q", 16) + b'{"a":' + b"[" * 11, "not valid JSON"),
        (struct.pack("<Q", 14) + b'{"a":1,"a":2} ', "the name 'a' occurs twice"),
        (struct.pack("<Q", 10) + b'{"a":NaN} ', "must have dtype"),
        (struct.pack("<Q", 200_000) + b'{"a":' + b"[" * 199_995, "not valid JSON"),
        (struct.pack("<Q", 4) + b'{"\xff"', "not valid JSON"),
    ]:
        file.write_bytes(raw)
        with pytest.raises(FormatError, match=message):
            load(file)


def test_damage_inside_the_tensors_is_found(tmp_path):
    table, data = parts(GOLDEN / "model-v1.safetensors")

    def damaged(name: str, at: int, raw: bytes) -> Embedding:
        begin = table[name]["data_offsets"][0] + at
        return load(assemble(tmp_path / "m", table, data[:begin] + raw + data[begin + len(raw) :]))

    with pytest.raises(FormatError, match="word offsets do not rise"):
        damaged("word_offsets", 8, struct.pack("<q", 100))
    with pytest.raises(FormatError, match="word offsets do not rise"):
        damaged("word_offsets", 0, struct.pack("<q", -1))
    with pytest.raises(FormatError, match="counts are negative"):
        damaged("counts", 0, struct.pack("<q", -1))
    with pytest.raises(FormatError, match="too large"):
        damaged("counts", 0, struct.pack("<qq", 2**62, 2**62))
    broken = damaged("words", 0, b"\xff")  # found at the first look-up
    with pytest.raises(FormatError, match="word 0 is not valid UTF-8"):
        broken["king"]
    for raw, shown in ((struct.pack("<f", float("nan")), "nan"), (struct.pack("<f", float("-inf")), "-inf")):
        broken = damaged("W", 4 * 4, raw)
        assert broken["the"].shape == (3,)
        with pytest.raises(FormatError, match=rf"'king' \(row 1 of W\) holds {shown} in column 1"):
            broken.most_similar("the")


def use(path: Path) -> None:
    try:
        model = load(path)
        words = model.words
        model.most_similar(words[0], topn=2)
        model.most_similar("nobody")
    except (W2VError, IndexError):
        pass


def test_mutated_files_end_in_our_errors_only(tmp_path):
    """Bytes changed, inserted, dropped and repeated, mostly in the header."""
    rng = random.Random(20240101)
    goods = [(GOLDEN / name).read_bytes() for name in ("model-v1.safetensors", "model-v1-keys.safetensors")]
    file = tmp_path / "m"
    for _ in range(3000):
        raw = bytearray(rng.choice(goods))
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            at = rng.randrange(len(raw) if rng.random() < 0.3 else len(raw) * 3 // 4)
            kind = rng.randrange(5)
            if kind == 0:
                raw[at] = rng.randrange(256)
            elif kind == 1:
                raw[at] = rng.choice(b'0123456789-"{}[],:.eE \\')
            elif kind == 2:
                del raw[at : at + rng.choice((1, 4, 64))]
            elif kind == 3:
                raw[at:at] = bytes(raw[at : at + rng.choice((1, 4, 64))])
            else:
                raw[at : at + 8] = struct.pack("<q", rng.choice((-1, 0, 2**31, 2**63 - 1, rng.randrange(5000))))
            if len(raw) < 8:
                break
        file.write_bytes(raw)
        use(file)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), value=json_values)
def test_any_json_in_any_place_of_the_header_ends_in_our_errors_only(tmp_path, data, value):
    table, payload = parts(GOLDEN / "model-v1.safetensors")
    paths = [(a,) for a in table] + [(a, b) for a in table for b in table[a]]
    change(table, data.draw(st.sampled_from(paths)), value)
    use(assemble(tmp_path / "m", table, payload))


# ---------------------------------------------------------------- saves that are cut off


def test_an_existing_file_needs_force(tmp_path):
    target = tmp_path / "model.safetensors"
    golden_keys().save(target)
    before = target.read_bytes()
    with pytest.raises(FileAccessError, match="exists already; --force"):
        golden_model().save(target)
    assert target.read_bytes() == before
    golden_model().save(target, force=True)
    assert_same(load(target), golden_model())
    assert names(tmp_path) == ["model.safetensors"]


def test_a_mapped_model_can_be_saved_over_itself(tmp_path):
    golden_model().save(tmp_path / "m")
    model = load(tmp_path / "m")
    model.save(tmp_path / "m", force=True)
    assert_same(model, golden_model())
    assert_same(load(tmp_path / "m"), golden_model())


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
def test_a_save_that_fails_midway_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, error):
    golden_keys().save(tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    calls = []
    write_rows = storage._write_rows

    def failing(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise error
        write_rows(*arguments)

    monkeypatch.setattr(storage, "_write_rows", failing)
    with pytest.raises(FileAccessError if isinstance(error, OSError) else type(error)):
        golden_model().save(tmp_path / "m", force=True)
    assert (tmp_path / "m").read_bytes() == before
    assert names(tmp_path) == ["m"]


SAVER = """
import sys
sys.path.insert(0, sys.argv[2])
import numpy as np
from w2v.embedding import Embedding
from w2v.vocabulary import Vocabulary
V, d = 3000, 50
for i in range(10**6):
    W = np.full((V, d), i % 7, np.float32)
    Embedding(Vocabulary(list(range(V)), [1] * V), W, W).save(sys.argv[1], force=True)
    print(i, flush=True)
"""


def test_kill_9_during_saves_leaves_a_whole_model(tmp_path):
    rng = random.Random(5)
    target = tmp_path / "model.safetensors"
    root = str(Path(__file__).parent.parent)
    for _ in range(4):
        command = [sys.executable, "-c", SAVER, str(target), root]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(rng.random() * 0.1)
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=30)
        model = load(target)
        value = model.W[0, 0]
        assert bool(np.all(value == model.W))
        assert np.array_equal(model.W, model.C)
    abandoned = target.with_name(".model.safetensors.0123abcd.tmp")
    abandoned.write_bytes(b"half")
    golden_model().save(target, force=True)  # what killed saves left behind goes with the next one
    assert names(tmp_path) == ["model.safetensors"]


def test_a_file_size_limit_is_an_error_that_keeps_the_old_file(tmp_path):
    code = """
import sys, resource
sys.path.insert(0, sys.argv[2])
import numpy as np
from w2v.embedding import Embedding
from w2v.errors import FileAccessError
from w2v.vocabulary import Vocabulary
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    Embedding(Vocabulary(list(range(1000)), [1] * 1000), np.ones((1000, 100))).save(sys.argv[1], force=True)
except FileAccessError as error:
    print(error)
"""
    golden_model().save(tmp_path / "m")
    root = str(Path(__file__).parent.parent)
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "m"), root], check=True, capture_output=True, text=True, timeout=60
    )
    assert "File too large" in run.stdout
    assert_same(load(tmp_path / "m"), golden_model())
    assert names(tmp_path) == ["m"]


def test_integer_keys_are_never_positions():
    """A field report: walks over nodes 10, 11, 12, and wv[0] gave the vector of the most frequent node."""
    model = load(GOLDEN / "model-v1-keys.safetensors")
    assert model[10].tolist() == [1.0, 0.0]
    for unknown in (0, "10", 1, True, 10.0):
        assert unknown not in model
        with pytest.raises(UnknownWordError):
            model[unknown]
