"""How Sphinx builds the site; `python docs/build.py` gathers the pages and calls it."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from supplements import supplement  # lies beside this file

project = "aidge_nb"
author = "aidge_nb contributors"
copyright = author
version = release = version_of("aidge_nb")
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
html_theme = "furo"
html_title = "aidge_nb"
html_static_path = ["static"]
html_extra_path = ["extra"]  # the report pages of the gallery, made by docs/build.py
html_css_files = ["tables.css"]
nb_execution_mode = "off"  # the committed outputs are shown: they are tests
nb_mime_priority_overrides = [
    ("html", "image/svg+xml", 10),
    ("html", "image/png", 20),
    ("html", "text/html", 30),
    ("html", "text/plain", 40),
]
myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = [(name, "params_style") for name in ("Fields", "Inputs", "Outputs")]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
toc_object_entries_show_parents = "hide"
suppress_warnings = [
    "ref.python",  # one word may be the attribute of several classes
    "mystnb.unknown_mime_type",  # widgets and Mermaid, beside which there is always a picture
]


def setup(app):
    """Let docstrings have what they leave out, before napoleon reads them."""
    app.connect("autodoc-process-docstring", supplement, priority=400)
