"""Files that other tools wrote (tests/golden/README.md says how) load with their exact words and numbers."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import reference

from w2v.compat.gensim import KeyedVectors
from w2v.corpus import encode_sentences
from w2v.embedding import load, recognise
from w2v.errors import FormatError
from w2v.settings import CorpusSettings

GOLDEN = Path(__file__).parent / "golden"
WORDS = {"the", "king", "queen", "国王", "月亮", "café", "naïve", "new_york", "10km", "don't", "ñandú", "я"}


@pytest.mark.parametrize(
    ("name", "kind", "header"),
    [
        ("word2vec-c.txt", "word2vec text", True),
        ("gensim.txt", "word2vec text", True),
        ("fasttext.vec", "word2vec text", True),
        ("glove.txt", "text without header", False),
    ],
)
def test_text_of_other_tools(name, kind, header):
    words, W = reference.read_text((GOLDEN / name).read_bytes(), header)
    assert recognise(GOLDEN / name) == kind
    model = load(GOLDEN / name)
    assert model.words == words and set(words) >= WORDS
    np.testing.assert_array_equal(model.W, W)


@pytest.mark.parametrize("name", ["word2vec-c", "gensim"])
def test_binary_of_other_tools_holds_what_their_text_says(name):
    words, W = reference.read_binary((GOLDEN / f"{name}.bin").read_bytes())
    model = load(GOLDEN / f"{name}.bin")
    assert recognise(GOLDEN / f"{name}.bin") == "word2vec binary"
    assert model.words == words and set(words) >= WORDS
    np.testing.assert_array_equal(model.W, W)
    text = load(GOLDEN / f"{name}.txt")
    assert text.words == words
    np.testing.assert_allclose(model.W, text.W, atol=1e-6)


@pytest.mark.parametrize("name", ["fasttext", "fasttext-words", "gensim-fasttext"])
def test_fasttext_models_give_the_vectors_that_their_own_library_gives(name):
    words, W = reference.read_text((GOLDEN / f"{name}.vec").read_bytes())
    model = load(GOLDEN / f"{name}.bin")
    assert recognise(GOLDEN / f"{name}.bin") == "fastText .bin"
    assert model.words == words and set(words) >= WORDS
    np.testing.assert_allclose(model.W, W, atol=1e-6)
    assert "counts" not in model.provenance
    assert model.counts.tolist() == sorted(model.counts.tolist(), reverse=True) and model.counts[1] > 100


def test_the_header_of_glove_does_not_count_the_row_of_unknown_words(tmp_path):
    raw = (GOLDEN / "glove-header.txt").read_bytes()
    header, rest = raw.split(b"\n", 1)
    words, W = reference.read_text(rest, False)
    assert header == b"20 5" and len(words) == 21 and words[-1] == "<unk>"
    model = load(GOLDEN / "glove-header.txt")
    assert recognise(GOLDEN / "glove-header.txt") == "word2vec text" and model.words == words
    np.testing.assert_array_equal(model.W, W)
    (tmp_path / "other.txt").write_bytes(raw.replace(b"<unk>", b"word"))
    with pytest.raises(FormatError, match="promises 20 rows, the file holds 21"):
        load(tmp_path / "other.txt")


@pytest.mark.parametrize("name", ["gensim.kv", "gensim.model"])
def test_a_pickle_of_gensim_is_refused_with_the_way_out(name):
    with pytest.raises(FormatError, match=r"looks like a Python pickle.*never opened.*save_word2vec_format"):
        load(GOLDEN / name)


def test_text_that_gensim_compressed():
    packed, plain = load(GOLDEN / "gensim.txt.gz"), load(GOLDEN / "gensim.txt")
    assert packed.words == plain.words
    np.testing.assert_array_equal(packed.W, plain.W)


@pytest.mark.parametrize("name", ["word2vec-c", "gensim"])
def test_counts_that_other_tools_wrote_beside_their_vectors(name):
    """They are those of the text (tests/golden/README.md), and so are ours."""
    rng = random.Random(1)
    words = "the king queen man woman rules and walks city river 国王 王后 月亮 café naïve new_york 10km don't ñandú я"
    weights = range(len(words.split()) + 4, 4, -1)
    lines = [rng.choices(words.split(), weights=weights, k=rng.randint(4, 9)) for _ in range(600)]
    counted = Counter(word for line in lines for word in line)
    read = KeyedVectors.load_word2vec_format(GOLDEN / f"{name}.bin", GOLDEN / f"{name}.vocab", binary=True)
    counts = {word: read.get_vecattr(word, "count") for word in read.index_to_key if word != "</s>"}
    assert counts == counted
    with encode_sentences(lines, CorpusSettings(min_count=1)) as corpus:
        assert dict(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True)) == counted
