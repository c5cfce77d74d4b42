"""Postprocessing: named steps applied to word vectors one after the other, giving a model with its provenance."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from w2v._version import __version__
from w2v.arguments import whole_number
from w2v.errors import FormatError
from w2v.geometry.blocks import row_slices
from w2v.geometry.steps import Step, parse_steps

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["postprocess"]


def postprocess(embedding: Embedding, steps: str | Iterable[str | Step], *, fit_words: int | None = None) -> Embedding:
    """Apply steps to W, in the order given.

    Parameters
    ----------
    embedding : Embedding
        Only read.
    steps : str or iterable of str or Step
        Such as ``"center abtt=3 unit"`` or ``["whiten=zca"]``; see `STEPS`.
    fit_words : int, optional
        Means and components are those of so many most frequent words; of all by default. They are applied to all.

    Returns
    -------
    Embedding
        Without C: the products W.C mean nothing any more. Words, counts and settings are those of the embedding; the
        provenance holds each step under "postprocessing".

    Raises
    ------
    SettingsError
        For a step that does not exist or cannot be applied.
    FormatError
        When a row holds NaN or infinity, or there is none.
    """
    from w2v.embedding import Embedding as Made

    parsed = parse_steps(steps)
    if fit_words is not None:
        whole_number("fit_words", fit_words, 2)
    if len(embedding.norms) == 0:  # which refuses rows that are not finite
        raise FormatError("there are no words to postprocess")
    fitted = None if fit_words is None else np.argsort(-embedding.counts, kind="stable")[:fit_words]
    W = embedding.W
    done: list[dict[str, Any]] = list(embedding.provenance.get("postprocessing", []))
    for step in parsed:
        apply = step.fit(W if fitted is None else W[fitted])
        W = np.concatenate([apply(W[part]) for part in row_slices(len(W))])
        done.append({"step": str(step), "fit_words": fit_words})
    provenance = {
        **embedding.provenance,
        "postprocessing": done,
        "postprocessed": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "postprocessed_by": f"w2v {__version__}",
    }
    return Made(embedding.vocabulary, W, settings=embedding.settings, provenance=provenance, losses=embedding.losses)
