"""Token lists from Python to encoded corpora."""

from pathlib import Path

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from w2v.corpus import encode, encode_sentences, sentences
from w2v.errors import CorpusError, CorpusTypeError
from w2v.settings import CorpusSettings
from w2v.vocabulary import Vocabulary

ALL = CorpusSettings(min_count=1)


@given(
    st.one_of(
        st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=12),
        st.lists(st.lists(st.integers(-5, 5), max_size=6), max_size=12),
    ).filter(lambda s: any(len(x) > 1 for x in s)),
    st.integers(1, 3),
    st.one_of(st.none(), st.integers(1, 4)),
)
@settings(deadline=None, max_examples=80)
def test_lists_equal_plain_python(lists, min_count, max_vocab):
    words, counts = reference.vocabulary(lists, min_count, max_vocab)
    if not words:
        with pytest.raises(CorpusError, match="none reaches min_count"):
            encode_sentences(lists, CorpusSettings(min_count=min_count))
        return
    ids, offsets = reference.encode(lists, words)
    with encode_sentences(iter(lists), CorpusSettings(min_count=min_count, max_vocab=max_vocab)) as corpus:
        assert corpus.vocabulary.words == words
        assert corpus.vocabulary.counts.tolist() == counts
        assert corpus.ids.tolist() == ids
        assert corpus.offsets.tolist() == offsets
        assert corpus.source.to_dict() == {
            "kind": "sentences", "paths": [], "bytes": None, "sha256": None,
            "tokens": sum(map(len, lists)), "types": len({t for s in lists for t in s}), "lines": len(lists),
        }  # fmt: skip


def test_batches(monkeypatch):
    monkeypatch.setattr(sentences, "_BATCH", 7)
    lists = [[f"t{(i * i + j) % 2003}" for j in range(i % 11)] for i in range(5000)]
    words, _ = reference.vocabulary(lists)
    ids, offsets = reference.encode(lists, words)
    with encode_sentences(lists, ALL) as corpus:
        assert corpus.ids.tolist() == ids
        assert corpus.offsets.tolist() == offsets


def test_a_sentence_passed_as_one_string():
    for corpus, item in ([["the cat sat", "a dog ran"], 0], [[["the", "cat"], "a dog ran"], 1], ["the cat", 0]):
        with pytest.raises(CorpusTypeError, match=rf"item {item} of the corpus is a string.*\.split\(\)"):
            encode_sentences(corpus, ALL)
    with pytest.raises(TypeError, match=r"'a dog ran'\.split\(\)"):
        encode_sentences((s for s in ["a dog ran"]), ALL)
    with pytest.raises(CorpusTypeError, match=r"item 0 of the corpus is 7 \(int\), not a list of tokens"):
        encode_sentences([7, 8], ALL)
    with pytest.raises(CorpusTypeError, match="item 0 of the corpus is a string"):
        encode_sentences([b"a b"], ALL)
    with pytest.raises(CorpusTypeError, match="not float"):
        encode_sentences(1.5, ALL)


