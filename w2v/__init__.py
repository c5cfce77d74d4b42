"""Word2Vec skip-gram with negative sampling, fast on a CPU, and the PMI matrix it factorises.

Everything public is loaded when first used, so that ``import w2v`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from w2v._version import __version__

if TYPE_CHECKING:
    from w2v.corpus import Phrases, check_corpus, encode, encode_files, encode_sentences
    from w2v.embedding import Embedding, load
    from w2v.errors import W2VError
    from w2v.settings import (
        ContextSettings,
        CorpusSettings,
        FactorizationSettings,
        PhraseSettings,
        TrainingSettings,
    )
    from w2v.training import STOP, resume, train
    from w2v.vocabulary import Vocabulary

_HOMES = {
    "STOP": "w2v.training",
    "ContextSettings": "w2v.settings",
    "CorpusSettings": "w2v.settings",
    "Embedding": "w2v.embedding",
    "FactorizationSettings": "w2v.settings",
    "PhraseSettings": "w2v.settings",
    "Phrases": "w2v.corpus",
    "TrainingSettings": "w2v.settings",
    "Vocabulary": "w2v.vocabulary",
    "W2VError": "w2v.errors",
    "check_corpus": "w2v.corpus",
    "encode": "w2v.corpus",
    "encode_files": "w2v.corpus",
    "encode_sentences": "w2v.corpus",
    "load": "w2v.embedding",
    "resume": "w2v.training",
    "train": "w2v.training",
}

__all__ = [
    "STOP",
    "ContextSettings",
    "CorpusSettings",
    "Embedding",
    "FactorizationSettings",
    "PhraseSettings",
    "Phrases",
    "TrainingSettings",
    "Vocabulary",
    "W2VError",
    "__version__",
    "check_corpus",
    "encode",
    "encode_files",
    "encode_sentences",
    "load",
    "resume",
    "train",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'w2v' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
