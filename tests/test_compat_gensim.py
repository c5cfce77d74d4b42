"""Word2Vec of the gensim face: arguments, vocabulary, training, callbacks, corpora, files."""

import bz2
import copy
import inspect
import io
import logging
import pickle
import warnings

import numpy as np
import pytest

import w2v
from w2v.compat.gensim import (
    RULE_DEFAULT,
    RULE_DISCARD,
    RULE_KEEP,
    CallbackAny2Vec,
    KeyedVectors,
    LineSentence,
    PathLineSentences,
    Text8Corpus,
    Word2Vec,
)
from w2v.errors import CorpusError, CorpusTypeError, FormatError, NotAvailableError, SettingsError, W2VError

NINE = [
    ["human", "interface", "computer"],
    ["survey", "user", "computer", "system", "response", "time"],
    ["eps", "user", "interface", "system"],
    ["system", "human", "system", "eps"],
    ["user", "response", "time"],
    ["trees"],
    ["graph", "trees"],
    ["graph", "minors", "trees"],
    ["graph", "minors", "survey"],
]
SMALL = {"vector_size": 10, "min_count": 1, "workers": 1}


def small(sentences=NINE, **settings):
    return Word2Vec(sentences, **{**SMALL, **settings})


def more(model, corpus, **options):
    """Train a model, with all that a call of ``train`` has to say."""
    return model.train(corpus, **{"total_examples": len(corpus), "epochs": model.epochs, **options})


# --- arguments


def test_the_arguments_are_those_of_gensim_4_in_their_order():
    expected = {
        "sentences": None, "corpus_file": None, "vector_size": 100, "alpha": 0.025, "window": 5, "min_count": 5,
        "max_vocab_size": None, "sample": 0.001, "seed": 1, "workers": 3, "min_alpha": 0.0001, "sg": 1, "hs": 0,
        "negative": 5, "ns_exponent": 0.75, "cbow_mean": 1, "hashfxn": hash, "epochs": 5, "null_word": 0,
        "trim_rule": None, "sorted_vocab": 1, "batch_words": 10000, "compute_loss": False, "callbacks": (),
        "comment": None, "max_final_vocab": None, "shrink_windows": True,
    }  # fmt: skip
    found = list(inspect.signature(Word2Vec.__init__).parameters.values())[1:-1]
    assert [(p.name, p.default) for p in found] == list(expected.items())
    train = ["corpus_iterable", "corpus_file", "total_examples", "total_words", "epochs", "start_alpha", "end_alpha"]
    assert list(inspect.signature(Word2Vec.train).parameters)[1:8] == train


def test_one_call_is_the_training_of_this_package():
    ours = w2v.train(NINE * 20, vector_size=12, min_count=2, window=3, sample=0.01, seed=5, workers=1, epochs=3)
    model = Word2Vec(NINE * 20, vector_size=12, min_count=2, window=3, sample=0.01, seed=5, workers=1, epochs=3)
    assert model.wv.index_to_key == ours.words
    assert np.array_equal(model.wv.vectors, ours.W) and np.array_equal(model.syn1neg, ours.C)
    assert model.epoch_losses == list(ours.losses) and model.get_latest_training_loss() == ours.losses[-1]
    steps = Word2Vec(vector_size=12, min_count=2, window=3, sample=0.01, seed=5, workers=1)
    steps.build_vocab(NINE * 20)
    steps.train(NINE * 20, total_examples=steps.corpus_count, epochs=3)
    assert np.array_equal(steps.wv.vectors, ours.W) and np.array_equal(steps.syn1neg, ours.C)
    assert small(algorithm="pairwise", accidental_hits="drop", subsampling="clean", block_size=8).wv["user"].any()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sg": 0}, "leave sg out, which means skip-gram"),
        ({"hs": 1}, "negative sampling only"),
        ({"hs": 1, "negative": 0}, "negative sampling only"),
        ({"negative": 0}, "number of noise words"),
        ({"null_word": 1}, "null_word"),
        ({"sorted_vocab": 0}, "always sorted"),
        ({"sample": 5}, "below 1"),
        ({"min_alpha": 1.0}, "min_alpha"),
        ({"vector_size": 0}, "vector_size"),
        ({"workers": 0}, "workers"),
        ({"callbacks": CallbackAny2Vec()}, r"write \[callback\]"),
    ],
)
def test_what_there_is_not_is_refused_before_anything_is_read(given, said):
    def unread():
        raise AssertionError
        yield

    with pytest.raises(W2VError, match=said) as refusal:
        Word2Vec(unread(), **given)
    assert isinstance(refusal.value, ValueError)


