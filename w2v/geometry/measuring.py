"""All measurements of an embedding in one report, beside random directions and one-hot vectors of the same size."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from w2v.geometry.cone import Cone, measure_cone, sampled_cosines
from w2v.geometry.contexts import Contexts, measure_contexts
from w2v.geometry.lengths import Lengths, measure_lengths
from w2v.geometry.neighborhoods import Neighborhoods, measure_neighborhoods
from w2v.geometry.partition import Partition, measure_partition
from w2v.geometry.rows import Rows, select_rows
from w2v.geometry.size import Size, account
from w2v.geometry.spectrum import Spectrum, measure_spectrum

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["GeometryReport", "Samples", "Shape", "measure"]

_PAIRS = 50_000
_POINTS = 200_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Shape:
    """What can be said of any cloud of vectors; None where it has no meaning for this one."""

    mean_cosine: float | None
    sd_cosine: float | None
    cosine_to_mean: float | None
    isotropy: float | None
    iso_score: float | None
    top_share: float | None
    participation_ratio: float | None
    hub_skew: float | None
    cosine_euclid_overlap: float | None
    distance_mean: float | None
    distance_spread: float | None


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Samples:
    """What figures draw: cosines of random pairs, and log10 count and length of words.

    Attributes
    ----------
    cosines, random_cosines : (pairs,) float64
        Of the embedding, and of random directions of as many dimensions.
    log_counts, lengths : (points,) float64
        Of all words, or of evenly spaced ranks where there are very many.
    """

    cosines: NDArray[np.float64]
    random_cosines: NDArray[np.float64]
    log_counts: NDArray[np.float64]
    lengths: NDArray[np.float64]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class GeometryReport:
    """The geometry of an embedding.

    Attributes
    ----------
    words, dimensions, zeros : int
        Rows measured, their size, and rows of zeros that were left out.
    counted : bool
        Whether the counts are those of a corpus; else they only stand for an order.
    size : Size
    lengths : Lengths
    cone : Cone
    partition : Partition
    spectrum : Spectrum
    neighborhoods : Neighborhoods
    hubs : tuple of (word, int)
        The greatest hubs by name, with their k-occurrence.
    contexts : Contexts or None
        None where there is no C.
    random : Shape or None
        Random directions: Gaussian vectors of as many dimensions and of the same mean length.
    one_hot : Shape
        One-hot vectors, by formula: every pair has cosine 0 and distance sqrt(2).
    samples : Samples
        For figures; not part of `to_dict`.
    """

    words: int
    dimensions: int
    zeros: int
    counted: bool
    size: Size
    lengths: Lengths
    cone: Cone
    partition: Partition
    spectrum: Spectrum
    neighborhoods: Neighborhoods
    hubs: tuple[tuple[str | int, int], ...]
    contexts: Contexts | None
    random: Shape | None
    one_hot: Shape
    samples: Samples

    @property
    def shape(self) -> Shape:
        """The measures that the references have too."""
        return _shape(self.cone, self.partition, self.spectrum, self.neighborhoods)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        parts = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in ("samples", "hubs")
        }
        plain = {n: dataclasses.asdict(v) if dataclasses.is_dataclass(v) else v for n, v in parts.items()}  # type: ignore[arg-type]
        plain["size"]["share"] = self.size.share
        plain["shape"] = dataclasses.asdict(self.shape)
        plain["neighborhoods"]["hubs"] = [{"word": word, "occurrences": count} for word, count in self.hubs]
        return plain


def measure(
    embedding: Embedding,
    *,
    restrict_vocab: int | None = None,
    neighborhood: int = 10_000,
    neighbors: int = 10,
    whole: int | None = None,
    table: int | None = None,
    reference: bool = True,
    seed: int = 1,
) -> GeometryReport:
    """Measure the geometry of an embedding.

    Parameters
    ----------
    embedding : Embedding
        Only read. Rows of zeros are left out.
    restrict_vocab : int, optional
        Only this many words, the most frequent; all of them by default.
    neighborhood : int
        Nearest neighbours are sought of, and among, this many words, the most frequent.
    neighbors : int
        Nearest neighbours a word has.
    whole : int, optional
        Parameters of the model that the table is part of, for its share.
    table : int, optional
        Words of the table whose size is told, where the embedding is only a part of it.
    reference : bool
        Whether random directions of the same size are measured too.
    seed : int
        Of the samples (distribution of cosines, random directions, sign of W.C). The cosines, spectrum and
        neighbourhoods are exact.

    Returns
    -------
    GeometryReport

    Raises
    ------
    SettingsError
        When a number is out of range or fewer than two rows are not zero.
    FormatError
        When a row holds NaN or infinity.
    """
    rng = np.random.default_rng(seed)
    rows = select_rows(embedding, restrict_vocab)
    n, d = rows.W.shape
    cone = measure_cone(rows.W, rows.unit, rows.norms)
    partition = measure_partition(rows.W, rows.norms, rng)
    spectrum = measure_spectrum(rows.W)
    near = measure_neighborhoods(rows.W, rows.unit, rows.ids, words=neighborhood, neighbors=neighbors)
    C = embedding.C
    if C is not None and len(rows) < len(embedding):
        C = C[rows.ids]
    return GeometryReport(
        words=n,
        dimensions=d,
        zeros=rows.zeros,
        counted=rows.counted,
        size=account(table or len(embedding), d, contexts=C is not None, whole=whole),
        lengths=measure_lengths(rows.norms, rows.counts),
        cone=cone,
        partition=partition,
        spectrum=spectrum,
        neighborhoods=near,
        hubs=tuple((embedding.word(row), count) for row, count in near.hubs),
        contexts=None if C is None else measure_contexts(rows.W, C, _PAIRS, rng),
        random=_random_shape(near.words, d, float(rows.norms.mean()), near.neighbors, rng) if reference else None,
        one_hot=_one_hot_shape(n),
        samples=_samples(rows, rng),
    )


def _samples(rows: Rows, rng: np.random.Generator) -> Samples:
    d = rows.W.shape[1]
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _POINTS)).astype(int))
    directions = rng.standard_normal((2, _PAIRS, d), dtype=np.float32)
    directions /= np.sqrt(np.einsum("aij,aij->ai", directions, directions))[:, :, None]
    return Samples(
        cosines=sampled_cosines(rows.unit, _PAIRS, rng),
        random_cosines=np.einsum("ij,ij->i", directions[0], directions[1], dtype=np.float64),
        log_counts=np.log10(np.maximum(rows.counts[chosen], 1)),
        lengths=rows.norms[chosen],
    )


def _shape(cone: Cone, partition: Partition, spectrum: Spectrum, near: Neighborhoods) -> Shape:
    return Shape(
        mean_cosine=cone.mean_cosine,
        sd_cosine=cone.sd_cosine,
        cosine_to_mean=cone.cosine_to_mean,
        isotropy=partition.isotropy,
        iso_score=spectrum.iso_score,
        top_share=spectrum.shares["1"],
        participation_ratio=spectrum.participation_ratio,
        hub_skew=near.skew,
        cosine_euclid_overlap=near.cosine_euclid_overlap,
        distance_mean=near.distance_mean,
        distance_spread=near.distance_spread,
    )


def _random_shape(n: int, d: int, length: float, k: int, rng: np.random.Generator) -> Shape:
    X = rng.standard_normal((n, d), dtype=np.float32)
    X *= np.float32(length / np.sqrt(d))
    norms = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    unit = (X / norms[:, None]).astype(np.float32)
    return _shape(
        measure_cone(X, unit, norms),
        measure_partition(X, norms, rng),
        measure_spectrum(X),
        measure_neighborhoods(X, unit, np.arange(n), words=n, neighbors=k),
    )


def _one_hot_shape(V: int) -> Shape:
    """Return the measures of V one-hot vectors, the rows of the unit matrix; all neighbours are equally far."""
    return Shape(
        mean_cosine=0.0,
        sd_cosine=0.0,
        cosine_to_mean=1 / math.sqrt(V),
        isotropy=(V - 1 + math.exp(-1)) / (V - 1 + math.e),  # u = e_1 and -e_1, extreme among unit vectors
        iso_score=(V - 2) / (V - 1),  # the variance is 1/V in V - 1 dimensions and 0 along the mean
        top_share=1 / (V - 1),
        participation_ratio=V - 1.0,
        hub_skew=None,
        cosine_euclid_overlap=None,
        distance_mean=math.sqrt(2),
        distance_spread=0.0,
    )
