"""What can be said about a text before a training: a finding, and the figures of its distinct words and lines."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from w2v.corpus.inspection import Inspector, Place

__all__ = ["SEVERITIES", "Finding", "Words", "ratio"]

SEVERITIES = (
    "serious",
    "warning",
    "note",
)  # a training would fail or learn the wrong thing; it would learn less; know it


@dataclasses.dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is to be said about a text.

    Attributes
    ----------
    kind : str
        Its name, such as ``"not-utf-8"``; the same in every version.
    severity : str
        One of `SEVERITIES`.
    count : int
        How often it was met.
    share : float or None
        `count` divided by all `of` the text.
    of : str or None
        What `share` is a share of: ``"tokens"``, ``"lines"``, ``"characters"``, ``"words"``.
    message : str
        What was found.
    advice : str
        What to do about it.
    place : Place or None
        The first example.
    """

    kind: str
    severity: str
    count: int
    share: float | None
    of: str | None
    message: str
    advice: str
    place: Place | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Words:
    """The distinct tokens and lines of a text, counted or estimated from a sample.

    Attributes
    ----------
    types : int
        Distinct tokens.
    kept, once : int
        Those that reach `min_count`, and those that were met once.
    rare_tokens : float
        Share of all tokens that are of types below `min_count`.
    types_seen : float
        Share of the distinct tokens that were counted: 1.0 unless there are more than a million.
    repeated : float
        Share of the lines that are not empty and have been there before.
    most_repeated : int
        How often the most frequent line is there.
    most_repeated_place : Place or None
    lines_seen : float
        Share of the distinct lines that were looked at.
    """

    types: int
    kept: int
    once: int
    rare_tokens: float
    types_seen: float
    repeated: float
    most_repeated: int
    most_repeated_place: Place | None
    lines_seen: float

    @classmethod
    def of(cls, inspector: Inspector, min_count: int) -> Words:
        """Count, or estimate where only a part was kept."""
        types, lines = inspector.types, inspector.lines_seen
        counts, _ = types.found()
        times, places = lines.found()
        most = int(np.argmax(times)) if len(times) else -1
        return cls(
            types=len(counts) << types.level,
            kept=int(np.count_nonzero(counts >= min_count)) << types.level,
            once=int(np.count_nonzero(counts == 1)) << types.level,
            rare_tokens=ratio(int(counts[counts < min_count].sum()) << types.level, inspector.tokens),
            types_seen=0.5**types.level,
            repeated=ratio(int((times - 1).sum()), int(times.sum())),
            most_repeated=int(times[most]) if most >= 0 else 0,
            most_repeated_place=inspector.place(int(places[most])) if most >= 0 else None,
            lines_seen=0.5**lines.level,
        )


def ratio(part: float, whole: float) -> float:
    """Return a part of a whole; 0 of nothing."""
    return part / whole if whole else 0.0
