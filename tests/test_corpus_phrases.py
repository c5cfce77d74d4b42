"""Phrases against a slow count of every pair, and reports from the field."""

import gzip
import json
import random

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from w2v.corpus import Phrases, encode_sentences
from w2v.corpus.phrases import ENGLISH_CONNECTORS, Phrase, joining, text
from w2v.corpus.phrases.counting import Pairs, count_pairs
from w2v.corpus.phrases.scores import phrase_scores
from w2v.corpus.phrases.stream import NumberStream
from w2v.errors import CorpusError, CorpusTypeError, FileAccessError, FormatError, SettingsError
from w2v.kernels import phrases as kernels
from w2v.settings import PhraseSettings

CONNECTORS = ("of", "the")
SENTENCES = st.lists(st.lists(st.sampled_from(["a", "b", "c", "a_b", "of", "the", "rare"]), max_size=9), min_size=1)


def text_of(sentences):
    return "".join(" ".join(sentence) + "\n" for sentence in sentences)


def random_sentences(seed, count=400, words=30, longest=14):
    """Sentences of a skewed vocabulary in which neighbours depend on each other."""
    rng = random.Random(seed)
    sentences = []
    for _ in range(count):
        sentence, word = [], 0
        for _ in range(rng.randrange(longest)):
            word = (word * 3 + 1) % words if rng.random() < 0.5 else int(words * rng.random() ** 2)
            sentence.append(rng.choice(["of", "the", "a"]) if word % 7 == 3 else f"w{word}")
        sentences.append(sentence)
    return sentences


def oracle(sentences, passes=1, connectors=(), **options):
    """Return the phrases of each pass, and the sentences after the last."""
    found = []
    for _ in range(passes):
        phrases = reference.phrases_of_pass(sentences, connectors=connectors, **options)
        if not phrases:
            break
        found.append(phrases)
        sentences = reference.join_phrases(sentences, phrases, connectors)
    return found, sentences


def as_dicts(phrases):
    return [{p.words: (p.count, p.score) for p in one} for one in phrases.passes]


def assert_same(found, expected):
    assert [set(one) for one in found] == [set(one) for one in expected]
    for one, other in zip(found, expected, strict=True):
        for words, (count, score) in one.items():
            assert count == other[words][0] and score == pytest.approx(other[words][1], rel=1e-12, abs=1e-12)


# --------------------------------------------------------------------------------------------- against the slow count


@pytest.mark.parametrize("scoring", ["original", "npmi"])
@pytest.mark.parametrize("connectors", [(), CONNECTORS, ("of", "the", "a")])
def test_learning_and_joining_equal_the_slow_way(tmp_path, monkeypatch, scoring, connectors):
    monkeypatch.setattr("w2v.corpus.phrases.stream.PIECE", 97)  # no multiple of anything
    monkeypatch.setattr(joining, "_BUFFER", 5)
    sentences = random_sentences(1)
    threshold = {"original": 0.7, "npmi": 0.1}[scoring]
    options = {"min_count": 4, "threshold": threshold, "scoring": scoring}
    expected, joined = oracle(sentences, passes=3, connectors=connectors, **options)
    assert len(expected) >= 2
    path = tmp_path / "text"
    path.write_text(text_of(sentences))
    for corpus in (sentences, path, str(path), [path], iter(sentences)):
        phrases = Phrases.learn(corpus, passes=3, connector_words=connectors, **options)
        assert_same(as_dicts(phrases), expected)
    assert list(phrases.join(sentences)) == joined
    done = phrases.join_files(path, tmp_path / "joined")
    assert (tmp_path / "joined").read_text() == text_of(sentence for sentence in joined if sentence)
    assert done == (sum(map(bool, joined)), sum(map(len, sentences)), sum(map(len, joined)))


@given(SENTENCES, st.integers(1, 3), st.integers(1, 3), st.sampled_from(["original", "npmi"]), st.floats(0, 1))
@settings(deadline=None, max_examples=120)
def test_small_texts_with_words_that_look_like_phrases(sentences, passes, min_count, scoring, threshold):
    if max(map(len, sentences)) < 2:
        return
    options = {"min_count": min_count, "threshold": threshold, "scoring": scoring}
    expected, joined = oracle(sentences, passes, CONNECTORS, **options)
    phrases = Phrases.learn(sentences, passes=passes, connector_words=CONNECTORS, **options)
    # where a score is the threshold to the last bit, the two may differ in rounding
    if any(
        abs(s - threshold) < 1e-12
        for one in oracle(sentences, passes, CONNECTORS, min_count=min_count, threshold=-2, scoring=scoring)[0]
        for _, s in one.values()
    ):
        return
    assert_same(as_dicts(phrases), expected)
    assert list(phrases.join(sentences)) == joined
    assert all(-1 <= p.score <= 1 for p in phrases) or scoring == "original"


