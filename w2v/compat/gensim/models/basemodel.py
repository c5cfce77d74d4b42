"""The place of ``gensim.models.basemodel``: a name that programs annotate with."""

__all__ = ["BaseTopicModel"]


class BaseTopicModel:
    """Base of topic models, of which there are none here."""
