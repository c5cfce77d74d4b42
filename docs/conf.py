"""How sphinx builds the documentation: `make docs`. Nothing here or in the pages reaches for the network."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent)]

import w2v  # noqa: E402

project = "w2v"
author = "The w2v developers"
copyright = f"{author}. Apache-2.0"
version = release = w2v.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "docstrings", "mathml", "command_help"]
exclude_patterns = ["_build"]

# pages in Markdown, which a reader of the repository sees as well
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

# the reference, from docstrings in numpydoc form; names in single backticks are links where they are public
default_role = "name"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings have them
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_ivar = False
napoleon_use_rtype = False
python_maximum_signature_line_length = 100

html_theme = "furo"
html_title = f"w2v {version}"
html_copy_source = False
html_show_sphinx = False
