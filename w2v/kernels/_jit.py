"""How every kernel is compiled: one place that chooses numba's flags and says why.

* ``nogil``: kernels are called from Python threads.
* ``error_model="numpy"``: a division that raises would keep loops from vectorising.
* ``fastmath`` without ``nnan`` and ``ninf``: sums may be reordered (needed to vectorise reductions), while NaN and
  infinity keep their meaning, so that the check after an epoch finds them.
* ``cache``: compiled once per machine. numba's cache looks only at the file of the cached function itself, so one
  stamp over all kernel sources empties the cache when any of them changes.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # not on every platform
    pass
else:
    # The compiler meets an allocation that fails with an abort, an error that says nothing, or a loop without end
    _LEAST_ADDRESS_SPACE = 560 << 20
    _allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if _allowed != resource.RLIM_INFINITY and _allowed < _LEAST_ADDRESS_SPACE:
        raise MemoryError(
            f"{_allowed >> 20:,} MB of address space are allowed (ulimit -v), and the compiler alone needs "
            f"{_LEAST_ADDRESS_SPACE >> 20:,} MB"
        )

import numba

__all__ = ["compilations", "device", "kernel"]

_FASTMATH = {"reassoc", "contract", "arcp", "nsz", "afn"}
_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": _FASTMATH}
_STAMP_NAME = "w2v-kernels.stamp"
_checked_folders: set[Path] = set()
_cache_works = True
_warned = False
_kernels: list[Any] = []


def device(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call; it lives in their machine code."""
    return numba.njit(**_FLAGS)(function)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, cached on disk where a folder for it can be written."""
    compiled = _compiled(function)
    _kernels.append(compiled)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        nonlocal compiled
        try:
            return compiled(*args)
        except OSError as error:  # a kernel does no input or output: it was the cache
            _warn_once(error)
            if not compiled.signatures:  # nor could it be read
                compiled = numba.njit(**_FLAGS)(function)
                _kernels.append(compiled)
            return compiled(*args)
        except Exception:
            if compiled.signatures or not _cache_works:
                raise
            # what numba keeps of it may be damaged, by a full disk or a power cut; numba's own errors come again
            _empty(Path(compiled.stats.cache_path))
            return compiled(*args)

    return call


def _empty(folder: Path) -> None:
    """Remove the compiled code that a cache folder holds, as far as that is allowed."""
    with contextlib.suppress(OSError):
        for file in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
            file.unlink(missing_ok=True)


def _warn_once(error: OSError) -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"compiled code could not be cached ({error.strerror or error}) and will be compiled anew the next time; "
            "set NUMBA_CACHE_DIR to a folder with room",
            RuntimeWarning,
            stacklevel=4,
        )


def compilations() -> int:
    """Return how many kernels this process had to compile, the one under way included: none where the cache has all."""
    return sum(sum(compiled.stats.cache_misses.values()) for compiled in _kernels)


def _compiled(function: Callable[..., Any]) -> Any:
    global _cache_works
    if _cache_works:
        try:
            compiled = numba.njit(cache=True, **_FLAGS)(function)
        except RuntimeError as error:  # numba: "cannot cache function ...: no locator available for file ..."
            _cache_works = False
            warnings.warn(
                f"compiled code cannot be cached and is compiled anew in each process ({error}); "
                "set NUMBA_CACHE_DIR to a folder that can be written",
                RuntimeWarning,
                stacklevel=4,
            )
        else:
            _drop_stale(Path(compiled.stats.cache_path))
            return compiled
    return numba.njit(**_FLAGS)(function)


def _stamp() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _drop_stale(folder: Path) -> None:
    """Empty a cache folder that was filled from other kernel sources."""
    if folder in _checked_folders:
        return
    _checked_folders.add(folder)
    stamp, stamp_file = _stamp().encode(), folder / _STAMP_NAME
    with contextlib.suppress(OSError):
        if stamp_file.exists() and stamp_file.read_bytes() == stamp:
            return
        _empty(folder)
        fresh = folder / f"{_STAMP_NAME}.{os.getpid()}"
        folder.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(stamp)
        fresh.replace(stamp_file)
