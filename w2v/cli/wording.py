"""The library's messages in the words of the command line: settings by the names of their options."""

from __future__ import annotations

import dataclasses
import functools
import re

from w2v.errors import SettingsError, UnknownWordError, W2VError
from w2v.settings import ContextSettings, CorpusSettings, FactorizationSettings, TrainingSettings

__all__ = ["as_typed"]

_HOMES = (CorpusSettings, ContextSettings, TrainingSettings, FactorizationSettings)


def as_typed(error: W2VError) -> str:
    """Return the message of an error, with ``--vector-size`` for vector_size and ``--sample 0`` for sample=0."""
    message = str(error)
    if isinstance(error, UnknownWordError):  # a word may look like a setting
        return message
    message = message.replace(" (force=True)", "").replace("(TMPDIR, or directory=)", "(TMPDIR)")
    alone, valued, underscored = _patterns()
    message = valued.sub(lambda found: f"{_option(found)} ", message)
    if isinstance(error, SettingsError):
        message = alone.sub(_option, message)
    return underscored.sub(_option, message)


def _option(found: re.Match[str]) -> str:
    return f"--{found[1].replace('_', '-')}"


@functools.cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return patterns for a name at the start, a name with its value, and a name that is no common word."""
    names = {field.name for home in _HOMES for field in dataclasses.fields(home)}
    names |= {"restrict_vocab", "topn", "checkpoint_every"}
    free = r"(?<![\w/.'\\-])"  # not within a path, an option or a quotation
    either = "|".join(sorted(names, key=len, reverse=True))
    long = "|".join(sorted(filter(lambda name: "_" in name, names), key=len, reverse=True))
    return (
        re.compile(rf"^({either})\b(?!/)"),
        re.compile(rf"{free}({either}) ?= ?(?=\S)"),
        re.compile(rf"{free}({long})\b(?![/'\\])"),
    )
