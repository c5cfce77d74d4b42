"""An embedding: a vocabulary, its vectors, and how they came about."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from w2v.embedding.norms import CHUNK_ROWS, RowScales, unit_rows
from w2v.embedding.queries import Neighbor, candidates, cosines, direction, nearest, whole
from w2v.embedding.storage import write_model
from w2v.errors import NotAvailableError
from w2v.vocabulary import Vocabulary

__all__ = ["Embedding"]


class Embedding:
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
        self.vocabulary = vocabulary
        self.W = _matrix("W", W)
        self.C = None if C is None else _matrix("C", C)
        if len(self.W) != len(vocabulary):
            raise ValueError(f"{len(vocabulary)} words but W of shape {self.W.shape}")
        if self.C is not None and self.C.shape != self.W.shape:
            raise ValueError(f"C of shape {self.C.shape} does not fit W of shape {self.W.shape}")
        self.settings: dict[str, Any] = dict(settings or {})
        self.provenance: dict[str, Any] = dict(provenance or {})
        self.losses: tuple[float, ...] = tuple(float(loss) for loss in losses)
        self._scales: RowScales | None = None
        self._unit_vectors: NDArray[np.float32] | None = None

    @property
    def words(self) -> list[str] | list[int]:
        """All words in the order of the rows."""
        return self.vocabulary.words

    @property
    def counts(self) -> NDArray[np.int64]:
        """Occurrences (V,) of each word in the corpus."""
        return self.vocabulary.counts

    @property
    def vector_size(self) -> int:
        """Dimensions d of the vectors."""
        return int(self.W.shape[1])

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

    @property
    def scales(self) -> RowScales:
        """Lengths of the rows and what follows from them, computed at first use.

        Raises
        ------
        FormatError
            When a row of W holds NaN or infinity.
        """
        if self._scales is None:
            self._scales = RowScales(self.W, self._describe_row)
        return self._scales

    @property
    def norms(self) -> NDArray[np.float64]:
        """Euclidean lengths (V,) of the word vectors."""
        return self.scales.norms

    @property
    def unit_vectors(self) -> NDArray[np.float32]:
        """Word vectors (V, d) of length 1, computed once and kept (as much memory as W); a zero row stays zero."""
        if self._unit_vectors is None:
            units = np.empty(self.W.shape, dtype=np.float32)
            for start in range(0, len(units), CHUNK_ROWS):
                rows = slice(start, start + CHUNK_ROWS)
                units[rows] = unit_rows(self.W[rows], self.norms[rows])
            units.flags.writeable = False
            self._unit_vectors = units
        return self._unit_vectors

    def __len__(self) -> int:
        return len(self.W)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __getitem__(self, word: Any) -> NDArray[np.float32]:
        """Return the vector (d,) of a word, or the vectors (n, d) of a list of words, as a new array.

        Words only, never positions: of integer keys ``embedding[10]`` is the vector of the key 10. Rows by position
        are ``embedding.W[i]``.

        Raises
        ------
        UnknownWordError
            (a KeyError) naming all unknown words, with close matches.
        """
        if isinstance(word, (list, tuple, np.ndarray)):
            vectors: NDArray[np.float32] = self.W[self.vocabulary.ids(word)]
            return vectors
        row: NDArray[np.float32] = self.W[self.vocabulary.id(word)]
        return row.copy()

    def __repr__(self) -> str:
        context = "W and C" if self.C is not None else "W"
        kind = "words" if self.vocabulary.key_type == "str" else "integer keys"
        return f"<Embedding of {len(self):,} {kind} in {self.vector_size} dimensions, {context}>"

    def word(self, row: int) -> str | int:
        """Return the word of a row."""
        if self.vocabulary.key_type == "int":
            return int(self.vocabulary.keys[row])
        return self.vocabulary.words[row]

    @overload
    def most_similar(
        self, positive: Any = None, *, negative: Any = None, topn: int = 10, restrict_vocab: int | None = None
    ) -> list[Neighbor]: ...

    @overload
    def most_similar(
        self, positive: Any = None, *, negative: Any = None, topn: None, restrict_vocab: int | None = None
    ) -> NDArray[np.float32]: ...

    def most_similar(
        self,
        positive: Any = None,
        *,
        negative: Any = None,
        topn: int | None = 10,
        restrict_vocab: int | None = None,
    ) -> list[Neighbor] | NDArray[np.float32]:
        """Return the words nearest to a word, or to a sum and difference of words, by cosine.

        The query is sum(unit vectors of `positive`) - sum(unit vectors of `negative`); its own words are never
        answers.

        Parameters
        ----------
        positive, negative : word, or list of words, (word, weight) pairs or raw vectors (d,)
            A string is one word.
        topn : int or None
            How many answers; None returns the similarities of all words instead.
        restrict_vocab : int, optional
            Look for answers among this many words only, the most frequent.

        Returns
        -------
        list of Neighbor
            The best first, equal similarities in the order of the vocabulary. A zero vector has similarity 0 to
            everything and comes after all others. With ``topn=None`` a float32 array (V,) in the order of the rows.

        Raises
        ------
        UnknownWordError
            Naming all unknown words.
        SettingsError
            (a ValueError) when the query is empty or topn or restrict_vocab is out of range.
        """
        if topn is not None:
            topn = whole("topn", topn, 0)
        query, ids = direction(self, positive, negative)
        if topn is None:
            scores = cosines(self, query, candidates(self, restrict_vocab))
            return np.clip(scores, -1.0, 1.0, out=scores)
        return nearest(self, query, topn=topn, restrict_vocab=restrict_vocab, excluded=ids)

    def analogy(self, *, a: Any, b: Any, c: Any, topn: int = 10, restrict_vocab: int | None = None) -> list[Neighbor]:
        """Return the answers to ``a : b :: c : ?``, the words nearest to unit(b) - unit(a) + unit(c).

        ``analogy(a="man", b="king", c="woman")`` asks for king - man + woman. The scoring is 3CosAdd (Mikolov et al.
        2013, "Linguistic Regularities in Continuous Space Word Representations").

        Parameters
        ----------
        a, b, c : word
            Never among the answers.
        topn, restrict_vocab
            See `most_similar`.

        Returns
        -------
        list of Neighbor

        Raises
        ------
        UnknownWordError
            Naming all unknown words.
        """
        topn = whole("topn", topn, 0)
        query, ids = direction(self, [b, c], [a])
        return nearest(self, query, topn=topn, restrict_vocab=restrict_vocab, excluded=ids)

    def similarity(self, first: Any, second: Any) -> float:
        """Return the cosine of two words; 0.0 when one of them has a zero vector."""
        ids = self.vocabulary.ids([first, second])
        u, v = unit_rows(self.W[ids], self.norms[ids])
        return min(1.0, max(-1.0, float(u @ v)))

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

    def _describe_row(self, row: int) -> str:
        return f"the vector of {self.word(row)!r} (row {row} of W)"


def _matrix(name: str, values: ArrayLike) -> NDArray[np.float32]:
    """Return a read-only view of a (V, d) float32 matrix, converted if it is of another real type."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" or array.ndim != 2 or array.shape[1] < 1:
        raise ValueError(f"{name} must be a (V, d) matrix of real numbers; got {array.dtype} of shape {array.shape}")
    with np.errstate(over="ignore"):  # what overflows is found and named when the norms are taken
        view: NDArray[np.float32] = array.astype(np.float32, copy=False).view()
    view.flags.writeable = False
    return view
