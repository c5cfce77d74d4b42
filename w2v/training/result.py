"""What a training has made so far, as an embedding with its settings and its story."""

from __future__ import annotations

import dataclasses
import datetime
import math
from typing import Any

from w2v._version import __version__
from w2v.embedding import Embedding
from w2v.training.session import Training

__all__ = ["embedding_of"]


def embedding_of(session: Training) -> Embedding:
    """Return what a training holds now as an `Embedding`; the matrices are shared, not copied."""
    corpus, heldout = session.corpus, session.heldout
    settings = {
        "corpus": corpus.settings.to_dict(),
        "context": session.context.to_dict(),
        "training": session.training.to_dict(),
    }
    provenance: dict[str, Any] = {
        "package_version": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "algorithm": f"SGNS, {session.training.algorithm}",
        "corpus": corpus.source.to_dict(),
        **session.story,
        "finished": session.finished,
    }
    if heldout is not None:
        provenance["heldout"] = {
            "sentences": heldout.sentences,
            "tokens": len(heldout),
            "losses": [None if math.isnan(loss) else loss for loss in session.heldout_losses],
        }
    if not session.finished:
        provenance["stopped_at"] = {"epoch": session.epoch, "chunk": session.chunk, **dataclasses.asdict(session.plan)}
    return Embedding(
        corpus.vocabulary,
        session.W,
        session.C,
        settings=settings,
        provenance=provenance,
        losses=session.losses,
    )
