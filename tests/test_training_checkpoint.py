"""Checkpoints: a training that is interrupted and resumed ends with the same bits; damage and other texts are told."""

import dataclasses
import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest
import reference

import w2v
from w2v.corpus import encode_files, encode_sentences
from w2v.embedding.storage import read_model, write_model
from w2v.errors import CorpusError, FileAccessError, FormatError, NotAvailableError, SettingsError, TrainingError
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training import Checkpoints, Training, read_checkpoint
from w2v.training.cadence import Cadence

GOLDEN = Path(__file__).parent / "golden"
SETTINGS = {"min_count": 1, "vector_size": 9, "workers": 1, "epochs": 3, "seed": 5, "sample": 0.02, "window": 3}
TOKENS = 9_100  # five chunks, the last one short


def sentences(tokens=TOKENS, V=70, seed=0):
    rng = np.random.default_rng(seed)
    ids = np.minimum(rng.zipf(1.3, tokens) - 1, V - 1)
    return [[f"w{i}" for i in ids[a : a + 13]] for a in range(0, tokens, 13)]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "corpus.txt"
    path.write_text("".join(" ".join(s) + "\n" for s in sentences()), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _report_every_chunk(monkeypatch):
    monkeypatch.setattr("w2v.training.session._REPORT_SECONDS", 0.0)


class Interrupted(Exception):
    """Stands for whatever ends a training in its middle."""


def ends_after(words, how=w2v.STOP):
    """Return a report function that ends the training once so many words are trained."""

    def report(progress):
        if progress.words < words:
            return None
        if how is w2v.STOP:
            return w2v.STOP
        raise how

    return report


def assert_same_bits(one, other):
    assert one.words == other.words and one.counts.tolist() == other.counts.tolist()
    for a, b in ((one.W, other.W), (one.C, other.C)):
        assert np.array_equal(np.ascontiguousarray(a).view(np.int32), np.ascontiguousarray(b).view(np.int32))
    assert one.losses == other.losses
    assert one.settings == other.settings
    assert one.provenance.get("heldout") == other.provenance.get("heldout")
    assert one.provenance["finished"] and other.provenance["finished"]


@pytest.fixture(scope="module")
def uninterrupted(text):
    return {
        (algorithm, heldout): w2v.train(text, algorithm=algorithm, heldout=heldout, **SETTINGS)
        for algorithm in ("blocked", "pairwise")
        for heldout in (0.0, 0.05)
    }


# ------------------------------------------------------------------------------------------------- exact resumption


@pytest.mark.parametrize("heldout", [0.0, 0.05])
@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
@pytest.mark.parametrize("words", [1, 4_500, 9_000, 13_000, 25_000])
def test_a_resumed_training_ends_with_the_same_bits(text, uninterrupted, algorithm, heldout, words):
    """A field report: training that was resumed began again at epoch 1, with the first learning rate."""
    settings = {**SETTINGS, "algorithm": algorithm, "heldout": heldout}
    part = w2v.train(text, checkpoint="t.ckpt", report=ends_after(words), **settings)
    assert part.provenance["finished"] is False and len(part.losses) == part.provenance["stopped_at"]["epoch"]
    kept = w2v.load("t.ckpt")  # a model file like any other
    assert np.array_equal(kept.W, part.W) and kept.losses == part.losses
    alphas = []
    resumed = w2v.resume("t.ckpt", report=lambda p: alphas.append(p.alpha))
    assert alphas[0] < 0.025 and alphas == sorted(alphas, reverse=True)
    assert_same_bits(resumed, uninterrupted[algorithm, heldout])
    assert not Path("t.ckpt").exists()


def test_interrupted_again_and_again(text, uninterrupted):
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(1), **SETTINGS)
    times = 0
    while Path("t.ckpt").exists():
        first = read_checkpoint("t.ckpt")
        stood = first.ledger.epoch * TOKENS + first.ledger.chunk * first.plan.chunk_tokens
        last = w2v.resume("t.ckpt", report=ends_after(stood + 1))
        times += 1
    assert times > 3
    assert_same_bits(last, uninterrupted["blocked", 0.0])


