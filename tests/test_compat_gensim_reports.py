"""What users of gensim ran into, asked of the face that looks like it: the right answer, not the known one."""

import math
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import w2v
from w2v.compat.gensim import CallbackAny2Vec, KeyedVectors, LineSentence, Word2Vec
from w2v.corpus import encode_files
from w2v.errors import CorpusError, CorpusTypeError, FormatError, NotAvailableError
from w2v.settings import CorpusSettings

TINY = {"vector_size": 8, "min_count": 1, "workers": 1}


def vectors(rows, counts=None):
    """Return KeyedVectors of words and their rows."""
    kv = KeyedVectors(len(next(iter(rows.values()))))
    kv.add_vectors(list(rows), np.array(list(rows.values()), dtype=np.float32))
    for number, word in enumerate(rows):
        kv.set_vecattr(word, "count", (counts or {}).get(word, len(rows) - number))
    return kv


# ---------------------------------------------------------------------------------------------------------- corpora


@pytest.mark.parametrize(
    ("corpus", "item"),
    [(["the cat sat", "a dog ran"], 0), ([["the", "cat"], "a dog ran"], 1), (("x y" for _ in range(3)), 0)],
)
def test_a_sentence_as_one_string_trains_no_letters(corpus, item):
    with pytest.raises(CorpusTypeError, match=rf"item {item}.*\.split\(\)") as caught:
        Word2Vec(corpus, **TINY)
    assert isinstance(caught.value, TypeError)


def test_each_cause_of_an_empty_vocabulary_has_its_own_message(tmp_path):
    (tmp_path / "commas.txt").write_text("a,b,c\nd,e,f\n")
    said = []
    for corpus, settings in (
        ([], {}),
        ([[], []], {}),
        ([["a", "b"]] * 7, {"min_count": 50}),
        (LineSentence(tmp_path / "commas.txt"), {}),
    ):
        with pytest.raises(CorpusError) as caught:
            Word2Vec(corpus, **{**TINY, **settings})
        said.append(str(caught.value))
    assert len(set(said)) == 4
    assert "0 sentences" in said[0] and "2 sentences, 0 tokens" in said[1] and "separator" in said[3]
    assert "min_count=50" in said[2] and "most frequent has 7" in said[2]


@pytest.mark.parametrize("by_file", [False, True])
def test_a_sentence_of_25000_tokens_is_trained_to_its_end(by_file, tmp_path):
    tokens = ["tail" if i > 10_000 and i % 100 == 0 else f"t{i % 3_000}" for i in range(25_000)]
    settings = {**TINY, "sample": 0}
    if by_file:
        (tmp_path / "long.txt").write_text(" ".join(tokens) + "\n")
        model = Word2Vec(**settings)
        model.build_vocab(LineSentence(tmp_path / "long.txt"))
    else:
        model = Word2Vec(**settings)
        model.build_vocab([tokens])
    start = model.wv["tail"].copy()
    corpus = {"corpus_file": tmp_path / "long.txt"} if by_file else {"corpus_iterable": [tokens]}
    assert model.train(**corpus, total_words=25_000, epochs=1) == (25_000, 25_000)
    assert not np.array_equal(model.wv["tail"], start) and model.syn1neg[model.wv.get_index("tail")].any()


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_every_line_of_a_file_is_trained_once_whatever_the_threads(workers, tmp_path):
    lines = [["long"] * 50_000, ["a", "b"], ["c"], ["d", "e", "f"]]
    (tmp_path / "c.txt").write_text("".join(" ".join(line) + "\n" for line in lines))
    model = Word2Vec(**{**TINY, "workers": workers}, sample=0)
    model.build_vocab(corpus_file=tmp_path / "c.txt")
    assert model.train(corpus_file=tmp_path / "c.txt", total_words=50_006, epochs=3) == (150_018, 150_018)
    with encode_files([tmp_path / "c.txt"], CorpusSettings(min_count=1)) as corpus:
        trained = Counter(corpus.vocabulary.words[i] for i in corpus.ids.tolist())
    assert trained == Counter(word for line in lines for word in line)


