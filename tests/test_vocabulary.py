"""Vocabularies: words in the order of their ids, look-up and its errors, counts and what is made of them."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from w2v.errors import FormatError, SettingsError, UnknownWordError
from w2v.vocabulary import Vocabulary, pack_words, unpack_words

WORDS = ["the", "king", "月亮", "", "a\nb", "\U0001f600"]
COUNTS = [50, 20, 7, 7, 1, 1]


@pytest.fixture(params=["list", "packed"])
def strings(request):
    if request.param == "packed":
        return Vocabulary.from_packed(*pack_words(WORDS), COUNTS)
    return Vocabulary(WORDS, COUNTS)


@pytest.fixture(params=[list, np.array, lambda keys: np.repeat(keys, 2)[::2]])
def numbers(request):
    return Vocabulary(request.param([10, -7, 2**62]), [3, 2, 1])


# ------------------------------------------------------------------------------------------------ words and counts


def test_words_keep_their_order_and_counts(strings):
    assert len(strings) == 6 and strings.key_type == "str"
    assert strings.words == WORDS and strings.words is strings.words
    assert strings.counts.dtype == np.int64 and strings.counts.tolist() == COUNTS
    assert repr(strings) == "<Vocabulary of 6 str words, 86 tokens>"
    with pytest.raises(TypeError, match="strings, not integer keys"):
        strings.keys  # noqa: B018


def test_integer_keys_come_back_as_int(numbers):
    assert numbers.key_type == "int" and numbers.words == [10, -7, 2**62]
    assert all(type(word) is int for word in numbers.words)
    assert numbers.keys.dtype == np.int64 and repr(numbers) == "<Vocabulary of 3 int words, 6 tokens>"


def test_counts_need_not_fall():
    assert Vocabulary(["a", "b", "c"], [1, 9, 1]).id("b") == 1


def test_subclasses_of_str_and_any_iterable_are_taken():
    vocabulary = Vocabulary((word for word in [np.str_("a"), "b"]), range(2))
    assert [type(word) for word in vocabulary.words] == [str, str] and vocabulary.counts.tolist() == [0, 1]


def test_a_vocabulary_without_words():
    for empty in (Vocabulary([], []), Vocabulary.from_packed(*pack_words([]), [])):
        assert len(empty) == 0 and empty.words == [] and empty.index == {} and "a" not in empty
        assert empty.packed()[1].tolist() == [0]


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["a", 1], TypeError, r"all strings or all integers; got 1 \(int\)"),
        ([1, "a"], TypeError, r"all strings or all integers; got 1 \(int\)"),
        ([True, False], TypeError, r"got True \(bool\)"),
        ([b"a", b"b"], TypeError, r"got b'a' \(bytes\)"),
        ([1.0, 2.0], TypeError, r"got 1.0 \(float\)"),
        (np.array([1.0, 2.0]), TypeError, "an array of words must hold integer keys, not float64"),
        (np.array(["a", "b"]), TypeError, "pass strings as a list"),
        (["a"], ValueError, r"1 words but counts of shape \(2,\)"),
    ],
)
def test_what_is_no_vocabulary_is_refused(words, error, message):
    with pytest.raises(error, match=message):
        Vocabulary(words, [2, 1])


# --------------------------------------------------------------------------------------------------------- look-up


def test_every_word_is_found_at_its_place(strings, numbers):
    for vocabulary in (strings, numbers):
        words = vocabulary.words
        assert [vocabulary.id(word) for word in words] == list(range(len(words)))
        assert vocabulary.ids(iter(words[::-1])) == list(range(len(words)))[::-1]
        assert all(word in vocabulary for word in words) and vocabulary.ids([]) == []


def test_a_word_of_the_other_kind_is_unknown(strings, numbers):
    for stranger in (10, None, 2.5, b"the", ["the"], "The"):
        assert stranger not in strings
    for stranger in ("10", 10.0, True, None, [10]):
        assert stranger not in numbers
    assert np.int32(10) in numbers and numbers.id(np.uint8(10)) == 0
    one = Vocabulary([1], [1])
    assert 1 in one and True not in one
    with pytest.raises(UnknownWordError, match="'10' is not in the vocabulary"):
        numbers.id("10")


def test_one_error_names_all_unknown_words_in_order(strings):
    with pytest.raises(UnknownWordError) as caught:
        strings.ids(["zebra", "king", "kingg", 3])
    assert caught.value.words == ("zebra", "kingg", 3)
    assert caught.value.suggestions == {"zebra": (), "kingg": ("king",), 3: ()}
    assert isinstance(caught.value, KeyError)


def test_close_words_are_suggested_for_ten_of_many_unknown_words_only(strings):
    unknown = [f"king{i}" for i in range(12)]
    with pytest.raises(UnknownWordError) as caught:
        strings.ids(unknown)
    assert caught.value.words == tuple(unknown) and len(caught.value.suggestions) == 10


def test_a_word_that_comes_twice_is_refused_at_the_first_look_up():
    for words in (["a", "b", "b", "a"], [1, 2, 2, 1]):
        twice = Vocabulary(words, [4, 3, 2, 1])
        assert twice.words == words
        for ask in (lambda v: v.index, lambda v: v.id(v.words[0]), lambda v: v.words[0] in v):
            with pytest.raises(FormatError, match=f"the word {words[1]!r} occurs more than once"):
                ask(twice)


def test_suggestions_put_other_cases_first_and_then_what_looks_alike():
    vocabulary = Vocabulary(["queen", "quean", "QUEEN", "Queen", "queue", "king", ""], range(7))
    assert vocabulary.suggest("qUEEN")[:3] == ["queen", "QUEEN", "Queen"]
    assert vocabulary.suggest("queeen", n=1) == ["queen"]
    assert vocabulary.suggest("zzz") == vocabulary.suggest("") == vocabulary.suggest(3) == []
    assert Vocabulary([10], [1]).suggest("10") == []


def test_typed_words_become_keys_where_the_words_are_keys(strings, numbers):
    typed = ["10", "-7", "x", "-", "1.5", "1" * 21]
    assert strings.parse(typed) == typed
    assert numbers.parse(typed) == [10, -7, "x", "-", "1.5", "1" * 21]
    assert numbers.ids(numbers.parse(["-7", "10"])) == [1, 0]


# ---------------------------------------------------------------------------------------------- packing, first words


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6)))
def test_packed_words_come_back(words):
    data, offsets = pack_words(words)
    assert data.dtype == np.uint8 and offsets.dtype == np.int64 and len(offsets) == len(words) + 1
    assert data.tobytes() == "".join(words).encode() and offsets[0] == 0 and offsets[-1] == len(data)
    assert unpack_words(data, offsets) == words


def test_packed_bytes_are_kept_as_they_are(strings):
    data, offsets = pack_words(WORDS)
    again = strings.packed()
    assert again[0].tobytes() == data.tobytes() and again[1].tolist() == offsets.tolist()
    lazy = Vocabulary.from_packed(data, offsets, COUNTS)
    assert lazy.packed()[0] is data


def test_bytes_that_are_not_utf8_are_told_when_the_words_are_asked_for():
    lazy = Vocabulary.from_packed(np.frombuffer(b"ok\xffno", np.uint8), np.array([0, 2, 3, 5]), [3, 2, 1])
    assert len(lazy) == 3
    with pytest.raises(FormatError, match=r"word 1 is not valid UTF-8: b'\\xff' \(invalid start byte\)"):
        lazy.words  # noqa: B018
    lone = pack_words(["a", "\udc80"])
    with pytest.raises(FormatError, match="word 1 is not valid UTF-8"):
        unpack_words(*lone)


def test_the_first_words(strings, numbers):
    head = strings.head(2)
    assert head.words == ["the", "king"] and head.counts.tolist() == [50, 20] and "月亮" not in head
    assert numbers.head(1).words == [10] and numbers.head(1).key_type == "int"
    assert len(strings.head(100)) == 6 and len(numbers.head(0)) == 0


# ------------------------------------------------------------------------------------------ what counts are made into


@pytest.mark.parametrize("sample", [1e-5, 1e-2, 0.3, 5.0])
def test_keep_probabilities_are_those_of_the_formula(strings, sample):
    kept = strings.keep_probabilities(sample)
    assert kept == pytest.approx(reference.keep_probabilities(COUNTS, sample))
    assert (np.diff(kept) >= 0).all() and kept.max() <= 1


def test_no_subsampling_keeps_everything_and_less_than_none_is_refused(strings):
    assert (strings.keep_probabilities(0) == 1).all()
    with pytest.raises(SettingsError, match=r"sample must be at least 0; got -0\.1"):
        strings.keep_probabilities(-0.1)


@pytest.mark.parametrize("exponent", [0.75, 1.0, 0.0, -0.5])
def test_the_noise_distribution_is_that_of_the_formula(strings, exponent):
    noise = strings.noise_distribution(exponent)
    assert noise == pytest.approx(reference.noise_distribution(COUNTS, exponent)) and noise.sum() == pytest.approx(1)


def test_words_without_occurrences_count_once():
    """As for words of a given vocabulary that the corpus lacks: no probability is infinite or lost."""
    vocabulary = Vocabulary(["a", "b", "c"], [2, 0, 1])
    assert vocabulary.noise_distribution(1.0) == pytest.approx([0.5, 0.25, 0.25])
    assert vocabulary.keep_probabilities(0.01)[1] == pytest.approx(np.sqrt(0.03) + 0.03)


@pytest.mark.parametrize("exponent", [400.0, -400.0, float("nan")])
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_an_exponent_that_leaves_no_distribution_is_refused(exponent):
    with pytest.raises(SettingsError, match="leaves no finite noise distribution"):
        Vocabulary(["a"], [1000]).noise_distribution(exponent)
