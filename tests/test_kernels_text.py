"""The scanner, renumbering and rewriting kernels against plain Python."""

import io
import sys
import unicodedata
from collections import Counter

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from w2v.corpus.characters import character_table
from w2v.corpus.scanning import InvalidTextError, TextScanner
from w2v.kernels import rewriting
from w2v.kernels.numbering import count_numbers, renumber, survey
from w2v.kernels.text import PADDING, SENTENCE_END, eight_byte_view

FAST = settings(deadline=None, max_examples=150)


class Dribble(io.BytesIO):
    """Gives few bytes at a time."""

    def __init__(self, data, step):
        super().__init__(data)
        self.step = step

    def readinto(self, target):
        return super().readinto(target[: self.step])


def scan(data, chunk=64, step=1 << 20, check=False):
    """Return (scanner, sentences as lists of bytes) of one file."""
    stream = []
    scanner = TextScanner(lambda numbers: stream.extend(numbers.tolist()), check=check, chunk=chunk)
    scanner.begin_file()
    scanner.read(Dribble(data, step))
    scanner.end_file()
    return scanner, sentences_of(scanner, stream)


def sentences_of(scanner, stream):
    table = scanner.table
    words = [table.arena[a:b].tobytes() for a, b in zip(table.starts, table.starts[1 : len(table) + 1], strict=False)]
    sentences = [[]]
    for number in stream:
        if number == SENTENCE_END:
            sentences.append([])
        else:
            sentences[-1].append(words[number])
    assert sentences.pop() == []
    return sentences


def plain(data):
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [[t for t in line.replace(b"\r", b" ").replace(b"\t", b" ").split(b" ") if t] for line in lines]


def agrees(data, **how):
    scanner, sentences = scan(data, **how)
    expected = plain(data)
    assert sentences == [s for s in expected if s]
    assert scanner.lines == len(expected)
    assert scanner.tokens == sum(map(len, expected))
    assert scanner.longest == max(map(len, expected), default=0)
    counts = Counter(t for s in expected for t in s)
    assert (
        dict(zip(dict.fromkeys(t for s in expected for t in s), scanner.table.counts().tolist(), strict=True)) == counts
    )


texty = st.lists(
    st.sampled_from(
        [b" ", b"\n", b"\t", b"\r", b"a", b"b", b"ab", b"\x00", b"\x0b", b"\xe4\xbd\xa0", b"\xff", b"1234567"]
    ),
    max_size=120,
).map(b"".join)


@given(texty, st.integers(1, 40), st.integers(1, 9))
@FAST
def test_scanner_equals_split(data, chunk, step):
    agrees(data, chunk=chunk, step=step)


@given(st.binary(max_size=300), st.integers(1, 64))
@FAST
def test_scanner_equals_split_on_any_bytes(data, chunk):
    agrees(data, chunk=chunk)


@pytest.mark.parametrize("step", range(1, 8))
def test_words_of_every_length_in_pieces(step):
    words = [bytes([97 + n % 26]) * n + tail for n in range(1, 40) for tail in (b"", b"x", b"\x01", b"\x00")]
    agrees(b" ".join(words) + b"\n" + b"\n".join(words), chunk=16, step=step)


def test_words_that_differ_in_one_byte_stay_apart():
    base = b"abcdefghijklmnopqrstuvwxyz"
    words = {base[:n][:i] + b"#" + base[i + 1 : n] for n in range(1, 26) for i in range(n)}
    words |= (
        {base[:n] for n in range(1, 26)} | {base[:n] + b"\x00" for n in range(26)} | {b"\x00" * n for n in range(1, 26)}
    )
    scanner, sentences = scan(b" ".join(sorted(words)))
    assert len(scanner.table) == len(words)
    assert sentences == [sorted(words)]


def test_table_grows_far():
    rng = np.random.default_rng(5)
    numbers = rng.integers(0, 60_000, 150_000)
    data = b" ".join(b"%d" % n if n % 3 else b"a long prefix before ".replace(b" ", b"_") + b"%d" % n for n in numbers)
    agrees(data, chunk=4099)


