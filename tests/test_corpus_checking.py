"""What is said about a corpus before a training: counts against plain Python, places, samples, the command."""

import bz2
import io
import json
import random

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

import w2v
from w2v.corpus import check_corpus
from w2v.corpus.findings import Words
from w2v.corpus.inspection import Inspector
from w2v.errors import FileAccessError, SettingsError
from w2v.kernels import inspection as k
from w2v.kernels.tiles import padded

NAMES = {
    "invalid": k.INVALID, "controls": k.CONTROLS, "replaced": k.REPLACED, "unicode_spaces": k.UNICODE_SPACES,
    "invisibles": k.INVISIBLES, "misread": k.MISREAD, "carriage_returns": k.CARRIAGE_RETURNS, "tabs": k.TABS,
    "commas": k.COMMAS, "semicolons": k.SEMICOLONS, "bars": k.BARS, "tags": k.TAGS, "entities": k.ENTITIES,
    "addresses": k.ADDRESSES, "wiki": k.WIKI_BRACKETS, "punctuated": k.PUNCTUATED, "with_digits": k.WITH_DIGITS,
    "capitalised": k.CAPITALISED, "of_han": k.OF_HAN, "han_characters": k.HAN_CHARACTERS, "crlf": k.CRLF,
    "empty": k.EMPTY, "of_one": k.OF_ONE, "repeated": k.REPEATED,
}  # fmt: skip


def inspected(*texts, **options):
    inspector = Inspector(**options)
    for number, text in enumerate(texts):
        inspector.read(f"file{number}", io.BytesIO(text))
    return inspector


def counted(inspector):
    counts = {name: int(inspector.counts[kind]) for name, kind in NAMES.items()}
    sample, _ = inspector.types.found()
    return {
        **counts,
        "lines": inspector.sentences,
        "tokens": inspector.tokens,
        "longest_line": inspector.longest_line[0],
        "types": len(sample),
    }


def expected(raw):
    found = reference.survey_text(raw)
    return {name: found.get(name, 0) for name in [*NAMES, "lines", "tokens", "longest_line", "types"]}


PIECES = [b"the", b"The", b"king", b"a", b"b", b"9", b"1,000", b"end.", b"(", b",", b";", b"|", b"a,b", b"x|y;z",
          b" ", b" ", b" ", b"\n", b"\n", b"\r\n", b"\r", b"\t", b"\xff", b"\xe9", b"\xf0\x9f\x98", b"\xed\xa0\x80",
          b"\xc3\xc3\xa9", b"\xe2\x82", "é".encode(), "国王".encode(), "か".encode(), "Ã©".encode(), "â€™".encode(),
          "\u00a0".encode(), "\u2009".encode(), "\u3000".encode(), "\u00ad".encode(), "\ufeff".encode(),
          "\u200b".encode(), "\u200d".encode(), "\ufffd".encode(), "\x85".encode(), b"\x00", b"\x1c", b"\x0b",
          "😀".encode(), "—".encode(), "½".encode(), "Ǆ".encode(), "ǅ".encode(), b"<b>", b"</b>", b"<", b">", b"a<b c>",
          b"<!-- x -->", b"&amp;", b"&#160;", b"&", b";", b"http://x.org", b"https://", b"http:/", b"/", b"[[",
          b"{{x}}", b"[", b"x" * 120, b"<a" + b"h" * 197 + b">", b"<a" + b"h" * 198 + b">", b"&abcdefghi;",
          b"&abcdefghij;"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join), st.sampled_from([8, 9, 64, 1000]))
def test_counts_are_those_of_plain_python(raw, buffer):
    assert counted(inspected(raw, buffer=buffer)) == expected(raw)


@given(st.binary(max_size=200), st.sampled_from([8, 11, 1000]))
def test_any_bytes_are_counted_as_python_decodes_them(raw, buffer):
    assert counted(inspected(raw, buffer=buffer)) == expected(raw)