@pytest.mark.parametrize("how", [KeyboardInterrupt, Interrupted])
@pytest.mark.parametrize("where", ["report", "on_epoch"])
def test_what_ends_a_training_by_an_exception_is_kept(text, uninterrupted, how, where):
    def at_epoch(progress, embedding):
        if progress.epoch == 2:
            raise how

    callback = {"report": ends_after(11_000, how)} if where == "report" else {"on_epoch": at_epoch}
    with pytest.raises(how):
        w2v.train(text, checkpoint="t.ckpt", **callback, **SETTINGS)
    assert threading.active_count() == 1
    assert_same_bits(w2v.resume("t.ckpt"), uninterrupted["blocked", 0.0])


@pytest.mark.parametrize("every", [1, "2k", "9.1k", "0.001s"])
def test_checkpoints_on_the_way_change_nothing(text, uninterrupted, every, monkeypatch):
    written = []
    write = Checkpoints.write

    def keep(self, session, path=None):
        write(self, session, path)
        written.append(Path(self.path).read_bytes())

    monkeypatch.setattr(Checkpoints, "write", keep)
    whole = w2v.train(text, checkpoint="t.ckpt", checkpoint_every=every, **SETTINGS)
    assert_same_bits(whole, uninterrupted["blocked", 0.0])
    assert len(written) >= 2 and not Path("t.ckpt").exists()
    for content in (written[0], written[-1]):
        Path("t.ckpt").write_bytes(content)
        assert_same_bits(w2v.resume("t.ckpt", checkpoint_every="never"), uninterrupted["blocked", 0.0])


def test_with_several_workers_a_checkpoint_is_taken_when_all_rest(text, monkeypatch):
    """A field report: a checkpoint was written while other threads changed the matrix."""
    seen = []
    write = Checkpoints.write

    def look(self, session, path=None):
        assert threading.active_count() == 1 and session.sound
        before = session.W.copy()
        write(self, session, path)
        stored = read_checkpoint(self.path)
        assert np.array_equal(stored.stored.W, before) and np.array_equal(session.W, before)
        ledger = stored.ledger
        assert (ledger.chunk_pairs[: ledger.chunk] > 0).all() and not ledger.chunk_pairs[ledger.chunk :].any()
        seen.append((ledger.epoch, ledger.chunk))

    monkeypatch.setattr(Checkpoints, "write", look)
    settings = {**SETTINGS, "workers": 3}
    pairs = []
    report = ends_after(14_000)
    w2v.train(text, checkpoint="t.ckpt", checkpoint_every=1, report=report, **settings)
    whole = w2v.resume("t.ckpt", report=lambda p: pairs.append((p.epoch, p.pairs)) if p.epoch_done else None)
    assert seen == sorted(set(seen)) and whole.provenance["finished"]
    with encode_files([text], CorpusSettings(min_count=1)) as corpus:
        keep = reference.keep_thresholds(reference.keep_probabilities(corpus.vocabulary.counts.tolist(), 0.02))
        for epoch, found in pairs:
            key = reference.stream_key(5, epoch - 1, reference.TOKENS)
            assert found == len(reference.pairs_of_epoch(corpus.ids, corpus.offsets, keep, key, 3, True, "dirty"))


def test_another_number_of_workers_may_go_on(text):
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(9_000), **SETTINGS)
    resumed = w2v.resume("t.ckpt", workers=2)
    assert resumed.settings["training"]["workers"] == 2 and len(resumed.losses) == 3


@pytest.mark.parametrize("kind", [str, int])
def test_token_lists_are_resumed_when_they_are_given_again(kind):
    lists = [[kind(t[1:]) for t in s] for s in sentences()]
    whole = w2v.train(lists, **SETTINGS)
    w2v.train(lists, checkpoint="t.ckpt", report=ends_after(9_000), **SETTINGS)
    with pytest.raises(NotAvailableError, match="a Python object: give the same corpus once more"):
        w2v.resume("t.ckpt")
    with pytest.raises(CorpusError, match=r"not the corpus that t.ckpt was trained on"):
        w2v.resume("t.ckpt", lists[:-1])
    assert_same_bits(w2v.resume("t.ckpt", iter(lists)), whole)


# ------------------------------------------------------------------------------------------------ the same text only


def test_another_text_is_refused_and_a_text_that_moved_is_not(text, uninterrupted, tmp_path):
    corpus = tmp_path / "c.txt"
    corpus.write_bytes(text.read_bytes())
    w2v.train(corpus, checkpoint="t.ckpt", report=ends_after(9_000), **SETTINGS)
    checkpoint = Path("t.ckpt").read_bytes()
    corpus.write_bytes(text.read_bytes() + b"w1 w2\n")
    with pytest.raises(CorpusError, match=r"not the text .* its sha256 is"):
        w2v.resume("t.ckpt")
    corpus.unlink()
    with pytest.raises(NotAvailableError, match="is not there any more"):
        w2v.resume("t.ckpt")
    assert Path("t.ckpt").read_bytes() == checkpoint
    assert_same_bits(w2v.resume("t.ckpt", text), uninterrupted["blocked", 0.0])


