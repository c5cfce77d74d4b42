"""Figures: labels that never overlap, fonts that hold the words, files that appear whole and hold no date."""

import sys

import numpy as np
import pytest

import w2v
from w2v.errors import FileAccessError, FormatError, MissingExtraError, SettingsError
from w2v.geometry import map_words, measure
from w2v.reports import check_figure_target, draw_geometry, draw_map
from w2v.reports.labels import Box, place_labels

pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory):
    """Keep matplotlib's list of fonts in one place for all tests here, as each has a home of its own."""
    before = pytest.MonkeyPatch()
    before.setenv("MPLCONFIGDIR", str(tmp_path_factory.mktemp("matplotlib")))
    yield
    before.undo()


@pytest.fixture
def embedding():
    rng = np.random.default_rng(4)
    words = ["$x_1$", "tab\there", *(f"word{i}" for i in range(58))]
    return w2v.Embedding(w2v.Vocabulary(words, np.arange(60, 0, -1)), rng.standard_normal((60, 5)))


# -------------------------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize("points", [5, 60, 400])
def test_labels_do_not_overlap_and_stay_inside(points):
    rng = np.random.default_rng(points)
    places = (rng.standard_normal((points, 2)) * 60 + 300).tolist()
    sizes = [(float(rng.integers(10, 90)), 12.0) for _ in range(points)]
    frame = Box(0, 0, 600, 600)
    boxes = place_labels(places, sizes, frame)
    placed = [box for box in boxes if box is not None]
    for i, box in enumerate(placed):
        assert box.inside(frame)
        assert not any(box.overlaps(other) for other in placed[:i])
    assert len(boxes) == points and (points > 60 or len(placed) == points)
    for box, (width, height) in zip(boxes, sizes, strict=True):
        assert box is None or (box.right - box.left, box.top - box.bottom) == pytest.approx((width, height))
    assert boxes == place_labels(places, sizes, frame)


def test_a_lone_label_stands_right_of_its_point():
    (box,) = place_labels([(100, 100)], [(40, 10)], Box(0, 0, 300, 300), gap=4)
    assert box == pytest.approx((104, 95, 144, 105))
    (box,) = place_labels([(280, 100)], [(40, 10)], Box(0, 0, 300, 300), gap=4)
    assert box.right == pytest.approx(276), "left, where the right is outside"
    assert place_labels([(5, 5)], [(40, 10)], Box(0, 0, 20, 20)) == [None]


# ------------------------------------------------------------------------------------------------------- figures


@pytest.mark.parametrize(("name", "start"), [("m.png", b"\x89PNG"), ("m.svg", b"<?xml"), ("m.pdf", b"%PDF")])
def test_a_map_is_drawn_the_same_twice(embedding, tmp_path, name, start):
    drawn = map_words(embedding, embedding.words[:20], analogies=[("word1", "word2", "word3", "word4")])
    told = draw_map(drawn, name, title="two $ signs $")
    first = (tmp_path / name).read_bytes()
    assert first.startswith(start) and told.left_out == () and told.hint is None
    with pytest.raises(FileAccessError, match="--force"):
        draw_map(drawn, name)
    draw_map(drawn, name, title="two $ signs $", force=True)
    assert (tmp_path / name).read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_labels_without_room_are_told(embedding):
    told = draw_map(map_words(embedding, embedding.words), "small.png", width=1.5, height=1.2, font_size=12)
    assert told.left_out and set(told.left_out) <= {*embedding.words, "tab\\there"}


def test_a_report_is_drawn(embedding, tmp_path):
    draw_geometry(measure(embedding), "g.png", title="a $ b")
    draw_geometry(measure(embedding, reference=False), "g.svg")
    flat = w2v.Embedding(embedding.vocabulary, np.ones((60, 3)))
    draw_geometry(measure(flat), "flat.pdf")
    assert {path.name for path in tmp_path.iterdir()} == {"g.png", "g.svg", "flat.pdf"}
    assert "Length against frequency" in (tmp_path / "g.svg").read_text()


def test_a_table_without_counts_is_not_said_to_have_frequencies(embedding, tmp_path):
    table = w2v.Embedding(embedding.vocabulary, embedding.W, provenance={"counts": "not in the file"})
    draw_geometry(measure(table), "g.svg")
    assert "Length against place in the file" in (tmp_path / "g.svg").read_text()


def test_a_file_that_cannot_be_drawn_is_refused_early(tmp_path, monkeypatch):
    with pytest.raises(SettingsError, match=r"png, svg, pdf.*map\.jpg"):
        check_figure_target("map.jpg")
    with pytest.raises(FileAccessError, match="no folder"):
        check_figure_target("nowhere/map.png")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"w2v\[reports\]"):
        check_figure_target("map.png")


# --------------------------------------------------------------------------------------------------------- fonts


@pytest.fixture
def font(tmp_path):
    """A font that holds two Chinese characters and nothing else."""
    builder = pytest.importorskip("fontTools.fontBuilder")
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    for move, place in (("moveTo", (0, 0)), ("lineTo", (0, 800)), ("lineTo", (800, 800)), ("lineTo", (800, 0))):
        getattr(pen, move)(place)
    pen.closePath()
    square = pen.glyph()
    font = builder.FontBuilder(1000, isTTF=True)
    names = [".notdef", "moon", "spring"]
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord("月"): "moon", ord("春"): "spring"})
    font.setupGlyf(dict.fromkeys(names, square))
    font.setupHorizontalMetrics(dict.fromkeys(names, (1000, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Two Characters", "styleName": "Regular"})
    font.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    font.setupPost()
    path = tmp_path / "two.ttf"
    font.save(path)
    return path


@pytest.fixture
def _few_fonts(monkeypatch):
    """Let only matplotlib's own fonts be installed, whatever this machine has."""
    from matplotlib import font_manager

    own = [f for f in font_manager.fontManager.ttflist if f.name.startswith("DejaVu")]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)


@pytest.mark.usefixtures("_few_fonts")
def test_characters_that_no_font_has_are_told_with_what_to_do(font):
    words = ["月", "春", "moon", "秋"]
    poems = w2v.Embedding(w2v.Vocabulary(words, [4, 3, 2, 1]), np.random.default_rng(1).standard_normal((4, 3)))
    drawn = map_words(poems, words)
    told = draw_map(drawn, "without.png")
    assert "3 of the characters (春 月 秋)" in told.hint and "fonts-noto-cjk" in told.hint and "--font" in told.hint
    told = draw_map(drawn, "with.png", font_file=font)
    assert "1 of the characters (秋)" in told.hint
    assert draw_map(map_words(poems, words[:3]), "svg.svg", font_file=font).hint is None


@pytest.mark.usefixtures("_few_fonts")
def test_an_installed_font_is_found_by_what_it_holds(font):
    from matplotlib import font_manager

    from w2v.reports.fonts import find_fonts

    assert find_fonts(["moon 12é"]).families == ("DejaVu Sans",)
    font_manager.fontManager.addfont(str(font))
    found = find_fonts(["春月"])
    assert found.families == ("DejaVu Sans", "Two Characters") and found.hint() is None


def test_a_file_that_is_no_font_is_refused(tmp_path):
    from w2v.reports.fonts import find_fonts

    (tmp_path / "no.ttf").write_bytes(b"nothing of the kind")
    with pytest.raises(FormatError, match="not a font"):
        find_fonts(["a"], "no.ttf")
    with pytest.raises(FormatError, match="no such file"):
        find_fonts(["a"], "missing.ttf")
