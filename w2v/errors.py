"""The errors that a user of w2v can meet; each is also the built-in error that a Python user expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = [
    "AlignmentError",
    "CorpusError",
    "CorpusTypeError",
    "FileAccessError",
    "FormatError",
    "MissingExtraError",
    "NotAvailableError",
    "SettingsError",
    "TrainingError",
    "TruncatedFileError",
    "UnknownWordError",
    "W2VError",
]


class W2VError(Exception):
    """Base of all errors raised on purpose by this package."""


class SettingsError(W2VError, ValueError):
    """A setting, or a combination of settings, that cannot work."""


class CorpusError(W2VError, ValueError):
    """A corpus that cannot be read or from which nothing can be learnt."""


class CorpusTypeError(CorpusError, TypeError):
    """A corpus of the wrong Python type, such as a list of strings."""


class FileAccessError(W2VError, OSError):
    """A file that cannot be opened, read or written."""


class FormatError(W2VError, ValueError):
    """A file whose content is not what it should be."""


class TruncatedFileError(FormatError, EOFError):
    """A file that ends before all that it promises."""


class AlignmentError(W2VError, ValueError):
    """Two spaces that cannot be brought together: no pair of words is known on both sides, or nothing was learnt."""


class TrainingError(W2VError, ArithmeticError):
    """Training left the finite numbers, or had nothing to train."""


class NotAvailableError(W2VError, RuntimeError):
    """Something that was never computed or stored, such as the context matrix of an imported file."""


class MissingExtraError(W2VError, ImportError):
    """An optional dependency that is not installed; the message names the extra."""


class UnknownWordError(W2VError, KeyError):
    """Words that are not in the vocabulary.

    Attributes
    ----------
    words : tuple
        All unknown words of the query, in order.
    suggestions : dict
        For each unknown word the close matches found in the vocabulary (may be empty).
    """

    def __init__(self, words: Sequence[object], suggestions: Mapping[object, Sequence[object]] | None = None) -> None:
        self.words = tuple(words)
        self.suggestions = {word: tuple(close) for word, close in (suggestions or {}).items()}
        super().__init__(self._message())

    def _message(self) -> str:
        parts = []
        for word in self.words:
            close = self.suggestions.get(word, ())
            hint = f" (did you mean {', '.join(str(w) for w in close)}?)" if close else ""
            parts.append(f"{word!r} is not in the vocabulary{hint}")
        return "; ".join(parts)

    def __str__(self) -> str:
        """Return the plain message: KeyError would show its repr."""
        return self._message()
