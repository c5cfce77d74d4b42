"""Putting these classes in the place of ``gensim.models`` for one process, and taking them away again."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.metadata
import importlib.util
import sys
import warnings
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from w2v._version import __version__

__all__ = ["StandInWarning", "install", "uninstall"]

API_VERSION = "4.4.0"
"""The version of gensim whose names are used here."""

_REPLACED = {
    "word2vec": ("Word2Vec", "LineSentence", "PathLineSentences", "Text8Corpus"),
    "keyedvectors": ("KeyedVectors", "Word2VecKeyedVectors", "EuclideanKeyedVectors"),
    "callbacks": ("CallbackAny2Vec",),
}
_HOME = "w2v.compat.gensim.models"
_MISSING = object()

_undo: list[tuple[Any, str, Any]] = []
"""What `install` has put elsewhere: (module, attribute or None for sys.modules, value before)."""


class StandInWarning(UserWarning):
    """A module had taken classes from gensim before they were replaced."""


def install(*, substitute: bool = False) -> None:
    """Put Word2Vec, KeyedVectors and their companions in the place of gensim's, for this process.

    To be called before the program imports anything that uses gensim. If gensim is installed, its other parts
    (corpora, Doc2Vec, similarities, ...) stay as they are. If it is not, modules of its names with these classes stand
    in for it, and anything else of it is refused by an ImportError that says so.

    Parameters
    ----------
    substitute : bool
        Train skip-gram with negative sampling, with one `SubstitutionWarning`, where a program asks for CBOW (sg=0)
        or hierarchical softmax (hs=1), which are refused otherwise.

    Warns
    -----
    StandInWarning
        For modules that were imported before and hold gensim's own classes.

    Examples
    --------
    >>> import w2v.compat.gensim
    >>> w2v.compat.gensim.install()
    >>> from gensim.models import Word2Vec
    >>> Word2Vec.__module__
    'w2v.compat.gensim.model'
    >>> w2v.compat.gensim.uninstall()
    """
    uninstall()
    ours = {name: importlib.import_module(f"{_HOME}.{name}") for name in (*_REPLACED, "basemodel")}
    if substitute:
        _set(ours["word2vec"].Word2Vec, "_substitutes", True)
    real = _real_gensim()
    if real is None:
        _stand_in(ours)
    else:
        _replace(real, ours)


def uninstall() -> None:
    """Undo `install`. Modules that took classes from it keep them."""
    while _undo:
        owner, name, before = _undo.pop()
        if owner is sys.modules:
            if before is _MISSING:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = before
        elif before is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, before)
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def _set(owner: Any, name: str, value: Any) -> None:
    _undo.append((owner, name, vars(owner).get(name, _MISSING)))
    setattr(owner, name, value)


def _set_module(name: str, module: ModuleType) -> None:
    _undo.append((sys.modules, name, sys.modules.get(name, _MISSING)))
    sys.modules[name] = module


def _real_gensim() -> ModuleType | None:
    """Return gensim.models if gensim is installed and can be imported."""
    if importlib.util.find_spec("gensim") is None:
        return None
    try:
        return importlib.import_module("gensim.models")
    except ImportError as error:
        warnings.warn(f"gensim is installed and cannot be imported ({error}); it is left out", StandInWarning, 3)
        return None


def _replace(models: ModuleType, ours: dict[str, ModuleType]) -> None:
    originals = {}
    for module, names in _REPLACED.items():
        real = importlib.import_module(f"gensim.models.{module}")
        originals.update({id(vars(real)[name]): name for name in names if name in vars(real)})
        _set_module(f"gensim.models.{module}", ours[module])
        _set(models, module, ours[module])
        for name in names:
            if name in vars(models):
                _set(models, name, vars(ours[module])[name])
    holders = sorted(
        f"{module.__name__}.{name}"
        for module in list(sys.modules.values())
        if isinstance(module, ModuleType) and module.__name__.partition(".")[0] not in ("gensim", "w2v", "__main__")
        for name, value in list(vars(module).items())
        if id(value) in originals
    )
    if holders:
        warnings.warn(
            f"{', '.join(holders)} came from gensim before install() was called, and stay so: call it first",
            StandInWarning,
            stacklevel=3,
        )


def _stand_in(ours: dict[str, ModuleType]) -> None:
    models = ModuleType("gensim.models", "Stands in for gensim.models; see w2v.compat.gensim.")
    for module, names in _REPLACED.items():
        setattr(models, module, ours[module])
        for name in names:
            setattr(models, name, vars(ours[module])[name])
    rules = importlib.import_module("w2v.compat.gensim.scanning")
    utils = ModuleType("gensim.utils", "Stands in for gensim.utils: what trim rules answer with.")
    for name in ("RULE_DEFAULT", "RULE_DISCARD", "RULE_KEEP"):
        setattr(utils, name, vars(rules)[name])
    top = ModuleType("gensim", "Stands in for gensim; see w2v.compat.gensim.")
    vars(top).update(models=models, utils=utils, __version__=f"{API_VERSION}+w2v.{__version__}", __path__=[])
    vars(models).update(__path__=[], basemodel=ours["basemodel"])
    for made in (top, models, utils):
        vars(made)["__getattr__"] = _absent_from(made.__name__)
        _set_module(made.__name__, made)
    for name, own in ours.items():
        _set_module(f"gensim.models.{name}", own)
    sys.meta_path.append(_finder)


def _refusal(name: str) -> str:
    return (
        f"{name} is not here: w2v stands in for gensim, which is not installed, with Word2Vec, KeyedVectors and their "
        "companions only; install gensim beside it for the rest"
    )


def _absent_from(module: str) -> Any:
    def absent(name: str) -> Any:
        raise AttributeError(_refusal(f"{module}.{name}"))

    return absent


class _Distribution(importlib.metadata.Distribution):
    """The metadata of the stand-in, for programs that look up the version of gensim."""

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: gensim\nVersion: {API_VERSION}\nSummary: stood in for by w2v\n"

    def locate_file(self, path: Any) -> Any:
        raise FileNotFoundError(f"{path}: w2v stands in for gensim and has none of its files")


class _Finder(importlib.metadata.DistributionFinder):
    """Refuses modules of gensim that there are not, and finds the metadata of the stand-in."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if fullname.startswith("gensim."):
            raise ModuleNotFoundError(_refusal(fullname), name=fullname)
        return None

    def find_distributions(
        self,
        context: importlib.metadata.DistributionFinder.Context = importlib.metadata.DistributionFinder.Context(),  # noqa: B008
    ) -> Iterator[importlib.metadata.Distribution]:
        if context.name == "gensim":
            yield _Distribution()


_finder = _Finder()
