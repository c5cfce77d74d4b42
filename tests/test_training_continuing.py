"""Training a model further: the vocabulary grows, old rows stay, counts add up, the drift is that of a slow loop."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import reference
from test_training import zipf_sentences
from test_training_checkpoint import assert_same_bits, ends_after

import w2v
from w2v.corpus import encode_sentences
from w2v.errors import CorpusError, CorpusTypeError, FileAccessError, NotAvailableError, SettingsError
from w2v.settings import CorpusSettings
from w2v.training import continue_training, drift_of, inherited_settings, read_checkpoint

SETTINGS = {"vector_size": 8, "workers": 1, "epochs": 2, "window": 3, "min_count": 2, "seed": 3}


def more_sentences(tokens=4_000):
    """Return text of old words, new ones and rare ones."""
    rng = np.random.default_rng(9)
    names = [f"w{i}" for i in range(40)] + [f"n{i}" for i in range(25)]
    lists = [[names[i] for i in rng.integers(0, len(names), 20)] for _ in range(tokens // 20)]
    lists[3].append("once")
    lists[5] += ["often"] * 500
    return lists


@pytest.fixture(scope="module")
def old():
    return w2v.train(zipf_sentences(tokens=6_000, V=120), **SETTINGS)


@pytest.fixture(autouse=True)
def _report_every_chunk(monkeypatch):
    monkeypatch.setattr("w2v.training.session._REPORT_SECONDS", 0.0)


# ----------------------------------------------------------------------------------------------------------- growth


def test_the_vocabulary_grows_and_counts_add_up(old):
    lists = more_sentences()
    session, growth = continue_training(lists, old, inherited_settings(old, {"workers": 1}))
    with session.corpus as corpus, session:
        seen = Counter(token for s in lists for token in s)
        new = {word for word, n in seen.items() if n >= 2 and word not in old}
        total = Counter(dict(zip(old.words, old.counts.tolist(), strict=True)))
        total.update({word: n for word, n in seen.items() if word in old or word in new})
        assert corpus.vocabulary.words == sorted(total, key=lambda word: (-total[word], word))
        assert corpus.vocabulary.counts.tolist() == [total[word] for word in corpus.vocabulary.words]
        assert growth.to_dict() == {
            "old": len(old),
            "new": len(new),
            "dropped": sum(word not in total for word in seen),
            "occurring": sum(word in old for word in seen),
        }
        assert growth.new == 26 and growth.dropped == 1
        index = corpus.vocabulary.index
        expected = [[index[token] for token in s if token in total] for s in lists]
        found = [corpus.ids[a:b].tolist() for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)]
        assert found == expected
        start = reference.start_matrix(len(total), 8, 3)
        for word, row in index.items():
            if word in new:
                assert np.array_equal(session.W[row], start[row]) and not session.C[row].any()
            else:
                assert np.array_equal(session.W[row], old[word])
                assert np.array_equal(session.C[row], old.C[old.vocabulary.id(word)])


def test_laws_of_noise_and_subsampling_are_those_of_both_texts(old):
    session, _ = continue_training(more_sentences(), old, inherited_settings(old, {"sample": 0.01}))
    with session.corpus as corpus, session:
        counts = corpus.vocabulary.counts.tolist()
        keep = reference.keep_thresholds(reference.keep_probabilities(counts, 0.01))
        assert session._job.keep_thresholds.tolist() == list(keep)
        k, M = session.training.negative, session._job.steps.noise_words
        noise = reference.noise_distribution(counts, 0.75)
        drawn = reference.strata_distribution(session._job.noise_table[0], M)
        proposal = reference.noise_proposal(noise, counts, reference.keep_probabilities(counts, 0.01), k)
        np.testing.assert_allclose(drawn, proposal, atol=1e-8)
        np.testing.assert_allclose(drawn * session._job.noise_shares, k * noise / M, atol=1e-8)


def test_min_count_and_max_vocab_bound_what_is_new(old):
    lists = more_sentences()
    for given, new in (({"min_count": 400}, 1), ({"max_vocab": len(old) + 3}, 3), ({"max_vocab": 5}, 0)):
        session, growth = continue_training(lists, old, inherited_settings(old, given))
        with session.corpus, session:
            assert growth.new == new and len(session.corpus.vocabulary) == len(old) + new
            assert "often" in session.corpus.vocabulary or new == 0


def test_no_new_words_is_no_growth(old):
    """A field report: an update without new words failed."""
    lists = [[word for word in s if word in old] for s in zipf_sentences(tokens=6_000, V=120)]
    embedding = w2v.train(lists, continue_from=old, epochs=1, workers=1)
    story = embedding.provenance["continued_from"]
    assert (story["old"], story["new"], story["dropped"]) == (len(old), 0, 0)
    assert sorted(embedding.words) == sorted(old.words)


def test_without_a_model_there_is_nothing_to_continue():
    """A field report: an update before any vocabulary died with an index error."""
    with pytest.raises(FileAccessError, match=r"there is no file none\.safetensors"):
        w2v.train([["a", "b"]] * 9, continue_from="none.safetensors")


def test_models_that_cannot_be_trained_further_say_why(old):
    lists = more_sentences()
    with pytest.raises(NotAvailableError, match="no context vectors"):
        w2v.train(lists, continue_from=w2v.Embedding(old.vocabulary, old.W))
    with pytest.raises(NotAvailableError, match="records no corpus settings"):
        w2v.train(lists, continue_from=w2v.Embedding(old.vocabulary, old.W, old.C))
    with pytest.raises(SettingsError, match="vector_size=9, but the model to continue from has 8"):
        w2v.train(lists, continue_from=old, vector_size=9)
    with pytest.raises(CorpusTypeError, match="of type str"):
        w2v.train([[1, 2]] * 9, continue_from=old)
    with pytest.raises(CorpusError, match="none of the 2 types of the text is a word of the model"):
        w2v.train([["x", "y"]], continue_from=old)


def test_integer_keys_grow_too():
    old = w2v.train([[10, 11, 12]] * 20, **{**SETTINGS, "sample": 0})
    new = w2v.train([[11, 7, 10**12]] * 30, continue_from=old, workers=1, sample=0)
    assert new.words == [11, 7, 10**12, 10, 12] and new.counts.tolist() == [50, 30, 30, 20, 20]


# -------------------------------------------------------------------------------------------- settings and schedule


def test_settings_are_inherited_and_the_learning_rate_starts_anew(old):
    alphas = []
    embedding = w2v.train(
        more_sentences(),
        continue_from=old,
        alpha=0.01,
        min_alpha=0.002,
        workers=1,
        report=lambda p: alphas.append(p.alpha),
    )
    assert alphas[0] < 0.01 and alphas[-1] == pytest.approx(0.002) and alphas == sorted(alphas, reverse=True)
    training = embedding.settings["training"]
    assert (training["alpha"], training["min_alpha"], training["epochs"], training["seed"]) == (0.01, 0.002, 2, 3)
    assert embedding.settings["context"] == old.settings["context"]
    assert embedding.settings["corpus"] == old.settings["corpus"]
    assert old.settings["training"]["alpha"] == 0.025
    assert len(embedding.losses) == 2


# ------------------------------------------------------------------------------------------------------------- drift


@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
def test_the_drift_is_the_cosine_of_before_and_after(old, algorithm):
    lists = more_sentences()
    embedding = w2v.train(lists, continue_from=old, algorithm=algorithm, workers=1)
    drift = embedding.provenance["continued_from"]["drift"]
    occurring = {token for s in lists for token in s}
    cosines = {word: reference.cosine(old[word], embedding[word]) for word in old.words}
    here = [cosines[word] for word in old.words if word in occurring]
    away = [cosines[word] for word in old.words if word not in occurring]
    assert here and away
    for found, expected in ((drift["occurring"], here), (drift["absent"], away)):
        assert found["words"] == len(expected)
        assert found["mean"] == pytest.approx(math.fsum(expected) / len(expected), abs=1e-6)
        assert found["lowest"] == pytest.approx(min(expected), abs=1e-6)
        assert found["median"] == pytest.approx(np.median(expected), abs=1e-6)
    assert drift["absent"]["lowest"] == 1.0  # words that do not occur keep their vectors
    slow = sorted((word for word in old.words if word in occurring), key=cosines.get)[:10]
    assert [word for word, _ in drift["farthest"]] == slow


def test_a_gentler_learning_rate_drifts_less(old):
    means = [
        w2v.train(more_sentences(), continue_from=old, alpha=alpha, workers=1).provenance["continued_from"]["drift"]
        for alpha in (0.1, 0.01, 0.001)
    ]
    assert means[0]["occurring"]["mean"] < means[1]["occurring"]["mean"] < means[2]["occurring"]["mean"] < 1


# --------------------------------------------------------------------------------------------------- files, resuming


def test_a_continued_training_is_resumed_to_the_same_bits(old, tmp_path):
    old.save("old.safetensors")
    before = Path("old.safetensors").read_bytes()
    text = tmp_path / "more.txt"
    text.write_text("".join(" ".join(s) + "\n" for s in more_sentences()))
    given = {"continue_from": "old.safetensors", "workers": 1, "epochs": 3, "heldout": 0.1}
    whole = w2v.train(text, **given)
    w2v.train(text, **given, checkpoint="t.ckpt", report=ends_after(4_500))
    assert read_checkpoint("t.ckpt").story["continued_from"]["new"] == 26
    resumed = w2v.resume("t.ckpt")
    assert_same_bits(resumed, whole)
    assert resumed.provenance["continued_from"] == whole.provenance["continued_from"]
    assert resumed.provenance["continued_from"]["drift"]["absent"]["words"] > 0
    assert Path("old.safetensors").read_bytes() == before


def test_the_drift_is_left_out_where_the_old_model_is_gone(old, tmp_path):
    old.save("old.safetensors")
    w2v.train(more_sentences(), continue_from="old.safetensors", workers=1, checkpoint="t.ckpt", report=ends_after(1))
    (tmp_path / "old.safetensors").unlink()
    resumed = w2v.resume("t.ckpt", more_sentences())
    assert resumed.provenance["finished"] and "drift" not in resumed.provenance["continued_from"]


def test_a_training_that_is_no_continuation_has_no_drift():
    with encode_sentences(more_sentences(), CorpusSettings(min_count=1)) as corpus:
        assert drift_of(w2v.training.Training(corpus, w2v.ContextSettings(), w2v.TrainingSettings())) is None