@pytest.mark.parametrize("limit", [40, 150, 1000])
def test_the_counts_do_not_depend_on_the_memory(monkeypatch, limit):
    """A field report: a full table is pruned, and what comes back later is counted from 1 again."""
    rng = np.random.default_rng(limit)
    numbers = rng.integers(-1, 60, 5000).astype(np.int32)
    numbers[-1] = -1
    expected = {}
    for a, b in zip(numbers.tolist(), numbers[1:].tolist(), strict=False):
        if a >= 0 and b >= 0:
            expected[a, b] = expected.get((a, b), 0) + 1
    monkeypatch.setattr("w2v.corpus.phrases.stream.PIECE", 333)
    calls = []
    original = kernels.count_pairs

    def bounded(stream, roles, slots, parts, part, most, state):
        calls.append(parts)
        return original(stream, roles, slots, parts, part, min(most, limit), state)

    monkeypatch.setattr("w2v.corpus.phrases.counting.kernels.count_pairs", bounded)
    roles = np.full(60, kernels.WORD, dtype=np.uint8)
    with NumberStream() as stream:
        stream.append(numbers[:1234])
        stream.append(numbers[1234:])
        pairs = count_pairs(stream, roles, 2, memory_bytes=1 << 21)
    found = dict(zip(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True), pairs.counts.tolist(), strict=True))
    assert found == {pair: n for pair, n in expected.items() if n >= 2}
    assert (np.diff(pairs.keys.astype(np.int64)) > 0).all()
    assert max(calls) > 1