def test_the_same_text_with_other_words_is_refused(text):
    """As when another release of a tokeniser cuts words in other places."""
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(9_000), **SETTINGS)
    rewrite("t.ckpt", put("state", "encoded_sha256", 64 * "0"))
    with pytest.raises(CorpusError, match="the text is the same, but its words are not"):
        w2v.resume("t.ckpt")


# ------------------------------------------------------------------------------------------------- the last good one


def test_a_checkpoint_that_cannot_be_written_ends_nothing(text, uninterrupted, monkeypatch):
    calls = []

    def full(path, *rest, **more):
        calls.append(path)
        if len(calls) > 2:
            raise FileAccessError(f"cannot write {path}: No space left on device")
        write_model(path, *rest, **more)

    monkeypatch.setattr("w2v.training.checkpoint.write_model", full)
    with pytest.warns(RuntimeWarning, match=r"no checkpoint could be .*No space left.*the one before it was kept"):
        whole = w2v.train(text, checkpoint="t.ckpt", checkpoint_every="4k", **SETTINGS)
    assert len(calls) > 3
    assert_same_bits(whole, uninterrupted["blocked", 0.0])


def test_the_checkpoint_of_another_training_is_neither_replaced_nor_removed(text, uninterrupted):
    def other_begins(progress):
        if not Path("t.ckpt").exists():
            w2v.train(text, checkpoint="t.ckpt", report=lambda progress: w2v.STOP, **{**SETTINGS, "seed": 99})

    whole = w2v.train(text, checkpoint="t.ckpt", report=other_begins, **SETTINGS)
    assert_same_bits(whole, uninterrupted["blocked", 0.0])
    assert read_checkpoint("t.ckpt").training.seed == 99
    before = Path("t.ckpt").read_bytes()

    def other_comes_back(progress):
        os.utime("t.ckpt", ns=(1, 1))  # as if it had been written once more
        return w2v.STOP

    with pytest.raises(FileAccessError, match=r"t\.ckpt was written by another training meanwhile, and"):
        w2v.train(text, checkpoint="t.ckpt", report=other_comes_back, **SETTINGS)
    assert Path("t.ckpt").read_bytes() == before


def test_a_training_that_diverges_leaves_the_last_good_checkpoint(text):
    with encode_files([text], CorpusSettings(min_count=1)) as corpus:
        session = Training(corpus, ContextSettings(), TrainingSettings(vector_size=4, workers=1))
        checkpoints = Checkpoints("t.ckpt", 1)

        def spoil(progress):
            if progress.words > 5_000:
                session.W[3, 1] = np.inf

        with pytest.raises(TrainingError, match="smaller alpha"):
            session.run(spoil, checkpoints=checkpoints)
        assert np.isfinite(read_checkpoint("t.ckpt").stored.W).all()


def test_a_failing_thread_saves_nothing(text, monkeypatch):
    def fail(self, epoch, first, last, alphas):
        raise MemoryError

    monkeypatch.setattr("w2v.training.chunks.ChunkTrainer.train", fail)
    with pytest.raises(MemoryError):
        w2v.train(text, checkpoint="t.ckpt", **SETTINGS)
    assert not Path("t.ckpt").exists()


# ------------------------------------------------------------------------------------------------------- callbacks


def test_callbacks_end_a_training_with_stop_and_with_nothing_else(text):
    seen = []

    def on_epoch(progress, embedding):
        seen.append((progress.epoch, progress.loss, embedding.losses, embedding.W.shape))
        return w2v.STOP if progress.epoch == 2 else False

    embedding = w2v.train(text, on_epoch=on_epoch, report=lambda p: True, **SETTINGS)
    assert [s[0] for s in seen] == [1, 2] and len(embedding.losses) == 2
    assert seen[1][1] == embedding.losses[1] and seen[1][2] == embedding.losses
    assert embedding.provenance["finished"] is False
    assert embedding.provenance["stopped_at"]["epoch"] == 2 and embedding.provenance["stopped_at"]["chunk"] == 0
    last = w2v.train(text, on_epoch=lambda p, e: w2v.STOP if p.epoch == 3 else None, **SETTINGS)
    assert last.provenance["finished"] is True


