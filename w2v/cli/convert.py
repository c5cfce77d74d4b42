"""``w2v convert`` and ``w2v export``: vectors from one format to another, all of them or some."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from w2v.cli.options import json_option, load_model, model_option
from w2v.cli.outputs import after_saving, refuse_inputs, same_file
from w2v.cli.terminal import note, result, result_json, shown
from w2v.errors import FileAccessError, FormatError
from w2v.plurals import counted

if TYPE_CHECKING:
    from w2v.embedding import Embedding

__all__ = ["convert", "export"]

_FORMATS = ("model", "word2vec-text", "word2vec-binary", "glove", "projector", "npz", "parquet", "arrow")
_BY_NAME = (
    "The format.  [default: by the name: .safetensors model, .bin word2vec-binary, .tsv projector, .npz, .parquet, "
    ".arrow; all else word2vec-text; .gz, .bz2, .xz or .zst after it compresses]"
)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _output_options(function: _Function) -> _Function:
    """Add what both commands ask about the file that they write."""
    options = [
        click.option("-o", "--output", required=True, metavar="FILE", help="Where the vectors go."),
        click.option("--to", "--format", "kind", type=click.Choice(_FORMATS), help=_BY_NAME),
        click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the first N words."),
        click.option("--words", "only", metavar="FILE", help="Only the words of this list, one a line."),
        click.option(
            "--vectors",
            type=click.Choice(("w", "c", "w+c", "w,c")),
            help="Word vectors, context vectors, their sum, or [w; c].  [default: w, and c where the format has it]",
        ),
        click.option(
            "--dtype",
            type=click.Choice(("float32", "float16", "int8")),
            default="float32",
            show_default=True,
            help="How a model stores its numbers; the arithmetic is in float32.",
        ),
        click.option("--metadata", metavar="FILE", help="The words, for projector.  [default: NAME.metadata.tsv]"),
        click.option("--verify", "check", is_flag=True, help="Read the file back and compare."),
        click.option("--force", is_flag=True, help="Replace an output file that exists."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@click.command(
    epilog="\b\nExamples:\n  w2v convert GoogleNews-vectors-negative300.bin.gz -o news.safetensors --top 200000\n"
    "  w2v convert glove.6B.50d.txt -o glove.bin\n"
    "  w2v convert bert/model.safetensors --tokens bert/vocab.txt -o bert.safetensors --dtype float16",
)
@click.argument("source", metavar="INPUT")
@_output_options
@click.option("--tokens", metavar="FILE", help="The words of an INPUT without: vocab.txt, JSON, tokenizer.json, TSV.")
@click.option("--tensor", metavar="NAME", help="Which matrix of a .safetensors or .npz INPUT.")
@click.option(
    "--errors",
    type=click.Choice(("replace", "strict")),
    default="replace",
    show_default=True,
    help="Words that are not UTF-8: put U+FFFD and warn, or stop.",
)
@click.option(
    "--duplicates",
    type=click.Choice(("first", "error")),
    default="first",
    show_default=True,
    help="Words that occur again: keep the first and warn, or stop.",
)
@json_option
def convert(
    source: str, tokens: str | None, tensor: str | None, errors: str, duplicates: str, as_json: bool, **output: Any
) -> None:
    """Bring word vectors from one format into another.

    INPUT is recognised by its content: a model, word2vec text or binary, GloVe, fastText .vec and .bin, .npy and
    .npz, any matrix of a safetensors file, projector TSV, Parquet and Arrow; text and binary also compressed.
    """
    from w2v.embedding import load, recognise

    kind = recognise(source)
    embedding = load(source, tokens=tokens, tensor=tensor, errors=errors, duplicates=duplicates)
    asked = {"input": source, "recognised": kind, "tokens": tokens, "tensor": tensor}
    _write(embedding, source, asked, as_json, **output)


@click.command(
    epilog="\b\nExamples:\n  w2v export -o vectors.txt\n  w2v export -o vectors.bin --top 50000\n"
    "  w2v export -o vectors.tsv --vectors w+c",
)
@_output_options
@model_option
@json_option
def export(model: str, as_json: bool, **output: Any) -> None:
    """Write the vectors of a model in another format: word2vec's, GloVe's, the Embedding Projector's, ..."""
    _write(load_model(model), model, {"model": model}, as_json, **output)


def _write(
    embedding: Embedding,
    source: str,
    asked: dict[str, Any],
    as_json: bool,
    *,
    output: str,
    kind: str | None,
    top: int | None,
    only: str | None,
    vectors: str | None,
    dtype: str,
    metadata: str | None,
    check: bool,
    force: bool,
) -> None:
    from w2v.embedding import selection, writing

    for target in filter(None, (output, metadata)):
        if same_file(target, source):
            raise FileAccessError(f"the output {target} is the file that is read; choose another name")
        refuse_inputs(target, [only, asked.get("tokens")])
    if metadata is not None and same_file(metadata, output):
        raise FileAccessError(f"--metadata and --output both name {output}")
    kind = kind or writing.format_for(output)
    if top is not None:
        embedding = selection.top(embedding, top)
    if only is not None:
        embedding = _only(embedding, only)
    if vectors is not None:
        embedding = selection.combined(embedding, vectors)
    if not len(embedding):
        raise FormatError(f"{source} holds no words")
    embedding.norms  # noqa: B018 - NaN and infinity are found here, and the word is named
    writing.write(embedding, output, kind, dtype=dtype, metadata=metadata, force=force)
    if check:
        writing.verify(embedding, output, dtype=dtype, metadata=metadata)
    with after_saving(output):
        if as_json:
            written = {
                "query": {**asked, "format": kind, "top": top, "words": only, "vectors": vectors, "dtype": dtype},
                "output": output,
                "words": len(embedding),
                "vector_size": embedding.vector_size,
                "bytes": Path(output).stat().st_size if Path(output).is_file() else None,
                "verified": check or kind == "projector",
            }
            result_json(written)
        else:
            kind += f", {dtype}" if dtype != "float32" else ""
            verified = "; read back and compared" if check or kind == "projector" else ""
            size = f"{counted(len(embedding), 'word')}, {counted(embedding.vector_size, 'dimension')}"
            result(f"Wrote {size} to {output} ({kind}){verified}")


def _only(embedding: Embedding, path: str) -> Embedding:
    from w2v.embedding import read_tokens, selection

    listed = embedding.vocabulary.parse(word.decode("utf-8", "replace") for word in read_tokens(path).words)
    kept, missing = selection.subset(embedding, listed)
    if missing:
        few = ", ".join(shown(word) for word in missing[:5])
        note(f"{len(missing):,} of the words of {path} are not there: {few}{', ...' if len(missing) > 5 else ''}")
    return kept
