"""Every parameter of the package, once: names, defaults, bounds and help texts."""

from __future__ import annotations

import dataclasses
import math
import operator
import os
from collections.abc import Mapping
from typing import Any, Self

from w2v.errors import SettingsError

__all__ = [
    "ContextSettings",
    "CorpusSettings",
    "FactorizationSettings",
    "PhraseSettings",
    "TrainingSettings",
    "usable_cpus",
]

TOKENIZERS = ("whitespace", "words", "chars", "jieba")
ENCODING_ERRORS = ("strict", "replace", "ignore")
SUBSAMPLING = ("dirty", "clean")
ALGORITHMS = ("blocked", "pairwise")
ACCIDENTAL_HITS = ("keep", "drop")
SCORINGS = ("original", "npmi")
MATRICES = ("pmi", "ppmi", "sppmi", "target", "mstar")


def usable_cpus() -> int:
    """Return the number of CPUs that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


def _setting(default: Any, help: str, **more: Any) -> Any:
    metadata = {"help": help, **more}
    if callable(default):
        return dataclasses.field(default_factory=default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Settings:
    """Shared checks of the settings classes, driven by the metadata of their fields."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, _checked(field, getattr(self, field.name)))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build settings from `to_dict` output of this or another version: unknown names are ignored."""
        names = {field.name for field in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the settings in their order."""
        return tuple(field.name for field in dataclasses.fields(cls))


def _checked(field: dataclasses.Field[Any], value: Any) -> Any:
    kind = str(field.type)
    meta = field.metadata
    if value is None:
        if "None" in kind:
            return None
        raise SettingsError(f"{field.name} must be given, not None")
    if "choices" in meta:
        if value not in meta["choices"]:
            raise SettingsError(f"{field.name} must be one of {', '.join(meta['choices'])}; got {value!r}")
        return str(value)
    if "bool" in kind:
        if value not in (True, False):
            raise SettingsError(f"{field.name} must be true or false; got {value!r}")
        return bool(value)
    if "int" in kind:
        if isinstance(value, bool):
            raise SettingsError(f"{field.name} must be a whole number; got {value!r}")
        try:
            number: float = operator.index(value)
        except TypeError:
            raise SettingsError(f"{field.name} must be a whole number; got {value!r}") from None
    elif "float" in kind:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise SettingsError(f"{field.name} must be a number; got {value!r}") from None
        if not math.isfinite(number):
            raise SettingsError(f"{field.name} must be finite; got {value!r}")
    else:
        if not isinstance(value, str):
            raise SettingsError(f"{field.name} must be a string; got {value!r}")
        return value
    low, high = meta.get("low", -math.inf), meta.get("high", math.inf)
    if meta.get("open") and number <= low:
        raise SettingsError(f"{field.name} must be greater than {low}; got {value!r}")
    if not low <= number <= high:
        bounds = f"at least {low}" if high == math.inf else f"between {low} and {high}"
        raise SettingsError(f"{field.name} must be {bounds}; got {value!r}")
    return number


@dataclasses.dataclass(frozen=True, kw_only=True)
class CorpusSettings(_Settings):
    """How text becomes tokens, and which tokens make the vocabulary."""

    tokenizer: str = _setting(
        "whitespace",
        "whitespace: tokens as they stand; words: Unicode words, lower-cased, punctuation dropped; chars: each CJK "
        "character a token, other scripts by word; jieba: Chinese words (extra zh).",
        choices=TOKENIZERS,
    )
    lowercase: bool = _setting(False, "Lower-case the text.")
    unicode_spaces: bool = _setting(
        False, "Split at every Unicode space too; by default only at ASCII space, tab, newline and carriage return."
    )
    encoding: str = _setting("utf-8", "Encoding of the text.")
    errors: str = _setting("strict", "What to do with bytes that the encoding does not allow.", choices=ENCODING_ERRORS)
    min_count: int = _setting(5, "Drop words seen less often than this.", low=1)
    max_vocab: int | None = _setting(None, "Keep at most this many words, the most frequent.", low=1)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ContextSettings(_Settings):
    """Which pairs of tokens count as word and context; read alike by training and by counting."""

    window: int = _setting(5, "Greatest distance between a word and its context.", low=1, high=1000)
    shrink_windows: bool = _setting(True, "Draw each half-window uniformly from 1..window (word2vec's dynamic window).")
    sample: float = _setting(1e-3, "Threshold of frequent-word subsampling; 0 switches it off.", low=0.0)
    subsampling: str = _setting(
        "dirty",
        "dirty: tokens are removed before windows are laid, as in word2vec; clean: their places stay empty.",
        choices=SUBSAMPLING,
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingSettings(_Settings):
    """How the skip-gram model with negative sampling is trained."""

    vector_size: int = _setting(100, "Dimensions of the vectors.", low=1, high=100_000)
    negative: int = _setting(5, "Noise words per positive pair (k).", low=1, high=1000)
    ns_exponent: float = _setting(0.75, "Exponent of the noise distribution over raw counts.", low=-10.0, high=10.0)
    epochs: int = _setting(5, "Passes over the corpus.", low=1)
    alpha: float = _setting(0.025, "Initial learning rate.", low=0.0, high=10.0, open=True)
    min_alpha: float = _setting(1e-4, "Learning rate at the end of the linear decay.", low=0.0)
    seed: int = _setting(1, "Seed of everything random.", low=0, high=2**63 - 1)
    workers: int = _setting(
        usable_cpus,
        "Threads. Results repeat exactly for workers = 1 only.",
        low=1,
        high=4096,
        default_text="usable CPUs",
    )
    heldout: float = _setting(
        0.0,
        "Share of the sentences that is not trained and whose loss is reported for each epoch, such as 1%.",
        low=0.0,
        high=0.5,
        share=True,
    )
    algorithm: str = _setting(
        "blocked",
        "blocked: noise words shared by a block of tokens (fast); pairwise: fresh noise words per pair, in the order "
        "of word2vec.c.",
        choices=ALGORITHMS,
    )
    block_size: int = _setting(48, "Tokens in a block (blocked only).", low=1, high=256)
    shared_negatives: int | None = _setting(
        None,
        "Noise words shared by the tokens of a block in each of its steps (blocked only).",
        low=1,
        high=4096,
        default_text="chosen by the other settings",
    )
    accidental_hits: str = _setting(
        "keep",
        "keep: a noise word that equals the positive counts (the plain objective); drop: it is thrown away, as "
        "word2vec.c does.",
        choices=ACCIDENTAL_HITS,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_alpha > self.alpha:
            raise SettingsError(
                f"min_alpha must not exceed alpha: the learning rate decays from {self.alpha} to {self.min_alpha}"
            )


@dataclasses.dataclass(frozen=True, kw_only=True)
class FactorizationSettings(_Settings):
    """How a matrix of pair statistics is factorised into word and context vectors."""

    matrix: str = _setting("ppmi", "Which matrix to factorise.", choices=MATRICES)
    vector_size: int = _setting(100, "Dimensions of the vectors.", low=1, high=100_000)
    shift: float = _setting(1.0, "k of the shift log k; 1 means none.", low=0.0, open=True)
    eig: float = _setting(0.5, "Power p of the singular values in W = U S^p; C = V S^(1-p).", low=0.0, high=1.0)
    context_smoothing: float = _setting(1.0, "Exponent of the context distribution.", low=0.0, high=10.0)
    seed: int = _setting(1, "Seed of the start vector of the iteration.", low=0, high=2**63 - 1)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PhraseSettings(_Settings):
    """Which neighbouring words are joined to phrases."""

    min_count: int = _setting(5, "Join pairs of words seen at least so often.", low=1)
    threshold: float | None = _setting(
        None, "Join pairs that score higher.", default_text="100 for original, 0.5 for npmi"
    )
    scoring: str = _setting(
        "original",
        "original: (n(a b) - min_count) N / (n(a) n(b)), as word2phrase.c scores; npmi: normalised pointwise mutual "
        "information, from -1 to 1.",
        choices=SCORINGS,
    )
    passes: int = _setting(1, "Passes: each may join the phrases of the one before.", low=1, high=20)
    delimiter: str = _setting("_", "Put between the words of a phrase.")

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = (-1.0, 1.0) if self.scoring == "npmi" else (0.0, math.inf)
        if not low <= self.bound <= high:
            bounds = "between -1 and 1" if self.scoring == "npmi" else "at least 0"
            raise SettingsError(f"threshold must be {bounds} for the scoring {self.scoring}; got {self.threshold!r}")
        if not self.delimiter or any(letter.isspace() for letter in self.delimiter):
            raise SettingsError(f"delimiter must hold characters other than white space; got {self.delimiter!r}")

    @property
    def bound(self) -> float:
        """The score that a phrase exceeds: `threshold`, or what is usual for the scoring."""
        if self.threshold is not None:
            return self.threshold
        return 0.5 if self.scoring == "npmi" else 100.0
