"""Reading analogy questions and scored word pairs, and the sets that ship with the package."""

import hashlib
import re
from pathlib import Path

import pytest

from w2v.errors import FileAccessError, FormatError
from w2v.evaluation import AnalogyQuestions, SimilarityPairs, bundled, bundled_set


def written(tmp_path, content, name="set.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# --------------------------------------------------------------------------------------------- analogy questions


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_sections_questions_and_line_numbers(tmp_path, newline, start):
    lines = [
        "# a comment",
        ": family",
        "man king woman queen",
        "",
        "boy  brother\tgirl sister ",
        ":gram8-plural",
        "a b c d",
    ]
    questions = AnalogyQuestions.read(written(tmp_path, start + newline.join(lines)))
    assert [(s.name, s.kind, len(s)) for s in questions.sections] == [
        ("family", "semantic", 2),
        ("gram8-plural", "syntactic", 1),
    ]
    assert [q.words for q in questions.sections[0].questions] == [
        ("man", "king", "woman", "queen"),
        ("boy", "brother", "girl", "sister"),
    ]
    assert [q.line for s in questions.sections for q in s.questions] == [3, 5, 7]
    assert len(questions) == 3
    assert questions.name == "set"


def test_kinds_come_from_names_or_from_the_caller_and_not_from_positions(tmp_path):
    path = written(tmp_path, ": gram1-x\na b c d\n: capital-world\na b c d\n: mine\na b c d\n: other\na b c d\n")
    kinds = [s.kind for s in AnalogyQuestions.read(path, kinds={"mine": "syntactic"}).sections]
    assert kinds == ["syntactic", "semantic", "syntactic", None]


def test_a_section_may_be_continued(tmp_path):
    path = written(tmp_path, ": x\na b c d\n: y\ne f g h\n: x\ni j k l\n")
    assert [(s.name, len(s)) for s in AnalogyQuestions.read(path).sections] == [("x", 2), ("y", 1)]


def test_questions_before_any_section_are_one_with_the_name_of_the_file(tmp_path):
    (section,) = AnalogyQuestions.read(written(tmp_path, "a b c d\n", "plain.txt")).sections
    assert (section.name, section.kind, len(section)) == ("plain", None, 1)


def test_only_ascii_white_space_separates_words(tmp_path):
    (section,) = AnalogyQuestions.read(written(tmp_path, "10\u00a0km a\u2009b 東\u3000京 d\n")).sections
    assert section.questions[0].words == ("10\u00a0km", "a\u2009b", "東\u3000京", "d")


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (": x\na b c d\na b c\n", 3, "four words a b c d.* got 3: 'a b c'"),
        (": x\na b c d e\n", 2, "got 5"),
        ("a b c d\n:  \n", 2, "section without a name"),
        (b": x\n\ncaf\xe9 b c d\n", 3, "not UTF-8: byte 0xe9 at column 4"),
    ],
)
def test_errors_name_file_and_line(tmp_path, content, line, message):
    path = written(tmp_path, content)
    with pytest.raises(FormatError, match=f"^{re.escape(str(path))}:{line}: .*{message}"):
        AnalogyQuestions.read(path)


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n", ": a section\n"])
def test_a_file_without_questions_is_refused(tmp_path, content):
    with pytest.raises(FormatError, match="no analogy question"):
        AnalogyQuestions.read(written(tmp_path, content))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileAccessError, match=r"cannot read .*absent.txt: No such file"):
        AnalogyQuestions.read(tmp_path / "absent.txt")
    with pytest.raises(FileAccessError, match="directory"):
        SimilarityPairs.read(tmp_path)


# ------------------------------------------------------------------------------------------------- scored pairs

