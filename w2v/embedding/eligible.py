"""Which rows may be the answers of a query."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import whole_number
from w2v.errors import SettingsError

if TYPE_CHECKING:
    from w2v.embedding.rows import Rows

__all__ = ["Eligible", "eligible"]


class Eligible:
    """Rows that may be answers: a range of them, or some by their ids.

    Attributes
    ----------
    rows : slice or (n,) int64
        For indexing; ids rise.
    """

    def __init__(self, rows: slice | NDArray[np.int64]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return self.rows.stop - self.rows.start if isinstance(self.rows, slice) else len(self.rows)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids (n,) of all of them."""
        return np.arange(self.rows.start, self.rows.stop) if isinstance(self.rows, slice) else self.rows

    def ids_at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ids (m,) at some positions."""
        found: NDArray[np.int64] = places + self.rows.start if isinstance(self.rows, slice) else self.rows[places]
        return found

    def positions(self, ids: Iterable[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where those of some ids stand that are eligible."""
        wanted = np.unique(np.fromiter(ids, dtype=np.int64))
        if isinstance(self.rows, slice):
            within: NDArray[np.int64] = wanted[(wanted >= self.rows.start) & (wanted < self.rows.stop)]
            return within - int(self.rows.start)
        places = np.searchsorted(self.rows, wanted)
        places = places[places < len(self.rows)]
        found: NDArray[np.int64] = places[np.isin(self.rows[places], wanted)]
        return found


def eligible(
    rows: Rows,
    *,
    restrict_vocab: int | None = None,
    clip_start: int = 0,
    clip_end: int | None = None,
    min_count: int | None = None,
    candidates: Any = None,
) -> Eligible:
    """Return the rows that fulfil all conditions.

    Parameters
    ----------
    rows : Rows
    restrict_vocab : int, optional
        Among the first so many, the most frequent.
    clip_start, clip_end : int, optional
        From row `clip_start` on, up to but without row `clip_end`.
    min_count : int, optional
        Seen at least so often.
    candidates : iterable of words, optional
        Among these words.

    Raises
    ------
    SettingsError, UnknownWordError
    """
    start = min(whole_number("clip_start", clip_start, 0), len(rows))
    stop = len(rows)
    if clip_end is not None:
        stop = min(stop, whole_number("clip_end", clip_end, 0))
    if restrict_vocab is not None:
        stop = min(stop, whole_number("restrict_vocab", restrict_vocab, 1))
    stop = max(start, stop)
    if min_count is None and candidates is None:
        return Eligible(slice(start, stop))
    ids = np.arange(start, stop)
    if candidates is not None:
        if isinstance(candidates, str):
            candidates = [candidates]
        chosen = np.unique(np.array(rows.vocabulary.ids(candidates), dtype=np.int64))
        ids = chosen[(chosen >= start) & (chosen < stop)]
    if min_count is not None:
        ids = ids[rows.counts[ids] >= _number("min_count", min_count)]
    return Eligible(ids)


def _number(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise SettingsError(f"{name} must be a whole number; got {value!r}") from None