def test_a_long_text_is_counted_alike_in_pieces_of_any_size():
    rng = random.Random(1)
    raw = b"".join(rng.choice(PIECES) for _ in range(30_000))
    whole = counted(inspected(raw))
    assert whole == expected(raw)
    for buffer in (8, 4099, 1 << 16):
        inspector = inspected(raw, buffer=buffer)
        assert counted(inspector) == whole
    lengths = [len(line.replace(b"\t", b" ").replace(b"\r", b" ").split(b" ")) for line in raw.split(b"\n")]
    assert len(lengths) - (not raw.endswith(b"\n")) <= inspector.sentences


def test_files_do_not_run_into_each_other():
    parts = [b"a b", b"c,", b"d http:/", b"/ \xe2\x82", b"\xac <b", b"r> \r", b"x\ny"]
    together = counted(inspected(*parts))
    apart = [expected(part) for part in parts]
    for name in together.keys() - {"types", "longest_line"}:
        assert together[name] == sum(found[name] for found in apart), name


def test_the_first_of_each_kind_has_its_place():
    head = b"the king\n" * 3_000 + b"\xef\xbb\xbf"[:0]
    raw = head + b"ok caf\xe9 au\nlait, <br/> x\n"
    inspector = inspected(b"first\n", raw, buffer=4096)
    place = inspector.first(k.INVALID)
    assert (place.file, place.line, place.byte, place.text) == ("file1", 3_001, raw.index(b"\xe9"), "0xe9")
    place = inspector.first(k.PUNCTUATED)
    assert (place.line, place.byte, place.text) == (3_002, raw.index(b"lait,"), "lait,")
    assert inspector.first(k.TAGS).text.startswith("<br/>")
    assert inspector.first(k.OF_ONE) == w2v.corpus.inspection.Place("file0", 1, 0, "first")
    assert inspector.first(k.CONTROLS) is None
    assert inspector.longest_line == (3, w2v.corpus.inspection.Place("file1", 3_001))


def test_a_sample_keeps_exact_counts_of_a_random_part():
    rng = np.random.default_rng(3)
    ids = np.concatenate([np.arange(6_000), rng.integers(0, 3_000, 20_000)])
    rng.shuffle(ids)
    raw = b"".join(b"w%d\n" % i for i in ids)
    exact = inspected(raw)
    assert exact.types.level == 0 and exact.counts[k.REPEATED] == 20_000
    sampled = inspected(raw, most_slots=2048)
    assert sampled.types.level >= 3 and len(sampled.types.table) == 3 * 2048
    counts, _ = sampled.types.found()
    assert 0.5 * 1024 / 2 <= len(counts) <= 1024
    words = Words.of(sampled, 2)
    assert words.types_seen == 0.5**sampled.types.level
    every, true = Words.of(exact, 2), np.bincount(ids)
    assert (every.types, every.kept, every.once) == (6_000, int((true >= 2).sum()), int((true == 1).sum()))
    assert every.repeated == 20_000 / 26_000 and every.most_repeated == true.max()
    assert every.rare_tokens == (true == 1).sum() / len(ids)
    assert words.types == pytest.approx(6_000, rel=0.2)  # 750 are held: a standard error of 3%
    assert words.repeated == pytest.approx(every.repeated, abs=0.05)
    assert words.rare_tokens == pytest.approx(every.rare_tokens, abs=0.04)


# ------------------------------------------------------------------------------------------------ what is told


