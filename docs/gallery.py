"""Makes the gallery: a report page of each light model of the zoo, and the page that shows them."""

from __future__ import annotations

from html import escape
from pathlib import Path

from aidge_nb.report import Report, study
from aidge_nb.report.offered import OFFERED
from aidge_nb.widgets import to_svg

_TEXT = """# Gallery

What `aidge-nb report` makes of models of the zoo. Each picture opens a page to look around in,
which needs no network. [Make one](howto/own_model.md) of your own file, or
[drop it on a page](howto/browser.md).
"""


def gallery(folder: Path) -> str:
    """Write the report pages and their pictures into a folder; give the page that shows them."""
    folder.mkdir(parents=True, exist_ok=True)
    return "\n".join([_TEXT, *(_entry(study(f"zoo:{name}"), folder) for name in OFFERED)])


def _entry(report: Report, folder: Path) -> str:
    """Write one page and its picture; give the part of the gallery that shows them."""
    name = report.title.replace("@", "_")
    (folder / f"{name}.html").write_text(report.to_html(), "utf-8")
    (folder / f"{name}.svg").write_text(to_svg(report.scene(), "overview"), "utf-8")
    said = escape(report.conclusions()[0])
    title = escape(report.title)
    words = f"Open the report of {title}"
    return f"""## {title}

{len(report.graph.nodes)} operators. {said}

<a class="gallery" href="gallery/{name}.html">
<img src="gallery/{name}.svg" alt="{words}"></a>
"""
