"""Optional dependencies: imported when first needed, with an error that names the extra to install."""

from __future__ import annotations

import importlib
from typing import Any

from w2v.errors import MissingExtraError

__all__ = ["import_extra"]


def import_extra(module: str, extra: str, purpose: str) -> Any:
    """Import a module that only an extra of this package brings.

    Parameters
    ----------
    module : str
        What to import, such as ``"pyarrow.parquet"``.
    extra : str
        The extra of setup.cfg that installs it.
    purpose : str
        What needs it, for the message: ``"reading .zst files"``.

    Raises
    ------
    MissingExtraError
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{purpose} needs the package {package}: pip install 'w2v[{extra}]'", name=package
        ) from error
