"""Standing in for gensim: with and without it, and what programs that import it find."""

import importlib
import importlib.metadata
import importlib.util
import re
import subprocess
import sys
import textwrap

import pytest
from commands import ROOT

import w2v.compat.gensim
from w2v.compat.gensim import KeyedVectors, SubstitutionWarning, Word2Vec
from w2v.errors import SettingsError

NINE = [["graph", "minors", "trees"], ["graph", "trees"], ["user", "time"]] * 3
REAL = {
    "__init__.py": "from gensim import models\n__version__ = '4.9.9'\n",
    "utils.py": "REAL = True\n",
    "models/__init__.py": """
        from gensim.models.callbacks import CallbackAny2Vec
        from gensim.models.keyedvectors import KeyedVectors
        from gensim.models.word2vec import Word2Vec
        from gensim.models.doc2vec import Doc2Vec
        """,
    "models/callbacks.py": "class CallbackAny2Vec: ...\n",
    "models/keyedvectors.py": "class KeyedVectors: ...\n",
    "models/word2vec.py": "class Word2Vec: ...\nclass LineSentence: ...\n",
    "models/doc2vec.py": "from gensim.models.word2vec import Word2Vec\nclass Doc2Vec(Word2Vec): ...\n",
}


@pytest.fixture(autouse=True)
def _as_it_was():
    yield
    w2v.compat.gensim.uninstall()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("gensim", "program")]:
        del sys.modules[name]


@pytest.fixture
def real(tmp_path, monkeypatch):
    """Something in the shape of gensim that can be imported."""
    for name, text in REAL.items():
        path = tmp_path / "site" / "gensim" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(tmp_path / "site")
    importlib.invalidate_caches()


@pytest.fixture
def absent(monkeypatch):
    """No gensim, be it installed here or not."""
    monkeypatch.setattr(w2v.compat.gensim.installing, "_real_gensim", lambda: None)


@pytest.mark.usefixtures("absent")
def test_without_gensim_modules_of_its_names_stand_in():
    w2v.compat.gensim.install()
    import gensim
    import gensim.models
    from gensim.models import Word2Vec as First
    from gensim.models.basemodel import BaseTopicModel
    from gensim.models.callbacks import CallbackAny2Vec
    from gensim.models.keyedvectors import KeyedVectors as Third
    from gensim.models.word2vec import MAX_WORDS_IN_BATCH, LineSentence
    from gensim.models.word2vec import Word2Vec as Second
    from gensim.utils import RULE_KEEP

    assert First is Second is gensim.models.Word2Vec is Word2Vec and Third is KeyedVectors
    assert MAX_WORDS_IN_BATCH > 0 and RULE_KEEP == 2 and LineSentence and BaseTopicModel and CallbackAny2Vec
    assert int(gensim.__version__.split(".")[0]) == 4 and "4.0.0" < importlib.metadata.version("gensim") < "5"
    assert len(gensim.models.Word2Vec(NINE, min_count=1, vector_size=4, workers=1).wv) == 5
    with pytest.raises(ImportError, match="w2v stands in for gensim"):
        importlib.import_module("gensim.models.doc2vec")
    with pytest.raises(ImportError, match="Doc2Vec"):
        exec("from gensim.models import Doc2Vec")
    with pytest.raises(AttributeError, match=r"gensim\.corpora is not here"):
        gensim.corpora  # noqa: B018
    w2v.compat.gensim.uninstall()
    assert not [name for name in sys.modules if name.startswith("gensim")]
    if importlib.util.find_spec("gensim") is None:
        with pytest.raises(importlib.metadata.PackageNotFoundError):
            importlib.metadata.version("gensim")


@pytest.mark.usefixtures("real")
def test_beside_gensim_its_other_parts_stay():
    import gensim.models

    before = gensim.models.Word2Vec
    w2v.compat.gensim.install()
    w2v.compat.gensim.install()  # twice is once
    import gensim.utils
    from gensim.models.word2vec import LineSentence

    assert gensim.models.Word2Vec is gensim.models.word2vec.Word2Vec is Word2Vec and gensim.utils.REAL
    assert LineSentence is w2v.compat.gensim.LineSentence and gensim.models.KeyedVectors is KeyedVectors
    assert issubclass(gensim.models.Doc2Vec, before) and gensim.__version__ == "4.9.9"
    w2v.compat.gensim.uninstall()
    assert gensim.models.Word2Vec is gensim.models.word2vec.Word2Vec is before
    assert importlib.import_module("gensim.models.word2vec").Word2Vec is before


@pytest.mark.usefixtures("real")
def test_who_has_taken_the_classes_before_is_named(tmp_path, monkeypatch):
    (tmp_path / "program.py").write_text("from gensim.models import KeyedVectors, Word2Vec\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("program")
    with pytest.warns(UserWarning, match=r"program\.KeyedVectors, program\.Word2Vec came from gensim"):
        w2v.compat.gensim.install()


@pytest.mark.usefixtures("absent")
def test_what_is_not_here_may_be_substituted_with_a_warning():
    with pytest.raises(SettingsError, match="sg=0"):
        Word2Vec(NINE, sg=0)
    w2v.compat.gensim.install(substitute=True)
    with pytest.warns(SubstitutionWarning, match=r"CBOW \(sg=0\) and hierarchical softmax \(hs=1\)"):
        model = Word2Vec(NINE, sg=0, hs=1, negative=0, min_count=1, vector_size=4, workers=1)
    assert (model.sg, model.hs, model.negative) == (1, 0, 5)
    with pytest.raises(SettingsError, match="negative=0"):
        Word2Vec(NINE, negative=0)
    w2v.compat.gensim.uninstall()
    with pytest.raises(SettingsError, match="hs=1"):
        Word2Vec(NINE, hs=1)


def test_only_the_import_of_a_program_needs_changing():
    program = """
        from w2v.compat import gensim
        from w2v.compat.gensim.models import KeyedVectors
        from w2v.compat.gensim.models.callbacks import CallbackAny2Vec
        from w2v.compat.gensim.models.keyedvectors import REAL, Word2VecKeyedVectors, pseudorandom_weak_vector
        from w2v.compat.gensim.models.word2vec import LineSentence, Word2Vec
        assert gensim.models.Word2Vec is gensim.Word2Vec is Word2Vec and gensim.KeyedVectors is KeyedVectors
        first, second = pseudorandom_weak_vector(9, "a"), pseudorandom_weak_vector(9, "a")
        assert (first == second).all() and abs(first).max() <= 0.5 / 9 and first.dtype == REAL
        """
    exec(textwrap.dedent(program), {})
    assert "gensim" not in sys.modules and set(dir(w2v.compat.gensim)) == set(w2v.compat.gensim.__all__)
    with pytest.raises(AttributeError, match="Doc2Vec"):
        w2v.compat.gensim.Doc2Vec  # noqa: B018


@pytest.mark.usefixtures("absent")
def test_the_page_about_gensim_does_as_it_says(capsys):
    page = (ROOT / "docs" / "gensim.md").read_text(encoding="utf-8")
    snippets = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert len(snippets) == 2
    for snippet in snippets:
        exec(snippet, {})
    assert capsys.readouterr().out.count("\n") == 3


def test_vectors_alone_never_load_the_kernels():
    program = """
        import sys
        from w2v.compat.gensim import KeyedVectors
        vectors = KeyedVectors(2)
        vectors.add_vectors(["a", "b"], [[1, 0], [1, 1]])
        assert vectors.most_similar("a")[0][0] == "b"
        assert "numba" not in sys.modules and "scipy" not in sys.modules
        """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)