def test_no_limit_on_words_or_lines():
    word = b"w" * 100_003
    scanner, sentences = scan(b"a " + word + b" b\n" + word, chunk=64, step=1000)
    assert sentences == [[b"a", word, b"b"], [word]]
    assert scanner.table.counts().tolist() == [1, 2, 1]
    _, sentences = scan(b" ".join(b"t%d" % (i % 1000) for i in range(25_000)), chunk=777)
    assert [len(s) for s in sentences] == [25_000]


@given(
    st.lists(st.sampled_from([b"caf\xc3\xa9 ", b"\xe4\xbd\xa0\xe5\xa5\xbd\n", b"x", b" ", b"\n"]), max_size=30),
    st.binary(min_size=1, max_size=4),
    st.integers(1, 30),
)
@FAST
def test_first_invalid_byte_is_found(parts, junk, chunk):
    data = b"".join(parts) + junk + b"".join(parts)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        with pytest.raises(InvalidTextError) as caught:
            scan(data, chunk=chunk, check=True)
        assert caught.value.position == error.start
        assert caught.value.line == data[: error.start].count(b"\n") + 1
        assert caught.value.found[0] == data[error.start]
    else:
        scan(data, chunk=chunk, check=True)


def test_every_two_and_three_byte_sequence_is_judged_as_python_does():
    for lead in range(0x80, 0x100):
        for second in (0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF):
            for rest in (b"", b"\x80", b"\xbf\xbf", b"\x80\x7f"):
                data = bytes([0x61, lead, second]) + rest + b"\n"
                for check in (lambda d: scan(d, check=True), rewritten):
                    try:
                        data.decode()
                    except UnicodeDecodeError as error:
                        with pytest.raises((InvalidTextError, ValueError)) as caught:
                            check(data)
                        assert caught.value.args[0] == error.start
                    else:
                        check(data)


def test_eight_byte_view_is_little_endian():
    view = eight_byte_view(np.arange(20, dtype=np.uint8))
    assert view[3] == int.from_bytes(bytes(range(3, 11)), "little")
    assert PADDING >= 16


@given(
    st.lists(st.integers(-1, 6), max_size=60), st.lists(st.integers(-1, 3), min_size=7, max_size=7), st.integers(1, 60)
)
@FAST
def test_renumber_in_pieces(stream, numbers, piece):
    numbers = np.array(numbers, dtype=np.int32)
    stream = [*stream, -1]
    ids, bounds, totals = [], [0], np.zeros(2, dtype=np.int64)
    room = np.empty(len(stream), dtype=np.int64)
    for start in range(0, len(stream), piece):
        part = np.array(stream[start : start + piece], dtype=np.int32)
        kept, ended = renumber(part, numbers, room, totals)
        ids += part[:kept].tolist()
        bounds += room[:ended].tolist()
    sentences, sentence = [], []
    for number in stream:
        if number >= 0:
            sentence.append(numbers[number])
        else:
            sentences.append([i for i in sentence if i >= 0])
            sentence = []
    sentences = [s for s in sentences if s]
    assert ids == [i for s in sentences for i in s]
    assert np.diff(bounds).tolist() == [len(s) for s in sentences]


def test_count_numbers():
    counts = np.zeros(4, dtype=np.int64)
    count_numbers(np.array([3, 0, -1, 3, -1], dtype=np.int32), counts)
    assert counts.tolist() == [1, 0, 0, 2]


def test_survey_of_signs():
    scanner, _ = scan("end. end, . ... 你好世界 你 etc.) plain don't".encode())
    table = scanner.table
    assert survey(table.arena, table.starts, table.counts()) == (2, 2, 15)


# ------------------------------------------------------------------------------------------------------ rewriting