def test_names_of_version_3_get_a_hint():
    for old, new in {"size": "vector_size", "iter": "epochs", "windw": "window"}.items():
        with pytest.raises(TypeError, match=f"no argument '{old}'.*{new}"):
            Word2Vec(NINE, **{old: 7})
    model = small()
    with pytest.raises(TypeError, match="corpus_iterable"):
        model.train(sentences=NINE)
    for old, new in {"syn0": "wv.vectors", "most_similar": "wv.most_similar", "syn1": "syn1neg"}.items():
        assert not hasattr(model, old)
        with pytest.raises(AttributeError, match=new):
            getattr(model, old)
    assert str(model) == "Word2Vec<vocab=12, vector_size=10, alpha=0.025>"


def test_a_seed_is_drawn_where_none_is_given():
    first, second = small(seed=None), small(seed=None)
    assert first.seed != second.seed
    assert np.array_equal(small(seed=first.seed).wv.vectors, first.wv.vectors)


# --- corpora


def test_a_generator_will_do_for_the_constructor():
    assert np.array_equal(small(s for s in NINE).wv.vectors, small().wv.vectors)
    model = Word2Vec(**SMALL)
    sentences = (s for s in NINE)
    model.build_vocab(sentences)
    with pytest.raises(CorpusError, match="used up"):
        model.train(sentences, total_examples=180, epochs=1)


@pytest.mark.parametrize(
    ("corpus", "kind", "said"),
    [
        (["the cat sat", "a dog ran"], CorpusTypeError, r"item 0 .*\.split\(\)"),
        ([["a", "b"], "a dog ran"], CorpusTypeError, r"item 1 .*\.split\(\)"),
        ("corpus.txt", CorpusTypeError, "corpus_file="),
        ([__file__], CorpusTypeError, r"item 0 .*a string.*: a file is passed as corpus_file="),
        (7, CorpusTypeError, "iterable"),
        ([["a", 1], ["a", "b"]], CorpusTypeError, "integer|kind"),
        ([], CorpusError, "0 sentences"),
        ([[], []], CorpusError, "0 tokens"),
    ],
)
def test_what_is_no_corpus_is_told(corpus, kind, said):
    for use in (lambda: small(corpus), lambda: Word2Vec(**SMALL).build_vocab(corpus)):
        with pytest.raises(kind, match=said):
            use()
    with pytest.raises(SettingsError, match="not both"):
        Word2Vec(NINE, "file.txt")
    with pytest.raises(SettingsError, match="either"):
        Word2Vec(**SMALL).build_vocab()


def test_files_give_what_lists_give(tmp_path):
    text = "\n".join(" ".join(line) for line in NINE) + "\n"
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.bz2"
    plain.write_text(text)
    packed.write_bytes(bz2.compress(text.encode()))
    expected = small().wv.vectors
    for model in (
        Word2Vec(corpus_file=str(plain), **SMALL),
        Word2Vec(corpus_file=packed, **SMALL),
        small(LineSentence(plain)),
        small(LineSentence(str(packed))),
        small(LineSentence(plain, max_sentence_length=50)),
        small(LineSentence(io.BytesIO(text.encode()))),
    ):
        assert np.array_equal(model.wv.vectors, expected)
        assert (model.corpus_count, model.corpus_total_words) == (9, 29)
    model = Word2Vec(**SMALL)
    model.build_vocab(corpus_file=plain)
    assert model.train(corpus_file=packed, total_words=29, epochs=5) == (145, 145)
    assert np.array_equal(model.wv.vectors, expected)
    both = small(PathLineSentences(tmp_path))
    assert both.corpus_count == 18 and PathLineSentences(str(plain)).input_files == [str(plain)]
    assert [*PathLineSentences(tmp_path)] == NINE * 2
    with pytest.raises(OSError, match="nowhere"):
        PathLineSentences(tmp_path / "nowhere")


