"""How often a checkpoint is written: after so much time, or after so many words."""

from __future__ import annotations

import dataclasses
import re

from w2v.errors import SettingsError

__all__ = ["Cadence"]

_FORM = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)\s*([A-Za-z]*)")
_SECONDS = {"s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0}
_WORDS = {"": 1, "k": 1_000, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000}


@dataclasses.dataclass(frozen=True)
class Cadence:
    """An interval in seconds or in words; neither means never."""

    seconds: float | None = None
    words: int | None = None

    @classmethod
    def parse(cls, text: str | int | None) -> Cadence:
        """Read ``"10min"``, ``"30s"``, ``"2h"``, ``"200k"``, ``"50M"``, a number of words, ``"never"`` or None.

        Raises
        ------
        SettingsError
        """
        if text is None or text == "never":
            return cls()
        match = _FORM.fullmatch(str(text).strip())
        if match is not None:
            number, unit = float(match[1]), match[2]
            if unit in _SECONDS and number > 0:
                return cls(seconds=number * _SECONDS[unit])
            if unit in _WORDS and number * _WORDS[unit] >= 1:
                return cls(words=int(number * _WORDS[unit]))
        raise SettingsError(
            f"checkpoint_every must be a time (30s, 10min, 2h), a number of words (200k, 50M) or never; got {text!r}"
        )
