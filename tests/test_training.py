"""Training as a whole: plan, determinism, losses, workers, small corpora, refusals."""

import hashlib
import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import reference

import w2v
from w2v.corpus import encode_sentences
from w2v.errors import CorpusError, SettingsError, TrainingError
from w2v.kernels.amx import has_amx
from w2v.settings import ContextSettings, CorpusSettings, TrainingSettings
from w2v.training import Training, TrainingPlan, train_encoded
from w2v.training.plan import BlockSteps


def zipf_sentences(seed=0, tokens=20_000, V=300, length=25):
    rng = np.random.default_rng(seed)
    ids = np.minimum(rng.zipf(1.3, tokens) - 1, V - 1)
    return [[f"w{i}" for i in ids[a : a + length]] for a in range(0, tokens, length)]


@pytest.fixture(scope="module")
def corpus():
    with encode_sentences(zipf_sentences(), CorpusSettings(min_count=1)) as encoded:
        yield encoded


@pytest.mark.parametrize("tokens", [1, 1999, 2000, 2001, 130_001, 10_000_019])
def test_plan_covers_every_token_once_and_alpha_falls_linearly(tokens):
    plan = TrainingPlan.of(tokens, TrainingSettings(epochs=3, alpha=0.5, min_alpha=0.1))
    bounds = [plan.bounds(c) for c in range(plan.chunks)]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == tokens
    assert all(a[1] == b[0] for a, b in itertools.pairwise(bounds))
    assert plan.learning_rate(0, 0) == 0.5
    assert plan.learning_rate(2, tokens) == pytest.approx(0.1)
    assert plan.learning_rate(1, tokens) == pytest.approx(plan.learning_rate(2, 0))


def test_steps_are_smaller_where_a_word_would_move_too_far():
    cases = [  # window, shrink, k, alpha
        (5, True, 5, 0.025),
        (5, False, 5, 0.025),
        (10, True, 5, 0.025),
        (10, False, 15, 0.025),
        (5, True, 5, 0.5),
        (1, True, 5, 5.0),
        (5, True, 5, 1e-320),
    ]
    found = [
        BlockSteps.of(
            ContextSettings(window=window, shrink_windows=shrink),
            TrainingSettings(alpha=alpha, min_alpha=0.0, negative=k),
            0.02,
        )
        for window, shrink, k, alpha in cases
    ]
    assert found == [
        (48, 1, 4, 24),
        (48, 2, 4, 24),
        (48, 2, 4, 24),
        (48, 7, 3, 24),
        (44, 11, 2, 24),
        (3, 3, 1, 24),
        (48, 1, 255, 24),
    ]
    few_words = [BlockSteps.of(ContextSettings(), TrainingSettings(), commonest) for commonest in (0.1, 0.2, 0.5)]
    assert few_words == [(33, 1, 4, 24), (16, 1, 4, 24), (1, 1, 4, 24)]


@pytest.mark.parametrize("sample", [0.0, 1e-3])
@pytest.mark.parametrize(
    "changes", [{}, {"shared_negatives": 7}, {"ns_exponent": -10.0}, {"ns_exponent": 10.0}, {"negative": 20}]
)
def test_what_a_block_draws_comes_to_k_noise_words_a_pair(corpus, changes, sample):
    """M draws of a word times its share are k P_n, whatever it is drawn from."""
    with Training(corpus, ContextSettings(sample=sample), TrainingSettings(**changes)) as session:
        job, counts = session._job, corpus.vocabulary.counts.tolist()
        noise = reference.noise_distribution(counts, job.training.ns_exponent)
        keep = reference.keep_probabilities(counts, sample) if sample else [1.0] * len(counts)
        proposal = reference.noise_proposal(noise, counts, keep, job.training.negative)
        M = job.steps.noise_words
        drawn = reference.strata_distribution(job.noise_table[0], M)
        np.testing.assert_allclose(drawn, proposal, atol=1e-8)
        np.testing.assert_allclose(drawn * job.noise_shares * M, job.training.negative * noise, rtol=1e-6, atol=1e-8)