def test_walks_over_integer_nodes(tmp_path):
    model = Word2Vec([[10, 11], [11, 12], [12, 10]] * 20, **TINY)
    assert sorted(model.wv.index_to_key) == [10, 11, 12] and model.wv[10].shape == (8,)
    for unknown in (0, "10", 10.0, True):
        with pytest.raises(KeyError):
            model.wv[unknown]
        assert unknown not in model.wv
    assert {key for key, _ in model.wv.most_similar(10)} == {11, 12}
    model.save(tmp_path / "walks")
    again = Word2Vec.load(tmp_path / "walks")
    assert again.wv.index_to_key == model.wv.index_to_key and np.array_equal(again.wv[10], model.wv[10])
    again.build_vocab([[10, 13]], update=True)
    assert 13 in again.wv and again.wv.get_vecattr(10, "count") == 41
    with pytest.raises(CorpusTypeError, match="all must be of one kind"):
        Word2Vec([[10, "x"]], **TINY)


# --------------------------------------------------------------------------------------------------------- training


def test_without_subsampling_training_goes_on():
    for sample in (0, 0.0, None):
        model = Word2Vec([["a", "b", "c"]] * 30, **TINY, sample=sample)
        assert model.epoch_losses[-1] < model.epoch_losses[0]


def test_the_learning_rate_of_one_call_is_not_that_of_the_next():
    model = Word2Vec([["a", "b", "c"]] * 30, **TINY)
    model.train([["a", "b", "c"]] * 30, total_examples=30, epochs=2, start_alpha=0.3, end_alpha=0.2)
    assert (model.alpha, model.min_alpha, model.epochs) == (0.025, 0.0001, 5)


def test_losses_are_means_of_their_epochs_and_never_stand_still():
    seen = []

    class Watch(CallbackAny2Vec):
        def on_epoch_end(self, model):
            seen.append(model.get_latest_training_loss())

    model = Word2Vec(compute_loss=True, **TINY)
    with pytest.raises(NotAvailableError):
        model.get_latest_training_loss()  # never 0.0
    corpus = [["a", "b", "c", "d"]] * 200
    model.build_vocab(corpus)
    model.train(corpus, total_examples=200, epochs=6, compute_loss=True, callbacks=[Watch()])
    assert model.epoch_losses == seen and len(set(seen)) == 6 and all(0 < loss < 6 for loss in seen)


