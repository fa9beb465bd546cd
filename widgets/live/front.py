"""Send the front-end as a model of its own, so that it is saved once and not for each view.

It travels compressed, so that a notebook which keeps it is small. A view sends a few lines of
JavaScript that get this model from the widget manager and import its source; views of one page
share the module.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from pathlib import Path

import ipywidgets
import traitlets

from aidge_nb.widgets.still.html import BUNDLE

LOADER = Path(__file__).with_name("loader.js").read_text("utf-8")


class FrontEnd(ipywidgets.Widget):  # type: ignore[misc]  # ipywidgets ships no types
    """The bundle of the views. Made by :func:`front_end`."""

    source = traitlets.Unicode().tag(sync=True)  # base64: saved state of such models has no bytes
    digest = traitlets.Unicode().tag(sync=True)

    def __init__(self) -> None:
        source = BUNDLE.read_bytes()
        digest = hashlib.sha256(source).hexdigest()[:16]
        packed = base64.b64encode(gzip.compress(source, mtime=0)).decode()
        super().__init__(source=packed, digest=digest)

    def __repr__(self) -> str:
        return f"FrontEnd({len(self.source)} characters)"


_known: list[FrontEnd] = []


def front_end() -> FrontEnd:
    """Return the front-end of this kernel; make one when there is none, or it was closed."""
    if not _known or _known[0].comm is None:
        _known[:] = [FrontEnd()]
    return _known[0]
