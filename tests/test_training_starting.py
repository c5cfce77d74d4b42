"""Training that starts from given vectors, frozen or not: rows, laws, files, resuming, growing, refusals."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import reference
from test_training import zipf_sentences
from test_training_checkpoint import assert_same_bits, ends_after

import w2v
from w2v.embedding import write_word2vec_binary, write_word2vec_text
from w2v.embedding.storage import read_model, write_model
from w2v.errors import CorpusTypeError, FileAccessError, FormatError, SettingsError
from w2v.training import read_checkpoint

SETTINGS = {"workers": 1, "epochs": 2, "window": 3, "min_count": 1, "seed": 3, "sample": 0.02}
D = 9


def given(words=40, d=D, *, contexts=True, seed=1):
    """Return vectors of every third word of the corpus, and of words that it has not."""
    rng = np.random.default_rng(seed)
    names = [f"w{3 * i}" for i in range(words)] + ["absent", "elsewhere"]
    W, C = (rng.normal(0, 0.4, (len(names), d)).astype(np.float32) for _ in range(2))
    W[2] = -0.0  # adding nothing to it would change its bits
    return w2v.Embedding(w2v.Vocabulary(names, np.arange(len(names), 0, -1)), W, C if contexts else None)


def bits(rows):
    return np.ascontiguousarray(rows, dtype=np.float32).view(np.int32)


@pytest.fixture(autouse=True)
def _report_every_chunk(monkeypatch):
    monkeypatch.setattr("w2v.training.session._REPORT_SECONDS", 0.0)


@pytest.fixture(scope="module")
def sentences():
    return zipf_sentences(tokens=6_000, V=120)


@pytest.fixture(scope="module")
def text(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("text") / "corpus.txt"
    path.write_text("".join(" ".join(s) + "\n" for s in sentences), encoding="utf-8")
    return path


def at_the_start(sentences, **more):
    """Return copies of W and C before the first update, and the embedding."""
    from w2v.corpus import encode_sentences
    from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
    from w2v.training import Training, start_from

    with (
        encode_sentences(sentences, CorpusSettings(min_count=1)) as corpus,
        Training(corpus, ContextSettings(), TrainingSettings(vector_size=D, seed=3)) as session,
    ):
        start = start_from(session, **more)
        return corpus.vocabulary, session.W.copy(), session.C.copy(), start, session.story["init"]


@pytest.mark.parametrize("contexts", [True, False])
def test_words_that_have_a_vector_start_from_it_and_others_as_usual(sentences, contexts):
    vectors = given(contexts=contexts)
    vocabulary, W, C, start, story = at_the_start(sentences, vectors=vectors)
    usual = reference.start_matrix(len(vocabulary), D, 3)
    taken = [word for word in vocabulary.words if word in vectors]
    for row, word in enumerate(vocabulary.words):
        if word in vectors:
            assert np.array_equal(bits(W[row]), bits(vectors[word]))
            assert np.array_equal(C[row], vectors.C[vectors.vocabulary.id(word)] if contexts else np.zeros(D))
        else:
            assert np.array_equal(W[row], usual[row])
            assert not C[row].any()
    assert start.to_dict() == {
        "given": len(vectors),
        "taken": len(taken),
        "fresh": len(vocabulary) - len(taken),
        "context_vectors": contexts,
        "frozen": False,
    }
    assert 20 < len(taken) < len(vectors)
    assert story == {"vectors": None, "sha256": None, **start.to_dict()}


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
def test_frozen_words_keep_every_bit_and_the_others_learn_from_them(sentences, algorithm, workers):
    vectors = given()
    settings = {**SETTINGS, "algorithm": algorithm, "workers": workers, "heldout": 0.05}
    made = w2v.train(sentences, init=vectors, freeze=True, **settings)
    usual = reference.start_matrix(len(made), D, 3)
    for row, word in enumerate(made.words):
        if word in vectors:
            assert np.array_equal(bits(made.W[row]), bits(vectors[word]))
            learnt = not np.array_equal(made.C[row], vectors.C[vectors.vocabulary.id(word)])
            assert learnt or made.vocabulary.counts[row] == 1  # which may be held out, and never be drawn as noise
        else:
            assert not np.array_equal(made.W[row], usual[row])
    assert made.W.shape == (len(made), D)
    assert made.provenance["init"]["frozen"] is True
    assert made.losses[1] < made.losses[0]
    moved = w2v.train(sentences, init=vectors, **settings)
    assert not np.array_equal(moved["w0"], vectors["w0"])
    assert moved.losses[-1] < made.losses[-1]  # what may move fits better


@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
def test_all_words_frozen_is_learning_of_context_vectors(sentences, algorithm):
    W = np.random.default_rng(0).normal(0, 0.4, (120, D)).astype(np.float32)
    vectors = w2v.Embedding(w2v.Vocabulary([f"w{i}" for i in range(120)], np.arange(120, 0, -1)), W)
    made = w2v.train(sentences, init=vectors, freeze=True, algorithm=algorithm, **SETTINGS)
    assert np.array_equal(made.W, np.array([vectors[word] for word in made.words]))
    assert made.C.any(axis=1).all()
    assert made.losses[1] < made.losses[0]


def test_the_same_again(sentences):
    one, other = (w2v.train(sentences, init=given(), freeze=True, **SETTINGS) for _ in range(2))
    assert_same_bits(one, other)


@pytest.mark.parametrize("name", ["v.bin", "v.txt", "v.txt.gz", "v.safetensors"])
def test_vectors_of_any_format(text, name):
    vectors = given(contexts=name.endswith("safetensors"))
    write = {"v.bin": write_word2vec_binary, "v.safetensors": lambda e, path: e.save(path)}.get(name)
    (write or write_word2vec_text)(vectors, name)
    made = w2v.train(text, init=name, freeze=True, **SETTINGS)
    assert_same_bits(made, w2v.train(text, init=vectors, freeze=True, **SETTINGS))
    record = made.provenance["init"]
    assert record["vectors"] == str(Path(name).resolve())
    assert record["sha256"] == hashlib.sha256(Path(name).read_bytes()).hexdigest()
    made.save("m.safetensors")
    assert w2v.load("m.safetensors").provenance["init"] == record


@pytest.mark.parametrize("freeze", [True, False])
@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
def test_an_interrupted_training_stays_frozen(text, algorithm, freeze):
    settings = {**SETTINGS, "algorithm": algorithm, "init": given(), "freeze": freeze}
    whole = w2v.train(text, **settings)
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(2_500), **settings)
    version = json.loads(read_model("t.ckpt").metadata["training_state"])["version"]
    assert version == (2 if freeze else 1)  # what does not know of frozen words must not go on from it
    Path("vectors").mkdir()  # nothing of the vectors is needed any more
    w2v.resume("t.ckpt", report=ends_after(7_000))
    assert_same_bits(w2v.resume("t.ckpt"), whole)
    assert whole.provenance["init"]["frozen"] is freeze


@pytest.mark.parametrize("rows", [[], [-1, 2], [0, 120], [0.5]])
def test_a_checkpoint_with_other_frozen_rows_is_refused(text, rows):
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(2_500), init=given(), freeze=True, **SETTINGS)
    stored = read_model("t.ckpt")
    write_model(
        "t.ckpt",
        stored.vocabulary,
        np.array(stored.W),
        np.array(stored.C),
        settings=stored.settings,
        provenance=stored.provenance,
        losses=stored.losses,
        metadata={"training_state": stored.metadata["training_state"]},
        others={**{name: np.array(array) for name, array in stored.others.items()}, "frozen_rows": np.array(rows)},
        force=True,
    )
    with pytest.raises(FormatError, match="frozen rows"):
        read_checkpoint("t.ckpt")


def test_a_model_trained_further_can_be_frozen_too(sentences):
    old = w2v.train(sentences, vector_size=D, **SETTINGS)
    more = [["w1", "new", "w2", "newer"], ["w3", "newer", "w5"]] * 40
    grown = w2v.train(more, continue_from=old, freeze=True, workers=1)
    assert {"new", "newer"} < set(grown.words)
    for word in old.words:
        assert np.array_equal(bits(grown[word]), bits(old[word]))
    record = grown.provenance["continued_from"]
    assert record["frozen"] is True
    assert record["drift"]["occurring"]["lowest"] == 1.0 and record["drift"]["farthest"] == []
    again = w2v.train(more, continue_from=w2v.train(sentences, init=given(), freeze=True, **SETTINGS), workers=1)
    assert not np.array_equal(again["w3"], given()["w3"])  # a freeze holds for its own training


# -------------------------------------------------------------------------------------------------------- refusals


def test_other_dimensions_are_refused_before_the_corpus_is_read():
    for path in (None, "v.bin"):
        vectors = given()
        if path:
            write_word2vec_binary(vectors, path)
        with pytest.raises(SettingsError, match=rf"vector_size=50, but {path or 'the embedding'}.* has 9 dimensions"):
            w2v.train("no-such-file.txt", init=path or vectors, vector_size=50)
    assert w2v.train(zipf_sentences(tokens=1000), init=given(), vector_size=D, **SETTINGS).vector_size == D


def test_contradictions_and_strangers_are_refused(sentences):
    with pytest.raises(SettingsError, match="freeze=True"):
        w2v.train(sentences, freeze=True)
    with pytest.raises(SettingsError, match="exclude each other"):
        w2v.train(sentences, init=given(), continue_from=given())
    with pytest.raises(FileAccessError, match=r"nowhere\.bin"):
        w2v.train(sentences, init="nowhere.bin")
    with pytest.raises(SettingsError, match=r"none of the 2 words of the corpus \('Katze', 'Hund'.*'w0', 'w3', 'w6'"):
        w2v.train([["Katze", "Katze", "Hund"]] * 9, init=given(), **SETTINGS)
    with pytest.raises(CorpusTypeError, match="type str, those of the corpus int"):
        w2v.train([[1, 2, 3]] * 9, init=given(), **SETTINGS)
    values = given().W.copy()
    values[4, 2] = np.nan
    broken = w2v.Embedding(given().vocabulary, values)
    with pytest.raises(FormatError, match="'w12' holds a number that is not finite"):
        w2v.train(sentences, init=broken, **SETTINGS)
    values[4, 2] = 0
    values[-1, 2] = np.inf  # of a word that the corpus has not
    w2v.train(sentences, init=w2v.Embedding(given().vocabulary, values), **SETTINGS)


# ---------------------------------------------------------------------------------------------------- command line


def test_the_command(cli, text):
    write_word2vec_binary(given(), "v.bin")
    common = ["--workers", 1, "--epochs", 2, "--window", 3, "--min-count", 1, "--seed", 3, "--sample", 0.02]
    told = cli("train", text, "--init", "v.bin", "--freeze", "--json", *common)
    assert told.status == 0, told.err
    assert "Start: 40 words with the vectors of v.bin (42 words), frozen; 79 words without" in told.err
    made = w2v.load("model.safetensors")
    assert_same_bits(made, w2v.train(text, init="v.bin", freeze=True, **SETTINGS))
    assert told.json["init"] == made.provenance["init"] and told.json["vector_size"] == D
    assert "frozen yes" in cli("info").out
    made.save("both.safetensors")
    told = cli("train", text, "--init", "both.safetensors", "--force", *common)
    assert "with the vectors and context vectors of both.safetensors (119 words); 0 words without" in told.err
    told = cli("train", text, "--continue-from", "both.safetensors", "--freeze", "-o", "further", "--workers", 1)
    assert "119 old words, frozen (119 of them occur in the text), 0 new words" in told.err
    assert "Drift of the 119 old words that occur in the new text: none" in told.err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--init", "v.bin", "--vector-size", "100"], 1, "--vector-size 100, but v.bin has 9 dimensions"),
        (["--init", "v.bin", "--continue-from", "m"], 2, "--continue-from and --init exclude each other"),
        (["--init", "v.bin", "--resume", "m.ckpt"], 2, "--resume and --init exclude each other"),
        (["--freeze"], 2, "--freeze goes with --init or --continue-from"),
        (["--freeze", "--resume", "m.ckpt"], 2, "stays frozen if it was"),
        (["--init", "nowhere.bin"], 1, "nowhere.bin"),
        (["--init", "v.bin", "--log-json", "v.bin"], 1, "would be overwritten"),
    ],
)
def test_the_command_refuses(cli, text, arguments, status, message):
    write_word2vec_binary(given(), "v.bin")
    told = cli("train", text, *arguments)
    assert told.status == status
    assert message in told.err
    assert not Path("model.safetensors").exists()
