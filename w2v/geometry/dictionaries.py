"""Bilingual dictionaries: pairs of words read from a file, split, and found in two vocabularies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import one_of
from w2v.errors import AlignmentError, FileAccessError, FormatError, SettingsError
from w2v.plurals import counted
from w2v.vocabulary import Vocabulary

__all__ = ["CASES", "BilingualDictionary", "KnownPairs", "identical_words"]

CASES = ("none", "lower")
_BOM = b"\xef\xbb\xbf"


class KnownPairs(NamedTuple):
    """Pairs of rows of a source and a target matrix that translate each other, each pair once."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of pairs (and not the two fields of a tuple)."""
        return len(self.source)


@dataclass(frozen=True)
class BilingualDictionary:
    """Pairs (source word, target word); a word may have several translations.

    Attributes
    ----------
    name : str
        For reports.
    pairs : tuple of (str, str)
    """

    name: str
    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, path: str | Path, *, swap: bool = False) -> BilingualDictionary:
        """Read a UTF-8 file with a pair of words on each line.

        Words are separated by a tab (further columns are left alone), or on lines without a tab by blanks. Blank
        lines and lines that start with ``#`` are left out; a pair that comes again is taken once.

        Parameters
        ----------
        path : str or Path
        swap : bool
            Whether the target word comes first.

        Raises
        ------
        FileAccessError
            When the file cannot be read.
        FormatError
            For a line that is not a pair, or that is not UTF-8; the message names file and line.
        """
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise FileAccessError(f"cannot read the dictionary {path}: {error.strerror or error}") from error
        pairs: dict[tuple[str, str], None] = {}
        for number, raw in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
            if not raw.strip() or raw.startswith(b"#"):
                continue
            try:
                first, second = _fields(raw.strip(b"\r").decode("utf-8"))
            except UnicodeDecodeError as error:
                raise FormatError(
                    f"{path}:{number}: not UTF-8: byte {raw[error.start]:#04x} at column {error.start + 1}; convert "
                    "the file to UTF-8"
                ) from None
            except ValueError as error:
                raise FormatError(f"{path}:{number}: {error}") from None
            pairs[(second, first) if swap else (first, second)] = None
        if not pairs:
            raise FormatError(f"{path} holds no pairs: write one on each line, source word, tab, target word")
        return cls(Path(path).name, tuple(pairs))

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def sources(self) -> tuple[str, ...]:
        """The distinct source words, in the order of the pairs."""
        return tuple(dict.fromkeys(source for source, _ in self.pairs))

    def split(self, share: float, *, seed: int = 1) -> tuple[BilingualDictionary, BilingualDictionary]:
        """Return two dictionaries without a common source word; the second has `share` of the source words.

        A target word may be in both, for it translates several words ("thou" and "you").

        Raises
        ------
        SettingsError
            When the share is not between 0 and 1, or when it leaves one side without words.
        """
        words = self.sources
        held = round(share * len(words)) if 0 < share < 1 else 0
        if not 0 < held < len(words):
            raise SettingsError(
                f"a share of {share!r} of the {len(words)} source words of {self.name} cannot be held out: both sides "
                "need at least one word"
            )
        chosen = np.random.default_rng(seed).choice(len(words), held, replace=False)
        out = {words[i] for i in chosen}
        kept = tuple(pair for pair in self.pairs if pair[0] not in out)
        rest = tuple(pair for pair in self.pairs if pair[0] in out)
        return BilingualDictionary(f"{self.name} (rest)", kept), BilingualDictionary(f"{self.name} (held out)", rest)

    def without(self, sources: Iterable[str]) -> BilingualDictionary:
        """Return the dictionary without some source words, whatever their case."""
        out = {word.lower() for word in sources}
        return BilingualDictionary(self.name, tuple(pair for pair in self.pairs if pair[0].lower() not in out))

    def lookup(self, source: Vocabulary, target: Vocabulary, *, case: str = "lower") -> KnownPairs:
        """Return the rows of the pairs of which both words are known.

        Parameters
        ----------
        source, target : Vocabulary
        case : {"lower", "none"}
            ``"lower"``: a word that is not known as it is written is looked up without regard to case; the most
            frequent spelling stands for it.
        """
        first, second = lookup_words(self.pairs, source, target, case)
        known = (first >= 0) & (second >= 0)
        both = np.unique(np.stack([first[known], second[known]], axis=1), axis=0)
        return KnownPairs(both[:, 0], both[:, 1])

    def seed_pairs(self, source: Vocabulary, target: Vocabulary, *, case: str = "lower") -> KnownPairs:
        """Return `lookup`, or say why it is empty.

        Raises
        ------
        AlignmentError
            When no pair is known on both sides; the message says how many words were known on each.
        """
        found = self.lookup(source, target, case=case)
        if len(found):
            return found
        first, second = lookup_words(self.pairs, source, target, case)
        left, right = int(np.count_nonzero(first >= 0)), int(np.count_nonzero(second >= 0))
        swapped = lookup_words([(b, a) for a, b in self.pairs], source, target, case)
        hint = "the dictionary is for other languages or another spelling"
        if np.any((swapped[0] >= 0) & (swapped[1] >= 0)):
            hint = "the columns look swapped (target word first)"
        raise AlignmentError(
            f"0 of the {counted(len(self), 'pair')} of {self.name} are known on both sides (the source knows the first "
            f"word of {left} of them, the target the second word of {right}): {hint}"
        )


def lookup_words(
    pairs: Sequence[tuple[str, str]], source: Vocabulary, target: Vocabulary, case: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows (P,) of the first words in `source` and of the second in `target`; -1 for an unknown word."""
    one_of("case", case, CASES)
    return _rows([pair[0] for pair in pairs], source, case), _rows([pair[1] for pair in pairs], target, case)


def _rows(words: Sequence[str], vocabulary: Vocabulary, case: str) -> NDArray[np.int64]:
    index = vocabulary.index
    if vocabulary.key_type == "int":
        return np.array([index.get(key, -1) for key in vocabulary.parse(words)], dtype=np.int64)
    folded: dict[str, int] = {}
    if case == "lower":
        for word, row in index.items():  # in the order of the rows: the most frequent spelling comes first
            folded.setdefault(word.lower(), row)
    return np.array([index.get(word, folded.get(word.lower(), -1)) for word in words], dtype=np.int64)


def identical_words(source: Vocabulary, target: Vocabulary) -> BilingualDictionary:
    """Return the words spelt alike on both sides, as a dictionary: names, numbers, loans, and some false friends.

    Raises
    ------
    AlignmentError
        When there is none.
    """
    shared = [word for word in source.words if word in target]
    if not shared:
        raise AlignmentError(
            f"0 words are spelt alike in the source ({counted(len(source), 'word')}) and the target ({len(target):,}): "
            "other scripts have none; use a dictionary or unsupervised alignment"
        )
    return BilingualDictionary("words spelt alike", tuple((str(word), str(word)) for word in shared))


def _fields(line: str) -> tuple[str, str]:
    fields = [field.strip() for field in line.split("\t")] if "\t" in line else line.split()
    if len(fields) < 2 or not fields[0] or not fields[1]:
        raise ValueError(f"a pair is two words, separated by a tab or by blanks; this line is {line[:80]!r}")
    if "\t" not in line and len(fields) > 2:
        raise ValueError(f"{len(fields)} words and no tab on this line; put a tab between source and target word")
    return fields[0], fields[1]
