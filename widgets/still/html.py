"""Write the view as one file that opens offline, by double click.

The page holds the front-end, the packed data and the static pictures, which the view replaces: they
show where no scripts run, or a server forbids them. A content security policy lets the browser run
that one script and load nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from aidge_nb.core.text import html_text
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.svg.picture import scene_svgs
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
</style>
</head>
<body>
<main id="aidge-nb-view"><h1>{title}</h1></main>
<noscript><style>.still {{ animation: none; }}</style></noscript>
<section class="still">
<h2>{title}</h2>
<p>The interactive view needs JavaScript. These are its pictures.</p>
{pictures}
</section>
<script type="text/plain" id="aidge-nb-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


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
        views pass what they show. A page that opens ``covered`` has no static pictures.

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
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _PAGE.format(
        hash=f"sha256-{digest}",
        title=html_text(scene.title),
        pictures="" if is_covered else "\n".join(scene_svgs(scene).values()),
        data=pack_page(scene, opened),
        script=script,
    )
