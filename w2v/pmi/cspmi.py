"""csPMI of single pairs: the quantity that analogies should keep equal, if they hold at all."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from w2v.pmi.counts import PairCounts

__all__ = ["cs_pmi"]


def cs_pmi(counts: PairCounts, pairs: Iterable[tuple[int, int]]) -> NDArray[np.float64]:
    """Return csPMI(x, y) = PMI(x, y) + log p(x, y) of pairs of word ids (pairs,); NaN where x and y never met.

    Ethayarajh, Duvenaud & Hirst 2019 ("Towards understanding linear word analogies", theorem 1): in a space that
    factorises PMI without error, a : b :: c : d holds exactly when csPMI(a, b) = csPMI(c, d), csPMI(a, c) =
    csPMI(b, d), and the four vectors lie in a plane. Probabilities are those of the window law of the counts:
    p(x, y) = a_xy / |D|, p(x) = a_x / |D|.

    Parameters
    ----------
    counts : PairCounts
    pairs : iterable of (int, int)
        Ids below ``counts.size``.
    """
    values = []
    for x, y in pairs:
        start, stop = int(counts.indptr[x]), int(counts.indptr[x + 1])
        place = start + int(np.searchsorted(counts.indices[start:stop], y))
        if place == stop or counts.indices[place] != y:
            values.append(np.nan)
            continue
        joint = float(counts.data[place])
        pmi = np.log(joint * counts.total / (counts.word_counts[x] * counts.context_counts[y]))
        values.append(pmi + np.log(joint / counts.total))
    return np.array(values, dtype=np.float64)