def test_iterating_over_lines(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes("a b  c\td\n\ne\u00a0f g\u2009h\r\nlast".encode())
    assert [*LineSentence(path)] == [["a", "b", "c", "d"], ["e\u00a0f", "g\u2009h"], ["last"]]
    assert [*LineSentence(path, max_sentence_length=3, limit=1)] == [["a", "b", "c"], ["d"]]
    assert [*Text8Corpus(path, 3)] == [["a", "b", "c"], ["d", "e\u00a0f", "g\u2009h"], ["last"]]
    with bz2.open(tmp_path / "t.bz2", "wb") as file:
        file.write(path.read_bytes())
    again = LineSentence(bz2.BZ2File(tmp_path / "t.bz2"))
    assert [*again] == [*again] == [*LineSentence(path)]
    again.source.close()
    long = [f"w{i % 7}" for i in range(40_000)]  # several blocks
    (tmp_path / "long").write_text(" ".join(long))
    assert [w for piece in Text8Corpus(tmp_path / "long", 999) for w in piece] == long
    assert [*LineSentence(tmp_path / "long", 40_000)] == [long]
    (tmp_path / "bad").write_bytes(b"fine\ncaf\xe9 x\n")
    with pytest.raises(CorpusError, match=r"bad:2: b'\\xe9' is not valid UTF-8"):
        [*LineSentence(tmp_path / "bad")]


def test_integer_tokens_are_keys():
    model = small([[10, 11], [11, 12], [12, 10]] * 9)
    assert sorted(model.wv.index_to_key) == [10, 11, 12] and 0 not in model.wv and "10" not in model.wv
    assert model.wv.most_similar(10, topn=1)[0][0] in (11, 12)
    grown = Word2Vec(**SMALL)
    grown.build_vocab(np.array([[10, 11], [11, 12]]))
    assert grown.wv.get_vecattr(11, "count") == 2


# --- vocabulary


def test_counting_and_choosing_words():
    model = Word2Vec(vector_size=10, max_final_vocab=4, min_count=4, sample=0)
    assert model.scan_vocab(NINE) == (29, 9) and model.raw_vocab["system"] == 4
    report = model.prepare_vocab(dry_run=True)
    assert len(model.wv) == 0
    assert report == {
        "drop_unique": 11, "retain_total": 4, "downsample_unique": 0, "downsample_total": 4, "num_retained_words": 1,
    }  # fmt: skip
    model.prepare_vocab(min_count=2)
    assert model.effective_min_count == 3 and model.wv.index_to_key == ["system", "graph", "trees", "user"]
    model.prepare_weights()
    assert model.wv.vectors.shape == model.syn1neg.shape == (4, 10) and not model.syn1neg.any()
    one_pass = Word2Vec(NINE, vector_size=10, max_final_vocab=4, min_count=2, workers=1)
    assert one_pass.wv.index_to_key == ["system", "graph", "trees", "user"] and one_pass.corpus_total_words == 29
    two = Word2Vec(vector_size=10, max_final_vocab=4, min_count=2, workers=1)
    two.build_vocab(NINE, keep_raw_vocab=True)
    more(two, NINE)
    assert np.array_equal(one_pass.wv.vectors, two.wv.vectors) and len(two.raw_vocab) == 12
    with pytest.raises(CorpusError, match=r"12 types, none is kept with min_count=50 .*4\)"):
        Word2Vec(min_count=50).build_vocab(NINE)


def test_trim_rules():
    def rule(word, count, min_count):
        assert min_count == 2
        return {"human": RULE_DISCARD, "rare": RULE_KEEP}.get(word, RULE_DEFAULT)

    sentences = [*NINE, ["rare", "once"]]
    model = Word2Vec(sentences, vector_size=8, min_count=2, workers=1, trim_rule=rule)
    assert "human" not in model.wv and "rare" in model.wv and "once" not in model.wv and "user" in model.wv
    later = Word2Vec(vector_size=8, min_count=2, workers=1)
    later.build_vocab(sentences, trim_rule=rule)
    assert later.wv.index_to_key == model.wv.index_to_key
    with pytest.raises(SettingsError, match="got 7 for"):
        Word2Vec(min_count=1).build_vocab(NINE, trim_rule=lambda *_: 7)


def test_vocabularies_from_counts_and_from_other_models():
    model = Word2Vec(**SMALL)
    model.build_vocab_from_freq({"a": 3, "b": 9}, corpus_count=4)
    assert model.wv.index_to_key == ["b", "a"] and model.corpus_count == 4 and model.corpus_total_words == 12
    other = small()
    model.reset_from(other)
    assert model.wv.key_to_index == other.wv.key_to_index and model.wv.get_vecattr("system", "count") == 4
    assert more(model, NINE, epochs=1) == (29, 29)
    assert model.estimate_memory()["total"] > 2 * 12 * 10 * 4


def test_a_vocabulary_grows():
    model = small()
    graph, row, C = model.wv["graph"].copy(), model.wv.key_to_index["graph"], model.syn1neg.copy()
    model.build_vocab([["graph", "new"], ["newer", "new", "graph"]], update=True)
    assert len(model.wv) == 14 and model.wv.index_to_key[12:] == ["new", "newer"]
    assert model.wv.key_to_index["graph"] == row and np.array_equal(model.wv["graph"], graph)
    assert [model.wv.get_vecattr(w, "count") for w in ("graph", "new", "newer", "system")] == [5, 2, 1, 4]
    assert np.array_equal(model.syn1neg[:12], C) and not model.syn1neg[12:].any() and model.wv["new"].any()
    more(model, [["graph", "new"], ["newer", "new", "graph"]] * 9, epochs=2)
    assert model.syn1neg[13].any() and not np.array_equal(model.wv["graph"], graph)
    before = model.wv.vectors.copy()
    model.build_vocab([["graph", "trees"]], update=True)  # nothing new
    assert len(model.wv) == 14 and np.array_equal(model.wv.vectors, before)
    assert model.wv.get_vecattr("graph", "count") == 6
    picky = Word2Vec(NINE, vector_size=10, min_count=3, workers=1)
    picky.build_vocab([["once", "thrice", "thrice", "thrice"]], update=True)
    assert "thrice" in picky.wv and "once" not in picky.wv
    with pytest.raises(RuntimeError, match="build_vocab first"):
        Word2Vec(**SMALL).build_vocab(NINE, update=True)


# --- training


def test_training_goes_on_from_what_is_there():
    model = small(NINE * 20)
    C = model.syn1neg.copy()
    assert more(model, NINE * 20, epochs=2, start_alpha=0.01, end_alpha=0.001) == (1160, 1160)
    assert (model.alpha, model.min_alpha, model.epochs) == (0.025, 0.0001, 5)
    assert len(model.epoch_losses) == 7 and model.train_count == 2 and not np.array_equal(model.syn1neg, C)
    assert more(model, [["graph", "unknown"], ["trees"]], epochs=1) == (2, 3)
    again = small(NINE * 20)
    more(again, NINE * 20, epochs=2, start_alpha=0.01, end_alpha=0.001)
    more(again, [["graph", "unknown"], ["trees"]], epochs=1)
    assert np.array_equal(model.wv.vectors, again.wv.vectors)


def test_start_vectors_may_be_put_in_place():
    model = Word2Vec(**SMALL)
    model.build_vocab(NINE)
    model.wv.vectors[:] = 7
    more(model, NINE, epochs=1, start_alpha=1e-9, end_alpha=0)
    assert np.allclose(model.wv.vectors, 7) and model.wv.similarity("user", "trees") == pytest.approx(1)


def test_what_cannot_be_trained_is_told():
    with pytest.raises(RuntimeError, match="call build_vocab before train"):
        more(Word2Vec(**SMALL), NINE)
    model = small()
    model.wv.add_vector("alone", np.ones(10))
    with pytest.raises(RuntimeError, match=r"\(13, 10\), syn1neg \(12, 10\)"):
        more(model, NINE)

    class Hooked(Word2Vec):
        def _do_train_job(self, *args):
            """What programs override in gensim."""

    with pytest.raises(NotAvailableError, match="Hooked hooks into"):
        more(Hooked(**SMALL), NINE)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epochs": 2}, "total_examples=model.corpus_count"),
        ({"total_examples": 9}, "epochs=model.epochs; got None"),
        ({"total_words": 29, "epochs": 0}, "got 0"),
    ],
)
def test_a_call_of_train_says_how_much_there_is_and_how_often(options, said):
    model = Word2Vec(**SMALL)
    model.build_vocab(NINE)
    with pytest.raises(ValueError, match=said):
        model.train(NINE, **options)
    assert model.train(NINE, total_words=29, epochs=2) == (58, 58)
    with pytest.raises(ValueError, match=r"total_words=model\.corpus_total_words"):
        model.train(corpus_file="nowhere", total_examples=9, epochs=2)


