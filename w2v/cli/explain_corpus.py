"""The pair counts of a model's corpus, where that is still at hand and still the same text; else a note why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from w2v.cli.terminal import note
from w2v.settings import ContextSettings, CorpusSettings, usable_cpus

if TYPE_CHECKING:
    from w2v.embedding import Embedding
    from w2v.pmi import PairCounts

__all__ = ["counts_at_hand"]


def counts_at_hand(embedding: Embedding, model: str, files: Sequence[str], *, restrict_vocab: int) -> PairCounts | None:
    """Count the pairs of the first `restrict_vocab` words, in the files given or where the model was trained."""
    recorded = embedding.provenance.get("corpus") or {}
    settings = embedding.settings
    paths = list(files) or [str(path) for path in recorded.get("paths") or []]
    if not all(isinstance(settings.get(group), Mapping) for group in ("corpus", "context")) or not paths:
        if files:
            note(f"No csPMI: {model} does not say under which settings its pairs were counted")
        return None
    if not files:
        gone = [path for path in paths if not Path(path).exists()]
        if gone:
            note(f"No csPMI: the corpus {gone[0]} is not there any more; if it was moved, name it with --corpus FILE")
            return None
    from w2v.corpus import encode_files
    from w2v.pmi import count_pairs

    note(f"Reading {', '.join(paths)} for csPMI (--no-corpus leaves it out)")
    with encode_files(paths, CorpusSettings.from_dict(settings["corpus"]), vocabulary=embedding.vocabulary) as corpus:
        if recorded.get("sha256") not in (None, corpus.source.sha256):
            note(f"No csPMI: {', '.join(paths)} is not the text that {model} was trained on (its sha256 is another)")
            return None
        context = ContextSettings.from_dict(settings["context"])
        return count_pairs(corpus, context, workers=usable_cpus(), restrict_vocab=restrict_vocab)
