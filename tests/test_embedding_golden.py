"""Files that other tools wrote (tests/golden/README.md says how) load with their exact words and numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import reference

from w2v.embedding import load, recognise
from w2v.errors import FormatError

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


def test_a_pickle_of_gensim_is_refused_with_the_way_out():
    with pytest.raises(FormatError, match=r"looks like a Python pickle.*never opened.*save_word2vec_format"):
        load(GOLDEN / "gensim.kv")