# --------------------------------------------------------------------------------------------------------- damage


def rewrite(path, change):
    """Write a checkpoint anew, with another story; `change` gets {"state", "settings", "losses", "others"}."""
    stored = read_model(path)
    story = {
        "state": json.loads(stored.metadata["training_state"]),
        "settings": stored.settings,
        "provenance": stored.provenance,
        "losses": stored.losses,
        "others": dict(stored.others),
        "W": np.array(stored.W),
        "C": np.array(stored.C),
    }
    change(story)
    state = story["state"]
    write_model(
        path,
        stored.vocabulary,
        story["W"],
        story["C"],
        settings=story["settings"],
        provenance=story["provenance"],
        losses=story["losses"],
        metadata={"training_state": state if isinstance(state, str) else json.dumps(state)},
        others=story["others"],
        force=True,
    )


def put(*path_and_value):
    *path, last, value = path_and_value

    def change(story):
        for name in path:
            story = story[name]
        story[last] = value

    return change


def drop(*path):
    def change(story):
        for name in path[:-1]:
            story = story[name]
        del story[path[-1]]

    return change


DAMAGE = {
    "no JSON": put("state", "{"),
    "no object": put("state", [1]),
    "deep": put("state", "[" * 100_000),
    "newer": put("state", "version", 2),
    "version of another kind": put("state", "version", "1"),
    "no epoch": drop("state", "epoch"),
    "epoch beyond": put("state", "epoch", 4),
    "negative chunk": put("state", "chunk", -1),
    "chunk beyond": put("state", "chunk", 6),
    "half a chunk": put("state", "chunk", 1.5),
    "true chunk": put("state", "chunk", True),
    "no plan": drop("state", "plan"),
    "plan of another kind": put("state", "plan", 3),
    "plan with more": put("state", "plan", "more", 3),
    "other alpha": put("state", "plan", "alpha", 0.5),
    "no tokens": put("state", "plan", "tokens", 0),
    "fewer tokens": put("state", "plan", "tokens", 9_099),
    "chunks of nothing": put("state", "plan", "chunk_tokens", 0),
    "huge chunks": put("state", "plan", "chunk_tokens", 10**18),
    "no digest": put("state", "encoded_sha256", None),
    "story": put("state", "story", 7),
    "heldout": put("state", "heldout_losses", [1.0]),
    "heldout of another kind": put("state", "heldout_losses", 1),
    "losses": put("losses", (1.0, 2.0, 3.0, 4.0)),
    "chunk losses": put("others", "chunk_losses", np.zeros(4)),
    "chunk losses of another kind": put("others", "chunk_losses", np.zeros(5, np.int64)),
    "no chunk pairs": drop("others", "chunk_pairs"),
    "no settings": put("settings", {}),
    "settings of another kind": put("settings", "training", [1]),
    "impossible settings": put("settings", "context", "window", 0),
    "vector size": put("settings", "training", "vector_size", 10),
    "no corpus": drop("provenance", "corpus"),
    "paths": put("provenance", "corpus", "paths", [1]),
    "no C": put("C", None),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_state_is_told(text, name):
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(9_000), **SETTINGS)
    rewrite("t.ckpt", DAMAGE[name])
    with pytest.raises(FormatError, match=r"t\.ckpt"):
        w2v.resume("t.ckpt")


def test_numbers_that_are_not_finite_are_refused(text):
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(9_000), **SETTINGS)
    rewrite("t.ckpt", lambda story: story["C"].__setitem__((3, 2), np.nan))
    with pytest.raises(FormatError, match=r"cannot be resumed.*not finite"):
        w2v.resume("t.ckpt")


def test_what_is_no_checkpoint_is_told_apart(text):
    w2v.train(text, **{**SETTINGS, "epochs": 1}).save("m.safetensors")
    Path("vectors.txt").write_text("1 2\na 0.1 0.2\n")
    messages = {}
    for path in ("m.safetensors", "vectors.txt", "none.ckpt", str(text)):
        with pytest.raises((FormatError, FileAccessError)) as caught:
            w2v.resume(path)
        messages[path] = str(caught.value)
    assert "--continue-from" in messages["m.safetensors"] and "word2vec text" in messages["vectors.txt"]
    assert len(set(messages.values())) == 4


