"""Arguments of functions checked: the errors name the argument, say what it may be, and show the value met."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from w2v.errors import SettingsError

__all__ = ["one_of", "whole_number"]


def whole_number(name: str, value: Any, low: int) -> int:
    """Return `value` as an int, or raise `SettingsError` when it is no whole number of at least `low`.

    Anything that Python takes as an index is a whole number, such as numpy's integers; True and False are not.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if number < low or isinstance(value, bool):
        raise SettingsError(f"{name} must be a whole number of at least {low}; got {value!r}")
    return number


def one_of(name: str, value: str, choices: Iterable[str]) -> str:
    """Return `value`, or raise `SettingsError` when it is none of the choices."""
    choices = tuple(choices)
    if value not in choices:
        raise SettingsError(f"{name} must be one of {', '.join(choices)}; got {value!r}")
    return value
