"""What the docstrings of the package need to become reStructuredText: bars, names in backticks, and settings."""

import dataclasses
import importlib
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.roles import XRefRole

ROOMS = ("", ".errors", ".corpus", ".training", ".embedding", ".pmi", ".equivalence", ".evaluation", ".geometry")
ROOMS += (".reports", ".compat.gensim")
_TYPE = re.compile(r"^(\s*:type(?: [^:]+)?: )(.+)$")
_ATTRIBUTE = re.compile(r"\.\. attribute:: (\w+)")
_NAME = re.compile(r"(?<![\w`.])([A-Z]\w+)(?![\w`])")
_LITERAL = re.compile(r"(``.*?``)")


def _public() -> frozenset[str]:
    return frozenset(name for room in ROOMS for name in importlib.import_module(f"w2v{room}").__all__)


_PUBLIC = _public()
_LINK = XRefRole()


def _name(_role: str, rawtext: str, text: str, *where: Any) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Make a name in single backticks a link where it is public, else set it like code: the name of a parameter."""
    if text.partition(".")[0] in _PUBLIC:
        return _LINK("py:obj", rawtext, text, *where)
    return [nodes.literal(rawtext, text)], []


def _worded(match: re.Match[str]) -> str:
    """Link the public names of a type told in words, lest sphinx look for a class called ``word`` as well."""
    parts = _NAME.split(match[2])
    names = [f":py:obj:`{part}`" if part in _PUBLIC else part for part in parts]
    if names == parts:
        return f"{match[1]}*{match[2]}*" if not re.search(r"[*`\\|]", match[2]) else match[0]
    return match[1] + "".join(names)


def _describe(_app: Sphinx, kind: str, _name: str, thing: Any, _options: Any, lines: list[str]) -> None:
    """Keep |D| from being read as a substitution, and list the settings of a settings class with their help."""
    for i, line in enumerate(lines):
        if "|" in line and not line.lstrip().startswith((">>>", "...")):
            parts = _LITERAL.split(line)
            lines[i] = "".join(part if part.startswith("``") else part.replace("|", r"\|") for part in parts)
    lines[:] = [_TYPE.sub(_worded, line) for line in lines]
    if kind == "class":  # a property may be among the attributes too: it is described twice, and indexed once
        for i in reversed(range(len(lines))):
            match = _ATTRIBUTE.fullmatch(lines[i])
            if match and isinstance(getattr(thing, match[1], None), property):
                lines.insert(i + 1, "   :no-index:")
    if kind == "class" and dataclasses.is_dataclass(thing):
        fields = [field for field in dataclasses.fields(thing) if "help" in field.metadata]
        if fields:
            lines.append("")
        lines += [f":param {field.name}: {field.metadata['help']}" for field in fields]
        lines += [f":type {field.name}: {field.type}" for field in fields]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the role and the hook; the hook of napoleon goes first."""
    app.add_role("name", _name)
    app.connect("autodoc-process-docstring", _describe, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
