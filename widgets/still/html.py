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

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '{hash}'; \
style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="aidge_nb">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
body {{ margin: 0; font-family: system-ui, sans-serif; }}
main > h1 {{ position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; \
clip-path: inset(50%); white-space: nowrap; }}
.still > *, [role=alert] {{ display: block; margin: 16px; }}
.still {{ animation: late 1s; }}
@keyframes late {{ from, to {{ visibility: hidden; }} }}
svg {{ max-width: 100%; height: auto; }}
.paper {{ display: none; }}
{paper_style}</style>
</head>
<body>
<main id="aidge-nb-view"><h1>{title}</h1></main>
<noscript><style>.still {{ animation: none; }}</style></noscript>
<section class="still">
<h2>{title}</h2>
<p>The interactive view needs JavaScript. These are its pictures.</p>
{pictures}
</section>
{paper}
<script type="text/plain" id="aidge-nb-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""

_PAPER_STYLE = """\
@page { margin: 10mm; }
@media print {
:root { color-scheme: light; }
body { background: #fff !important; color: #000; font-size: 10.5pt; }
main, .still { display: none !important; }
.paper { display: block; }
.paper :is(h2, p) { margin: 0 0 1.5mm; font-size: inherit; }
.paper figure { margin: 0 0 4mm; break-inside: avoid; }
.paper svg { display: block; max-height: 262mm; }
}
@media print and (orientation: landscape) {
.paper svg { max-height: 178mm; }
.said svg { max-height: 152mm; }
}
"""
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
