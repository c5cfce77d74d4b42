"""The query commands: which words may answer, other measures, words from standard input."""

import io
import json

import numpy as np
import pytest

import w2v
from w2v.cli import queries
from w2v.embedding import ANALOGY_METHODS, MEASURES


@pytest.fixture
def embedding(tmp_path):
    """A small model with C, in the place where commands look for it."""
    rng = np.random.default_rng(4)
    words = ["king", "queen", "man", "woman", "apple", "pear", "plum", "月"]
    counts = [50, 40, 30, 20, 10, 5, 2, 1]
    W = rng.standard_normal((8, 6)).astype(np.float32)
    W[1] = W[0] - W[2] + W[3]
    made = w2v.Embedding(w2v.Vocabulary(words, counts), W, rng.standard_normal((8, 6)))
    made.save(tmp_path / "model.safetensors")
    return made


@pytest.fixture
def stdin(monkeypatch):
    def give(text):
        data = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


def words_of(out):
    return [line.split()[0] for line in out.splitlines()[1:]]


def test_the_choices_are_those_of_the_library():
    assert queries.METHODS == ANALOGY_METHODS and queries.MEASURES == MEASURES


def test_words_to_subtract(cli, embedding):
    answer = cli("similar", "king", "woman", "--negative", "man", "--negative", "queen", "--topn", 3)
    assert answer.out.splitlines()[0] == "king + woman - man - queen   (left out: king, woman, man, queen)"
    found = cli("similar", "king", "woman", "--negative", "man", "--json").json
    assert (found["query"]["positive"], found["query"]["negative"]) == (["king", "woman"], ["man"])
    expected = embedding.most_similar(["king", "woman"], negative=["man"])
    assert [row["word"] for row in found["results"]] == [neighbor.word for neighbor in expected]
    euclid = cli("similar", "king", "--negative", "man", "--by", "euclid", "--weights", "2", "--json").json
    expected = embedding.most_similar([("king", 2.0)], negative=["man"], by="euclid")
    assert [row["word"] for row in euclid["results"]] == [neighbor.word for neighbor in expected]
    assert "nobody" in cli("similar", "king", "--negative", "nobody").err


@pytest.mark.parametrize("method", ANALOGY_METHODS)
def test_analogy_by_every_method_with_the_rank_of_right_answers(cli, embedding, method):
    found = embedding.analogy(a="man", b="king", c="woman", method=method)
    answer = cli("analogy", "king", "man", "woman", "--method", method, "--right", "queen", "--right", "plum")
    lines = answer.out.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == [n.word for n in found]
    rank = 1 + min([n.word for n in found].index(word) for word in ("queen", "plum"))
    assert lines[-1] == f"right: queen, plum, rank {rank}"
    answer = cli("analogy", "king", "man", "woman", "--method", method, "--right", "queen", "--json").json
    assert answer["right"]["words"] == ["queen"]


def test_weights_and_the_words_of_the_query_among_the_answers(cli, embedding):
    answer = cli("analogy", "king", "man", "woman", "--weights", "1,0.5,2", "--include-query")
    assert answer.out.splitlines()[0] == "1 king - 0.5 man + 2 woman   (left out: nothing)"
    found = embedding.analogy(a="man", b="king", c="woman", weights=(0.5, 1, 2), include_query=True)
    assert words_of(answer.out) == [n.word for n in found]
    answer = cli("similar", "king", "man", "--weights", "1,-0.5")
    assert answer.out.splitlines()[0] == "1 king + -0.5 man   (left out: king, man)"
    assert words_of(answer.out) == [n.word for n in embedding.most_similar([("king", 1), ("man", -0.5)])]
    for given in ("1,2,3", "1,x"):
        answer = cli("similar", "king", "man", "--weights", given)
        assert answer.status == 2 and "--weights takes" in answer.err


@pytest.mark.parametrize("by", MEASURES)
def test_similar_by_every_measure(cli, embedding, by):
    found = embedding.most_similar("king", by=by, topn=3)
    answer = cli("similar", "king", "--by", by, "--topn", 3)
    assert words_of(answer.out) == [n.word for n in found]
    assert answer.out.splitlines()[1].split()[1] == f"{found[0].similarity:.4f}"