def test_locked_vectors_stay_as_they_are(tmp_path):
    model = Word2Vec(**SMALL)
    model.build_vocab(NINE)
    before = model.wv.vectors.copy()
    assert model.wv.vectors_lockf.tolist() == [1.0]
    model.wv.vectors_lockf = np.ones(12, dtype=np.float32)
    model.wv.vectors_lockf[[0, 4]] = 0.0
    more(model, NINE * 20)
    assert (model.wv.vectors == before).all(axis=1).nonzero()[0].tolist() == [0, 4]
    assert model.syn1neg[[0, 4]].any(axis=1).all()
    model.build_vocab([["new", "graph"]], update=True)  # new words are trained
    assert len(model.wv.vectors_lockf) == 13
    model.save(tmp_path / "model")
    loaded = Word2Vec.load(tmp_path / "model")
    for each in (model, loaded):
        more(each, [*NINE, ["new", "graph"]])
        assert np.array_equal(each.wv.vectors[[0, 4]], before[[0, 4]])
    assert np.array_equal(model.wv.vectors, loaded.wv.vectors)
    model.wv.vectors_lockf = np.zeros(1, dtype=np.float32)
    kept = model.wv.vectors.copy()
    more(model, NINE)
    assert np.array_equal(model.wv.vectors, kept)
    model.wv.vectors_lockf = np.full(13, 0.5, dtype=np.float32)
    with pytest.raises(NotAvailableError, match=r"holds 0\.5"):
        more(model, NINE)
    model.wv.vectors_lockf = np.ones(7, dtype=np.float32)
    with pytest.raises(SettingsError, match="one factor, or 13"):
        more(model, NINE)


