"""The arguments of Word2Vec: what each means here, and which are refused because there is no such model."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping
from typing import Any

from w2v.errors import SettingsError
from w2v.settings import ContextSettings, TrainingSettings

__all__ = [
    "OWN_SETTINGS",
    "SubstitutionWarning",
    "check_model",
    "check_training",
    "context_settings",
    "training_settings",
]

OWN_SETTINGS = ("algorithm", "block_size", "shared_negatives", "accidental_hits", "subsampling")
"""Settings of this package that gensim has not; keywords of `Word2Vec` after gensim's own."""


class SubstitutionWarning(UserWarning):
    """A model that is not here was asked for, and skip-gram with negative sampling stands in for it."""


def check_model(values: Mapping[str, Any], *, substitute: bool) -> tuple[int, int]:
    """Refuse what is not skip-gram with negative sampling; returns `negative` and `seed` as they are used.

    Parameters
    ----------
    values : mapping
        Arguments of `Word2Vec` by name.
    substitute : bool
        Train skip-gram with negative sampling in place of CBOW and hierarchical softmax, with a warning.

    Raises
    ------
    SettingsError
    """
    cbow, tree, negative = not values["sg"], bool(values["hs"]), values["negative"]
    if (cbow or tree) and substitute:
        asked = " and ".join(["CBOW (sg=0)"] * cbow + ["hierarchical softmax (hs=1)"] * tree)
        warnings.warn(
            f"{asked} was asked for; skip-gram with negative sampling is trained in its place",
            SubstitutionWarning,
            stacklevel=4,
        )
        negative = negative or TrainingSettings().negative
    elif cbow:
        raise SettingsError(
            "sg=0 asks for CBOW, and this package trains skip-gram only: pass sg=1, or leave sg out, which means "
            "skip-gram here"
        )
    elif tree:
        raise SettingsError(
            "hs=1 asks for hierarchical softmax, and this package trains with negative sampling only: pass hs=0 and "
            "negative=5"
        )
    if not negative:
        raise SettingsError("negative=0 leaves nothing to train with: pass a number of noise words, such as negative=5")
    if values["null_word"]:
        raise SettingsError("null_word belongs to models that this package does not train: leave it out")
    if not values["sorted_vocab"]:
        raise SettingsError("sorted_vocab=0 is not available: the vocabulary is always sorted by count; leave it out")
    if (values["sample"] or 0) >= 1:
        raise SettingsError(f"sample must be a share of the corpus below 1, such as 1e-3; got {values['sample']!r}")
    seed = values["seed"]
    return negative, secrets.randbits(63) if seed is None else seed


def check_training(epochs: Any, total_examples: Any, total_words: Any, corpus_file: Any) -> None:
    """Demand of a call of ``train`` what gensim demands, so that a program that runs here runs there.

    Raises
    ------
    SettingsError
        (a ValueError.)
    """
    if corpus_file is not None and total_words is None:
        raise SettingsError("train(corpus_file=...) needs total_words, such as total_words=model.corpus_total_words")
    if total_examples is None and total_words is None:
        raise SettingsError("train needs total_examples or total_words, such as total_examples=model.corpus_count")
    if epochs is None or not epochs > 0:
        raise SettingsError(f"train needs a number of epochs, such as epochs=model.epochs; got {epochs!r}")


def context_settings(model: Any) -> ContextSettings:
    """Return the settings of windows and subsampling that the attributes of a model give."""
    subsampling = model.own_settings.get("subsampling", ContextSettings().subsampling)
    return ContextSettings(
        window=model.window,
        shrink_windows=bool(model.shrink_windows),
        sample=model.sample or 0.0,
        subsampling=subsampling,
    )


def training_settings(model: Any, *, alpha: float, min_alpha: float, epochs: int, seed: int) -> TrainingSettings:
    """Return the settings of one training that the attributes of a model give."""
    own = {name: value for name, value in model.own_settings.items() if name != "subsampling"}
    return TrainingSettings(
        vector_size=model.vector_size,
        negative=model.negative,
        ns_exponent=model.ns_exponent,
        epochs=epochs,
        alpha=alpha,
        min_alpha=min_alpha,
        seed=seed,
        workers=model.workers,
        **own,
    )
