"""Which words make the vocabulary, and what is said about a corpus from which none can be made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from w2v.errors import CorpusError
from w2v.plurals import counted
from w2v.settings import CorpusSettings

__all__ = ["check_tokens", "final_numbers", "looks_like_chinese", "select", "tokenization_hint"]

_PUNCTUATED = 0.05  # share of tokens; running English text has 0.12, tokenised text next to nothing
_HAN = 0.3
_HAN_BYTES = 12.0  # mean length of a token that begins with a Han character: four characters; words have two


def check_tokens(name: str, *, lines: int, tokens: int, longest: int, tokenizer: str | None = None) -> None:
    """Refuse a corpus without pairs of words, each kind with its own message.

    Parameters
    ----------
    name : str
        What was read.
    lines, tokens, longest : int
        Sentences and tokens read, and tokens in the longest sentence.
    tokenizer : str, optional
        The tokeniser that was used; None for lists of tokens.

    Raises
    ------
    CorpusError
        No sentence, no token, or one token in each sentence.
    """
    if lines == 0:
        raise CorpusError(f"0 sentences read from {name}: it is empty")
    if tokens == 0:
        raise CorpusError(f"{counted(lines, 'sentence')}, 0 tokens: {name} holds nothing but empty sentences")
    if longest == 1:
        if tokenizer is None:
            raise CorpusError(f"every sentence holds 1 token: {name} has no pairs of words to learn from")
        if tokenizer == "whitespace":
            raise CorpusError(
                f"every line holds 1 token: separator? Words are split at spaces and tabs, and {name} has none within "
                "its lines; try --tokenizer words (chars or jieba for Chinese), or put spaces between the words"
            )
        chinese = "" if tokenizer != "words" else "; for Chinese try --tokenizer chars or jieba"
        raise CorpusError(
            f"every line holds 1 token under --tokenizer {tokenizer}: {name} has no pairs of words to learn from. A "
            f"line is a sentence: put the words of a sentence on one line{chinese}"
        )


def select(
    counts: NDArray[np.int64],
    settings: CorpusSettings,
    in_order: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """Return the types that make the vocabulary, in the order of their ids.

    Parameters
    ----------
    counts : (types,) int64
        Occurrences of each type.
    settings : CorpusSettings
        `min_count` and `max_vocab` are read.
    in_order : callable
        Sorts some types, given with all counts, by count and then by word.

    Raises
    ------
    CorpusError
        No type reaches `min_count`.
    """
    chosen = np.flatnonzero(counts >= settings.min_count)
    if len(chosen) == 0:
        raise CorpusError(
            f"{counted(len(counts), 'type')}, none reaches min_count={settings.min_count} "
            f"(most frequent has {int(counts.max())}); lower --min-count"
        )
    if settings.max_vocab is not None and settings.max_vocab < len(chosen):
        # only words as frequent as the last one kept need sorting
        last = np.partition(counts[chosen], len(chosen) - settings.max_vocab)[len(chosen) - settings.max_vocab]
        chosen = chosen[counts[chosen] >= last]
    return in_order(chosen, counts)[: settings.max_vocab]


def final_numbers(chosen: NDArray[np.int64], types: int) -> NDArray[np.int32]:
    """Return the id (types,) of each type, -1 for those not chosen."""
    numbers = np.full(types, -1, dtype=np.int32)
    numbers[chosen] = np.arange(len(chosen), dtype=np.int32)
    return numbers


def looks_like_chinese(tokens: int, han: int, han_bytes: int) -> bool:
    """Return whether a text looks like Chinese without spaces between its words; see `tokenization_hint`."""
    return han > _HAN * tokens and han_bytes > _HAN_BYTES * han


def tokenization_hint(tokenizer: str, tokens: int, punctuated: int, han: int, han_bytes: int) -> str | None:
    """Return one line of advice if text looks as if it had not been tokenised, else None.

    Parameters
    ----------
    tokenizer : str
        The tokeniser that was used.
    tokens, punctuated, han, han_bytes : int
        All tokens; those that end in punctuation; those that begin with a Han character, and the bytes of these.
    """
    if tokenizer in ("whitespace", "words") and looks_like_chinese(tokens, han, han_bytes):
        return (
            "this looks like Chinese text without spaces between the words: use --tokenizer chars (each character a "
            "token) or --tokenizer jieba (words)"
        )
    if tokenizer == "whitespace" and punctuated > _PUNCTUATED * tokens:
        share = round(100 * punctuated / tokens)
        return (
            f"{share}% of the tokens end in punctuation, so that `end.` and `end` are two words: use --tokenizer words "
            "if the text is not tokenised yet"
        )
    return None