def test_vectors_of_a_file_are_taken_over_and_frozen(tmp_path):
    given = KeyedVectors(10)
    given.add_vectors(["graph", "trees", "elsewhere"], np.random.default_rng(0).normal(size=(3, 10)).astype(np.float32))
    given.save_word2vec_format(tmp_path / "v.bin", binary=True)
    for lockf in (0.0, 1.0):
        model = Word2Vec(**SMALL)
        model.build_vocab(NINE)
        model.wv.intersect_word2vec_format(tmp_path / "v.bin", binary=True, lockf=lockf)
        assert np.array_equal(model.wv["graph"], given["graph"]) and "elsewhere" not in model.wv
        more(model, NINE * 20)
        assert np.array_equal(model.wv[["graph", "trees"]], given[["graph", "trees"]]) == (lockf == 0)


def test_counts_are_pruned_when_asked_for(tmp_path):
    four = [["graph", "system"], ["graph", "system"], ["system", "eps"], ["graph", "system"]]
    five = [*four, ["minors", "survey", "minors", "survey", "minors"]]
    (tmp_path / "five.txt").write_text("".join(" ".join(s) + "\n" for s in five))
    for sentences, counts in ((four, {"system": 4, "graph": 3}), (five, {"system": 4, "graph": 3, "minors": 3})):
        one = Word2Vec(sentences, **{**SMALL, "min_count": 0}, max_vocab_size=2)
        two = Word2Vec(**{**SMALL, "min_count": 0}, max_vocab_size=2)
        two.build_vocab(iter(sentences))
        for model in (one, two):
            assert {word: model.wv.get_vecattr(word, "count") for word in model.wv.index_to_key} == counts
    file = Word2Vec(corpus_file=tmp_path / "five.txt", **{**SMALL, "min_count": 0}, max_vocab_size=2)
    assert sorted(file.wv.index_to_key) == sorted(counts) and file.corpus_total_words == 13
    kept = Word2Vec(five, **SMALL, max_vocab_size=2, trim_rule=lambda word, *_: RULE_KEEP * (word == "eps"))
    assert "eps" in kept.wv and "survey" not in kept.wv


