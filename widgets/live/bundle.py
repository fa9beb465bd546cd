"""Build the output that a notebook keeps of a live view; a host shows one of its forms.

The forms are our own type, which the extension of JupyterLab shows as the live view, or as the
picture where the view is gone; the standard type of widgets; pictures; and a line of text. The page
"What each host shows" of the documentation says which host takes which.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from aidge_nb.widgets.shared import SAVED
from aidge_nb.widgets.still.saved import NO_PICTURES, SavedPictures

Bundle = dict[str, Any]

_OF_SERVERS = ("VOILA_REQUEST_URL", "VOILA_BASE_URL")
"""Variables of kernels whose cells run without a reader, for a page that has one."""


def live_bundle(
    model_id: str | None, text: str, pictures: SavedPictures = NO_PICTURES
) -> tuple[Bundle, Bundle]:
    """Return a view, which notebooks prefer, with pictures for where it cannot run; and metadata.

    A run without a reader, as of ``jupyter nbconvert --execute``, keeps the pictures alone: pages
    made from the standard type need a network to show anything.

    Examples
    --------
    >>> forms, _ = live_bundle("42", "a view", SavedPictures({"image/png": "iVBOR"}, {}))
    >>> sorted(forms)
    ['application/vnd.aidge-nb.view+json', 'application/vnd.jupyter.widget-view+json',
     'image/png', 'text/plain']
    """
    view = {"version_major": 2, "version_minor": 0, "model_id": model_id}
    kinds = [] if is_unwatched() and pictures.forms else [SAVED["widget"], SAVED["view"]]
    forms = {**{kind: dict(view) for kind in kinds}, "text/plain": text, **pictures.forms}
    return forms, dict(pictures.told)


def is_unwatched() -> bool:
    """Return whether a program runs the notebook, and no page is open that could show a widget.

    nbclient, which nbconvert, papermill and site builders use, lets cells ask for no input and
    names no cell; the front-ends of notebooks do either. Voila runs cells with nbclient, but shows
    widgets.

    Examples
    --------
    >>> is_unwatched()  # not in a notebook
    False
    """
    if any(name in os.environ for name in _OF_SERVERS):
        return False
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    get_parent = getattr(getattr(shell, "kernel", None), "get_parent", None)
    request = get_parent() if get_parent is not None else None
    if not isinstance(request, dict) or "allow_stdin" not in request.get("content", {}):
        return False
    return not request["content"]["allow_stdin"] and "cellId" not in request.get("metadata", {})
