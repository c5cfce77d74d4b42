"""All pairs of a stream that occur often enough, counted exactly in a table of bounded size.

A pair is not seen more often than either of its words, so pairs of rare words are not counted at all. When the table is
full nevertheless, half of the pairs (by their hashes) are taken out of it and counted later, in a reading of the stream
of their own: the result does not depend on the memory, only the time does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.corpus.phrases.stream import NumberStream
from w2v.errors import SettingsError
from w2v.kernels import phrases as kernels

__all__ = ["MEMORY_BYTES", "Pairs", "count_pairs"]

MEMORY_BYTES = 1 << 28
_SLOTS = 1 << 16
_SLOT_BYTES = 16
_COUNT = np.uint64(2**40 - 1)


@dataclass(frozen=True)
class Pairs:
    """Pairs of words, in the order of their numbers.

    Attributes
    ----------
    keys, chains : (n,) uint64
        As in the table of `w2v.kernels.phrases`.
    counts : (n,) int64
    """

    keys: NDArray[np.uint64]
    chains: NDArray[np.uint64]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def first(self) -> NDArray[np.int64]:
        """The numbers (n,) of the first words."""
        return (self.keys >> np.uint64(32)).astype(np.int64) - 1

    @property
    def second(self) -> NDArray[np.int64]:
        """The numbers (n,) of the second words."""
        return (self.keys & np.uint64(2**32 - 1)).astype(np.int64)

    def take(self, chosen: NDArray[Any]) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.keys[chosen], self.chains[chosen], self.counts[chosen])


def count_pairs(
    stream: NumberStream,
    roles: NDArray[np.uint8],
    min_count: int,
    *,
    keep: Callable[[Pairs], NDArray[np.bool_]] | None = None,
    memory_bytes: int = MEMORY_BYTES,
) -> Pairs:
    """Return the pairs that occur at least `min_count` times in a stream.

    Parameters
    ----------
    stream : NumberStream
    roles : (types,) uint8
        What each number is (see `w2v.kernels.phrases`).
    min_count : int
    keep : callable, optional
        Says which of those counted (some of them at a time) are returned.
    memory_bytes : int
        Bound of the table and of the one that it is copied to when it grows or is thinned; at least 2 MiB.
    """
    if memory_bytes < 2 * _SLOT_BYTES * _SLOTS:
        raise SettingsError(f"memory_bytes must be at least {2 * _SLOT_BYTES * _SLOTS}; got {memory_bytes!r}")
    most_slots = 1 << (
        (memory_bytes // 2 // _SLOT_BYTES).bit_length() - 1
    )  # two, while pairs move from one to the other
    found = []
    slots: NDArray[np.uint64] = np.zeros(2 * _SLOTS, dtype=np.uint64)
    parts_to_do = [(1, 0)]
    while parts_to_do:
        parts, part = parts_to_do.pop()
        slots[:] = 0
        state = np.zeros(kernels.STATE_SIZE, dtype=np.int64)
        state[kernels.FIRST] = -1
        for piece in stream.pieces():
            read = 0
            while True:
                most = len(slots) // 4
                read += int(kernels.count_pairs(piece[read:], roles, slots, parts, part, most, state))
                if read == len(piece):
                    break
                larger = len(slots) // 2 < most_slots
                if not larger:
                    parts_to_do.append((2 * parts, part + parts))
                    parts *= 2
                target = np.zeros(2 * len(slots) if larger else len(slots), dtype=np.uint64)
                state[kernels.USED] = kernels.move_pairs(slots, target, parts, part)
                slots = target
        pairs = _harvest(slots, min_count)
        found.append(pairs if keep is None else pairs.take(keep(pairs)))
    joined = Pairs(
        *(np.concatenate(arrays) for arrays in zip(*((p.keys, p.chains, p.counts) for p in found), strict=True))
    )
    return joined.take(np.lexsort((joined.chains, joined.keys)))  # the same whatever the size of the table


def _harvest(slots: NDArray[np.uint64], min_count: int) -> Pairs:
    nothing = np.empty(0, dtype=np.uint64)
    size = int(kernels.harvest(slots, min_count, nothing, nothing))
    keys, values = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.uint64)
    kernels.harvest(slots, min_count, keys, values)
    return Pairs(keys, values >> np.uint64(40), (values & _COUNT).astype(np.int64))