def test_names_of_files_in_place_of_sentences(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.txt").write_text("the cat sat\nthe cat ran\n" * 9)
    paths = r"to read files, pass a pathlib\.Path, or a list of nothing but pathlib\.Path objects$"
    for corpus in (["c.txt", "c.txt"], ["c.txt"], (name for name in ["c.txt"]), [str(tmp_path)]):
        with pytest.raises(CorpusTypeError, match=rf"item 0 of the corpus is a string, .*: {paths}"):
            encode(corpus, ALL)
    for corpus in ([Path("c.txt"), "c.txt"], tmp_path.glob("*.txt")):
        with pytest.raises(CorpusTypeError, match=rf"item 0 of the corpus is .*Path.*, not a list of tokens: {paths}"):
            encode(corpus, ALL)
    for text in ("nothing.txt", "", "a\0b", "long " * 9999):
        with pytest.raises(CorpusTypeError, match=r"\.split\(\)$"):
            encode([text], ALL)
    for corpus in ("c.txt", Path("c.txt"), [Path("c.txt")], tmp_path):
        with encode(corpus, ALL) as found:
            assert found.source.kind == "files" and found.source.tokens == 54


def test_four_messages():
    for corpus, message in (
        ([], r"^0 sentences read from"),
        ([[], []], r"^2 sentences, 0 tokens"),
        ([["the,cat,sat"], []], r"^every sentence holds 1 token"),
        ([["the", w] for w in "abcdeff"], None),
    ):
        with pytest.raises(
            CorpusError, match=message or r"^7 types, none reaches min_count=50 \(most frequent has 7\)"
        ):
            encode_sentences(corpus, CorpusSettings(min_count=50))


def test_tokens_are_kept_as_they_are():
    odd = ["human", " ", "new york", "", "\n", "a\tb", "\r", "\x00", "\ufeffx", "Ünter"]
    with encode_sentences([odd], ALL) as corpus:
        assert [corpus.vocabulary.words[i] for i in corpus.ids] == odd


def test_integer_tokens():
    with encode_sentences([[10, 11], [11, 12, -(2**63)]], ALL) as corpus:
        assert corpus.vocabulary.key_type == "int"
        assert corpus.vocabulary.words == [11, -(2**63), 10, 12]
        assert corpus.ids.tolist() == [2, 0, 0, 3, 1]
        assert 10 in corpus.vocabulary
        assert 0 not in corpus.vocabulary
        assert "10" not in corpus.vocabulary
    walks = np.array([[3, 4, 5], [5, 6, 7]], dtype=np.uint8)
    with encode_sentences(walks, ALL) as corpus:
        assert corpus.vocabulary.words == [5, 3, 4, 6, 7]
    with encode_sentences([(np.int16(1), 2), [np.str_("x")][:0]], ALL) as corpus:
        assert corpus.vocabulary.words == [1, 2]


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ([["a", 1]], "token 1 of sentence 0 is 1, but the tokens before are of type str"),
        ([[1, 2], [3, "x"]], "token 1 of sentence 1 is 'x', but the tokens before are of type int"),
        ([["a", "b"], [None]], r"token 0 of sentence 1 is None \(NoneType\); tokens must be strings or integers"),
        ([[1, 2], [1, True]], r"token 1 of sentence 1 is True \(bool\)"),
        ([[1, 2], [1.0]], r"token 0 of sentence 1 is 1.0 \(float\)"),
        ([["a", b"b"]], r"token 1 of sentence 0 is b'b' \(bytes\)"),
        ([["a", ["b"]]], r"token 1 of sentence 0 is \['b'\] \(list\)"),
        ([[1, 2**63]], "does not fit into 64 bits"),
    ],
)
def test_tokens_of_a_wrong_kind(corpus, message):
    with pytest.raises(TypeError, match=message):
        encode_sentences(corpus, ALL)


def test_lower_case():
    lists = [["The", "the"], ["ÜBER", "über", "THE"]]
    with encode_sentences(lists, CorpusSettings(min_count=1, lowercase=True)) as corpus:
        assert corpus.vocabulary.words == ["the", "über"]
        assert corpus.ids.tolist() == [0, 0, 1, 1, 0]
        assert corpus.source.types == 2
    with encode_sentences([[], [2, 1, 2]], CorpusSettings(min_count=1, lowercase=True)) as corpus:
        assert corpus.vocabulary.words == [2, 1]


def test_a_given_vocabulary():
    with encode_sentences([["a", "x", "b"], ["x"]], vocabulary=Vocabulary(["b", "a"], [1, 1])) as corpus:
        assert corpus.ids.tolist() == [1, 0]
        assert corpus.offsets.tolist() == [0, 2]
    with encode_sentences([[5, 6, 7]], vocabulary=Vocabulary([7, 5], [1, 1])) as corpus:
        assert corpus.ids.tolist() == [1, 0]
    with pytest.raises(CorpusTypeError, match="type int, the words of the vocabulary str"):
        encode_sentences([[1, 2]], vocabulary=Vocabulary(["a"], [1]))
    with pytest.raises(CorpusError, match="none of the 2 types of the corpus is among the 1 word given"):
        encode_sentences([["a", "b"]], vocabulary=Vocabulary(["c"], [1]))