def test_the_order_of_hashes_does_not_matter():
    program = (
        "from w2v.compat.gensim import Word2Vec\n"
        "m = Word2Vec([['b', 'a', 'c'], ['d', 'e', 'b']] * 40, vector_size=6, min_count=1, workers=1, seed=3)\n"
        "import hashlib\n"
        "print(' '.join(m.wv.index_to_key), hashlib.sha256(m.wv.vectors.tobytes()).hexdigest())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1 and outputs.pop().startswith("b a c d e ")


def test_growing_without_new_words_and_before_any_word():
    model = Word2Vec([["a", "b"]] * 20, **TINY)
    before = model.wv.vectors.copy()
    model.build_vocab([["a", "a"]], update=True)
    assert np.array_equal(model.wv.vectors, before) and model.wv.get_vecattr("a", "count") == 22
    with pytest.raises(RuntimeError, match="build_vocab first"):
        Word2Vec(**TINY).build_vocab([["a", "b"]], update=True)


# ---------------------------------------------------------------------------------------------------------- queries


def test_vectors_that_are_added_after_a_query_are_found():
    kv = vectors({"a": [1, 0], "b": [0, 1]})
    kv.most_similar("a")
    kv.add_vector("q", [0.9, 0.1])
    kv.add_vectors(["r", "s"], [[0, 2], [1, 1]])
    assert kv.most_similar("a", topn=1)[0][0] == "q" and len(kv.most_similar("a", topn=None)) == 5
    assert kv.get_vector("q", norm=True) @ kv.get_vector("q", norm=True) == pytest.approx(1)


def test_topn_of_0_and_of_none():
    kv = vectors({"a": [1, 0], "b": [0, 1], "c": [1, 1]})
    assert kv.most_similar("a", topn=0) == [] == kv.most_similar_cosmul("a", topn=0)
    assert kv.most_similar("a", topn=None).shape == (3,) == kv.most_similar_cosmul("a", topn=None).shape


def test_a_string_is_one_word():
    kv = vectors({"cat": [1, 0], "c": [0, 1], "a": [1, 1], "t": [1, -1]})
    assert kv.most_similar("cat") == kv.most_similar(["cat"]) == kv.most_similar(positive="cat")
    assert kv.most_similar("a", negative="t") == kv.most_similar(["a"], ["t"])
    assert np.array_equal(kv.get_mean_vector("cat"), kv.get_vector("cat", norm=True))


def test_zero_vectors_give_no_nan_and_lead_nothing():
    kv = vectors({"zero": [0, 0], "a": [1, 0], "b": [-1, 0], "other": [0, 0]})
    assert kv.similarity("zero", "a") == 0 == kv.similarity("zero", "other")
    assert kv.most_similar("a")[0][0] == "b"  # -1 is a similarity, zeros have none
    for found in (kv.most_similar("zero"), kv.most_similar_cosmul("zero"), kv.most_similar("a", topn=9)):
        assert not any(math.isnan(score) for _, score in found)
    assert not np.isnan(kv.distances("zero")).any() and not np.isnan(kv.get_normed_vectors()).any()
    assert kv.n_similarity(["zero"], ["a"]) == 0
    kv.vectors[1] = np.nan
    kv.vectors_changed()
    with pytest.raises(FormatError, match=r"'a'.*nan"):
        kv.most_similar("b")


# ------------------------------------------------------------------------------------------------------- evaluation

ROYAL = {"man": [1, 0, 0, 0], "king": [1, 1, 0, 0], "woman": [0, 0, 1, 0], "queen": [0, 1, 1, 0], "apple": [0, 0, 0, 1]}


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text(": family\nman king woman queen\n: nothing known\nx y z w\n")
    return path


def test_an_exact_analogy_scores_1_and_a_permuted_one_0(questions):
    accuracy, sections = vectors(ROYAL).evaluate_word_analogies(questions)
    assert accuracy == 1.0 and [s["section"] for s in sections] == ["family", "nothing known", "Total accuracy"]
    assert sections[0]["correct"] == [("man", "king", "woman", "queen")]
    swapped = {**ROYAL, "apple": ROYAL["queen"], "queen": ROYAL["apple"]}
    assert vectors(swapped).evaluate_word_analogies(questions)[0] == 0.0


def test_nothing_answerable_is_no_score(tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text(": nothing known\nx y z w\n")
    accuracy, sections = vectors(ROYAL).evaluate_word_analogies(path)
    assert math.isnan(accuracy) and sections[0]["correct"] == [] == sections[0]["incorrect"]
    assert KeyedVectors.log_accuracy(sections[0]) is None
    assert vectors(ROYAL).evaluate_word_analogies(path, dummy4unknown=True)[0] == 0.0


def test_other_spellings_of_the_words_asked_about_are_no_answers(questions):
    rows = {**ROYAL, "King": [1, 1, 0.001, 0], "WOMAN": [0, 0.01, 1, 0]}
    assert vectors(rows).evaluate_word_analogies(questions)[0] == 1.0
    same = [vectors(ROYAL).evaluate_word_analogies(questions, case_insensitive=flag)[0] for flag in (True, False)]
    assert same == [1.0, 1.0]


def test_an_evaluation_that_fails_leaves_the_vectors_as_they_were(tmp_path):
    kv = vectors({**ROYAL, "King": [1, 1, 0, 0]})
    (tmp_path / "broken.txt").write_text(": family\nman king woman queen\none two three\n")
    before = list(kv.index_to_key), dict(kv.key_to_index), kv.vectors.copy()
    with pytest.raises(FormatError, match=r"broken\.txt:3"):
        kv.evaluate_word_analogies(tmp_path / "broken.txt")
    assert (kv.index_to_key, kv.key_to_index) == before[:2] and np.array_equal(kv.vectors, before[2])
    assert kv.most_similar("king", topn=1)[0][0] == "King"


def test_gold_scores_are_numbers(tmp_path):
    kv = vectors({"a": [1, 0], "b": [1, 0.1], "c": [1, 0.5], "d": [0, 1]})
    (tmp_path / "pairs.tsv").write_text("a\tb\t10.0\na\tc\t9.5\na\td\t2.1\n")
    pearson, spearman, unknown = kv.evaluate_word_pairs(tmp_path / "pairs.tsv")
    assert spearman.statistic == pytest.approx(1) and unknown == 0 and pearson[0] > 0.8


# ------------------------------------------------------------------------------------------------------------ files


def test_a_word_with_a_blank_comes_back_from_text_and_stops_the_binary(tmp_path):
    model = Word2Vec([["human", "new york"]] * 20, **TINY)
    model.wv.save_word2vec_format(tmp_path / "v.txt")
    assert KeyedVectors.load_word2vec_format(tmp_path / "v.txt").index_to_key == model.wv.index_to_key
    with pytest.raises(FormatError, match="'new york'"):
        model.wv.save_word2vec_format(tmp_path / "v.bin", binary=True)
    assert not (tmp_path / "v.bin").exists()
    odd = Word2Vec([["human", " ", "", "a\tb", "c\nd"]] * 20, **TINY)
    odd.save(tmp_path / "model")
    assert Word2Vec.load(tmp_path / "model").wv.index_to_key == odd.wv.index_to_key
    with pytest.raises(FormatError, match="row"):
        odd.wv.save_word2vec_format(tmp_path / "odd.txt")


@pytest.mark.parametrize(("header", "rows"), [("5 3", 4), ("3 3", 4)])
def test_a_header_that_lies_is_told_with_both_numbers(header, rows, tmp_path):
    (tmp_path / "v.txt").write_text(header + "\n" + "".join(f"w{i} 1 2 3\n" for i in range(rows)))
    with pytest.raises(FormatError, match=rf"promises {header[0]} rows, the file holds {rows}"):
        KeyedVectors.load_word2vec_format(tmp_path / "v.txt")


def test_a_wrong_kind_of_file_is_told_with_the_way_to_read_it(tmp_path):
    kv = vectors(ROYAL)
    kv.save_word2vec_format(tmp_path / "v.bin", binary=True)
    kv.save_word2vec_format(tmp_path / "glove.txt", write_header=False)
    with pytest.raises(FormatError, match="binary=True"):
        KeyedVectors.load_word2vec_format(tmp_path / "v.bin")
    with pytest.raises(FormatError, match="not a header"):
        KeyedVectors.load_word2vec_format(tmp_path / "glove.txt")
    assert KeyedVectors.load_word2vec_format(tmp_path / "glove.txt", no_header=True).index_to_key == list(ROYAL)
    for name in ("v.bin", "glove.txt"):  # load needs not be told
        assert KeyedVectors.load(tmp_path / name).index_to_key == list(ROYAL)


def test_nothing_of_a_training_is_a_pickle(tmp_path):
    model = Word2Vec([["a", "b"]] * 20, **TINY)
    model.save(tmp_path / "model")
    model.wv.save(tmp_path / "vectors")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "vectors"]  # one file each
    for name in ("model", "vectors"):
        assert b"pickle" not in (tmp_path / name).read_bytes() and w2v.load(tmp_path / name).words
