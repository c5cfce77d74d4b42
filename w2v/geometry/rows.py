"""The rows that are measured: the most frequent words in order, without rows of zeros, and their bands of frequency."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from w2v.arguments import whole_number
from w2v.errors import NotAvailableError, SettingsError
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.embedding import Embedding
    from w2v.vocabulary import Vocabulary

__all__ = ["Band", "Rows", "frequency_bands", "select_rows", "with_counts"]

_FIRST_BAND = 100


@dataclasses.dataclass(frozen=True)
class Band:
    """A range of frequency ranks, ``first`` to ``last``, counted from 1 and both included."""

    first: int
    last: int

    @property
    def rows(self) -> slice:
        """The rows of the band, of an array in order of frequency."""
        return slice(self.first - 1, self.last)


@dataclasses.dataclass(frozen=True, eq=False)
class Rows:
    """Rows of W in order of frequency.

    Attributes
    ----------
    ids : (n,) int64
        Rows of the embedding they come from.
    W, unit : (n, d) float32
        The vectors, and the same taken to length 1.
    norms : (n,) float64
        Their lengths, all above 0.
    counts : (n,) int64
        Occurrences, never rising.
    zeros : int
        Rows of zeros left out: they have no direction.
    counted : bool
        Whether the counts are those of a corpus; else they only stand for an order in a file.
    """

    ids: NDArray[np.int64]
    W: NDArray[np.float32]
    unit: NDArray[np.float32]
    norms: NDArray[np.float64]
    counts: NDArray[np.int64]
    zeros: int
    counted: bool

    def __len__(self) -> int:
        return len(self.ids)


def select_rows(embedding: Embedding, restrict_vocab: int | None = None) -> Rows:
    """Return the rows of the `restrict_vocab` most frequent words that are not zero.

    Raises
    ------
    SettingsError
        When fewer than two such rows are there, or `restrict_vocab` is below 2.
    FormatError
        When a row holds NaN or infinity.
    """
    order = np.argsort(-embedding.counts, kind="stable")
    if restrict_vocab is not None:
        order = order[: whole_number("restrict_vocab", restrict_vocab, 2)]
    ids = order[embedding.norms[order] > 0]
    if len(ids) < 2:
        raise SettingsError(f"a geometry needs at least two words with a vector that is not zero; found {len(ids)}")
    as_stored = len(ids) == len(embedding) and bool(np.all(ids[1:] > ids[:-1]))
    W, unit = embedding.W, embedding.unit_vectors
    return Rows(
        ids=ids,
        W=W if as_stored else W[ids],
        unit=unit if as_stored else unit[ids],
        norms=embedding.norms[ids],
        counts=embedding.counts[ids],
        zeros=len(order) - len(ids),
        counted="counts" not in embedding.provenance,
    )


def with_counts(embedding: Embedding, other: Vocabulary) -> Embedding:
    """Return the part of an embedding whose words occur in another vocabulary, with the counts of that vocabulary.

    For tables that come without counts, such as those of language models. The order is by count, then as it was.

    Raises
    ------
    NotAvailableError
        When fewer than two words are in both.
    """
    from w2v.embedding import Embedding as Made
    from w2v.vocabulary import Vocabulary as Words

    words = embedding.words
    common = [row for row, word in enumerate(words) if word in other]
    if len(common) < 2:
        raise NotAvailableError(
            f"only {counted(len(common), 'word')} in both vocabularies: there are no counts to take"
        )
    counts = other.counts[other.ids([words[row] for row in common])]
    rows = np.array(common)[np.argsort(-counts, kind="stable")]
    provenance = {name: value for name, value in embedding.provenance.items() if name != "counts"}
    vocabulary = Words([words[row] for row in rows], np.sort(counts)[::-1])
    C = None if embedding.C is None else embedding.C[rows]
    return Made(vocabulary, embedding.W[rows], C, settings=embedding.settings, provenance=provenance)


def frequency_bands(n: int) -> list[Band]:
    """Return the bands of ranks 1 to 100, to 1,000, to 10,000 and so on, the last one ending at `n`."""
    bands, first, last = [], 1, _FIRST_BAND
    while first <= n:
        bands.append(Band(first, min(last, n)))
        first, last = last + 1, last * 10
    return bands
