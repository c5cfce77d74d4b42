"""Word2Vec models in files: one safetensors file with everything that is needed to go on training."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np

from w2v.compat.gensim.arguments import OWN_SETTINGS, context_settings, training_settings
from w2v.compat.gensim.locking import frozen_keys
from w2v.compat.gensim.names import NoModelError
from w2v.embedding import Embedding, load
from w2v.settings import CorpusSettings

__all__ = ["StoredWord2Vec", "read_word2vec", "write_word2vec"]

_ARGUMENTS = (
    *("vector_size", "alpha", "window", "min_count", "max_vocab_size", "sample", "seed", "workers", "min_alpha"),
    *("negative", "ns_exponent", "cbow_mean", "epochs", "batch_words", "compute_loss", "comment", "max_final_vocab"),
    "shrink_windows",
)
_STATE = (
    *("corpus_count", "corpus_total_words", "train_count", "total_train_time", "min_alpha_yet_reached"),
    *("running_training_loss", "effective_min_count"),
)


@dataclasses.dataclass(frozen=True)
class StoredWord2Vec:
    """What a file says of a model: its vectors, the arguments of its class, attributes beside them, frozen rows."""

    embedding: Embedding
    arguments: dict[str, Any]
    state: dict[str, Any]
    frozen: list[int]


def write_word2vec(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model as one file, replacing an older one."""
    training = training_settings(
        model, alpha=model.alpha, min_alpha=model.min_alpha, epochs=model.epochs, seed=model.seed
    )
    frozen = frozen_keys(model.wv)
    settings = {
        "corpus": CorpusSettings(min_count=max(1, model.min_count)).to_dict(),
        "context": context_settings(model).to_dict(),
        "training": training.to_dict(),
        "gensim": {
            "kind": "Word2Vec",
            "arguments": {name: getattr(model, name) for name in _ARGUMENTS} | model.own_settings,
            "frozen": [] if frozen is None else np.flatnonzero(frozen).tolist(),
            "state": {name: getattr(model, name) for name in _STATE},
        },
    }
    Embedding(
        model.wv.embedding.vocabulary,
        model.wv.vectors,
        model.syn1neg if len(model.syn1neg) == len(model.wv) else None,
        settings=settings,
        provenance=model.provenance,
        losses=model.epoch_losses,
    ).save(path, force=True)


def read_word2vec(path: str | os.PathLike[str]) -> StoredWord2Vec:
    """Read a model that `write_word2vec`, `Embedding.save` or the command ``w2v train`` wrote.

    Raises
    ------
    FormatError
        (an AttributeError too) When the file has no context vectors, or is no file of vectors at all.
    """
    embedding = load(path)
    if embedding.C is None:
        raise NoModelError(
            f"{os.fspath(path)} holds word vectors and no context vectors, which cannot be trained on: "
            "KeyedVectors.load reads it"
        )
    groups = embedding.settings
    face = groups.get("gensim", {})
    if "arguments" in face:
        return StoredWord2Vec(
            embedding, dict(face["arguments"]), dict(face.get("state", {})), list(face.get("frozen", []))
        )
    values = {**groups.get("corpus", {}), **groups.get("context", {}), **groups.get("training", {})}
    names = (*_ARGUMENTS, *OWN_SETTINGS)
    arguments = {name: values[name] for name in names if values.get(name) is not None}
    corpus = embedding.provenance.get("corpus", {})
    state = {
        "corpus_count": corpus.get("lines", 0),
        "corpus_total_words": corpus.get("tokens", 0),
        "train_count": 1,
    }
    return StoredWord2Vec(embedding, {**arguments, "vector_size": embedding.vector_size}, state, [])
