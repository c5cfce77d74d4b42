"""gensim's Word2Vec and KeyedVectors on this package's skip-gram with negative sampling.

A program runs on it by changing its import, ``from w2v.compat.gensim import Word2Vec`` (or ``from w2v.compat import
gensim``, for those that write ``gensim.models.Word2Vec``), or unchanged after one call, `install`. An omitted `sg`
means skip-gram; CBOW (``sg=0``) and hierarchical softmax (``hs=1``) are refused. The page ``docs/gensim.md`` has a
table of where results differ from gensim's, and why.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from w2v.compat.gensim.installing import install, uninstall

if TYPE_CHECKING:
    from w2v.compat.gensim import models
    from w2v.compat.gensim.arguments import SubstitutionWarning
    from w2v.compat.gensim.corpora import LineSentence, PathLineSentences, Text8Corpus
    from w2v.compat.gensim.hooks import CallbackAny2Vec
    from w2v.compat.gensim.model import Word2Vec
    from w2v.compat.gensim.scanning import RULE_DEFAULT, RULE_DISCARD, RULE_KEEP
    from w2v.compat.gensim.vectors import KeyedVectors

_HOMES = {
    "CallbackAny2Vec": "hooks",
    "KeyedVectors": "vectors",
    "LineSentence": "corpora",
    "PathLineSentences": "corpora",
    "RULE_DEFAULT": "scanning",
    "RULE_DISCARD": "scanning",
    "RULE_KEEP": "scanning",
    "SubstitutionWarning": "arguments",
    "Text8Corpus": "corpora",
    "Word2Vec": "model",
}

__all__ = [
    "RULE_DEFAULT",
    "RULE_DISCARD",
    "RULE_KEEP",
    "CallbackAny2Vec",
    "KeyedVectors",
    "LineSentence",
    "PathLineSentences",
    "SubstitutionWarning",
    "Text8Corpus",
    "Word2Vec",
    "install",
    "models",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    if name == "models":
        return importlib.import_module("w2v.compat.gensim.models")
    if name not in _HOMES:
        raise AttributeError(f"module 'w2v.compat.gensim' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"w2v.compat.gensim.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
