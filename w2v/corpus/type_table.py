"""The table of all distinct tokens of a text, as the scanner kernel fills it, and the vocabulary made from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.kernels import numbering
from w2v.kernels import text as kernels
from w2v.vocabulary import Vocabulary

__all__ = ["TypeTable"]

_SLOTS = 1 << 14


class TypeTable:
    """All distinct tokens of a text, numbered in order of first appearance, with their counts."""

    def __init__(self) -> None:
        self.slots: NDArray[np.uint64] = np.zeros(4 * _SLOTS, dtype=np.uint64)
        self.arena: NDArray[np.uint8] = np.empty(8 * _SLOTS, dtype=np.uint8)
        self.starts: NDArray[np.int64] = np.zeros(_SLOTS, dtype=np.int64)
        self.state: NDArray[np.int64] = np.zeros(kernels.STATE_SIZE, dtype=np.int64)

    def __len__(self) -> int:
        return int(self.state[kernels.TYPES])

    def make_room(self) -> None:
        """Double whatever is full: slots beyond half, or the list of types, or else the bytes."""
        types = len(self)
        if 8 * types >= len(self.slots):
            larger = np.zeros(2 * len(self.slots), dtype=np.uint64)
            kernels.grow_table(self.slots, larger)
            self.slots = larger
        elif types + 1 >= len(self.starts):
            self.starts = _doubled(self.starts)
        else:
            self.arena = _doubled(self.arena)

    def counts(self) -> NDArray[np.int64]:
        """Return the occurrences (types,) of every type."""
        counts = np.zeros(len(self), dtype=np.int64)
        numbering.read_counts(self.slots, counts)
        return counts

    def survey(self, counts: NDArray[np.int64]) -> tuple[int, int, int]:
        """Return tokens that end in punctuation, tokens that begin with a Han character, and bytes of these."""
        punctuated, han, han_bytes = numbering.survey(self.arena, self.starts, counts)
        return int(punctuated), int(han), int(han_bytes)

    def in_order(self, numbers: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the chosen types sorted by count, the largest first, ties by their bytes.

        Bytes of UTF-8 sort as the code points do. Almost all ties are decided by the first eight bytes.
        """
        prefixes = np.empty(len(numbers), dtype=np.uint64)
        numbering.word_prefixes(self.arena, self.starts, numbers, prefixes)
        order = np.lexsort((prefixes, -counts[numbers]))
        numbers, prefixes = numbers[order], prefixes[order]
        tied = (np.diff(counts[numbers]) == 0) & (prefixes[1:] == prefixes[:-1])
        edges = np.diff(np.concatenate(([False], tied, [False])).astype(np.int8))
        for first, last in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
            numbers[first : last + 1] = sorted(numbers[first : last + 1].tolist(), key=self._word)
        return numbers

    def _word(self, number: int) -> bytes:
        return self.arena[self.starts[number] : self.starts[number + 1]].tobytes()

    def vocabulary(self, numbers: NDArray[np.int64], counts: NDArray[np.int64]) -> Vocabulary:
        """Return the chosen types as a vocabulary, without making strings of them yet."""
        offsets = np.zeros(len(numbers) + 1, dtype=np.int64)
        np.cumsum(self.starts[numbers + 1] - self.starts[numbers], out=offsets[1:])
        packed = np.empty(int(offsets[-1]), dtype=np.uint8)
        numbering.gather_words(self.arena, self.starts, numbers, packed, offsets)
        return Vocabulary.from_packed(packed, offsets, counts[numbers])


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    larger = np.zeros(2 * len(array), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
