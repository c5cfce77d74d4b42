"""Joining phrases in a stream of numbers, one pass after the other, and spelling the result as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from w2v.errors import SettingsError
from w2v.kernels import phrases as kernels

__all__ = ["Joiner", "Phrase", "PhraseTable", "Speller", "checked_connectors", "roles_of"]

Intern = Callable[[Sequence[str]], NDArray[np.int32]]
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that are joined.

    Attributes
    ----------
    text : str
        What is written for them.
    words : tuple of str
        The first word, connectors if there are any, and the last word; each may be a phrase of an earlier pass.
    count : int
        How often they occur one after the other in the text they were learnt from.
    score : float
    """

    text: str
    words: tuple[str, ...]
    count: int
    score: float


def roles_of(size: int, words: NDArray[np.integer], connectors: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return what each of `size` numbers is: a word that may begin or end a phrase, a connector, or a break."""
    roles = np.full(size, kernels.BREAK, dtype=np.uint8)
    roles[words] = kernels.WORD
    roles[connectors] = np.arange(len(connectors)) + kernels.CONNECTOR
    return roles


class PhraseTable:
    """The phrases of one pass as numbers.

    Parameters
    ----------
    phrases : sequence of Phrase
    connector_words : sequence of str
    intern : callable
        Returns the numbers of words, known or new.
    """

    def __init__(self, phrases: Sequence[Phrase], connector_words: Sequence[str], intern: Intern) -> None:
        connectors = intern(connector_words)
        first = intern([phrase.words[0] for phrase in phrases]).astype(np.int64)
        second = intern([phrase.words[-1] for phrase in phrases]).astype(np.int64)
        numbers = intern([phrase.text for phrase in phrases])
        index = {word: kernels.CONNECTOR + i for i, word in enumerate(connector_words)}
        chains = np.array([_chain(phrase.words[1:-1], index) for phrase in phrases], dtype=np.uint64)
        keys = ((first + 1).astype(np.uint64) << np.uint64(32)) | second.astype(np.uint64)
        self.slots: NDArray[np.uint64] = np.zeros(2 << (2 * len(phrases) + 1).bit_length(), dtype=np.uint64)
        kernels.enter_phrases(self.slots, keys, chains, numbers)
        words = np.concatenate([first, second])
        size = 1 + int(max(words.max(initial=-1), connectors.max(initial=-1)))
        self.roles = roles_of(size, words, connectors)

    def grow(self, size: int) -> None:
        """Make room for numbers below `size`; new ones are of no phrase."""
        if size > len(self.roles):
            more = np.full(max(size, 2 * len(self.roles)) - len(self.roles), kernels.BREAK, dtype=np.uint8)
            self.roles = np.concatenate([self.roles, more])


def _chain(between: Sequence[str], index: dict[str, int]) -> int:
    chain = 0
    for word in between:
        chain = chain << 8 | index[word]
    return chain


class Joiner:
    """Joins the phrases of several passes in a stream that comes in pieces.

    Parameters
    ----------
    tables : sequence of PhraseTable
        One for each pass.

    Attributes
    ----------
    read, written : int
        Words in and words out, so far.
    """

    def __init__(self, tables: Sequence[PhraseTable]) -> None:
        self._tables = list(tables)
        self._states = [_new_state() for _ in tables]
        self.read = self.written = 0

    def join(self, piece: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return what is certain after another piece; after the end of a sentence that is all."""
        self.read += int(np.count_nonzero(piece >= 0))
        largest = 1 + int(piece.max(initial=-1))
        for table, state in zip(self._tables, self._states, strict=True):
            table.grow(largest)
            out = np.empty(len(piece) + kernels.LONGEST_CHAIN + 1, dtype=np.int32)
            piece = out[: kernels.join_pairs(piece, table.roles, table.slots, out, state)]
            largest = max(largest, 1 + int(piece.max(initial=-1)))
        self.written += int(np.count_nonzero(piece >= 0))
        return piece


class Speller:
    """Writes a stream of numbers that comes in pieces as lines of text.

    Parameters
    ----------
    write : callable
        Takes the bytes.
    """

    def __init__(self, write: Callable[[memoryview], object]) -> None:
        self._write = write
        self._state = _new_state()
        self._out = np.empty(_BUFFER, dtype=np.uint8)

    def spell(self, piece: NDArray[np.int32], arena: NDArray[np.uint8], starts: NDArray[np.int64]) -> None:
        """Write another piece; the bytes of word i are ``arena[starts[i]:starts[i + 1]]``."""
        read = 0
        while read < len(piece):
            read += int(kernels.spell(piece[read:], arena, starts, self._out, self._state))
            size = int(self._state[kernels.WRITTEN])
            if size == 0:  # a word longer than the buffer
                self._out = np.empty(2 * len(self._out), dtype=np.uint8)
            self._write(self._out[:size].data)


def _new_state() -> NDArray[np.int64]:
    state = np.zeros(kernels.STATE_SIZE, dtype=np.int64)
    state[kernels.FIRST] = -1
    return state


def checked_connectors(words: Sequence[str] | Iterator[str]) -> tuple[str, ...]:
    """Return connector words without repetitions; raises `SettingsError` for more than fit into a table."""
    if isinstance(words, str):
        raise SettingsError(f"connector_words must be a list of words; got the string {words!r}")
    found = tuple(dict.fromkeys(words))
    for word in found:
        if not isinstance(word, str) or not word or any(letter.isspace() for letter in word):
            raise SettingsError(f"a connector word must be a string without white space; got {word!r}")
    if len(found) > kernels.MOST_CONNECTORS:
        raise SettingsError(f"at most {kernels.MOST_CONNECTORS} connector words; got {len(found)}")
    return found
