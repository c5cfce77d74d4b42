"""Keys with their vectors and attributes: the part of KeyedVectors that stores, adds and looks up."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from w2v.compat.gensim.lifecycle import Lifecycle
from w2v.compat.gensim.locking import unlocked
from w2v.compat.gensim.names import OLD_VECTOR_NAMES, PositionError, attribute_error
from w2v.embedding import Embedding
from w2v.errors import NotAvailableError, SettingsError, UnknownWordError
from w2v.vocabulary import Vocabulary

__all__ = ["KeyStore", "is_key"]


def is_key(value: Any) -> bool:
    """Tell whether a value is one key: a string or a whole number."""
    return isinstance(value, (str, int, np.integer)) and not isinstance(value, bool)


class KeyStore(Lifecycle):
    """Keys, all strings or all integers, with a vector each.

    Attributes
    ----------
    index_to_key : list
        The keys in the order of the rows.
    key_to_index : dict
        Row of each key.
    vectors : (V, d) array
        Rows may be read and written by position. After writing into it, call `vectors_changed`.
    norms : (V,) float32, or None before `fill_norms`
    expandos : dict
        Arrays (V,) of attributes of the keys, such as ``"count"``.
    vectors_lockf : (1,) or (V,) float32
        0 for keys whose vectors training leaves as they are, 1 for the others.
    """

    _embedding: tuple[Any, int, Embedding] | None = None

    def __init__(
        self, vector_size: int, count: int = 0, dtype: Any = np.float32, mapfile_path: str | None = None
    ) -> None:
        try:
            self.vector_size = operator.index(vector_size)
        except TypeError:
            raise SettingsError(f"vector_size must be a whole number; got {vector_size!r}") from None
        if self.vector_size < 1:
            raise SettingsError(f"vector_size must be at least 1; got {vector_size!r}")
        self.mapfile_path = mapfile_path
        self.index_to_key: list[Any] = []
        self.key_to_index: dict[Any, int] = {}
        self._room: NDArray[Any] = np.zeros((count, self.vector_size), dtype=dtype)
        self.vectors: NDArray[Any] = self._room[:0]
        self.norms: NDArray[np.float32] | None = None
        self.expandos: dict[str, NDArray[Any]] = {}
        self.vectors_lockf = unlocked()

    @classmethod
    def of(cls, embedding: Embedding, *, copy: bool = True, dtype: Any = np.float32) -> Any:
        """Return the keys, vectors and counts of an `Embedding`; without `copy` the matrix is shared, read-only."""
        made = cls(embedding.vector_size)
        made._take(embedding.vocabulary, np.array(embedding.W, dtype=dtype) if copy else embedding.W)
        return made

    def _take(self, vocabulary: Vocabulary, vectors: NDArray[Any]) -> None:
        """Hold these keys, counts and vectors, and nothing else."""
        self.index_to_key = list(vocabulary.words)
        self.key_to_index = dict(vocabulary.index)
        self.vector_size = int(vectors.shape[1])
        self.vectors = self._room = vectors
        self.expandos = {"count": vocabulary.counts.copy()}
        self.vectors_lockf = unlocked()
        self.vectors_changed()

    @property
    def embedding(self) -> Embedding:
        """The same vectors as `w2v.Embedding`, for everything else that this package can do with them.

        Of float32 vectors it is a view. It is made anew when keys or vectors were added, replaced or trained.
        """
        held = self._embedding
        if held is not None and held[0] is self.vectors and held[1] == len(self.index_to_key):
            return held[2]
        counts = self.__dict__.get("expandos", {}).get("count")  # programs restore such objects attribute by attribute
        if counts is None or counts.dtype.kind not in "iu":
            counts = np.zeros(len(self.index_to_key), dtype=np.int64)
        embedding = Embedding(Vocabulary(self.index_to_key, counts), self.vectors)
        self._embedding = (self.vectors, len(self.index_to_key), embedding)
        return embedding

    @property
    def next_index(self) -> int:
        """Row of the next key to be added."""
        return len(self.index_to_key)

    def vectors_changed(self) -> None:
        """Forget what was computed from the vectors: to be called after writing into `vectors`."""
        self.norms = None
        self._embedding = None

    def fill_norms(self, force: bool = False) -> None:
        """Compute `norms`; with `force` also when they are there, as after writing into `vectors`."""
        if force:
            self.vectors_changed()
        if self.norms is None:
            self.norms = self.embedding.norms.astype(np.float32)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_embedding": None}

    def __getattr__(self, name: str) -> Any:
        raise attribute_error(type(self).__name__, name, OLD_VECTOR_NAMES)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("vocab", "index2word"):
            raise NotAvailableError(str(attribute_error(type(self).__name__, name, OLD_VECTOR_NAMES)))
        super().__setattr__(name, value)

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __str__(self) -> str:
        return f"{type(self).__name__}<vector_size={self.vector_size}, {len(self)} keys>"

    __iter__ = None  # the old protocol would ask for the keys 0, 1, 2, ...

    # --- look-up

    def has_index_for(self, key: Any) -> bool:
        """Tell whether a key is known."""
        return self._index(key) >= 0

    __contains__ = has_index_for

    def _index(self, key: Any) -> int:
        if isinstance(key, bool) or not isinstance(key, (str, int, np.integer)):
            return -1
        return self.key_to_index.get(key, -1)

    def get_index(self, key: Any, default: int | None = None) -> int:
        """Return the row of a key; for an unknown one `default`, or an error if there is none.

        Raises
        ------
        UnknownWordError
            (a KeyError.) Numbers are keys, never positions.
        """
        index = self._index(key)
        if index >= 0:
            return index
        if default is not None:
            return default
        if isinstance(key, (int, np.integer)) and self.index_to_key and isinstance(self.index_to_key[0], str):
            raise PositionError([key])
        raise UnknownWordError([key])

    def get_vector(self, key: Any, norm: bool = False) -> NDArray[Any]:
        """Return the vector (d,) of a key, read-only; with `norm` taken to length 1 (a zero vector stays zero)."""
        index = self.get_index(key)
        if norm:
            self.fill_norms()
            assert self.norms is not None
            length = self.norms[index]
            vector: NDArray[Any] = self.vectors[index] / length if length > 0 else self.vectors[index].copy()
        else:
            vector = self.vectors[index]
        vector.flags.writeable = False
        return vector

    def word_vec(self, *args: Any, **kwargs: Any) -> NDArray[Any]:
        """Return `get_vector`, of which it is the old name."""
        return self.get_vector(*args, **kwargs)

    def __getitem__(self, key_or_keys: Any) -> NDArray[Any]:
        """Return the vector (d,) of a key, read-only, or the vectors (n, d) of a list of keys."""
        if is_key(key_or_keys):
            return self.get_vector(key_or_keys)
        if not isinstance(key_or_keys, Iterable):
            raise UnknownWordError([key_or_keys])
        vectors: NDArray[Any] = self.vectors[[self.get_index(key) for key in key_or_keys]]
        return vectors

    def get_normed_vectors(self) -> NDArray[np.float32]:
        """Return all vectors (V, d) at length 1, in a new array."""
        return self.embedding.unit_vectors.copy()

    # --- adding and changing

    def add_vector(self, key: Any, vector: ArrayLike) -> int:
        """Add one key with its vector (d,), or replace it; returns its row."""
        self.add_vectors([key], np.asarray(vector)[None], replace=True)
        return self.get_index(key)

    def add_vectors(self, keys: Any, weights: Any, extras: dict[str, Any] | None = None, replace: bool = False) -> None:
        """Add keys with their vectors.

        Parameters
        ----------
        keys : key or list of keys
        weights : (n, d) array, list of (d,) arrays, or one (d,) array for one key
        extras : dict, optional
            Attributes of the keys by name, each (n,).
        replace : bool
            Whether vectors of known keys are replaced; they are left as they are otherwise.

        Raises
        ------
        SettingsError
            (a ValueError) when the numbers of keys and vectors, or the dimensions, do not fit.
        TypeError
            When a key is neither a string nor a whole number, or of another kind than the keys before.
        """
        if is_key(keys):
            keys, weights = [keys], np.asarray(weights).reshape(1, -1)
        keys, rows = list(keys), np.asarray(weights)
        if rows.shape != (len(keys), self.vector_size):
            raise SettingsError(
                f"{len(keys)} keys take vectors of shape {(len(keys), self.vector_size)}; got {rows.shape}"
            )
        self._check_kinds(keys)
        new = list(dict.fromkeys(key for key in keys if key not in self.key_to_index))
        first = len(self.index_to_key)
        for row, key in enumerate(new, first):
            self.index_to_key.append(key)
            self.key_to_index[key] = row
        self._resize(len(self.index_to_key))
        for row, key in zip(rows, keys, strict=True):
            index = self.key_to_index[key]
            if replace or index >= first:
                self.vectors[index] = row
        self.vectors_changed()
        for name, values in (extras or {}).items():
            for key, value in zip(keys, values, strict=True):
                if replace or self.key_to_index[key] >= first:
                    self.set_vecattr(key, name, value)

    def __setitem__(self, keys: Any, weights: Any) -> None:
        self.add_vectors(keys, weights, replace=True)

    def _check_kinds(self, keys: list[Any]) -> None:
        kind: Any = str if isinstance((self.index_to_key or keys or [""])[0], str) else (int, np.integer)
        for key in keys:
            if not is_key(key) or not isinstance(key, kind):
                raise TypeError(f"keys must be all strings or all integers; got {key!r} ({type(key).__name__})")

    def _resize(self, size: int) -> None:
        """Make room for so many rows, with as much again in reserve, so that adding one by one stays cheap."""
        old = self.vectors
        if old.base is not self._room and old is not self._room:
            self._room = old  # somebody has put another matrix here
        if size > len(self._room) or not self._room.flags.writeable:
            self._room = np.zeros((max(size, 2 * len(old)), self.vector_size), dtype=old.dtype)
            self._room[: len(old)] = old
        self.vectors = self._room[:size]
        factors = self.__dict__.get("vectors_lockf", unlocked())
        if 1 < len(factors) < size:  # new keys are trained
            self.vectors_lockf = np.append(factors, np.ones(size - len(factors), dtype=factors.dtype))
        for name, values in self.expandos.items():
            if len(values) < size:
                self.expandos[name] = np.concatenate([values, np.zeros(size - len(values), dtype=values.dtype)])

    def allocate_vecattrs(self, attrs: Any = None, types: Any = None) -> None:
        """Make room for attributes of the keys, zero or None at first."""
        for name, kind in zip(attrs or [], types or [], strict=True):
            if name not in self.expandos:
                self.expandos[name] = np.zeros(len(self), dtype=kind)

    def set_vecattr(self, key: Any, attr: str, val: Any) -> None:
        """Set an attribute of a key, such as ``"count"``."""
        index = self.get_index(key)
        kind = np.array(val).dtype
        self.allocate_vecattrs([attr], [kind if kind.kind in "biuf" else object])
        held = self.expandos[attr]
        if held.dtype != object and not np.can_cast(kind, held.dtype):
            self.expandos[attr] = held = held.astype(np.result_type(held, kind) if kind.kind in "biuf" else object)
        held[index] = val
        if attr == "count":
            self._embedding = None

    def get_vecattr(self, key: Any, attr: str) -> Any:
        """Return an attribute of a key; a key whose occurrences were never counted has count 0.

        Raises
        ------
        UnknownWordError
            (a KeyError) for an unknown key.
        KeyError
            For an attribute that no key has.
        """
        index = self.get_index(key)
        if attr not in self.expandos:
            if attr == "count":
                return 0
            raise KeyError(f"no key has an attribute {attr!r}; there are {sorted(self.expandos) or 'none'}")
        return self.expandos[attr][index]

    def unit_normalize_all(self) -> None:
        """Take all vectors to length 1 for good; zero vectors stay zero."""
        self.vectors = self._room = self.get_normed_vectors().astype(self.vectors.dtype)
        self.vectors_changed()

    def init_sims(self, replace: bool = False) -> None:
        """Take all vectors to length 1 (`replace`), or compute their norms: an old name."""
        if replace:
            self.unit_normalize_all()
        else:
            self.fill_norms()

    def sort_by_descending_frequency(self) -> None:
        """Sort keys, vectors and attributes by count, equal counts in the order they have."""
        if not len(self):
            return
        order = np.argsort(-self.expandos.get("count", np.zeros(len(self))), kind="stable")
        self.index_to_key = [self.index_to_key[row] for row in order]
        self.key_to_index = {key: row for row, key in enumerate(self.index_to_key)}
        self.vectors = self._room = self.vectors[order]
        self.expandos = {name: values[order] for name, values in self.expandos.items()}
        if len(self.vectors_lockf) == len(order):
            self.vectors_lockf = self.vectors_lockf[order]
        self.vectors_changed()

    def resize_vectors(self, seed: int = 0) -> None:
        """Do nothing: there is a vector for every key at any time."""

    def vectors_for_all(self, keys: Iterable[Any], allow_inference: bool = True, copy_vecattrs: bool = False) -> Any:
        """Return the vectors of those of the given keys that are known.

        Parameters
        ----------
        keys : iterable
            In this order; keys that occur again are taken once.
        allow_inference : bool
            Has no effect: unknown keys have no vectors here.
        copy_vecattrs : bool
            Whether the attributes come along.
        """
        known = [key for key in dict.fromkeys(keys) if self.has_index_for(key)]
        chosen = type(self)(self.vector_size, len(known), dtype=self.vectors.dtype)
        rows = [self.get_index(key) for key in known]
        extras = {name: values[rows] for name, values in self.expandos.items()} if copy_vecattrs else None
        chosen.add_vectors(known, self.vectors[rows].reshape(-1, self.vector_size), extras)
        return chosen
