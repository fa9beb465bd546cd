"""Write the view as one file that opens offline, by double click.

The page holds the front-end, the packed data and the static pictures, which the view replaces: they
show where no scripts run, or a server forbids them. A content security policy lets the browser run
that one script and load nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from aidge_nb.core.text import html_text
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.mime import summary
from aidge_nb.widgets.still.question import draw_covered
from aidge_nb.widgets.still.svg.picture import paper_svgs, scene_svgs
from aidge_nb.widgets.wire.payload import compress

BUNDLE = Path(__file__).parent.parent / "static" / "workbench.js"
"""The front-end, built from ``frontend/``."""

_TEMPLATES = Path(__file__).parent / "templates"
_PAGE = (_TEMPLATES / "page.html.in").read_text("utf-8")
_PAPER_STYLE = (_TEMPLATES / "paper.css").read_text("utf-8")
"""How a page is printed: pictures in place of the view, each whole on a sheet of A4."""


def _paper(scene: Scene) -> str:
    """Write what is printed: pictures, and what the findings say that is not in them."""
    pictures = paper_svgs(scene)
    heard = "".join(re.findall(r"<text[^>]*>[^<]*", "".join(pictures.values())))
    cards = [card for card in scene.findings if html_text(card.figure) not in heard]
    lines = [*scene.notes, *(card.words(scene.names.path) for card in cards)]
    head = "" if "overview" in pictures else f"<h2>{html_text(summary(scene))}</h2>"
    said = head + "".join(f"<p>{html_text(line)}</p>" for line in lines)
    figures = "".join(f"<figure>{svg}</figure>" for svg in pictures.values())
    return f'<div class="paper{" said" if said else ""}">{said}{figures}</div>'


def pack_page(scene: Scene, opened: Mapping[str, object] | None = None) -> str:
    """Pack a scene for a page: base64 of gzip of the JSON's length, the JSON and the columns."""
    meta, columns = scene.payload()
    if opened:
        meta = {**meta, "opened": opened}
    return base64.b64encode(compress(meta, columns)).decode()


def to_html(scene: Scene, title: str = "", *, opened: Mapping[str, object] | None = None) -> str:
    """Write a scene as one self-contained page.

    Parameters
    ----------
    scene
        What to show.
    title
        Title of the page; by default that of the scene.
    opened
        Initial state of the page, by the front-end's names: ``panels``,
        ``selected``, ``query``, ``clock``, ``timeRange``, ``tick``, ``step``, ``theme``. Live
        views pass what they show. A page that opens ``covered`` has no static pictures but that of
        its ``question``.

    Returns
    -------
    str
        The HTML text, below 3 MB for 500 nodes.

    Examples
    --------
    >>> from aidge_nb.widgets import build_scene
    >>> page = to_html(build_scene(title="LeNet"))
    >>> page.splitlines()[0], "<title>LeNet</title>" in page
    ('<!DOCTYPE html>', True)
    """
    if title:
        scene = replace(scene, title=title)
    script = BUNDLE.read_text(encoding="utf-8")
    is_covered = bool(opened and opened.get("covered"))
    asked = str((opened or {}).get("question") or scene.title)
    pictures = [draw_covered(asked)] if is_covered else scene_svgs(scene).values()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _PAGE.format(
        hash=f"sha256-{digest}",
        title=html_text(scene.title),
        pictures="\n".join(pictures),
        paper="" if is_covered else _paper(scene),
        paper_style="" if is_covered else _PAPER_STYLE,
        data=pack_page(scene, opened),
        script=script,
    )
