"""What users of other tools ran into, where no test of a single module says it: causes that looked alike, mostly."""

import bz2
import gzip
import lzma
import re

import numpy as np
import pytest

import w2v
from w2v.corpus import encode_sentences
from w2v.errors import CorpusError, TrainingError, W2VError

SEVEN = "".join(f"the {word}\n" for word in "abcdefg")

# Each way in which a text has nothing to learn from: text (None: no such file), settings, what its message says.
# Elsewhere all of them were one message: "you must first build vocabulary before training the model".
CAUSES = {
    "a missing file": (None, {}, "no such file or folder: "),
    "an empty file": ("", {}, "0 sentences read from {file}: it is empty"),
    "empty lines": ("\n\n", {}, "2 sentences, 0 tokens: {file} holds nothing but empty sentences"),
    "a wrong separator": ("the,cat,sat\na,dog,ran\n", {}, "every line holds 1 token: separator? "),
    "a word a line": ("the\ncat\n", {"tokenizer": "words"}, "every line holds 1 token under --tokenizer words: "),
    "min_count": (SEVEN, {"min_count": 50}, "8 types, none reaches --min-count 50 (most frequent has 7); lower"),
    "one word left by min_count": (SEVEN, {"min_count": 7}, "the vocabulary holds 1 word, 'the'"),
    "one word left by max_vocab": (SEVEN, {"min_count": 1, "max_vocab": 1}, "the vocabulary holds 1 word, 'the'"),
    "one word": ("a a a a\n", {"min_count": 1}, "the vocabulary holds 1 word, 'a'"),
    "words alone in their sentences": (
        "".join(f"a x{i}\nb y{i}\n" for i in range(9)),
        {"min_count": 5},
        "--min-count 5",
    ),
    "subsampling": (SEVEN * 99, {"min_count": 1, "sample": 1e-30}, "--sample 1e-30 keeps about "),
    "bytes of another encoding": (b"caf\xe9 au lait\n", {"min_count": 1}, "{file}, line 1, byte 3: 0xe9 is not valid"),
    "another encoding": ("the cat sat\n".encode("utf-16-le") * 9, {}, "{file} looks like UTF-16-LE text: read it"),
    "no text": (bytes(range(256)).replace(b"\n", b"") * 9 + bytes(4000), {}, "bytes are zero"),
    "half an archive": (gzip.compress(SEVEN.encode() * 999)[:-20], {}, "{file} is cut off: its gzip data ends too"),
}


def refusal(name, text, settings):
    """Return what the library and the command say."""
    if text is not None:
        with open(name, "wb") as file:  # noqa: PTH123
            file.write(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(W2VError) as refused:
        w2v.train(name, workers=1, epochs=1, vector_size=4, **settings)
    return refused.value


def test_every_cause_of_nothing_to_learn_has_its_own_message(cli, tmp_path):
    told = {}
    for number, (cause, (text, settings, expected)) in enumerate(CAUSES.items()):
        file = tmp_path / f"text{number}"
        error = refusal(file, text, settings)
        if cause in ("a missing file", "half an archive"):
            assert not isinstance(error, CorpusError)
        else:
            assert isinstance(error, (CorpusError, TrainingError))
        options = [part for name, value in settings.items() for part in (f"--{name.replace('_', '-')}", value)]
        answer = cli("train", file, "--quiet", "--workers", "1", "--epochs", "1", "--vector-size", "4", *options)
        assert answer.status == 1 and answer.out == "" and answer.err.count("\n") == 1
        message = answer.err.removeprefix("Error: ").rstrip()
        assert expected.format(file=file) in message, cause
        told[cause] = re.sub(r"\d+", "N", message.replace(str(file), "FILE"))
        assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("text")) == [], cause
    alike = ("one word left by min_count", "one word left by max_vocab", "one word")
    assert len(set(told.values())) >= len(told) - len(alike) + 1, told


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ([], "0 sentences read from the corpus: it is empty"),
        ([[], []], "2 sentences, 0 tokens: the corpus holds nothing but empty sentences"),
        ([["the,cat,sat"], ["a,dog,ran"]], "every sentence holds 1 token: the corpus has no pairs of words"),
        ([["the", word] for word in "abcdefg"], "8 types, none reaches min_count=50 (most frequent has 7)"),
        (["the cat sat", "a dog ran"], "item 0 of the corpus is a string, 'the cat sat', not a list of tokens"),
        ([["the"], "a dog ran"], "item 1 of the corpus is a string, 'a dog ran'"),
        ("the cat sat", "no such file or folder: the cat sat"),
        ([["the", 7]], "token 1 of sentence 0 is 7, but the tokens before are of type str"),
        (7, "a corpus is an iterable of token lists or the path of a file, not int"),
    ],
)
def test_token_lists_have_messages_of_their_own(sentences, expected):
    with pytest.raises(W2VError, match=re.escape(expected)):
        w2v.train(sentences, min_count=50)


def test_keep_probabilities_are_those_of_the_original_program():
    """Elsewhere the threshold was taken relative to another total than that of the words kept."""
    counts = [5000, 3847, 1000, 100, 27, 26]
    vocabulary = w2v.Vocabulary([f"w{i}" for i in range(6)], counts)
    assert sum(counts) == 10_000
    kept = vocabulary.keep_probabilities(1e-3)
    np.testing.assert_allclose(kept[[0, 2, 3, 4, 5]], [0.046721, 0.110000, 0.416228, 0.978951, 1.0], atol=5e-7)
    assert (vocabulary.keep_probabilities(0) == 1).all()


def test_the_same_text_however_it_is_packed_gives_the_same_vectors(cli, tmp_path):
    text = (SEVEN + "a b c d e f g\n").encode() * 30
    (tmp_path / "folder").mkdir()
    packed = {"c.txt": text, "c.gz": gzip.compress(text), "c.bz2": bz2.compress(text), "c.xz": lzma.compress(text)}
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder" / "c.txt").write_bytes(text)
    settings = {"min_count": 1, "workers": 1, "vector_size": 8, "epochs": 2, "sample": 0}
    models = [w2v.train(source, **settings) for source in (*packed, "folder", "c.t*t")]
    models.append(w2v.train([line.split() for line in text.decode().splitlines()], **settings))
    for model in models[1:]:
        assert model.words == models[0].words
        np.testing.assert_array_equal(model.W, models[0].W)
        np.testing.assert_array_equal(model.C, models[0].C)


def test_a_word_at_the_end_of_a_long_text_is_trained():
    """Elsewhere a text was cut at 10,000 words: the last ones were in the vocabulary and stayed where they began."""
    words = [f"t{i % 3000}" if i < 10_000 or i % 100 else "tail" for i in range(25_000)]
    settings = {"min_count": 1, "workers": 1, "vector_size": 8, "epochs": 1, "sample": 0}
    model = w2v.train([words], **settings)
    assert model.provenance["corpus"]["tokens"] == 25_000
    with encode_sentences([words], w2v.CorpusSettings(min_count=1)) as corpus:
        start = w2v.training.Training(corpus, w2v.ContextSettings(sample=0), w2v.TrainingSettings(vector_size=8))
        moved = np.abs(model["tail"] - start.W[corpus.vocabulary.index["tail"]]).max()
    assert moved > 1e-3
