"""The place of ``gensim.models.callbacks``."""

from w2v.compat.gensim.hooks import CallbackAny2Vec

__all__ = ["CallbackAny2Vec"]
