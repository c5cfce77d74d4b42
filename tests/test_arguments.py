"""Arguments that are checked: what is taken, and what the errors say."""

import numpy as np
import pytest

from w2v.arguments import one_of, whole_number
from w2v.errors import SettingsError


@pytest.mark.parametrize("value", [2, 7, np.int32(3), np.uint64(2)])
def test_whole_numbers_come_back_as_int(value):
    found = whole_number("topn", value, 2)
    assert found == value and type(found) is int


@pytest.mark.parametrize("value", [1, -1, 2.0, "3", None, True, np.float32(5), [4]])
def test_other_values_are_refused_by_name(value):
    with pytest.raises(SettingsError) as caught:
        whole_number("topn", value, 2)
    assert str(caught.value) == f"topn must be a whole number of at least 2; got {value!r}"


def test_choices():
    assert one_of("case", "lower", ("none", "lower")) == "lower"
    with pytest.raises(SettingsError, match="case must be one of none, lower; got 'upper'"):
        one_of("case", "upper", iter(("none", "lower")))