def test_a_table_grows_and_is_divided_at_the_least_memory():
    rng = np.random.default_rng(7)
    numbers = rng.integers(0, 3000, 200_000).astype(np.int32)
    numbers[::9] = -1
    with NumberStream() as stream:
        stream.append(numbers)
        roles = np.full(3000, kernels.WORD, dtype=np.uint8)
        small = count_pairs(stream, roles, 1, memory_bytes=2 << 20)
        large = count_pairs(stream, roles, 1, memory_bytes=64 << 20)
        with pytest.raises(SettingsError, match="memory_bytes must be at least 2097152; got 1000"):
            count_pairs(stream, roles, 1, memory_bytes=1000)
    for one, other in zip(vars(small).values(), vars(large).values(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert large.counts.sum() == np.count_nonzero((numbers[1:] >= 0) & (numbers[:-1] >= 0)) and len(large) > 1 << 16


def test_counts_and_chains_do_not_run_into_each_other():
    """The count takes 40 bits, and 2^32 occurrences are no limit."""
    slots = np.zeros(32, dtype=np.uint64)
    key, chain = np.array([3 << 32 | 5], dtype=np.uint64), np.array([0xFFFEFD], dtype=np.uint64)
    kernels.enter_phrases(slots, key, chain, np.array([2**33 - 1]))
    roles = np.array([1] * 6 + [0xFD, 0xFE, 0xFF], dtype=np.uint8)
    state = np.zeros(kernels.STATE_SIZE, dtype=np.int64)
    state[kernels.FIRST], state[kernels.USED] = -1, 1
    numbers = np.array([2, 8, 7, 6, 5, -1], dtype=np.int32)
    assert kernels.count_pairs(numbers, roles, slots, 1, 0, 1, state) == 6
    keys, values = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    assert kernels.harvest(slots, 2**33, keys, values) == 1
    pairs = Pairs(keys, values >> np.uint64(40), (values & np.uint64(2**40 - 1)).astype(np.int64))
    assert (pairs.first[0], pairs.second[0], pairs.chains[0], pairs.counts[0]) == (2, 5, 0xFFFEFD, 2**33)
    assert kernels.harvest(slots, 2**33 + 1, keys, values) == 0


# --------------------------------------------------------------------------------------------- reports from the field


def test_all_phrases_of_a_sentence_are_found():
    """A field report: of ``a b x c d`` with both pairs strong, only one pair was given."""
    sentences = [["a", "b", "x", "c", "d"]] * 10 + [["x"], ["y", "x", "y"], ["x", "y"]] * 20
    phrases = Phrases.learn(sentences, threshold=8)
    assert {p.text for p in phrases} == {"a_b", "c_d"}
    assert phrases[["a", "b", "x", "c", "d"]] == ["a_b", "x", "c_d"]


def test_npmi_heeds_min_count_and_stays_within_its_bounds_when_passes_are_chained():
    """A field report: rare pairs pass under npmi whatever min_count says, and a second pass scores above 1."""
    once = [["only", "once"], ["x", "y"], ["x", "z"]] + [["x", "y", "z"]] * 4
    texts = {p.text for p in Phrases.learn(once, scoring="npmi", threshold=-1, min_count=2)}
    assert "only_once" not in texts and texts == {"x_y", "y_z"}
    rng = random.Random(3)
    chained = [["new", "york", "city", "hall"]] * 8 + [rng.choices("abcdefg", k=6) for _ in range(60)]
    phrases = Phrases.learn(chained, scoring="npmi", threshold=-1, min_count=1, passes=4)
    assert len(phrases.passes) == 3
    for one in phrases.passes:
        assert all(-1 <= phrase.score <= 1 for phrase in one)
    strict = Phrases.learn(chained, scoring="npmi", threshold=0.9, min_count=5, passes=2)
    assert [[p.text for p in one] for one in strict.passes][1] == ["new_york_city_hall"]
    (whole,) = strict.passes[1]
    assert whole.count == 8 and whole.score == pytest.approx(1)  # counted anew in the joined text


def test_a_pair_never_reaches_across_the_end_of_a_line(tmp_path):
    for end in ("\n", "\r\n"):
        (tmp_path / "text").write_bytes(f"new{end}york x{end}".encode() * 50)
        phrases = Phrases.learn(tmp_path / "text", threshold=0, min_count=1)
        assert {p.words: p.count for p in phrases} == {("york", "x"): 50}
    (tmp_path / "a.txt").write_text("say new")
    (tmp_path / "b.txt").write_text("york is")
    phrases = Phrases.learn([tmp_path / "a.txt", tmp_path / "b.txt"], threshold=0, min_count=1, scoring="npmi")
    assert {p.text for p in phrases} == {"say_new", "york_is"}
    phrases = Phrases([[Phrase("new_york", ("new", "york"), 9, 9.0)]])
    assert list(phrases.join([["new"], ["york"]])) == [["new"], ["york"]]


def test_a_count_at_the_limit_is_enough():
    sentences = [["a", "b"]] * 5 + [["c", "d"]] * 4 + [["e"], ["f"]] * 50
    for options in ({"scoring": "npmi"}, {"threshold": 0, "min_count": 4}):
        texts = {p.text for p in Phrases.learn(sentences, **options)}
        assert texts == {"a_b"}  # the original score of a pair seen min_count times is 0, which is not above 0
    assert {p.text for p in Phrases.learn(sentences, scoring="npmi", min_count=4)} == {"a_b", "c_d"}


def test_connectors_within_phrases_but_not_at_their_ends():
    sentences = [["state", "of", "the", "art", "of", "x"]] * 9 + [["x", "of", "the", "of"]] * 30
    phrases = Phrases.learn(sentences, connector_words=CONNECTORS, threshold=5)
    assert [p.text for p in phrases] == ["state_of_the_art"]
    assert phrases[["the", "state", "of", "the", "art", "of"]] == ["the", "state_of_the_art", "of"]
    assert phrases[["state", "of", "art"]] == ["state", "of", "art"]
    chain = ["state", "of", "of", "of", "of", "art"]
    assert Phrases.learn([chain] * 9, connector_words=["of"], threshold=0, min_count=1).passes == ()
    assert phrases[chain] == chain


def test_a_word_that_looks_like_a_phrase_is_that_phrase():
    sentences = [["new", "york", "rocks"]] * 5 + [["new_york", "rocks"]] * 5 + [["z"], ["q"]] * 40
    phrases = Phrases.learn(sentences, threshold=7, passes=2, min_count=2)
    assert {p.text: p.count for p in phrases.passes[1]} == {"new_york_rocks": 10}


# ------------------------------------------------------------------------------------------------- the Python object


def test_sentences_are_joined_in_order_lazily_and_whatever_they_hold(monkeypatch):
    monkeypatch.setattr(text, "_BATCH", 7)
    monkeypatch.setattr(text, "_STRANGERS", 5)
    phrases = Phrases([[Phrase("a_b", ("a", "b"), 9, 9.0)], [Phrase("a_b_c", ("a_b", "c"), 9, 9.0)]])
    sentences = [[], ["a", "b"], ("x y", "", "\n", "a"), ["b", "a", "b", "c"], np.array(["a", "b"])]
    sentences += [[f"stranger{i}", "a", "b"] for i in range(40)]
    expected = [[], ["a_b"], ["x y", "", "\n", "a"], ["b", "a_b_c"], ["a_b"]]
    expected += [[f"stranger{i}", "a_b"] for i in range(40)]
    assert list(phrases.join(iter(sentences))) == expected
    endless = phrases.join(["a", "b"] for _ in iter(int, 1))
    assert next(endless) == ["a_b"]
    assert list(phrases.join([])) == [] and list(Phrases([]).join([[], ["a"]])) == [[], ["a"]]


def test_what_is_no_list_of_words_is_refused():
    phrases = Phrases([[Phrase("a_b", ("a", "b"), 9, 9.0)]])
    with pytest.raises(CorpusTypeError, match=r"item 1 is a string.*'a b'.split\(\)"):
        list(phrases.join([["a"], "a b"]))
    with pytest.raises(CorpusTypeError, match="item 0 holds a token of type int"):
        phrases[[1, 2]]
    with pytest.raises(CorpusTypeError, match="the tokens are integers"):
        Phrases.learn([[1, 2], [1, 2]])
    with pytest.raises(CorpusTypeError, match=r"item 0 of the corpus is a string"):
        Phrases.learn(["a b"])
    with encode_sentences([["a", "b"]] * 5) as encoded, pytest.raises(CorpusError, match="lost its rare words"):
        Phrases.learn(encoded)
    with pytest.raises(CorpusError, match="0 sentences read"):
        Phrases.learn([])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": 0}, "min_count must be at least 1"),
        ({"threshold": -1}, "threshold must be at least 0 for the scoring original; got -1"),
        ({"threshold": 2, "scoring": "npmi"}, "threshold must be between -1 and 1"),
        ({"scoring": "default"}, "scoring must be one of original, npmi"),
        ({"delimiter": " "}, "delimiter must hold characters other than white space; got ' '"),
        ({"delimiter": ""}, "delimiter must hold characters"),
        ({"passes": 0}, "passes must be between 1 and 20"),
        ({"connector_words": "of"}, "connector_words must be a list of words; got the string 'of'"),
        ({"connector_words": ["a b"]}, "without white space; got 'a b'"),
        ({"connector_words": map(str, range(300))}, "at most 254 connector words; got 300"),
    ],
)
def test_settings_that_cannot_work(options, message):
    with pytest.raises(SettingsError, match=message):
        Phrases.learn([["a", "b"]], **options)


