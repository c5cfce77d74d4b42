"""Size: how many numbers a table of vectors holds, beside a whole model and beside one-hot vectors."""

from __future__ import annotations

import dataclasses

__all__ = ["Size", "account"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Size:
    """The numbers in a table.

    Attributes
    ----------
    words, dimensions : int
        V and d.
    parameters : int
        V x d, of W.
    context_parameters : int
        Those of C; 0 where there is none.
    bytes : int
        Of W and C in float32.
    one_hot_parameters : int
        V x V, of the one-hot vectors that the table stands for.
    whole : int or None
        Parameters of the model that the table is part of, where they were given.
    """

    words: int
    dimensions: int
    parameters: int
    context_parameters: int
    bytes: int
    one_hot_parameters: int
    whole: int | None

    @property
    def share(self) -> float | None:
        """Share of the whole model that is in W."""
        return self.parameters / self.whole if self.whole else None


def account(words: int, dimensions: int, *, contexts: bool = False, whole: int | None = None) -> Size:
    """Count the numbers of a table of `words` x `dimensions`, with or without its twin C."""
    parameters = words * dimensions
    context_parameters = parameters if contexts else 0
    return Size(
        words=words,
        dimensions=dimensions,
        parameters=parameters,
        context_parameters=context_parameters,
        bytes=4 * (parameters + context_parameters),
        one_hot_parameters=words * words,
        whole=whole,
    )