def name(number):
    return "".join(chr(ord("a") + number // 26**i % 26) for i in range(3))


GOOD = "".join(f"the king {'a b c d e f'[: 2 * (i % 6) + 1]} {name(i % 97)} {name(i % 89)}\n" for i in range(3_000))


def kinds(report, severity=None):
    return [finding.kind for finding in report.findings if severity in (None, finding.severity)]


def checked(tmp_path, text, **settings):
    path = tmp_path / "corpus.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return check_corpus(path, w2v.CorpusSettings(**settings))


def test_there_is_nothing_to_say_about_a_good_text(tmp_path):
    report = checked(tmp_path, GOOD)
    assert kinds(report) == ["small"] and not report.serious
    assert (report.lines, report.files) == (3_000, (str(tmp_path / "corpus.txt"),))
    lengths = sorted(len(line.split()) for line in GOOD.splitlines())
    assert report.line_tokens == {
        "median": lengths[1499],
        "p90": lengths[2699],
        "p99": lengths[2969],
        "longest": lengths[-1],
    }


@pytest.mark.parametrize(
    ("text", "kind", "severity", "settles"),
    [
        (GOOD.encode() + b"caf\xe9 au lait\n", "not-utf-8", "serious", {"encoding": "latin-1"}),
        (b"", "nothing-to-learn", "serious", None),
        (b"\n\n \n", "nothing-to-learn", "serious", None),
        ("".join(f"w{i}\n" for i in range(50)), "nothing-to-learn", "serious", None),
        ("one two three\n", "no-frequent-word", "serious", {"min_count": 1}),
        (GOOD.replace(" ", ","), "commas", "serious", {"tokenizer": "words"}),
        (GOOD.replace(" ", ";"), "semicolons", "serious", {"tokenizer": "words"}),
        (GOOD.replace(" ", "\t"), "tabs", "warning", {"tokenizer": "words"}),
        (GOOD.replace("\n", "\r"), "carriage-returns", "serious", None),
        ("秦川雄帝宅，函谷壮皇居。 绮殿千寻起\n" * 40, "chinese-without-spaces", "serious", {"tokenizer": "chars"}),
        (GOOD.replace("king", "kÃ©ng"), "misread", "serious", None),
        (GOOD.replace("king", "k\ufffdng"), "replaced", "serious", None),
        (GOOD + "k\x01ng queen\n", "control", "warning", None),
        (GOOD.replace("the king", "the\u00a0king"), "unicode-spaces", "warning", {"unicode_spaces": True}),
        (GOOD.replace("king", "ki\u00adng"), "invisible", "warning", {"tokenizer": "words"}),
        (GOOD.replace("king", "king."), "punctuated", "warning", {"tokenizer": "words"}),
        (GOOD.replace("king", "King"), "capitals", "note", {"lowercase": True}),
        (GOOD.replace("the", "<p>the</p>"), "tags", "serious", None),
        (GOOD.replace("the king", "the &amp; king"), "entities", "serious", None),
        (GOOD.replace("king", "[[king]]"), "wiki-markup", "serious", None),
        (GOOD.replace("king", "http://king.org/"), "addresses", "warning", None),
        (GOOD.replace("king", "1066"), "digits", "note", None),
        (GOOD * 3, "duplicate-lines", "serious", None),
        (GOOD + GOOD[:12_000], "duplicate-lines", "warning", None),
        (GOOD + "word1\n" * 3_000, "one-token-lines", "warning", None),
        (GOOD + "\n" * 3_000, "empty-lines", "note", None),
        (GOOD + "x" * 300 + " y\n", "long-tokens", "note", {"tokenizer": "words"}),
        (GOOD + "".join(f"rare{i} rarer{i}\n" for i in range(2_000)), "rare-words", "warning", {"min_count": 1}),
    ],
)  # fmt: skip
def test_what_is_odd_is_told_with_its_weight_unless_the_settings_take_care(tmp_path, text, kind, severity, settles):
    report = checked(tmp_path, text)
    found = next(finding for finding in report.findings if finding.kind == kind)
    assert found.severity == severity and found.message and found.advice
    assert report.serious == any(finding.severity == "serious" for finding in report.findings)
    if settles:
        assert kind not in kinds(checked(tmp_path, text, **settles))


def test_findings_are_sorted_by_weight(tmp_path):
    text = (GOOD + GOOD[:12_000]).replace("king", "King.").encode() + b"\xff\xff x\n"
    report = checked(tmp_path, text)
    order = [("serious", "warning", "note").index(finding.severity) for finding in report.findings]
    assert order == sorted(order) and kinds(report)[0] == "not-utf-8"
    shares = [finding.share for finding in report.findings if finding.severity == "warning"]
    assert shares == sorted(shares, reverse=True)


def test_a_file_that_cannot_be_read_does_not_hide_the_others(tmp_path):
    (tmp_path / "a.txt").write_text("the king\n" * 10)
    (tmp_path / "b.bz2").write_bytes(bz2.compress(b"the queen\n" * 10_000)[:60])
    (tmp_path / "c.txt").write_bytes("wide text\n".encode("utf-16"))
    (tmp_path / "d.txt.bz2").write_bytes(bz2.compress(b"the queen,\n" * 10))
    report = check_corpus(tmp_path)
    unreadable = [finding for finding in report.findings if finding.kind == "unreadable"]
    assert [finding.place.file[-5:] for finding in unreadable] == ["b.bz2", "c.txt"]
    assert "cut off" in unreadable[0].message and "--encoding utf-16" in unreadable[1].message
    assert report.tokens == 40 and report.lines == 20
    with pytest.raises(FileAccessError, match="no such file"):
        check_corpus(tmp_path / "missing")
    with pytest.raises(SettingsError, match="nonsense"):
        check_corpus(tmp_path, w2v.CorpusSettings(encoding="nonsense"))


def test_other_encodings_are_decoded(tmp_path):
    report = checked(tmp_path, "le café est là\n".encode("latin-1") * 9, encoding="latin-1")
    assert (report.tokens, report.lines, report.words.types) == (36, 9, 4)
    report = checked(tmp_path, b"ok\n\x81 bad gb18030 \xff\n", encoding="gb18030")
    assert report.findings[0].kind == "unreadable" and "byte" in report.findings[0].message


# ------------------------------------------------------------------------------------------------ the command


@pytest.fixture
def text(tmp_path):
    (tmp_path / "corpus.txt").write_bytes(GOOD.encode() + b"caf\xe9, <b>au</b> lait\n")
    return tmp_path / "corpus.txt"


def test_the_report_for_people(cli, text):
    outcome = cli("check", text, "--no-estimate", "--quiet")
    assert outcome.status == 0 and outcome.err == ""
    lines = outcome.out.splitlines()
    assert lines[0] == "text   corpus.txt"
    assert lines[lines.index("Serious") + 1] == "  * bytes that are not UTF-8 (1; 0.001% of the characters)"
    position = len(GOOD) + 3
    assert lines[lines.index("Serious") + 2] == f"    e.g. corpus.txt:3001, byte {position}: 0xe9"
    assert lines.index("Serious") < lines.index("Good to know")
    assert max(map(len, lines)) <= 100


def test_strict_fails_where_something_serious_was_found(cli, text, tmp_path):
    assert cli("check", text, "--no-estimate", "--strict").status == 1
    assert cli("check", text, "--no-estimate", "--strict", "--errors", "replace").status == 0
    outcome = cli("check", text, "--no-estimate", "--strict", "--json")
    assert outcome.status == 1 and outcome.json["serious"] is True
    assert cli("check", tmp_path / "missing").status == 1


def test_the_report_for_programs(cli, text):
    report = cli("check", text, "--json", "--no-estimate").json
    assert report == {**json.loads(json.dumps(check_corpus(text).to_dict())), "estimate": None, "no_estimate": None}
    assert report["findings"][0]["place"] == {
        "file": str(text),
        "line": 3001,
        "byte": len(GOOD) + 3,
        "text": "0xe9",
    }


def test_the_estimate_is_for_the_settings_given(cli, text, monkeypatch):
    monkeypatch.setattr("w2v.cli.train_estimate._TRIAL_SECONDS", 0.05)
    options = ["--vector-size", "7", "--epochs", "2", "--workers", "1", "--tokenizer", "words"]
    report = cli("check", text, *options, "--json").json
    assert report["estimate"]["epochs"] == 2 and report["estimate"]["training_seconds"] > 0
    assert report["estimate"]["matrix_bytes"] == 2 * report["estimate"]["words"] * padded(7) * 4
    outcome = cli("check", text, *options)
    assert "A training with these settings" in outcome.out and "for 2 epochs" in outcome.out


def test_why_there_is_no_estimate(cli, process, tmp_path):
    (tmp_path / "one.txt").write_text("one\n" * 9)
    outcome = cli("check", tmp_path / "one.txt")
    assert outcome.status == 0 and "no estimate: every line holds 1 token" in outcome.out
    with (tmp_path / "one.txt").open("rb") as stdin:
        outcome = process("check", "-", "--json", stdin=stdin)
    assert outcome.status == 0 and outcome.json["no_estimate"] == "standard input can be read only once"
    assert outcome.json["tokens"] == 9 and outcome.json["files"] == ["-"]