def test_a_corpus_without_words_raises_what_gensim_raises():
    for corpus, settings in (([], {}), ([[]], {}), (NINE, {"min_count": 99})):
        for build in (lambda c, **s: Word2Vec(c, **s), lambda c, **s: Word2Vec(**s).build_vocab(c)):
            with pytest.raises(RuntimeError) as caught:
                build(corpus, **settings)
            assert isinstance(caught.value, CorpusError)


def test_events_are_kept():
    model = small()
    model.add_lifecycle_event("tried", what=3)
    model.wv.add_lifecycle_event("tried")
    assert model.lifecycle_events[-1]["event"] == "tried" and model.lifecycle_events[-1]["what"] == 3
    assert "T" in model.wv.lifecycle_events[0]["datetime"]


def test_a_rising_learning_rate_is_noticed(caplog):
    model = small()
    more(model, NINE, start_alpha=0.00005, end_alpha=0.00005)
    assert not caplog.records
    with caplog.at_level(logging.WARNING):
        more(model, NINE, start_alpha=0.05)
    assert "Effective 'alpha' higher than previous training cycles" in caplog.text and "5e-05" in caplog.text


def test_the_loss_is_a_mean_and_asking_too_early_raises():
    model = Word2Vec(compute_loss=True, **SMALL)
    with pytest.raises(RuntimeError, match="no loss yet"):
        model.get_latest_training_loss()
    model.build_vocab(NINE * 50)
    more(model, NINE * 50, epochs=20, start_alpha=0.05)
    assert len(model.epoch_losses) == 20 and 0 < model.epoch_losses[-1] < model.epoch_losses[0] < 5
    assert model.get_latest_training_loss() == model.epoch_losses[-1] == model.running_training_loss


def test_callbacks_see_each_moment_and_the_vectors_of_it():
    seen, vectors = [], []

    class Watcher(CallbackAny2Vec):
        def on_train_begin(self, model):
            seen.append("train")

        def on_epoch_begin(self, model):
            seen.append("epoch")

        def on_epoch_end(self, model):
            seen.append(round(model.get_latest_training_loss(), 3))
            vectors.append(model.wv.get_vector("user", norm=True).copy())
            assert model.wv.similarity("user", "user") == pytest.approx(1)
            model.save("during.model")

        def on_train_end(self, model):
            seen.append("end")

    class Partial:
        def on_train_end(self, model):
            seen.append("partial")

    model = small(NINE * 20, callbacks=[Watcher(), Partial()], epochs=3)
    losses = [round(loss, 3) for loss in model.epoch_losses]
    assert seen == ["train", "epoch", losses[0], "epoch", losses[1], "epoch", losses[2], "end", "partial"]
    assert not np.array_equal(vectors[0], vectors[1])
    assert np.array_equal(Word2Vec.load("during.model").wv.vectors, model.wv.vectors)


def test_an_exception_in_a_callback_ends_the_training_and_keeps_the_model():
    class Enough(CallbackAny2Vec):
        def on_epoch_end(self, model):
            if len(model.epoch_losses) == 2:
                raise StopIteration("enough")

    model = Word2Vec(**SMALL)
    model.build_vocab(NINE * 20)
    with pytest.raises(StopIteration):
        more(model, NINE * 20, epochs=50, callbacks=[Enough()])
    assert len(model.epoch_losses) == 2 and model.wv.vectors.flags.c_contiguous and model.wv.most_similar("user")
    two = small(NINE * 20)  # how it goes on does not matter, that it goes on does
    assert more(two, NINE) and more(model, NINE)


# --- what a model can tell