def test_noise_words_of_a_step_grow_with_those_of_a_token_in_it():
    def found(k, **changes):
        return BlockSteps.of(ContextSettings(), TrainingSettings(negative=k, **changes), 0.02)[1::2]

    assert [found(k) for k in (1, 3, 4, 5, 6, 7)] == [(1, 16), (1, 16), (1, 20), (1, 24), (1, 32), (1, 36)]
    assert [found(k) for k in (8, 10, 15, 20)] == [(2, 24), (2, 24), (2, 36), (3, 32)]
    assert found(5, vector_size=300) == found(5)
    assert found(20, shared_negatives=7) == (3, 7)
    assert found(1000, alpha=1e-4) == (1, 4096)  # no more strata than a noise table has


@pytest.mark.skipif(not has_amx(), reason="needs tile registers")
def test_factors_of_sixteen_bits_learn_the_same(corpus, monkeypatch):
    """Losses as without tile registers, and vectors that are the same but for what rounding does."""
    training = TrainingSettings(vector_size=40, epochs=5, workers=1)
    losses, matrices = [], []
    for tiles in (True, False):
        monkeypatch.setattr("w2v.training.chunks.has_amx", lambda tiles=tiles: tiles)
        with Training(corpus, ContextSettings(), training) as session:
            session.run()
            losses.append(session.losses)
            matrices.append(session.W.copy())
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-5)
    assert (matrices[0] != matrices[1]).any()
    assert np.linalg.norm(matrices[0] - matrices[1]) < 0.005 * np.linalg.norm(matrices[1])


@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
def test_same_seed_same_vectors_in_every_process(algorithm, tmp_path):
    """A field report: two processes with other hash seeds gave other vectors."""
    program = (
        "import sys, hashlib, w2v\n"
        "e = w2v.train(sys.argv[1], min_count=1, vector_size=12, workers=1, seed=4, epochs=2, algorithm=sys.argv[2])\n"
        "print(hashlib.sha256(e.W.tobytes() + e.C.tobytes() + ' '.join(e.words).encode()).hexdigest())\n"
    )
    text = tmp_path / "corpus.txt"
    text.write_text("\n".join(" ".join(s) for s in zipf_sentences(tokens=3000)))
    digests = set()
    for hash_seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", program, str(text), algorithm],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(run.stdout)
    assert len(digests) == 1
    here = w2v.train(text, min_count=1, vector_size=12, workers=1, seed=4, epochs=2, algorithm=algorithm)
    digest = hashlib.sha256(here.W.tobytes() + here.C.tobytes() + " ".join(here.words).encode()).hexdigest()
    assert {digest + "\n"} == digests


def test_the_seed_governs_more_than_the_start_matrix(corpus):
    """A field report: the seed set the start matrix alone. Here pairs, noise and windows follow it too."""
    one, other = (Training(corpus, ContextSettings(), TrainingSettings(workers=1, seed=s, epochs=1)) for s in (1, 2))
    other._W[:] = one._W
    one.run()
    other.run()
    assert one.losses != other.losses


@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_every_token_is_trained_once_an_epoch_with_any_number_of_workers(corpus, algorithm, workers):
    """Positive pairs are a function of seed and corpus, so their number is exactly that of the oracle."""
    context = ContextSettings(sample=0.01)
    training = TrainingSettings(workers=workers, seed=3, epochs=2, algorithm=algorithm, vector_size=8)
    session = Training(corpus, context, training)
    pairs = []
    session.run(lambda p: pairs.append(p.pairs) if p.epoch_done else None)
    keep = reference.keep_thresholds(reference.keep_probabilities(corpus.vocabulary.counts.tolist(), 0.01))
    for epoch in range(2):
        key = reference.stream_key(3, epoch, reference.TOKENS)
        expected = reference.pairs_of_epoch(corpus.ids, corpus.offsets, keep, key, 5, True, "dirty")
        assert pairs[epoch] == len(expected)


