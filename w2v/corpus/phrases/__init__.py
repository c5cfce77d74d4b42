"""Phrases: words that belong together, found by counting pairs in a text, and joined in any text."""

from w2v.corpus.phrases.container import ENGLISH_CONNECTORS, Phrases
from w2v.corpus.phrases.joining import Phrase

__all__ = ["ENGLISH_CONNECTORS", "Phrase", "Phrases"]
