"""Numbers with their nouns."""

import pytest

from w2v.plurals import counted


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "word", "0 words"),
        (1, "word", "1 word"),
        (2, "word", "2 words"),
        (1_234_567, "old word", "1,234,567 old words"),
        (1, "possible answer", "1 possible answer"),
    ],
)
def test_a_number_with_its_noun(number, noun, text):
    assert counted(number, noun) == text
