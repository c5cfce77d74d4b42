"""Steps of postprocessing: each is fitted to some rows and then applied to all, and has a name that can be typed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from w2v.errors import SettingsError
from w2v.geometry.spectrum import covariance
from w2v.plurals import counted

__all__ = ["STEPS", "Step", "parse_step", "parse_steps"]

Matrix = NDArray[np.float32]
Apply = Callable[[Matrix], Matrix]
_NEGLIGIBLE = 1e-10  # share of the largest variance below which a component is rounding noise and is not scaled up
_WHITENINGS = ("pca", "zca")


@dataclasses.dataclass(frozen=True)
class Step:
    """One step, such as ``abtt=3``.

    Attributes
    ----------
    name : str
        One of `STEPS`.
    value : int or str or None
        D of ``abtt``, dimensions of ``pca``, ``pca`` or ``zca`` of ``whiten``.
    """

    name: str
    value: int | str | None = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value}"

    def fit(self, X: Matrix) -> Apply:
        """Return the step as a function of rows (n, d), fitted to the rows X."""
        return _FITS[self.name](X, self.value)


STEPS = {
    "center": "subtract the mean vector",
    "unit": "take every vector to length 1; zero vectors stay",
    "abtt=D": "all-but-the-top (Mu & Viswanath 2018): subtract the mean, then remove the D first principal components; "
    "D is d/100 unless given",
    "whiten=pca|zca": "subtract the mean and make the covariance the unit matrix, along the principal components (pca) "
    "or turned back to be as near as can be to the old vectors (zca, unless given)",
    "pca=K": "subtract the mean and keep the K first principal components",
}


def parse_step(text: str) -> Step:
    """Read a step as it is typed: ``center``, ``unit``, ``abtt``, ``abtt=3``, ``whiten=zca``, ``pca=50``.

    Raises
    ------
    SettingsError
        Naming the steps there are.
    """
    name, equals, value = text.partition("=")
    if name not in _FITS or (equals and not value):
        known = ", ".join(STEPS)
        raise SettingsError(f"there is no step {text!r}; the steps are {known}")
    if name in ("center", "unit"):
        if equals:
            raise SettingsError(f"the step {name} takes no value; got {text!r}")
        return Step(name)
    if name == "whiten":
        if (value or "zca") not in _WHITENINGS:
            raise SettingsError(f"whiten takes one of {', '.join(_WHITENINGS)}; got {value!r}")
        return Step(name, value or "zca")
    if not value:
        if name == "pca":
            raise SettingsError("pca needs a number of dimensions: pca=50")
        return Step(name)
    if not (value.isascii() and value.isdecimal()) or int(value) < 1:
        raise SettingsError(f"{name} takes a whole number of at least 1; got {value!r}")
    return Step(name, int(value))


def parse_steps(steps: Iterable[str | Step]) -> tuple[Step, ...]:
    """Read several steps; raises `SettingsError` when there is none or one of them is not known."""
    if isinstance(steps, str):
        steps = steps.split()
    parsed = tuple(step if isinstance(step, Step) else parse_step(step) for step in steps)
    if not parsed:
        raise SettingsError(f"no step was given; the steps are {', '.join(STEPS)}")
    return parsed


def _center(X: Matrix, value: object) -> Apply:
    mean = X.mean(axis=0, dtype=np.float64)
    return lambda rows: _float32(rows - mean)


def _unit(X: Matrix, value: object) -> Apply:
    def apply(rows: Matrix) -> Matrix:
        exact = rows.astype(np.float64)
        norms = np.sqrt(np.einsum("ij,ij->i", exact, exact))[:, None]
        return _float32(np.divide(exact, norms, out=np.zeros_like(exact), where=norms > 0))

    return apply


def _all_but_the_top(X: Matrix, value: int | None) -> Apply:
    d = X.shape[1]
    removed = max(1, d // 100) if value is None else value
    if removed >= d:
        raise SettingsError(f"abtt={removed} would leave nothing of {counted(d, 'dimension')}")
    mean, _, components = _principal(X)
    top = components[:, :removed]

    def apply(rows: Matrix) -> Matrix:
        centered = rows - mean
        centered -= (centered @ top) @ top.T
        return _float32(centered)

    return apply


def _whiten(X: Matrix, value: str | None) -> Apply:
    mean, variances, components = _principal(X)
    kept = variances > _NEGLIGIBLE * variances[0]
    if not kept.any():
        raise SettingsError("all vectors are equal: there is no variance to whiten")
    scaled = components[:, kept] / np.sqrt(variances[kept])
    if value != "pca":
        scaled = scaled @ components[:, kept].T
    return lambda rows: _float32((rows - mean) @ scaled)


def _reduce(X: Matrix, value: int) -> Apply:
    d = X.shape[1]
    if value > d:
        raise SettingsError(f"pca={value} asks for more than the {counted(d, 'dimension')} there are")
    mean, _, components = _principal(X)
    first = components[:, :value]
    return lambda rows: _float32((rows - mean) @ first)


def _principal(X: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return mean (d,), variances (d,) falling, and components as columns (d, d), their largest entry positive."""
    mean, cov = covariance(X)
    variances, components = np.linalg.eigh(cov)
    components = components[:, ::-1]
    largest = np.abs(components).argmax(axis=0)  # the sign of an eigenvector is nobody's choice but the library's
    signs = np.sign(components[largest, np.arange(len(variances))])
    return mean, np.maximum(variances[::-1], 0.0), components * signs


def _float32(rows: NDArray[np.float64]) -> Matrix:
    return rows.astype(np.float32)


_FITS: dict[str, Callable[..., Apply]] = {
    "center": _center,
    "unit": _unit,
    "abtt": _all_but_the_top,
    "whiten": _whiten,
    "pca": _reduce,
}