def test_which_words_may_answer(cli, embedding, tmp_path):
    (tmp_path / "fruit.txt").write_text("plum\napple\r\n\nmango\n")
    answer = cli("similar", "king", "--candidates", "fruit.txt")
    assert set(words_of(answer.out)) == {"plum", "apple"}
    assert answer.err == "1 of the 3 words of fruit.txt are not known\n"
    assert set(words_of(cli("similar", "king", "--min-count", 20).out)) == {"queen", "man", "woman"}
    assert set(words_of(cli("similar", "king", "--clip-start", 4, "--clip-end", 6).out)) == {"apple", "pear"}
    answer = cli("similar", "king", "--candidates", "missing")
    assert answer.status == 1 and "cannot read missing" in answer.err


def test_queries_from_standard_input(cli, embedding, stdin):
    stdin("king\n\n月\r\nking queen\n")
    answer = cli("similar", "-", "--topn", 2)
    blocks = answer.out.rstrip("\n").split("\n\n")
    assert [block.splitlines()[0].partition("   ")[0] for block in blocks] == ["king", "月", "king + queen"]
    assert words_of(blocks[1]) == [n.word for n in embedding.most_similar("月", topn=2)]
    stdin("king\nqueen\n")
    lines = [json.loads(line) for line in cli("similar", "--json", "--by", "euclid").out.splitlines()]
    assert [line["query"]["positive"] for line in lines] == [["king"], ["queen"]]
    stdin("king man woman queen\napple pear plum\n")
    answer = cli("analogy")
    assert "right: queen, rank 1\n" in answer.out and answer.out.count("left out") == 2
    stdin("king queen\nman 月\n")
    assert [line.split()[:2] for line in cli("similarity").out.splitlines()] == [["king", "queen"], ["man", "月"]]
    stdin("king queen apple\nplum pear king\n")
    expected = [embedding.doesnt_match(words) for words in (["king", "queen", "apple"], ["plum", "pear", "king"])]
    assert cli("odd-one-out", "-").out.split() == expected


@pytest.mark.parametrize("command", ["similar", "similarity", "analogy", "odd-one-out"])
def test_a_line_that_cannot_be_answered_is_told_and_the_others_are_answered(cli, embedding, stdin, command):
    stdin("king man kingg\nking\n" * 2 + "king man\nking man woman\n")
    answer = cli(command)
    assert answer.status == 1 and answer.out
    assert "Line 1: 'kingg' is not in the vocabulary (did you mean king?)" in answer.err
    assert answer.err.splitlines()[-1].endswith("of the lines could not be answered")
    stdin("kingg man woman\n")
    answer = cli(command, "--json")
    assert answer.status == 1 and "kingg" in answer.json["error"]
    stdin(b"\xff\n")
    answer = cli(command)
    assert answer.status == 1 and "standard input, line 1: not UTF-8" in answer.err


def test_the_rank_of_a_word_and_what_is_nearer(cli, embedding):
    place = embedding.rank("king", "plum")
    answer = cli("rank", "king", "plum", "--list")
    assert answer.out.splitlines()[0] == f"plum is number {place} of the words nearest to king"
    assert words_of(answer.out) == [n.word for n in embedding.closer_than("king", "plum")]
    assert cli("rank", "king", "king", "--json").json["rank"] == 0
    assert cli("odd-one-out", "king", "queen", "apple", "--json").json["results"][0]["word"] in embedding


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["analogy", "king", "man"], "three words A B C are needed"),
        (["similarity", "king"], "similarity is asked of two words; got 1"),
        (["similar", "-", "--weights", "1"], "--weights goes with words that are typed"),
        (["similar", "-", "--negative", "man"], "--negative goes with words that are typed"),
    ],
)
def test_wrong_usage(cli, embedding, arguments, message):
    answer = cli(*arguments)
    assert answer.status == 2 and message in answer.err


def test_without_words_at_a_terminal_nothing_waits(cli, embedding, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    answer = cli("similar")
    assert answer.status == 2 and "give words, or - to read them from standard input" in answer.err
