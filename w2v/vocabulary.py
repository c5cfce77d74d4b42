"""A vocabulary: words and their counts, look-up, keep probabilities and the noise distribution."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.errors import FormatError, SettingsError, UnknownWordError

__all__ = ["Vocabulary", "pack_words", "unpack_words"]

_KEY_DIGITS = 20  # of an int64, with its sign


class Vocabulary:
    """Words (str or int64 keys) in the order of their ids, with counts.

    Parameters
    ----------
    words : sequence of str, or sequence of int
        All of one kind; row i of every matrix belongs to ``words[i]``.
    counts : (V,) int64
        How often each word occurs in the corpus (raw counts, after min_count).

    Notes
    -----
    The look-up table is built at the first look-up; duplicates are refused then.
    """

    def __init__(self, words: Sequence[str] | Sequence[int] | NDArray[np.int64], counts: Any) -> None:
        self._packed: tuple[NDArray[np.uint8], NDArray[np.int64]] | None = None
        self._keys: NDArray[np.int64] | None = None
        self._words: list[str] | None = None
        if isinstance(words, np.ndarray):
            if words.dtype.kind not in "iu":
                raise TypeError(f"an array of words must hold integer keys, not {words.dtype}; pass strings as a list")
            self._keys = np.ascontiguousarray(words, dtype=np.int64)
            size = len(self._keys)
        else:
            items = list(words)
            size = len(items)
            if items and all(isinstance(w, (int, np.integer)) and not isinstance(w, bool) for w in items):
                self._keys = np.array(items, dtype=np.int64)
            elif all(isinstance(w, str) for w in items):
                self._words = [str(w) for w in items]
            else:
                odd = next(w for w in items if not isinstance(w, str))
                raise TypeError(f"words must be all strings or all integers; got {odd!r} ({type(odd).__name__})")
        self._set_counts(counts, size)

    def _set_counts(self, counts: Any, size: int) -> None:
        self.counts: NDArray[np.int64] = np.ascontiguousarray(counts, dtype=np.int64)
        if self.counts.shape != (size,):
            raise ValueError(f"{size} words but counts of shape {self.counts.shape}")
        self._index: dict[Any, int] | None = None

    @classmethod
    def from_packed(cls, data: NDArray[np.uint8], offsets: NDArray[np.int64], counts: Any) -> Vocabulary:
        """Build from UTF-8 bytes and V + 1 offsets; the words are decoded when first needed."""
        vocabulary = cls.__new__(cls)
        vocabulary._packed, vocabulary._keys, vocabulary._words = (data, offsets), None, None
        vocabulary._set_counts(counts, len(offsets) - 1)
        return vocabulary

    @property
    def key_type(self) -> str:
        """``"str"`` or ``"int"``."""
        return "int" if self._keys is not None else "str"

    @property
    def words(self) -> list[str] | list[int]:
        """All words in the order of their ids."""
        if self._keys is not None:
            return [int(k) for k in self._keys]
        if self._words is None:
            assert self._packed is not None
            self._words = unpack_words(*self._packed)
        return self._words

    @property
    def keys(self) -> NDArray[np.int64]:
        """The int64 keys (V,) of an integer vocabulary."""
        if self._keys is None:
            raise TypeError("this vocabulary holds strings, not integer keys")
        return self._keys

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self)} {self.key_type} words, {int(self.counts.sum())} tokens>"

    @property
    def index(self) -> dict[Any, int]:
        """Map from word to id, built at first use."""
        if self._index is None:
            words = self.words
            index: dict[Any, int] = dict(zip(words, range(len(words)), strict=True))
            if len(index) != len(words):
                seen: set[Any] = set()
                twice = next(w for w in words if w in seen or seen.add(w))  # type: ignore[func-returns-value]
                raise FormatError(f"the word {twice!r} occurs more than once in the vocabulary")
            self._index = index
        return self._index

    def __contains__(self, word: object) -> bool:
        return self._kind_fits(word) and word in self.index

    def _kind_fits(self, word: object) -> bool:
        if self.key_type == "int":
            return isinstance(word, (int, np.integer)) and not isinstance(word, bool)
        return isinstance(word, str)

    def id(self, word: Any) -> int:
        """Return the id of a word; raises `UnknownWordError`."""
        return self.ids([word])[0]

    def ids(self, words: Iterable[Any]) -> list[int]:
        """Return the ids of several words; raises one `UnknownWordError` that names all unknown ones."""
        words = list(words)
        index = self.index
        found = [index.get(w) if self._kind_fits(w) else None for w in words]
        unknown = [w for w, i in zip(words, found, strict=True) if i is None]
        if unknown:
            raise UnknownWordError(unknown, {w: self.suggest(w) for w in unknown[:10]})
        return [i for i in found if i is not None]

    def parse(self, words: Iterable[str]) -> list[Any]:
        """Return words that were typed or stand in a text as this vocabulary has them: digits as keys, if it has keys.

        What is no number, or has more digits than an int64, stays a string, which an integer vocabulary does not know.
        """
        if self.key_type == "str":
            return list(words)
        return [int(w) if w.removeprefix("-").isdecimal() and len(w) <= _KEY_DIGITS else w for w in words]

    def suggest(self, word: Any, n: int = 3) -> list[str]:
        """Return up to n known words that look like an unknown one, the case variants first."""
        if self.key_type == "int" or not isinstance(word, str) or not word:
            return []
        folded = word.casefold()
        words = [w for w in self.words if isinstance(w, str)]
        variants = [w for w in words if w != word and w.casefold() == folded]
        near = [w for w in words if abs(len(w) - len(word)) <= 2 and w[0].casefold() == folded[:1]]
        close = difflib.get_close_matches(word, near[:20_000], n=n, cutoff=0.75)
        return list(dict.fromkeys(variants + close))[:n]

    def keep_probabilities(self, sample: float) -> NDArray[np.float64]:
        """Return the probability (V,) that subsampling keeps a token of each word.

        p_w = min(1, sqrt(t/f(w)) + t/f(w)) with f(w) = n(w)/sum n, the formula of word2vec.c and gensim (the
        paper's text has sqrt(t/f) alone). ``sample = 0`` keeps everything.
        """
        if sample < 0:
            raise SettingsError(f"sample must be at least 0; got {sample!r}")
        if sample == 0:
            return np.ones(len(self))
        ratio = sample * float(self.counts.sum()) / np.maximum(self.counts, 1)
        kept: NDArray[np.float64] = np.minimum(1.0, np.sqrt(ratio) + ratio)
        return kept

    def noise_distribution(self, ns_exponent: float) -> NDArray[np.float64]:
        """Return P_n(c) = n(c)^q / sum n^q (V,), from raw counts (Mikolov et al. 2013, section 2.2)."""
        weights = np.maximum(self.counts, 1).astype(np.float64) ** ns_exponent
        total = weights.sum()
        if not np.isfinite(total) or total <= 0:
            raise SettingsError(f"ns_exponent = {ns_exponent!r} leaves no finite noise distribution")
        probabilities: NDArray[np.float64] = weights / total
        return probabilities

    def head(self, size: int) -> Vocabulary:
        """Return the vocabulary of the first `size` words."""
        if self._keys is not None:
            return Vocabulary(self._keys[:size], self.counts[:size])
        return Vocabulary([str(w) for w in self.words[:size]], self.counts[:size])

    def packed(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the words as UTF-8 bytes and V + 1 offsets (string vocabularies only)."""
        if self._packed is not None:
            return self._packed
        return pack_words([str(w) for w in self.words])


def pack_words(words: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return all words joined as UTF-8 bytes, and V + 1 int64 offsets."""
    encoded = [w.encode("utf-8", "surrogatepass") for w in words]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(e) for e in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def unpack_words(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[str]:
    """Return the words of `pack_words`; raises `FormatError` at the first that is not UTF-8."""
    raw = data.tobytes()
    bounds = offsets.tolist()
    try:
        return [raw[a:b].decode("utf-8") for a, b in itertools.pairwise(bounds)]
    except UnicodeDecodeError:
        for i, (a, b) in enumerate(itertools.pairwise(bounds)):
            try:
                raw[a:b].decode("utf-8")
            except UnicodeDecodeError as error:
                raise FormatError(f"word {i} is not valid UTF-8: {raw[a:b]!r} ({error.reason})") from None
        raise
