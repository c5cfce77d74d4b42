"""``w2v info``: what a model file holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from w2v.cli.options import json_option, load_model, model_option
from w2v.cli.terminal import echo_lines, result_json, shown, table
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["info"]


@click.command(epilog="\b\nExamples:\n  w2v info\n  w2v info --model vectors.bin --json")
@model_option
@json_option
def info(model: str, as_json: bool) -> None:
    """Show what a model file holds: words, dimensions, settings, corpus and losses."""
    embedding = load_model(model)
    described = _described(embedding, model)
    if as_json:
        result_json(described)
        return
    echo_lines(_info_lines(described))


def _described(embedding: Embedding, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "bytes": Path(model).stat().st_size,
        "words": len(embedding),
        "vector_size": embedding.vector_size,
        "key_type": embedding.vocabulary.key_type,
        "context_vectors": embedding.C is not None,
        "tokens": None if "counts" in embedding.provenance else int(embedding.counts.sum()),  # counts may be stand-ins
        "first_words": list(embedding.words[:10]),
        "settings": embedding.settings,
        "provenance": embedding.provenance,
        "losses": list(embedding.losses),
    }


def _info_lines(described: Mapping[str, Any]) -> Iterator[str]:
    matrices = "W and C" if described["context_vectors"] else "W only"
    provenance = dict(described["provenance"])
    corpus = provenance.pop("corpus", None) or {}
    rows = [
        ("model", f"{described['model']} ({described['bytes'] / 1e6:,.1f} MB)"),
        ("words", f"{described['words']:,}{' (integer keys)' if described['key_type'] == 'int' else ''}"),
        ("dimensions", f"{described['vector_size']:,}, {matrices}"),
        ("first words", " ".join(shown(word) for word in described["first_words"])),
    ]
    if described["tokens"] is not None:
        rows.insert(2, ("tokens", f"{described['tokens']:,} in the vocabulary"))
    rows += [(name.replace("_", " "), _value(value)) for name, value in provenance.items()]
    if corpus:
        rows += [("corpus", shown(path)) for path in corpus.get("paths") or [corpus.get("kind", "unknown")]]
        size = f"{counted(corpus['bytes'], 'byte')}, " if corpus.get("bytes") is not None else ""
        tokens, types = counted(corpus.get("tokens", 0), "token"), counted(corpus.get("types", 0), "type")
        rows.append(("", f"{size}{tokens}, {types}"))
        if corpus.get("sha256"):
            rows.append(("", f"sha256 {corpus['sha256']}"))
    if described["losses"]:
        rows.append(("loss by epoch", " ".join("-" if x is None else f"{x:.4f}" for x in described["losses"])))
    for group, settings in described["settings"].items():
        values = settings.items() if isinstance(settings, Mapping) else [(group, settings)]
        rows.append((f"{group} settings", ", ".join(f"{name} {_value(value)}" for name, value in values)))
    yield from table(rows)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(item)}" for name, item in value.items())
    return "-" if value is None else shown(value)