LAYOUTS = {
    "tabs": "love\tsex\t6.77\nice cream\tcake\t7\n",
    "tabs and header": "Word 1\tWord 2\tHuman (mean)\nlove\tsex\t6.77\nice cream\tcake\t7.0\n",
    "tabs at the end": "love\tsex\t6.77\t\nice cream\tcake\t7\t\n",
    "commas": "love,sex,6.77\nice cream,cake,7\n",
    "commas, quotes and header": 'word1,word2,score\n"love","sex","6.77"\n"ice cream", "cake", 7\n',
    "semicolons": "love;sex;6.77\nice cream;cake;7\n",
    "semicolons and decimal commas": "# Wort;Wort;Wert\nlove;sex;6,77\nice cream;cake;7,0\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_usual_layouts(tmp_path, layout, newline):
    pairs = SimilarityPairs.read(written(tmp_path, LAYOUTS[layout].replace("\n", newline))).pairs
    assert [(p.first, p.second, p.score) for p in pairs] == [("love", "sex", 6.77), ("ice cream", "cake", 7.0)]


@pytest.mark.parametrize(
    "text", ["a b 1.5\nc   d  2\n", "word1 word2 score\na b 1.5\n\nc d\t2\n", "a b 1.5\r\nc d 2\r\n"]
)
def test_blanks(tmp_path, text):
    pairs = SimilarityPairs.read(written(tmp_path, text)).pairs
    assert [(p.first, p.second, p.score) for p in pairs] == [("a", "b", 1.5), ("c", "d", 2.0)]


def test_a_score_that_is_not_last(tmp_path):
    path = written(tmp_path, "word1\tword2\tPOS\tSimLex999\tconc\nold\tnew\tA\t1.58\t2.72\nsmart\tdull\tA\t0.5\t1.75\n")
    assert [p.score for p in SimilarityPairs.read(path).pairs] == [2.72, 1.75]
    assert [p.score for p in SimilarityPairs.read(path, score_column=3).pairs] == [1.58, 0.5]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("a\tb\t1\nc\td\tx\n", 2, "the score must be a finite number; got 'x'"),
        ("a\tb\t1\nc\td\tnan\n", 2, "finite number; got 'nan'"),
        ("a\tb\t1\nc\td\t1e999\n", 2, "finite number"),
        ("a\tb\t1\nc d 2\ne\tf\t3\n", 2, "separated by tabs"),
        ("a b 1\nc 2\n", 2, r"two words and a score .*separated by blanks.* got \['c', '2'\]"),
        ("a,b,1\n,d,2\n", 2, "empty word"),
        ("a,b,1\nc,d,\n", 2, "finite number; got ''"),
    ],
)
def test_errors_of_pairs_name_file_and_line(tmp_path, content, line, message):
    path = written(tmp_path, content)
    with pytest.raises(FormatError, match=f"^{re.escape(str(path))}:{line}: .*{message}"):
        SimilarityPairs.read(path)


@pytest.mark.parametrize("content", ["", "word1\tword2\tscore\n"])
def test_a_file_without_pairs_is_refused(tmp_path, content):
    with pytest.raises(FormatError, match="no word pair"):
        SimilarityPairs.read(written(tmp_path, content))


# ------------------------------------------------------------------------------------------------- bundled sets

SIZES = {
    "questions-words": 19_544,
    "CA8-morphological": 10_177,
    "CA8-semantic": 7_636,
    "cwe-analogy": 953,
    "wordsim-240": 240,
}


def test_bundled_sets_are_whole_and_state_their_licence():
    assert {s.name: len(s.load()) for s in bundled()} == SIZES
    for each in bundled():
        assert each.licence == "Apache-2.0"
        assert each.source.startswith("https://")
        assert each.to_dict()["language"] in {"en", "zh"}


def test_every_section_of_the_bundled_questions_is_semantic_or_syntactic():
    kinds = {s.name: [x.kind for x in s.load().sections] for s in bundled(task="analogies")}
    assert kinds["questions-words"] == ["semantic"] * 5 + ["syntactic"] * 9
    assert kinds["CA8-morphological"] == ["syntactic"] * 4
    assert kinds["CA8-semantic"] == ["semantic"] * 4
    assert kinds["cwe-analogy"] == ["semantic"] * 3


def test_bundled_files_are_the_originals_named_in_their_readme():
    folder = bundled_set("wordsim-240").path.parent
    readme = (folder / "README.md").read_text(encoding="utf-8")
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.txt")}
    assert set(files) == {f"{name}.txt" for name in SIZES}
    for name, digest in files.items():
        assert f"| `{name}` |" in readme
        assert digest in readme


def test_bundled_sets_are_chosen_by_language_and_task():
    assert [s.name for s in bundled(language="en")] == ["questions-words"]
    assert [s.name for s in bundled(language="zh", task="similarity")] == ["wordsim-240"]
    assert bundled(language="en", task="similarity") == ()
    with pytest.raises(KeyError, match="no bundled set 'wordsim-353'; there are questions-words"):
        bundled_set("wordsim-353")


def test_bundled_chinese_pairs_are_read_right():
    first = bundled_set("wordsim-240").load().pairs[0]
    assert (first.first, first.second, first.score) == ("李白", "诗", 9.2)
    assert Path(bundled_set("wordsim-240").path).name == "wordsim-240.txt"
