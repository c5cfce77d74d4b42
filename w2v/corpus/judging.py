"""What a text is judged by: each rule says from which share on a finding is serious, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from w2v.corpus.findings import SEVERITIES, Finding, Words, ratio
from w2v.corpus.inspection import Inspector
from w2v.corpus.selection import check_tokens, looks_like_chinese
from w2v.errors import CorpusError
from w2v.kernels import inspection as k
from w2v.settings import CorpusSettings

__all__ = ["find"]

_SMALL = 1_000_000
_REFUSED = ("not-utf-8", "nothing-to-learn", "no-frequent-word")  # what ends a training comes first


def find(inspector: Inspector, words: Words, settings: CorpusSettings) -> list[Finding]:
    """Return what is to be said about a text for these settings, the weightiest first."""
    judge = _Judge(inspector, words, settings)
    findings = [*judge.refusals(), *judge.bytes(), *judge.lines(), *judge.separators(), *judge.tokens()]
    return sorted(
        findings,
        key=lambda f: (SEVERITIES.index(f.severity), f.kind not in _REFUSED, -(0.0 if f.share is None else f.share)),
    )


class _Judge:
    def __init__(self, inspector: Inspector, words: Words, settings: CorpusSettings) -> None:
        self._inspector, self._words, self._settings = inspector, words, settings
        self._by_blanks = settings.tokenizer == "whitespace"
        self._han = int(inspector.counts[k.OF_HAN])
        self._mean_han = ratio(int(inspector.counts[k.HAN_CHARACTERS]), self._han)
        self._chinese = looks_like_chinese(inspector.tokens, self._han, round(3 * self._mean_han * self._han))
        self._wholes = {
            "tokens": inspector.tokens,
            "lines": inspector.sentences,
            "characters": inspector.characters,
            "words": words.types,
        }

    def _of(
        self,
        kind: int,
        name: str,
        of: str,
        message: str,
        advice: str,
        severity: Callable[[float], str | None] = lambda share: "warning",
    ) -> Iterator[Finding]:
        """Yield a finding about one of the kinds that were counted, if it was met and is worth a word."""
        count = int(self._inspector.counts[kind])
        share = ratio(count, self._wholes[of])
        weight = severity(share) if count else None
        if weight is not None:
            place = self._inspector.first(kind)
            yield Finding(
                kind=name, severity=weight, count=count, share=share, of=of, message=message, advice=advice, place=place
            )

    def refusals(self) -> Iterator[Finding]:
        """What a training would refuse."""
        inspector, words, settings = self._inspector, self._words, self._settings

        def refused(kind: str, message: str, advice: str) -> Finding:
            return Finding(
                kind=kind, severity="serious", count=1, share=None, of=None, message=message, advice=advice, place=None
            )

        name = inspector.files[0] if inspector.files else "the text"
        try:
            longest = inspector.longest_line[0]
            tokenizer = settings.tokenizer if self._by_blanks else "words"
            if self._by_blanks or inspector.tokens == 0:
                check_tokens(
                    name, lines=inspector.sentences, tokens=inspector.tokens, longest=longest, tokenizer=tokenizer
                )
        except CorpusError as error:
            yield refused("nothing-to-learn", str(error), "A training would refuse it.")
        else:
            if self._by_blanks and not settings.lowercase and words.kept == 0:
                yield refused(
                    "no-frequent-word",
                    f"none of {words.types:,} words is there {settings.min_count} times",
                    "A training would refuse it: lower --min-count, or take more text.",
                )
            elif inspector.tokens < _SMALL:
                yield Finding(
                    kind="small",
                    severity="note",
                    count=inspector.tokens,
                    share=None,
                    of=None,
                    message=f"{inspector.tokens:,} tokens are little text",
                    advice="Good vectors want millions of words; more --epochs, a smaller --vector-size and a lower "
                    "--min-count help a little.",
                    place=None,
                )

    def bytes(self) -> Iterator[Finding]:
        """What is wrong with its bytes and characters."""
        strict = self._settings.errors == "strict"
        yield from self._of(
            k.INVALID,
            "not-utf-8",
            "characters",
            "bytes that are not UTF-8",
            ("A training would stop there. " if strict else "")
            + "Name the encoding of the file (--encoding latin-1, for example), or let such bytes pass with --errors "
            "replace or --errors ignore.",
            lambda share: "serious" if strict or share > 0.001 else "warning",
        )
        yield from self._of(
            k.REPLACED,
            "replaced",
            "characters",
            "replacement characters (U+FFFD): somebody lost letters when this text was converted",
            "Convert the original again with its true encoding.",
            lambda share: "serious" if share > 0.001 else "warning",
        )
        yield from self._of(
            k.MISREAD,
            "misread",
            "characters",
            "pairs such as Ã© for é: UTF-8 that was once read as Latin-1 and written as UTF-8",
            "Mend it before training: iconv -f utf-8 -t latin1 undoes it where all of a file is like that.",
            lambda share: "serious" if share > 0.001 else "note" if share < 1e-6 else "warning",
        )
        yield from self._of(
            k.CONTROLS,
            "control",
            "characters",
            "control characters, which no text has",
            "Is it text? Remove them with tr -d '\\000-\\010\\013\\014\\016-\\037'.",
            lambda share: "serious" if share > 0.01 else "warning",
        )
        if self._by_blanks:
            if not self._settings.unicode_spaces:
                yield from self._of(
                    k.UNICODE_SPACES,
                    "unicode-spaces",
                    "tokens",
                    "Unicode spaces (such as no-break spaces), which keep two words together",
                    "--unicode-spaces splits there too.",
                    lambda share: "note" if share < 1e-4 else "warning",
                )
            yield from self._of(
                k.INVISIBLES,
                "invisible",
                "tokens",
                "invisible characters (soft hyphens, byte order marks, zero-width spaces) within words",
                "Two words that look alike are two words. Remove them, or use --tokenizer words, which drops them.",
                lambda share: "note" if share < 1e-4 else "warning",
            )

    def lines(self) -> Iterator[Finding]:
        """What is odd about its lines."""
        inspector, words = self._inspector, self._words
        yield from self._of(
            k.CARRIAGE_RETURNS,
            "carriage-returns",
            "lines",
            "carriage returns without a line feed (old Mac line ends?): no line ends there",
            "Convert them: tr '\\r' '\\n'.",
            lambda share: "serious" if share > 1 else "warning",
        )
        yield from self._of(
            k.EMPTY, "empty-lines", "lines", "empty lines", "They do no harm.", lambda s: "note" if s > 0.2 else None
        )
        if inspector.longest_line[0] > 1:
            yield from self._of(
                k.OF_ONE,
                "one-token-lines",
                "lines",
                "lines of one token, which has no context",
                "A line is a sentence: are the words of a sentence on lines of their own?",
                lambda share: "warning" if share > 0.3 else "note" if share > 0.02 else None,
            )
        filled = inspector.sentences - int(inspector.counts[k.EMPTY])
        if words.repeated > 0.005:
            seen = "" if words.lines_seen == 1 else f", judged by 1 in {1 / words.lines_seen:.0f} of them"
            yield Finding(
                kind="duplicate-lines",
                severity="serious" if words.repeated > 0.5 else "warning" if words.repeated > 0.05 else "note",
                count=round(words.repeated * filled),
                share=words.repeated,
                of="lines",
                message=f"lines that were there before; the most frequent one {words.most_repeated:,} times{seen}",
                advice="Their pairs are learnt more often. Drop what was copied by accident: awk '!seen[$0]++'.",
                place=words.most_repeated_place,
            )

    def separators(self) -> Iterator[Finding]:
        """What separates words, or does not."""
        if not self._by_blanks:
            return
        for kind, name, sign in (
            (k.COMMAS, "commas", "commas"),
            (k.SEMICOLONS, "semicolons", "semicolons"),
            (k.BARS, "bars", "vertical bars"),
        ):
            yield from self._of(
                kind,
                name,
                "tokens",
                f"{sign} between two words without a blank: words are split at blanks only",
                f"If {sign} separate the words, put blanks in their place; else use --tokenizer words.",
                lambda share: "serious" if share > 0.5 else "warning" if share > 0.005 else None,
            )
        yield from self._of(
            k.TABS,
            "tabs",
            "tokens",
            "tabs, at which words are split as at blanks",
            "Is it a table? Then cut the column with the text out of it (cut -f2).",
            lambda share: "warning" if share > 0.05 else "note" if share > 0.001 else None,
        )
        if self._chinese:
            yield from self._of(
                k.OF_HAN,
                "chinese-without-spaces",
                "tokens",
                f"tokens of {self._mean_han:.0f} Chinese characters in the mean: whole sentences, not words",
                "Use --tokenizer chars (each character a token) or --tokenizer jieba (words).",
                lambda share: "serious",
            )

    def tokens(self) -> Iterator[Finding]:
        """What tokens are made of."""
        inspector, words, settings = self._inspector, self._words, self._settings
        for kind, name, what, advice in (
            (k.TAGS, "tags", "tags of HTML or XML", "Take the text out of the markup first."),
            (k.ENTITIES, "entities", "entities such as &amp;", "Resolve them: python -c with html.unescape."),
            (k.WIKI_BRACKETS, "wiki-markup", "brackets of wiki markup ([[ and {{)", "Extract the plain text first."),
        ):
            yield from self._of(
                kind,
                name,
                "tokens",
                what,
                advice,
                lambda share: "serious" if share > 0.05 else "warning" if share > 0.001 else "note",
            )
        yield from self._of(
            k.ADDRESSES,
            "addresses",
            "tokens",
            "web addresses, each a word of its own",
            "Remove them, or put one word in the place of all.",
            lambda share: "warning" if share > 0.01 else "note",
        )
        if self._by_blanks and not self._chinese:  # else all of it has one cause, which is told
            yield from self._of(
                k.PUNCTUATED,
                "punctuated",
                "tokens",
                "tokens with punctuation at an end, so that `end.` and `end` are two words",
                "Use --tokenizer words if the text is not tokenised yet.",
                lambda share: "warning" if share > 0.05 else "note" if share > 0.005 else None,
            )
            if not settings.lowercase:
                yield from self._of(
                    k.CAPITALISED,
                    "capitals",
                    "tokens",
                    "tokens with a capital letter, so that `The` and `the` are two words",
                    "--lowercase makes them one.",
                    lambda share: "note" if share > 0.01 else None,
                )
            yield from self._of(
                k.LONG_TOKENS,
                "long-tokens",
                "tokens",
                f"tokens of more than {k.LONG} bytes; the longest has {inspector.longest_token[0]:,}",
                "They are kept whole. Are they words?",
                lambda share: "warning" if share > 0.001 else "note",
            )
            if words.rare_tokens > 0.02:
                kept = ratio(words.kept, words.types)
                yield Finding(
                    kind="rare-words",
                    severity="warning" if words.rare_tokens > 0.1 else "note",
                    count=words.types - words.kept,
                    share=1 - kept,
                    of="words",
                    message=f"words that are there less than {settings.min_count} times and are dropped, with "
                    f"{words.rare_tokens:.1%} of the tokens; {ratio(words.once, words.types):.0%} are there once",
                    advice="A lower --min-count keeps them; more text makes better vectors of them.",
                    place=None,
                )
        yield from self._of(
            k.WITH_DIGITS,
            "digits",
            "tokens",
            "tokens with digits",
            "Each number is a word of its own; one word in the place of all keeps the vocabulary small.",
            lambda share: "note" if share > 0.02 else None,
        )
