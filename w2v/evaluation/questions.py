"""Analogy questions in sections, and the reader of the layout in which they are shared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from w2v.errors import FormatError
from w2v.evaluation.lines import numbered_lines

__all__ = ["AnalogyQuestions", "Question", "Section", "relation_kind"]

_WORD = re.compile(r"[^ \t\r\v\f]+")  # ASCII white space, as in a corpus: other spaces may be part of a word

#: Kinds of sections that their names do not show by themselves.
_KINDS = {
    "capital-common-countries": "semantic",
    "capital-world": "semantic",
    "currency": "semantic",
    "city-in-state": "semantic",
    "family": "semantic",
    "newspapers": "semantic",
    "ice_hockey": "semantic",
    "basketball": "semantic",
    "airlines": "semantic",
    "people-companies": "semantic",
}


def relation_kind(section: str) -> str | None:
    """Return ``"semantic"`` or ``"syntactic"`` from the name of a section, None when the name does not say.

    The semantic sections of Google's two files (words and phrases) are known by name; syntactic ones start with
    ``gram`` there.
    """
    return "syntactic" if section.startswith("gram") else _KINDS.get(section)


@dataclass(frozen=True, slots=True)
class Question:
    """The analogy a : b :: c : d, and the line of the file where it stands (0 for none).

    d may name several right answers with slashes between them, such as ``mom/mum``.
    """

    a: str
    b: str
    c: str
    d: str
    line: int = 0

    @property
    def words(self) -> tuple[str, str, str, str]:
        """The four words in order."""
        return self.a, self.b, self.c, self.d

    @property
    def answers(self) -> tuple[str, ...]:
        """All right answers: d as it stands, and its parts between slashes."""
        if "/" not in self.d:
            return (self.d,)
        return tuple(dict.fromkeys([self.d, *filter(None, self.d.split("/"))]))


@dataclass(frozen=True)
class Section:
    """Questions about one relation.

    Attributes
    ----------
    name : str
    questions : tuple of Question
    kind : str or None
        ``"semantic"``, ``"syntactic"``, or None where nobody said.
    """

    name: str
    questions: tuple[Question, ...]
    kind: str | None = None

    def __len__(self) -> int:
        return len(self.questions)


@dataclass(frozen=True)
class AnalogyQuestions:
    """A set of analogy questions.

    Attributes
    ----------
    name : str
    sections : tuple of Section
    path : str or None
        The file they were read from.
    """

    name: str
    sections: tuple[Section, ...]
    path: str | None = None

    def __len__(self) -> int:
        return sum(len(section) for section in self.sections)

    @classmethod
    def read(cls, path: str | Path, *, kinds: Mapping[str, str] | None = None) -> AnalogyQuestions:
        """Read a file of analogy questions.

        Parameters
        ----------
        path : str or Path
            UTF-8 text. ``: name`` starts a section; every other line is one question a b c d, four words separated by
            ASCII white space; d may be several right answers, d1/d2. Blank lines and lines that start with ``#`` are
            skipped. Questions before the first section form one with the name of the file.
        kinds : mapping from str to str, optional
            ``"semantic"`` or ``"syntactic"`` by section name, before what `relation_kind` knows.

        Raises
        ------
        FileAccessError, FormatError
            The latter names file and line.
        """
        path = Path(path)
        sections: dict[str, list[Question]] = {}
        current: list[Question] | None = None
        for number, text in numbered_lines(path):
            if text.lstrip().startswith(":"):
                name = text.strip()[1:].strip()
                if not name:
                    raise FormatError(f"{path}:{number}: a section without a name; write ': name'")
                current = sections.setdefault(name, [])  # a section may be continued further down
                continue
            words = _WORD.findall(text)
            if len(words) != 4:
                raise FormatError(
                    f"{path}:{number}: a question is four words a b c d (a is to b as c is to d); "
                    f"got {len(words)}: {_shortened(text)!r}"
                )
            if current is None:
                current = sections.setdefault(path.stem, [])
            a, b, c, d = words
            current.append(Question(a, b, c, d, number))
        if not any(sections.values()):
            raise FormatError(f"{path}: no analogy question in the file; each is a line of four words a b c d")
        known = dict(kinds or {})
        return cls(
            path.stem,
            tuple(Section(n, tuple(questions), known.get(n, relation_kind(n))) for n, questions in sections.items()),
            str(path),
        )


def _shortened(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
