"""Sentences held out, and the loss of given matrices: a pass that changes nothing and samples the exact objective."""

from collections import Counter

import numpy as np
import pytest
import reference
from test_training import zipf_sentences

import w2v
from w2v.corpus import encode_sentences
from w2v.corpus.copying import copied
from w2v.corpus.heldout import hold_out
from w2v.embedding import Embedding
from w2v.equivalence.objective import objective_of_factors
from w2v.equivalence.observed import ObservedCells
from w2v.errors import CorpusError, NotAvailableError, SettingsError
from w2v.pmi import NoiseLaw, count_pairs
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training import Training, mean_loss, train_encoded

ALGORITHMS = ("blocked", "pairwise")


@pytest.fixture(scope="module")
def corpus():
    with encode_sentences(zipf_sentences(), CorpusSettings(min_count=1)) as encoded:
        yield encoded


def as_lists(corpus):
    return [corpus.ids[a:b].tolist() for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)]


# ------------------------------------------------------------------------------------------------------ which ones


@pytest.mark.parametrize("at_once", [1, 7, 1 << 16])
@pytest.mark.parametrize("share", [0.01, 0.3])
def test_every_sentence_is_in_one_of_the_parts(corpus, share, at_once, monkeypatch):
    monkeypatch.setattr("w2v.corpus.copying._SENTENCES", at_once)
    parts = hold_out(corpus, share, seed=3)
    key = reference.stream_key(3, 0, 3)
    expected = [reference.token_hash(key, s) >> 32 < round(share * 2**32) for s in range(corpus.sentences)]
    whole = as_lists(corpus)
    assert as_lists(parts.heldout) == [s for s, held in zip(whole, expected, strict=True) if held]
    assert as_lists(parts.trained) == [s for s, held in zip(whole, expected, strict=True) if not held]
    assert parts.heldout.sentences == pytest.approx(share * 800, abs=4 * (share * 800) ** 0.5)
    assert parts.trained.vocabulary is corpus.vocabulary
    folders = [parts.trained.folder, parts.heldout.folder]
    assert all(folder.is_dir() and folder.parent == corpus.folder for folder in folders)
    parts.close()
    assert not any(folder.exists() for folder in folders)


@pytest.mark.parametrize(("lists", "share"), [([["a", "b", "c"] * 50], 0.01), ([["a", "b"]] * 3, 0.4)])
def test_too_few_sentences_to_hold_any_out_are_told(lists, share):
    seeds = range(20)
    with encode_sentences(lists, CorpusSettings(min_count=1)) as encoded:
        told = set()
        for seed in seeds:
            try:
                hold_out(encoded, share, seed).close()
            except CorpusError as error:
                told.add(str(error).partition(" (")[0])
        assert f"heldout={share:g} holds none of the sentences out" in told


def test_a_copy_may_have_other_numbers(corpus):
    numbers = np.full(len(corpus.vocabulary), -1, np.int32)
    numbers[[2, 5, 0]] = [0, 1, 2]
    head = w2v.Vocabulary(["a", "b", "c"], [1, 1, 1])
    with copied(corpus, vocabulary=head, numbers=numbers) as copy:
        expected = [[int(numbers[i]) for i in s if numbers[i] >= 0] for s in as_lists(corpus)]
        assert as_lists(copy) == [s for s in expected if s]
        assert copy.vocabulary is head


# ---------------------------------------------------------------------------------------------- they are not trained


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_held_out_sentences_are_not_trained(corpus, algorithm):
    """The same bits as a training on the other sentences alone, with the counts of all."""
    training = TrainingSettings(vector_size=8, workers=1, epochs=2, algorithm=algorithm, heldout=0.1, seed=2)
    with Training(corpus, ContextSettings(), training) as session:
        words = corpus.vocabulary.words
        rest = [[words[i] for i in s] for s in as_lists(session.trained)]
        assert len(session.trained) + len(session.heldout) == len(corpus) == session.corpus.ids.size
        session.run()
    without = TrainingSettings(**{**training.to_dict(), "heldout": 0.0})
    with encode_sentences(rest, corpus.settings, vocabulary=corpus.vocabulary) as other:
        expected = train_encoded(other, ContextSettings(), without)
    np.testing.assert_array_equal(session.W, expected.W)
    np.testing.assert_array_equal(session.C, expected.C)
    assert session.losses == expected.losses


def test_the_loss_held_out_is_reported_for_each_epoch_and_kept(corpus):
    told = []
    settings = {"vector_size": 8, "workers": 1, "epochs": 3, "heldout": 0.05}
    training = TrainingSettings(**settings)
    embedding = train_encoded(corpus, None, training, report=told.append)
    reported = [p.heldout_loss for p in told if p.epoch_done]
    assert tuple(reported) == embedding.heldout_losses and len(set(reported)) == 3
    assert all(np.isnan(p.heldout_loss) and p.to_dict()["heldout_loss"] is None for p in told if not p.epoch_done)
    embedding.save("m.safetensors")
    loaded = w2v.load("m.safetensors")
    assert loaded.heldout_losses == embedding.heldout_losses
    assert loaded.settings["training"]["heldout"] == 0.05
    parts = hold_out(corpus, 0.05, training.seed)
    assert loaded.provenance["heldout"]["sentences"] == parts.heldout.sentences
    assert mean_loss(embedding, parts.heldout).loss == pytest.approx(reported[-1], rel=1e-12)
    plain = train_encoded(corpus, None, TrainingSettings(**{**settings, "heldout": 0.0}))
    with pytest.raises(NotAvailableError, match="held out"):
        plain.heldout_losses  # noqa: B018