@pytest.mark.parametrize("workers", [1, 3])
def test_one_line_of_many_tokens_and_one_long_line_first(workers):
    """Field reports: lines trained twice or never; texts cut at 10,000 tokens."""
    tail = ["tail"] * 60
    for sentences in ([["a", "b"] * 50_000], [["x", "y", "z"] * 9000 + tail, ["x", "y"], ["z"], ["x", "z"]]):
        with encode_sentences(sentences, CorpusSettings(min_count=1)) as encoded:
            session = Training(
                encoded,
                ContextSettings(sample=0, window=2, shrink_windows=False),
                TrainingSettings(workers=workers, epochs=1, vector_size=4),
            )
            start = session.W.copy()
            pairs = []
            session.run(lambda p, pairs=pairs: pairs.append(p.pairs))
            expected = sum(min(len(s), i + 3) - max(0, i - 2) - 1 for s in sentences for i in range(len(s)))
            assert pairs[-1] == expected
            assert np.all(np.abs(session.W - start).max(axis=1) > 0)


def test_losses_are_one_mean_for_each_epoch(corpus):
    """Field reports: cumulative losses, a float32 sum that stops at 2**27, 0.0 when none was computed."""
    embedding = train_encoded(corpus, ContextSettings(), TrainingSettings(epochs=4, workers=1, vector_size=16))
    losses = embedding.epoch_losses
    assert len(losses) == 4
    assert len(set(losses)) == 4
    start = 6 * np.log(2)  # C = 0 at the start: log 2 for the pair and for each of five noise words
    assert all(1 < loss < start for loss in losses)
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
def test_losses_agree_between_numbers_of_workers(algorithm):
    with encode_sentences(zipf_sentences(tokens=100_000, V=2000), CorpusSettings(min_count=1)) as encoded:
        last = [
            train_encoded(
                encoded, None, TrainingSettings(epochs=2, workers=w, vector_size=16, algorithm=algorithm)
            ).epoch_losses[-1]
            for w in (1, 2, 4)
        ]
    np.testing.assert_allclose(last, last[0], rtol=0.01)


