"""Fonts that can show the words of a figure, found among those installed by the characters that they hold."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from w2v.errors import FormatError
from w2v.reports.canvas import matplotlib

__all__ = ["Fonts", "find_fonts"]

#: Tried before all others, as their names promise East Asian characters.
_LIKELY = ("CJK", "Source Han", "WenQuanYi", "Droid Sans Fallback", "SimHei", "SimSun", "YaHei", "PingFang", "Heiti",
           "Hiragino", "Yu Gothic", "Malgun", "Nanum", "Unifont", "Arial Unicode")  # fmt: skip
_DEFAULT = "DejaVu Sans"


@dataclasses.dataclass(frozen=True)
class Fonts:
    """Families to draw with, the first that has a character showing it, and the characters that none has."""

    families: tuple[str, ...]
    missing: tuple[str, ...]

    def hint(self) -> str | None:
        """Say what to do about the missing characters; None when there are none."""
        if not self.missing:
            return None
        first = " ".join(self.missing[:8]) + (" ..." if len(self.missing) > 8 else "")
        return (
            f"no installed font has {len(self.missing)} of the characters ({first}): they are drawn as empty boxes. "
            "Install one, such as Noto Sans CJK for Chinese, Japanese and Korean (on Debian and Ubuntu: "
            "apt install fonts-noto-cjk), or name a font file with --font FILE"
        )


def find_fonts(words: Iterable[str], font_file: str | os.PathLike[str] | None = None) -> Fonts:
    """Return the fonts that show the characters of `words`, as far as any installed one does.

    Parameters
    ----------
    words : iterable of str
    font_file : path, optional
        A .ttf, .otf or .ttc file that is used first.

    Raises
    ------
    FormatError
        When `font_file` is no font.
    """
    needed = {c for word in words for c in word if c.isprintable() and not c.isspace()}
    manager = matplotlib("font_manager").fontManager
    families: list[str] = []
    if font_file is not None:
        families.append(_added(manager, font_file))
        needed -= _characters(os.fspath(font_file))
    default = [font for font in manager.ttflist if font.name == _DEFAULT]
    families.append(_DEFAULT)
    for font in default[:1]:
        needed -= _characters(font.fname)
    others = {font.name: font.fname for font in manager.ttflist if font.name not in families}
    for name in sorted(others, key=lambda name: (not any(part in name for part in _LIKELY), name)):
        if not needed:
            break
        held = needed & _characters(others[name])
        if held:
            families.append(name)
            needed -= held
    return Fonts(tuple(families), tuple(sorted(needed)))


def _added(manager: Any, font_file: str | os.PathLike[str]) -> str:
    path = os.fspath(font_file)
    if not Path(path).is_file():
        raise FormatError(f"--font {path}: there is no such file")
    try:
        manager.addfont(path)
        name: str = matplotlib("font_manager").FontProperties(fname=path).get_name()
    except (RuntimeError, OSError, ValueError) as error:
        raise FormatError(f"--font {path} is not a font that can be used: {error}") from error
    return name


def _characters(path: str) -> set[str]:
    """Return the characters that a font file holds; none when it cannot be read."""
    try:
        return {chr(code) for code in matplotlib("ft2font").FT2Font(path).get_charmap()}
    except (RuntimeError, OSError, ValueError):
        return set()