@pytest.mark.parametrize("workers", [2, 4])
def test_the_loss_held_out_tells_overfitting_from_learning(workers):
    """On text without any relation between words, what is learnt of the text trained is worth nothing elsewhere."""
    rng = np.random.default_rng(0)
    lists = [[f"w{i}" for i in rng.integers(0, 400, 20)] for _ in range(300)]
    embedding = w2v.train(
        lists, min_count=1, heldout=0.2, epochs=60, alpha=0.1, vector_size=50, workers=workers, sample=0, window=2
    )
    losses, heldout = embedding.losses, embedding.heldout_losses
    assert losses[-1] < losses[9] < losses[0] and heldout[-1] > min(heldout) + 0.1


# --------------------------------------------------------------------------------------------- a pass with alpha = 0


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("hits", ["keep", "drop"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_pass_that_learns_nothing_has_the_loss_of_the_oracle(algorithm, hits, workers):
    context = ContextSettings(window=2, sample=0.05)
    with encode_sentences(zipf_sentences(tokens=2_300, V=40), CorpusSettings(min_count=1)) as small:
        rng = np.random.default_rng(1)
        W, C = rng.normal(size=(2, len(small.vocabulary), 6)).astype(np.float32)
        training = TrainingSettings(
            vector_size=6, algorithm=algorithm, accidental_hits=hits, negative=3, workers=workers, block_size=8
        )
        embedding = Embedding(small.vocabulary, W, C)
        W.flags.writeable = C.flags.writeable = False
        found = mean_loss(embedding, small, context, training)
        session = Training(small, context, training)
        bounds = session._job.noise_table[0].tolist()
        law = {
            "token_key": reference.stream_key(1, 0, reference.TOKENS),
            "noise_key": reference.stream_key(1, 0, reference.NOISE),
            "R": 2,
            "hits": hits,
            "chunk_tokens": session.plan.chunk_tokens,
            "chunk_alphas": [(0.0, 0.0)] * session.plan.chunks,
        }
        if algorithm == "blocked":
            law.update(session._job.steps._asdict(), shares=session._job.noise_shares.tolist())
            law["M"] = law.pop("noise_words")
        else:
            law["k"] = 3
        keep = reference.keep_thresholds(reference.keep_probabilities(small.vocabulary.counts.tolist(), 0.05))
        epoch = reference.epoch_blocked if algorithm == "blocked" else reference.epoch_pairwise
        W2, C2, loss, pairs = epoch(W, C, small.ids, small.offsets, keep, bounds, **law)
    assert np.array_equal(W2, W) and np.array_equal(C2, C)
    assert found.pairs == pairs and found.standard_error is None
    assert found.loss == pytest.approx(loss / pairs, rel=1e-5)


@pytest.mark.parametrize("hits", ["keep", "drop"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_sampled_loss_is_the_exact_objective_by_pair(corpus, algorithm, hits):
    """-L/|D|, summed over all pairs of words, observed or not, against what the training kernels draw."""
    training = TrainingSettings(vector_size=16, epochs=3, algorithm=algorithm, accidental_hits=hits, alpha=0.05)
    context = ContextSettings(sample=0.01)
    embedding = train_encoded(corpus, context, training)
    before = embedding.W.copy(), embedding.C.copy()
    found = mean_loss(embedding, corpus, passes=25)
    np.testing.assert_array_equal(embedding.W, before[0])
    np.testing.assert_array_equal(embedding.C, before[1])
    counts = count_pairs(corpus, context)
    law = NoiseLaw.from_settings(training)
    cells = ObservedCells.of(counts, law, 1)
    exact = -objective_of_factors(cells, embedding.W, embedding.C).total / counts.total
    assert found.standard_error < 0.002 * exact
    assert abs(found.loss - exact) < 4 * found.standard_error
    assert found.pairs / 25 == pytest.approx(counts.total, rel=0.01)


def test_the_loss_of_an_embedding_on_other_text(corpus):
    embedding = train_encoded(corpus, None, TrainingSettings(vector_size=8, epochs=2, workers=1))
    with encode_sentences(zipf_sentences(seed=1), corpus.settings, vocabulary=corpus.vocabulary) as other:
        assert 1 < mean_loss(embedding, other, passes=2).loss < 6 * np.log(2)
    with encode_sentences(zipf_sentences(seed=1), corpus.settings) as other, pytest.raises(SettingsError, match="same"):
        mean_loss(embedding, other)
    with pytest.raises(NotAvailableError, match="no context vectors"):
        mean_loss(Embedding(corpus.vocabulary, embedding.W), corpus)
    with pytest.raises(NotAvailableError, match="records no context settings"):
        mean_loss(Embedding(corpus.vocabulary, embedding.W, embedding.C), corpus)
    with pytest.raises(SettingsError, match="passes"):
        mean_loss(embedding, corpus, passes=0)


def test_counts_are_those_of_all_sentences(corpus):
    embedding = train_encoded(corpus, None, TrainingSettings(vector_size=4, epochs=1, heldout=0.3))
    assert dict(zip(embedding.words, embedding.counts.tolist(), strict=True)) == Counter(
        token for sentence in zipf_sentences() for token in sentence
    )
