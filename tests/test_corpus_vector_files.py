"""Files of vectors in a folder of texts: left out, told, and never taken for text nor text for them."""

from pathlib import Path

import numpy as np
import pytest
from commands import ROOT

import w2v
from w2v.corpus import check_corpus, encode, find_files
from w2v.corpus.vector_files import kind_of_vectors
from w2v.embedding.writing import write
from w2v.errors import CorpusError, FileAccessError

GOLDEN = ROOT / "tests" / "golden"
TEXT = "the cat sat\nthe dog ran\n" * 9
VECTORS = {
    "model-v1.safetensors": "a model of w2v",
    "model-v1-keys.safetensors": "a model of w2v",
    "checkpoint-v1.safetensors": "a model of w2v",
    "fasttext.bin": "a fastText model",
    "gensim.bin": "word2vec vectors (binary)",
    "word2vec-c.bin": "word2vec vectors (binary)",
}


def embedding():
    return w2v.Embedding(w2v.Vocabulary(["the", "cat"], [2, 1]), np.eye(2) + 0.1)


@pytest.mark.parametrize("name", VECTORS)
def test_golden_files_are_recognised(name):
    assert kind_of_vectors((GOLDEN / name).read_bytes()[:4096]) == VECTORS[name]


def test_files_of_our_own_and_of_numpy_are_recognised(tmp_path):
    embedding().save(tmp_path / "m")
    write(embedding(), tmp_path / "z", "npz")
    np.save(tmp_path / "n.npy", np.eye(3))
    other = b'{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    (tmp_path / "o").write_bytes(len(other).to_bytes(8, "little") + other + bytes(4))
    kinds = {path.name: kind_of_vectors(path.read_bytes()[:4096]) for path in tmp_path.iterdir()}
    assert kinds == {
        "m": "a model of w2v",
        "z": "numpy arrays (.npz)",
        "n.npy": "a numpy array (.npy)",
        "o": "a safetensors file",
    }


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\0" * 4096,
        b'{"text": "the cat"}\n',
        b"12 100\nthe cat sat\n",
        b"12 100\nthe \x07 caf\xc3\xa9\n",
        "12 100\ncafé au lait\n".encode("latin-1"),
        b"PK\x03\x04" + bytes(22) + b"\x05\0\0\0c.txt",
        b"PK\x03\x04",
        TEXT.encode("utf-16"),
        TEXT.encode("utf-32-be"),
    ],
)
def test_nothing_else_is(head):
    assert kind_of_vectors(head) is None


def test_a_folder_is_read_without_the_models_in_it(tmp_path):
    folder = tmp_path / "texts"
    (folder / "runs").mkdir(parents=True)
    (folder / "c.txt").write_text(TEXT)
    embedding().save(folder / "m.safetensors")
    embedding().save(folder / "runs" / "m.ckpt")
    models = [str(folder / "m.safetensors"), str(folder / "runs" / "m.ckpt")]
    found: list[str] = []
    assert find_files([folder], skipped=found.append) == [str(folder / "c.txt")] and found == models
    hints: list[str] = []
    with encode(folder, w2v.CorpusSettings(min_count=1), hint=hints.append) as corpus:
        assert corpus.source.paths == (str(folder / "c.txt"),) and corpus.source.tokens == 54
    assert hints == [f"not text and left out: 2 vector files, {models[0]}, {models[1]}"]
    report = check_corpus(folder)
    assert report.files == (str(folder / "c.txt"),) and not any(f.kind == "unreadable" for f in report.findings)
    assert [f.severity for f in report.findings if f.kind == "vectors"] == ["note"]


def test_a_model_that_is_named_is_refused(tmp_path):
    embedding().save(tmp_path / "m.safetensors")
    for corpus in (tmp_path / "m.safetensors", str(tmp_path / "*.safetensors")):
        with pytest.raises(CorpusError, match=r"m\.safetensors is a model of w2v, not text"):
            encode(corpus)
    with pytest.raises(FileAccessError, match=r"there is no text in the folder .*, only vectors: .*m\.safetensors$"):
        encode(tmp_path)
    for number in range(7):
        embedding().save(tmp_path / f"{number}")
    with pytest.raises(FileAccessError, match=r"only vectors: .*/0 and 7 more$"):
        encode(tmp_path)
    (tmp_path / "text").write_text(TEXT)
    hints: list[str] = []
    with encode(tmp_path, w2v.CorpusSettings(min_count=1), hint=hints.append):
        assert len(hints) == 1 and ": 8 vector files, " in hints[0] and hints[0].endswith("/4 and 3 more")


def test_a_training_into_its_own_folder_can_be_repeated(cli, planted_corpus, tmp_path):
    folder = Path(tmp_path, "texts")
    folder.mkdir()
    (folder / "c.txt").write_bytes(planted_corpus.read_bytes())
    command = ("train", folder, "-o", folder / "m.safetensors", "--vector-size", 8, "--epochs", 1, "--workers", 1)
    assert "left out" not in cli(*command).err
    first = w2v.load(folder / "m.safetensors").W.copy()
    assert "--force" in cli(*command).err
    again = cli(*command, "--force")
    assert again.status == 0 and f"Hint: not text and left out: 1 vector file, {folder / 'm.safetensors'}" in again.err
    np.testing.assert_array_equal(w2v.load(folder / "m.safetensors").W, first)
