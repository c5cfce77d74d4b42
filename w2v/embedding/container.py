"""An embedding: a vocabulary, its vectors, and how they came about."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from w2v.embedding.asking import Asking
from w2v.embedding.storage import write_model
from w2v.errors import NotAvailableError
from w2v.vocabulary import Vocabulary

__all__ = ["Embedding"]


class Embedding(Asking):
    """Word vectors W, context vectors C, their vocabulary, settings and provenance; immutable.

    Parameters
    ----------
    vocabulary : Vocabulary
        Row i of W and C belongs to its i-th word.
    W : (V, d) float32
        Word vectors; may be a view with padded rows or a mapped file, and is not copied. Other real types are
        converted.
    C : (V, d) float32, optional
        Context vectors.
    settings : mapping, optional
        Plain values by group: "corpus", "context", and "training" or "factorization".
    provenance : mapping, optional
        Plain values: package_version, created, algorithm, corpus, ...
    losses : sequence of float
        Mean loss per pair of each epoch.

    Raises
    ------
    ValueError
        When the shapes do not fit together.

    Examples
    --------
    >>> vocabulary = Vocabulary(["up", "high", "down"], [3, 2, 1])
    >>> embedding = Embedding(vocabulary, [[0, 2], [1, 5], [0, -1]])
    >>> embedding.most_similar("up", topn=1)[0].word
    'high'
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        W: ArrayLike,
        C: ArrayLike | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        provenance: Mapping[str, Any] | None = None,
        losses: Sequence[float] = (),
    ) -> None:
        super().__init__(vocabulary, W, C)
        self.settings: dict[str, Any] = dict(settings or {})
        self.provenance: dict[str, Any] = dict(provenance or {})
        self.losses: tuple[float, ...] = tuple(float(loss) for loss in losses)

    @property
    def epoch_losses(self) -> tuple[float, ...]:
        """Mean loss per pair of each epoch; raises `NotAvailableError` when none was recorded."""
        if not self.losses:
            raise NotAvailableError("no loss was recorded for this embedding")
        return self.losses

    @property
    def heldout_losses(self) -> tuple[float, ...]:
        """Mean loss per pair of the sentences held out, by epoch; raises `NotAvailableError` when none were."""
        heldout = self.provenance.get("heldout")
        if not isinstance(heldout, Mapping) or not heldout.get("losses"):
            raise NotAvailableError("no sentences were held out when this embedding was trained")
        return tuple(float("nan") if loss is None else float(loss) for loss in heldout["losses"])

    def __repr__(self) -> str:
        context = "W and C" if self.C is not None else "W"
        kind = "words" if self.vocabulary.key_type == "str" else "integer keys"
        return f"<Embedding of {len(self):,} {kind} in {self.vector_size} dimensions, {context}>"

    def with_vectors(self, words: Sequence[Any], vectors: ArrayLike) -> Embedding:
        """Return a new embedding with more words, at the end and with the count 0; this one stays as it is.

        Parameters
        ----------
        words : sequence of words
        vectors : (n, d)
            Where there are context vectors, those of the new words are zeros.

        Raises
        ------
        ValueError
            When the shapes do not fit together.
        FormatError
            When a word is there already.
        """
        added = np.asarray(vectors, dtype=np.float32).reshape(len(words), -1)
        if added.shape[1] != self.vector_size:
            raise ValueError(f"vectors of {added.shape[1]} dimensions do not fit those of {self.vector_size}")
        counts = np.concatenate([self.counts, np.zeros(len(words), dtype=np.int64)])
        vocabulary = Vocabulary([*self.words, *words], counts)
        len(vocabulary.index)  # refuses a word that is there already
        C = None if self.C is None else np.concatenate([self.C, np.zeros_like(added)])
        return Embedding(
            vocabulary,
            np.concatenate([self.W, added]),
            C,
            settings=self.settings,
            provenance=self.provenance,
            losses=self.losses,
        )

    def save(self, path: str | os.PathLike[str], *, dtype: str = "float32", force: bool = False) -> None:
        """Write one model file in safetensors layout; it appears whole or not at all.

        Parameters
        ----------
        path : str or path-like
        dtype : {"float32", "float16", "int8"}
            How the vectors are stored: in a half or a quarter of the bytes they lose digits (float16 keeps three,
            int8 two of the largest number of each row). They are float32 again when they are loaded.
        force : bool
            Whether an existing file may be replaced.

        Raises
        ------
        FileAccessError
            When the file exists and `force` is false, or when it cannot be written.
        FormatError
            When a word occurs twice or has no UTF-8 form, or when a number does not fit `dtype`.
        """
        write_model(
            path,
            self.vocabulary,
            self.W,
            self.C,
            settings=self.settings,
            provenance=self.provenance,
            losses=self.losses,
            dtype=dtype,
            force=force,
        )