def test_save_and_load(tmp_path):
    sentences = random_sentences(2)
    phrases = Phrases.learn(sentences, threshold=0.7, passes=2, connector_words=ENGLISH_CONNECTORS, delimiter="+")
    phrases.save("phrases.json")
    with pytest.raises(FileAccessError, match="--force"):
        phrases.save("phrases.json")
    phrases.save("phrases.json", force=True)
    again = Phrases.load("phrases.json")
    assert (again.passes, again.settings, again.connector_words) == (
        phrases.passes,
        phrases.settings,
        phrases.connector_words,
    )
    assert list(again.join(sentences)) == list(phrases.join(sentences))
    assert len(again) == sum(1 for _ in again) and next(iter(again)).text in again and "no+ne" not in again
    content = json.loads((tmp_path / "phrases.json").read_text())
    for change, message in (
        ({"format": "other"}, "is not a file of phrases"),
        ({"format_version": 2}, "has format version 2, and this w2v reads 1"),
        ({"passes": [[[["a"], 1, 2.0]]]}, "damaged: .*'a'.* is no phrase"),
        ({"passes": [[[["a", "of", "b"], 1, 2.0]]], "connector_words": "of"}, "damaged"),
    ):
        (tmp_path / "broken.json").write_text(json.dumps({**content, **change}))
        with pytest.raises(FormatError, match=message):
            Phrases.load("broken.json")
    (tmp_path / "broken.json").write_bytes(b"\xff\x00")
    with pytest.raises(FormatError, match="is not a file of phrases"):
        Phrases.load("broken.json")
    with pytest.raises(FileAccessError, match=r"cannot read missing\.json"):
        Phrases.load("missing.json")


def test_a_saved_chain_of_unknown_connectors_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="'by' stands within the phrase 'a_by_b' but is no connector word"):
        Phrases([[Phrase("a_by_b", ("a", "by", "b"), 9, 9.0)]], connector_words=["of"])


def test_long_words_and_tokenisers(tmp_path):
    long = "я" * 700_000
    (tmp_path / "text.gz").write_bytes(gzip.compress(f"New York, {long}! New York...\n".encode() * 6))
    from w2v.settings import CorpusSettings

    words = CorpusSettings(tokenizer="words")
    phrases = Phrases.learn("text.gz", corpus_settings=words, threshold=0.5)
    assert "new_york" in phrases
    phrases.join_files("text.gz", "joined", corpus_settings=words)
    assert (tmp_path / "joined").read_text(encoding="utf-8").split()[:3] == ["new_york", long, "new_york"]
    assert phrases[["New", "York"]] == ["new_york"]


def test_scores_by_hand():
    n, a, b = (np.array([x]) for x in (8, 10, 16))
    assert phrase_scores(n, a, b, 1000, PhraseSettings(min_count=3))[0] == (8 - 3) * 1000 / 160
    npmi = phrase_scores(n, a, b, 1000, PhraseSettings(scoring="npmi"))[0]
    assert npmi == pytest.approx(np.log(0.008 / (0.01 * 0.016)) / -np.log(0.008))
    assert phrase_scores(n, a, b, 1000, PhraseSettings(min_count=9))[0] == -np.inf