def test_words_are_predicted_from_their_contexts():
    model = small(NINE * 100, epochs=20)
    mean = model.wv[["graph", "minors"]].mean(axis=0)
    scores = np.exp(model.syn1neg @ mean)
    found = model.predict_output_word(["graph", "minors", "unknown"], topn=3)
    assert [w for w, _ in found] == [model.wv.index_to_key[i] for i in np.argsort(-scores)[:3]]
    assert [p for _, p in found] == pytest.approx(np.sort(scores / scores.sum())[::-1][:3], rel=1e-5)
    assert sum(p for _, p in model.predict_output_word(["graph"], topn=None)) == pytest.approx(1)
    assert model.predict_output_word(["unknown"]) is None
    rows = [model.wv.get_index("graph"), "minors"]
    assert model.predict_output_word(rows, topn=3) == found  # a number is a row in this method
    assert model.predict_output_word([99, -1]) is None
    model.cbow_mean = 0
    summed = np.exp(model.syn1neg @ (2 * mean))
    assert model.predict_output_word(rows, topn=1)[0][1] == pytest.approx((summed / summed.sum()).max(), rel=1e-5)
    with pytest.raises(RuntimeError, match="syn1neg"):
        Word2Vec().predict_output_word(["graph"])
    with pytest.raises(RuntimeError, match="hierarchical"):
        model.score(NINE)


# --- files and copies


def test_a_saved_model_goes_on_as_if_nothing_had_been(tmp_path):
    path = tmp_path / "model"
    model = small(NINE * 20, comment="nine", window=3, ns_exponent=0.5, algorithm="pairwise")
    model.save(path, separately=[], pickle_protocol=4)
    loaded = Word2Vec.load(path, mmap="r")
    for name in ("comment", "window", "ns_exponent", "corpus_count", "corpus_total_words", "train_count", "min_count"):
        assert getattr(loaded, name) == getattr(model, name)
    assert loaded.own_settings == {"algorithm": "pairwise"} and loaded.epoch_losses == model.epoch_losses
    for each in (model, loaded):
        more(each, NINE * 20)
        each.build_vocab([["new", "graph"]], update=True)
    assert np.array_equal(model.wv.vectors, loaded.wv.vectors) and np.array_equal(model.syn1neg, loaded.syn1neg)
    assert w2v.load(path).settings["context"]["window"] == 3
    found, expected = (vectors.most_similar("user", topn=2) for vectors in (KeyedVectors.load(path), w2v.load(path)))
    assert [word for word, _ in found] == [word for word, _ in expected]
    assert [cosine for _, cosine in found] == pytest.approx([cosine for _, cosine in expected], abs=1e-7)


def test_models_of_the_package_load_and_vectors_alone_do_not(tmp_path):
    ours = w2v.train(NINE * 20, **SMALL, window=2, epochs=2)
    ours.save(tmp_path / "ours")
    model = Word2Vec.load(tmp_path / "ours")
    assert model.window == 2 and model.corpus_count == 180 and np.array_equal(model.syn1neg, ours.C)
    assert more(model, NINE)
    model.wv.save(tmp_path / "vectors")
    with pytest.raises(FormatError, match=r"KeyedVectors\.load") as caught:
        Word2Vec.load(tmp_path / "vectors")
    assert isinstance(caught.value, AttributeError)  # as gensim raises
    (tmp_path / "pickle").write_bytes(pickle.dumps(NINE))
    with pytest.raises(FormatError, match=r"pickle.*save_word2vec_format"):
        Word2Vec.load(tmp_path / "pickle")
    with pytest.raises(AttributeError, match="on the class"):
        model.load(tmp_path / "ours")


def test_subclasses_with_arguments_of_their_own_load_too(tmp_path):
    class Graph(Word2Vec):
        def __init__(self, graph):
            super().__init__(**SMALL)
            self.build_vocab([node] for node in graph)  # sentences of one token

    model = Graph(["a", "b", "c"])
    more(model, [["a", "b"], ["b", "c"]], epochs=2)
    model.save(tmp_path / "graph")
    assert isinstance(Graph.load(tmp_path / "graph"), Graph) and len(Graph.load(tmp_path / "graph").wv) == 3


def test_models_can_be_copied_and_sent_to_other_processes():
    model = small(NINE * 20, trim_rule=lambda *_: RULE_DEFAULT)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        more(other, NINE * 20)
        assert other.train_count == 2 and model.train_count == 1
        assert not np.array_equal(other.wv.vectors, model.wv.vectors)


def test_nothing_here_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(max_vocab_size=3, batch_words=7, cbow_mean=0, hashfxn=len, compute_loss=True).wv.init_sims()
