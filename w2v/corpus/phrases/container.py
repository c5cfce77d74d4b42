"""Phrases of one or more passes: learnt, looked at, joined, and kept in a file."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from w2v.atomic import replacing
from w2v.corpus.files import Progress
from w2v.corpus.phrases.counting import MEMORY_BYTES
from w2v.corpus.phrases.joining import Phrase, PhraseTable, checked_connectors
from w2v.corpus.phrases.text import Joined, LearnedText, checked_text, join_text, joined_sentences
from w2v.corpus.sources import as_paths
from w2v.errors import FileAccessError, FormatError, SettingsError
from w2v.settings import CorpusSettings, PhraseSettings

__all__ = ["ENGLISH_CONNECTORS", "Phrases"]

ENGLISH_CONNECTORS = (
    "a",
    "an",
    "and",
    "at",
    "by",
    "for",
    "from",
    "in",
    "of",
    "on",
    "or",
    "the",
    "to",
    "with",
    "without",
)
"""Words that stand within English phrases, as in *state of the art* or *bed and breakfast*."""

_FORMAT, _FORMAT_VERSION = "w2v-phrases", 1
_Path = str | os.PathLike[str]


class Phrases:
    """Phrases of one or more passes, as `learn` finds them.

    Parameters
    ----------
    passes : sequence of sequences of Phrase
    settings : PhraseSettings
    connector_words : sequence of str
    lowercase : bool
        Whether token lists are lower-cased before they are joined, as the text was that the phrases come from.

    Examples
    --------
    >>> walks = [["new", "york", "in", "may"], ["see", "new", "york"], ["new", "york"]] * 5
    >>> phrases = Phrases.learn(walks, threshold=1)
    >>> phrases[["we", "love", "new", "york"]]
    ['we', 'love', 'new_york']
    """

    def __init__(
        self,
        passes: Sequence[Sequence[Phrase]],
        settings: PhraseSettings | None = None,
        *,
        connector_words: Sequence[str] = (),
        lowercase: bool = False,
    ) -> None:
        self.passes: tuple[tuple[Phrase, ...], ...] = tuple(tuple(phrases) for phrases in passes)
        self.settings = settings or PhraseSettings()
        self.connector_words = checked_connectors(connector_words)
        self.lowercase = lowercase
        known = set(self.connector_words)
        for phrase in self:
            for word in phrase.words[1:-1]:
                if word not in known:
                    raise SettingsError(f"{word!r} stands within the phrase {phrase.text!r} but is no connector word")

    @classmethod
    def learn(
        cls,
        corpus: _Path | Sequence[os.PathLike[str]] | Iterable[Sequence[str]],
        *,
        connector_words: Sequence[str] = (),
        corpus_settings: CorpusSettings | None = None,
        memory_bytes: int = MEMORY_BYTES,
        progress: Progress | None = None,
        directory: _Path | None = None,
        **settings: Any,
    ) -> Phrases:
        """Find the phrases of a text, which is read once.

        Parameters
        ----------
        corpus : str, path, list of paths, or iterable of lists of str
            As for `encode`. Pairs never reach across the end of a line or a list.
        connector_words : sequence of str
            Words such as *of* that begin and end no phrase but may stand within one, up to three in a row; at most
            254. `ENGLISH_CONNECTORS` are some.
        corpus_settings : CorpusSettings, optional
            How files become tokens; of token lists `lowercase` is read. `min_count` and `max_vocab` are not.
        memory_bytes : int
            Bound of the table of pairs. The counts are exact whatever it is; less memory takes more time. Besides,
            memory holds the distinct words.
        progress : callable, optional
            As for `encode_files`.
        directory : str or path, optional
            Where temporary files are made: four bytes for each token.
        **settings
            Those of `PhraseSettings`: `min_count`, `threshold`, `scoring`, `passes`, `delimiter`.

        Raises
        ------
        SettingsError, CorpusError, FileAccessError, FormatError, MissingExtraError

        Notes
        -----
        A phrase is a pair of words that occurs at least `min_count` times and scores above `threshold` (the formulas
        are in `w2v.corpus.phrases.scores`). Pairs are joined from left to right; a word belongs to one phrase at
        most. Each pass counts anew, words and pairs alike, on the text as the pass before left it. Words seen less
        than `min_count` times are in no phrase.
        """
        checked_text(corpus)
        chosen = PhraseSettings(**settings)
        connectors = checked_connectors(connector_words)
        reading = corpus_settings or CorpusSettings()
        paths = as_paths(corpus)
        if paths is not None:
            text = LearnedText.of_files(
                paths, chosen, connectors, reading, memory_bytes=memory_bytes, progress=progress, directory=directory
            )
        else:
            sentences: Any = corpus
            text = LearnedText.of_sentences(
                sentences, chosen, connectors, reading, memory_bytes=memory_bytes, directory=directory
            )
        with text:
            return cls.of_text(text, chosen, connectors, reading)

    @classmethod
    def of_text(
        cls, text: LearnedText, settings: PhraseSettings, connector_words: Sequence[str], reading: CorpusSettings
    ) -> Phrases:
        """Return the phrases of a text that was learnt."""
        lowercase = reading.lowercase or reading.tokenizer != "whitespace"
        passes = [outcome.phrases for outcome in text.learner.outcomes if outcome.phrases]
        return cls(passes, settings, connector_words=connector_words, lowercase=lowercase)

    def __iter__(self) -> Iterator[Phrase]:
        """Iterate over all phrases, pass by pass, the highest score first."""
        for phrases in self.passes:
            yield from phrases

    def __len__(self) -> int:
        return sum(map(len, self.passes))

    def __contains__(self, text: object) -> bool:
        return any(phrase.text == text for phrase in self)

    def __repr__(self) -> str:
        passes = "pass" if len(self.passes) == 1 else "passes"
        score = f"{self.settings.scoring} > {self.settings.bound:g}"
        return f"<Phrases: {len(self):,} in {len(self.passes)} {passes}, {score}>"

    def __getitem__(self, sentence: Sequence[str]) -> list[str]:
        """Return a list of tokens with the phrases joined."""
        return next(iter(self.join([sentence])))

    def join(self, sentences: Iterable[Sequence[str]]) -> Iterator[list[str]]:
        """Yield lists of tokens with the phrases joined, in order; some are read ahead.

        Raises
        ------
        CorpusTypeError
            A sentence is a string, or a token is none.
        """
        words, tables = self._compiled
        return joined_sentences(sentences, words, tables, self.lowercase)

    @functools.cached_property
    def _compiled(self) -> tuple[list[str], list[PhraseTable]]:
        numbers: dict[str, int] = {}

        def intern(words: Sequence[str]) -> NDArray[np.int32]:
            return np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int32)

        tables = self.tables(intern)
        return list(numbers), tables

    def tables(self, intern: Callable[[Sequence[str]], NDArray[np.int32]]) -> list[PhraseTable]:
        """Return the tables of all passes for the numbers that `intern` gives to words."""
        return [PhraseTable(phrases, self.connector_words, intern) for phrases in self.passes]

    def join_files(
        self,
        paths: _Path | Sequence[_Path],
        output: _Path,
        *,
        corpus_settings: CorpusSettings | None = None,
        progress: Progress | None = None,
        force: bool = False,
    ) -> Joined:
        """Write the text of files with the phrases joined, a sentence a line, words separated by blanks.

        Parameters
        ----------
        paths, corpus_settings, progress
            As for `encode_files`. Sentences without words are left out.
        output : str or path
            The file to write; it appears whole or not at all.
        force : bool
            Whether an existing file may be replaced.

        Returns
        -------
        Joined
            Sentences, words before and words after.
        """
        names = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        with replacing(output, force=force) as file:
            return join_text(names, file.write, self.tables, corpus_settings or CorpusSettings(), progress)

    def save(self, path: _Path, *, force: bool = False) -> None:
        """Write the phrases to a JSON file; it appears whole or not at all."""
        content = {
            "format": _FORMAT,
            "format_version": _FORMAT_VERSION,
            "settings": self.settings.to_dict(),
            "connector_words": list(self.connector_words),
            "lowercase": self.lowercase,
            "passes": [[[list(p.words), p.count, p.score] for p in phrases] for phrases in self.passes],
        }
        with replacing(path, force=force) as file:
            file.write(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())

    @classmethod
    def load(cls, path: _Path) -> Phrases:
        """Read a file of `save`.

        Raises
        ------
        FileAccessError, FormatError
        """
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise FileAccessError(f"cannot read {os.fspath(path)}: {error.strerror or error}") from error
        try:
            content = json.loads(data)
            if content["format"] != _FORMAT:
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError):
            raise FormatError(
                f"{os.fspath(path)} is not a file of phrases, as `w2v phrases --save-phrases` writes them"
            ) from None
        if content.get("format_version") != _FORMAT_VERSION:
            raise FormatError(
                f"{os.fspath(path)} has format version {content.get('format_version')!r}, and this w2v reads "
                f"{_FORMAT_VERSION}; install a newer w2v"
            )
        try:
            settings = PhraseSettings.from_dict(content["settings"])
            passes = [[_phrase(settings, *item) for item in phrases] for phrases in content["passes"]]
            return cls(
                passes, settings, connector_words=content["connector_words"], lowercase=bool(content["lowercase"])
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FormatError(f"{os.fspath(path)}: the file of phrases is damaged: {error}") from None


def _phrase(settings: PhraseSettings, words: Any, count: Any, score: Any) -> Phrase:
    if len(words) < 2 or not all(isinstance(word, str) and word for word in words):
        raise ValueError(f"{words!r} is no phrase")
    return Phrase(settings.delimiter.join(words), tuple(words), int(count), float(score))