@pytest.mark.parametrize("algorithm", ["blocked", "pairwise"])
@pytest.mark.parametrize(("V", "d", "tokens"), [(2, 5, 2000), (33, 2, 165_000)])
@pytest.mark.parametrize("sample", [0.0, 1e-3])
def test_tiny_vocabularies_stay_finite(algorithm, V, d, tokens, sample):
    """A field report: 33 types, 165,000 tokens and two dimensions gave nan; so did two words."""
    rng = np.random.default_rng(V)
    sentences = [[f"w{i}" for i in rng.integers(0, V, 50)] for _ in range(tokens // 50)]
    embedding = w2v.train(
        sentences, vector_size=d, algorithm=algorithm, sample=sample, min_count=1, workers=1, alpha=0.05
    )
    assert np.isfinite(embedding.W).all()
    assert np.isfinite(embedding.C).all()
    assert np.abs(embedding.W).max() < 100


def test_subsampling_can_be_switched_off():
    embedding = w2v.train(zipf_sentences(tokens=2000), sample=0, min_count=1, epochs=1, vector_size=4, workers=1)
    assert np.isfinite(embedding.W).all()


def test_divergence_is_told(corpus):
    session = Training(corpus, ContextSettings(), TrainingSettings(epochs=1, workers=1, vector_size=8))
    session._W[5, 2] = np.nan
    with pytest.raises(TrainingError, match="smaller alpha"):
        session.run()


@pytest.mark.parametrize("workers", [1, 3])
def test_stopping_leaves_a_known_state_and_run_goes_on_from_it(corpus, workers, monkeypatch):
    monkeypatch.setattr("w2v.training.session._REPORT_SECONDS", 0.0)
    training = TrainingSettings(epochs=40, workers=workers, vector_size=8)
    session = Training(corpus, ContextSettings(), training)
    assert not session.run(lambda p: session.stop() if p.epoch == 2 else None)
    assert not session.finished
    assert len(session.losses) == session.epoch
    assert threading.active_count() == 1
    assert session.run()
    if workers == 1:
        whole = train_encoded(corpus, ContextSettings(), training)
        np.testing.assert_array_equal(session.W, whole.W)
        np.testing.assert_array_equal(session.C, whole.C)
        assert tuple(session.losses) == whole.epoch_losses


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_in_the_callback_stops_all_threads(corpus, workers):
    session = Training(corpus, ContextSettings(), TrainingSettings(epochs=50, workers=workers, vector_size=8))

    def fail(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.run(fail)
    assert threading.active_count() == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_alpha": 0.5}, "min_alpha must not exceed alpha"),
        ({"vector_size": 0}, "vector_size must be between 1 and"),
        ({"negative": 2.5}, "negative must be a whole number"),
        ({"alpha": float("nan")}, "alpha must be finite"),
        ({"algorithm": "cbow"}, "algorithm must be one of"),
        ({"size": 100}, "did you mean 'vector_size'"),
        ({"iter": 3}, "did you mean 'epochs'"),
        ({"sg": 1}, "skip-gram is all that is trained"),
        ({"hs": 1}, "only negative sampling"),
        ({"vectorsize": 3}, "did you mean 'vector_size'"),
    ],
)
def test_settings_that_cannot_work_are_refused_before_the_corpus_is_read(settings, message):
    with pytest.raises(SettingsError, match=message):
        w2v.train("there is no such file", **settings)


def test_unusable_corpora_are_told_apart():
    messages = set()
    for sentences, min_count in (([], 5), ([[], []], 5), ([["a", "b"]] * 7, 50), ([["a,b,c"], ["d,e,f"]], 1)):
        with pytest.raises(CorpusError) as caught:
            w2v.train(sentences, min_count=min_count)
        messages.add(str(caught.value))
    assert len(messages) == 4


@pytest.mark.parametrize(
    ("sentences", "settings", "message"),
    [
        ([["a", "b"]] * 500, {"sample": 1e-30}, r"sample=1e-30 keeps about .*e-\d+ of 1,000 tokens.*sample=0"),
        ([["a", "b"]] * 500, {"max_vocab": 1}, "the vocabulary holds 1 word, 'a'"),
        ([["a"] * 9] * 9, {"sample": 0}, "the vocabulary holds 1 word, 'a'"),
        ([["a", f"x{i}"] for i in range(9)] + [["b", f"y{i}"] for i in range(9)], {"min_count": 5}, "min_count=5"),
    ],
)
def test_a_corpus_without_pairs_is_refused_before_training(sentences, settings, message):
    """A field report: a model that had learnt nothing was saved, its mean loss nan."""
    with encode_sentences(sentences, CorpusSettings(**{"min_count": 1} | settings_of(CorpusSettings, settings))) as few:
        context = ContextSettings(**settings_of(ContextSettings, settings))
        with pytest.raises(CorpusError, match=message):
            Training(few, context, TrainingSettings(workers=1))
        with pytest.raises(CorpusError, match=message):
            w2v.train(few, workers=1, **settings_of(ContextSettings, settings))


def settings_of(home, settings):
    return {name: value for name, value in settings.items() if name in home.names()}


def test_a_training_without_pairs_ends_in_an_error():
    """A few tokens are kept, each alone in its sentence."""
    sentences = [[f"w{i}", f"v{i}"] for i in range(2000)]
    with pytest.raises(TrainingError, match=r"^nothing was learnt: no pair of word .* of 4,000 tokens"):
        w2v.train(sentences, min_count=1, sample=1e-10, workers=1, vector_size=4)


def test_an_epoch_of_a_tiny_corpus_may_have_no_pairs():
    embedding = w2v.train([["a", "b"]] * 20, min_count=1, epochs=300, workers=1, vector_size=4)
    assert any(map(np.isnan, embedding.losses)) and not all(map(np.isnan, embedding.losses))


def test_settings_and_provenance_travel_with_the_vectors(corpus):
    training = TrainingSettings(epochs=1, workers=1, vector_size=8, negative=3)
    embedding = train_encoded(corpus, ContextSettings(window=2), training)
    assert embedding.settings["context"]["window"] == 2
    assert embedding.settings["training"] == training.to_dict()
    assert embedding.settings["corpus"]["min_count"] == 1
    assert embedding.provenance["package_version"] == w2v.__version__
    assert embedding.provenance["corpus"]["tokens"] == 20_000


def test_a_loss_that_no_training_has_ends_in_an_error(corpus):
    """All values stay finite, and yet the vectors are worth nothing."""
    training = TrainingSettings(vector_size=16, epochs=1, alpha=0.001, workers=1)
    session = Training(corpus, ContextSettings(), training)
    with session:
        session.W[:], session.C[:] = 5.0, 5.0
        with pytest.raises(TrainingError, match=r"mean loss is .* know nothing is 4\.159.*algorithm pairwise"):
            session.run()