def rewritten(data, tokenizer="words", lowercase=False, unicode_spaces=False):
    table, lower = character_table(tokenizer, lowercase, unicode_spaces)
    out = np.empty(2 * len(data) + 16, dtype=np.uint8)
    written, bad = rewriting.rewrite(np.frombuffer(bytearray(data), dtype=np.uint8), 0, len(data), out, table, lower)
    if bad >= 0:
        raise ValueError(bad)
    assert written <= 2 * len(data)
    return out[:written].tobytes().decode()


def words_of(text):
    """Unicode words of lower-cased text, by the documented rules, one character after the other."""
    text = text.lower()
    words, word = [], ""

    def kind(i):
        return unicodedata.category(text[i])[0] if 0 <= i < len(text) else "-"

    last = "-"  # kind of the latest character that is not passed over
    for i, character in enumerate(text):
        following = kind(i + 1) in "LNM"
        if kind(i) in "LNM":
            word += character
            last = "L"
        elif character in "'\u2019" and last == "L" and following:
            word += "'"
        elif character in "\u200c\u200d":
            word += character if last == "L" and following else ""
        elif unicodedata.category(character) == "Cf" and character != "\u200b":
            continue
        else:
            words.append(word)
            word, last = "", "-"
    words.append(word)
    return [w for w in words if w]


some_characters = st.sampled_from(
    "aZ9 '\u2019.\n-_\u00ad\u200b\u200c\u200d\u0301é\u00a0\u2028\u3000ΣσİΩʰक्षि你。カー゙😀Ⅷ\ufe0f"
)
any_text = st.text(st.characters(codec="utf-8", exclude_categories=["Cn", "Cs"]), max_size=30)


@given(st.one_of(st.text(some_characters, max_size=30), any_text))
@settings(deadline=None, max_examples=400)
def test_words_by_the_rules(text):
    found = rewritten(text.encode()).split("\n")
    assert [[t for t in line.split(" ") if t] for line in found] == [words_of(line) for line in text.split("\n")]


@given(st.one_of(st.text(some_characters, max_size=30), any_text))
@settings(deadline=None, max_examples=400)
def test_lower_case_is_that_of_python(text):
    expected = reference.tokenize(text.encode(), lowercase=True)
    assert plain(rewritten(text.encode(), "whitespace", lowercase=True).encode()) == [
        [t.encode() for t in s] for s in expected
    ]


@given(any_text)
@FAST
def test_unicode_spaces_are_those_of_str_split(text):
    expected = [line.split() for line in text.split("\n")]
    found = rewritten(text.encode(), "whitespace", unicode_spaces=True).split("\n")
    assert [[t for t in line.split(" ") if t] for line in found] == expected


def test_every_character_has_the_lower_case_of_python():
    letters = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000 and chr(c) not in "\n\r\t "]
    text = " ".join(letters)
    assert rewritten(text.encode(), "whitespace", lowercase=True) == text.lower()


def test_every_character_is_classified_as_documented():
    table, _ = character_table("words", False, False)
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        what = table[code] & 0x0F
        if category[0] in "LN":
            assert what == rewriting.WORD, hex(code)
        elif category[0] == "M":
            assert what == rewriting.MARK, hex(code)
        elif category == "Cn" or chr(code) in "\n'\u2019" or 0x200B <= code <= 0x200D:
            continue
        else:
            assert what == (rewriting.DROP if category == "Cf" else rewriting.SPACE), hex(code)


def test_characters_stand_alone():
    cases = {
        "秦川雄帝宅，函谷壮皇居。": "秦 川 雄 帝 宅 函 谷 壮 皇 居",
        "我love你3次": "我 love 你 3 次",
        "が゙カー々〇": "が゙ カ ー 々 〇",
        "\U00020000\U0002a700x": "\U00020000 \U0002a700 x",
        "한국어 단어": "한국어 단어",
        "葛\U000e0100飾": "葛\U000e0100 飾",
        "“你”、《好》！": "你 好",
    }
    for text, expected in cases.items():
        assert rewritten(text.encode(), "chars").strip() == expected