def test_the_golden_checkpoint_loads_and_goes_on():
    path = Path("golden.ckpt")
    path.write_bytes((GOLDEN / "checkpoint-v1.safetensors").read_bytes())
    checkpoint = read_checkpoint(path)
    assert checkpoint.training == TrainingSettings(**{**GOLDEN_SETTINGS, "workers": 1})
    assert (checkpoint.ledger.epoch, checkpoint.ledger.chunk) == (1, 1)
    assert checkpoint.plan.tokens == len(checkpoint.ledger.chunk_losses) * 2_000 - 1_400 == 4_600
    assert checkpoint.ledger.chunk_pairs.tolist()[1:] == [0, 0] and checkpoint.ledger.chunk_pairs[0] > 0
    resumed = w2v.resume(path, golden_sentences())
    fresh = w2v.train(golden_sentences(), min_count=1, window=2, **GOLDEN_SETTINGS)
    assert resumed.losses[0] == checkpoint.stored.losses[0] and len(resumed.losses) == 2
    np.testing.assert_allclose(resumed.losses, fresh.losses, rtol=5e-3)  # its noise words were drawn otherwise
    np.testing.assert_allclose(resumed.W, fresh.W, atol=2e-2)


GOLDEN_SETTINGS = {"vector_size": 3, "epochs": 2, "workers": 1, "seed": 7, "block_size": 32}


def golden_sentences():
    words = ["the", "king", "new york", "月", "", "café"]
    return [[words[(i * i + j * j) % 6] for j in range(10)] for i in range(460)]


def write_golden_checkpoint(path):
    """Write the golden checkpoint; called once, when format version 1 was made."""
    w2v.train(golden_sentences(), checkpoint=path, report=ends_after(6_600), min_count=1, window=2, **GOLDEN_SETTINGS)


# -------------------------------------------------------------------------------------------------------- cadence


@pytest.mark.parametrize(
    ("text", "seconds", "words"),
    [
        ("10min", 600, None),
        ("30s", 30, None),
        ("1.5h", 5400, None),
        ("200k", None, 200_000),
        ("50M", None, 50_000_000),
        ("2 G", None, 2_000_000_000),
        (12345, None, 12345),
        ("never", None, None),
        (None, None, None),
    ],
)
def test_intervals(text, seconds, words):
    assert Cadence.parse(text) == Cadence(seconds, words)


@pytest.mark.parametrize("text", ["", "0", "-5", "10 parsecs", "0s", "0.0001k", "1e9", "9" * 400, "nan", 0, 1.5j])
def test_what_is_no_interval_is_refused(text):
    with pytest.raises(SettingsError, match="10min"):
        Cadence.parse(text)


def test_an_interval_needs_a_file(text):
    with pytest.raises(SettingsError, match="without checkpoint"):
        w2v.train(text, checkpoint_every="10min")
    with pytest.raises(FileAccessError, match="no folder"):
        w2v.train("there is no such text", checkpoint="nowhere/t.ckpt")


def test_a_plan_is_kept_when_later_ones_would_differ(text, uninterrupted, monkeypatch):
    """A release that cuts other chunks still goes on with those of the checkpoint."""
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(9_000), **SETTINGS)
    monkeypatch.setattr("w2v.training.plan._SMALLEST_CHUNK", 3_000)
    assert_same_bits(w2v.resume("t.ckpt"), uninterrupted["blocked", 0.0])


def test_settings_are_those_that_were_given(text):
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(1), checkpoint_every="9k", **SETTINGS)
    checkpoint = read_checkpoint("t.ckpt")
    assert checkpoint.checkpoint_every == "9k"
    given = {**checkpoint.corpus.to_dict(), **checkpoint.context.to_dict(), **checkpoint.training.to_dict()}
    assert {name: given[name] for name in SETTINGS} == SETTINGS
    assert dataclasses.asdict(checkpoint.source)["sha256"]


def test_the_corpus_of_a_resumed_training_may_be_encoded_already(text, uninterrupted):
    w2v.train(text, checkpoint="t.ckpt", report=ends_after(9_000), **SETTINGS)
    with encode_files([text], CorpusSettings(min_count=1)) as corpus:
        assert_same_bits(w2v.resume("t.ckpt", corpus), uninterrupted["blocked", 0.0])
        assert len(corpus.ids) == TOKENS  # still open
    with encode_sentences(sentences(seed=1), CorpusSettings(min_count=1)) as other:
        w2v.train(text, checkpoint="t.ckpt", report=ends_after(9_000), **SETTINGS)
        with pytest.raises(CorpusError):
            w2v.resume("t.ckpt", other)
