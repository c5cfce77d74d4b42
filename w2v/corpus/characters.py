"""What each Unicode character means to the tokenisers: part of a word, a character of its own, or a gap.

The rules, for `words`, `chars` and `jieba`:

* letters, digits and other numbers (categories L and N) make words, and so do combining marks (M), without which
  Hindi or Thai words would fall apart;
* an apostrophe (' or its typographic twin U+2019, written as ') stays between two characters of a word;
* the joiners U+200C and U+200D stay within a word; other invisible format characters, such as the soft hyphen,
  vanish; the zero-width space is a space;
* everything else is a gap: punctuation, symbols, white space;
* text is lower-cased as `str.lower` does it;
* `chars` makes each ideograph, kana or bopomofo letter a token of its own, with the marks that follow it.

For `whitespace` the table only says which characters are white space: four ASCII ones, or all that `str.split` knows.
"""

from __future__ import annotations

import functools
import unicodedata

import numpy as np
from numpy.typing import NDArray

from w2v.kernels import rewriting as r

__all__ = ["ASKED", "IDEOGRAPHS", "LETTERS", "Table", "character_table"]

Table = tuple[NDArray[np.uint8], NDArray[np.int32]]

_CODES = 0x110000
# Ideographs and Hangul syllables are letters without case; later Unicode versions fill their blocks with more of them
LETTERS = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xAC00, 0xD7A4),
    range(0x17000, 0x18D00),
    range(0x20000, 0x3FFFE),
)
# Where Python's character database is asked about each character; the rest of the code space is private or unused
ASKED = (
    range(0x3400),
    range(0x4DC0, 0x4E00),
    range(0xA000, 0xAC00),
    range(0xD7A4, 0xD800),
    range(0xE000, 0xE001),
    range(0xF900, 0x17000),
    range(0x18D00, 0x20000),
    range(0xE0000, 0xE0200),
)
IDEOGRAPHS = (
    (0x3005, 0x3007),  # iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3041, 0x3096),  # hiragana
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),  # katakana
    (0x30FC, 0x30FF),
    (0x3105, 0x312F),  # bopomofo
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # extension A
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),  # compatibility ideographs
    (0xFF66, 0xFF9D),  # halfwidth katakana
    (0x1AFF0, 0x1B16F),  # kana supplements
    (0x20000, 0x3FFFD),  # extensions B and later
)
_SPECIAL = {
    0x0A: r.LINE_END,
    0x27: r.APOSTROPHE,
    0x2019: r.APOSTROPHE,
    0x200B: r.SPACE,
    0x200C: r.JOINER,
    0x200D: r.JOINER,
}


@functools.lru_cache(maxsize=4)
def character_table(tokenizer: str, lowercase: bool, unicode_spaces: bool) -> Table:
    """Return what `rewrite` needs to know for a tokeniser: uint8 and int32 arrays of 0x110000 items."""
    table = _white_space_table(unicode_spaces) if tokenizer == "whitespace" else _word_table()
    if tokenizer == "chars":
        for first, last in IDEOGRAPHS:
            part = table[first : last + 1]
            part[part == r.WORD] = r.IDEOGRAPH
    lower = np.arange(_CODES, dtype=np.int32)
    if lowercase or tokenizer != "whitespace":
        _fill_lower_case(table, lower)
    if tokenizer != "whitespace":
        lower[0x2019] = 0x27
    return table, lower


def _white_space_table(unicode_spaces: bool) -> NDArray[np.uint8]:
    table = np.full(_CODES, r.WORD, dtype=np.uint8)
    spaces = [code for code in range(0x3001) if chr(code).isspace()] if unicode_spaces else [0x09, 0x0D, 0x20]
    table[spaces] = r.SPACE
    table[0x0A] = r.LINE_END
    return table


def _word_table() -> NDArray[np.uint8]:
    table = np.full(_CODES, r.SPACE, dtype=np.uint8)
    meaning = {"L": r.WORD, "N": r.WORD, "M": r.MARK}
    for block in LETTERS:
        table[block.start : block.stop] = r.WORD
    for block in ASKED:
        categories = map(unicodedata.category, map(chr, block))
        table[block.start : block.stop] = [r.DROP if c == "Cf" else meaning.get(c[0], r.SPACE) for c in categories]
    for code, what in _SPECIAL.items():
        table[code] = what
    return table


def _fill_lower_case(table: NDArray[np.uint8], lower: NDArray[np.int32]) -> None:
    """Fill the lower case of every character, and the two properties on which that of a capital sigma rests.

    Python's own `str.lower` is asked: a final sigma comes out where the character before it is cased, and stays
    away where the character after it is passed over and a letter follows.
    """
    for block in ASKED:
        letters = [chr(code) for code in block]
        lower[block.start : block.stop] = [ord(low) if len(low) == 1 else 0x69 for low in map(str.lower, letters)]
        after = "\n".join([f"{letter}Σ" for letter in letters]).lower()
        between = "\n".join([f"AΣ{letter}A" for letter in letters]).lower()
        # "\n" itself and U+0130, whose lower case is two characters, are found by their ends
        cased = np.array([line.endswith("ς") for line in _lines(after, letters, 1)])
        passed = np.array([line[1] == "σ" for line in _lines(between, letters, 3)])
        part = table[block.start : block.stop]
        part[cased] |= r.CASED
        part[passed & ~cased] |= r.CASE_IGNORABLE


def _lines(text: str, letters: list[str], others: int) -> list[str]:
    """Cut the joined probes apart again, by length: a probed character may itself end a line."""
    lines = []
    start = 0
    for letter in letters:
        stop = start + others + len(letter.lower())
        lines.append(text[start:stop])
        start = stop + 1
    return lines
