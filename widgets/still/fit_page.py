"""Write "Fit it in 16 KB" as one file that opens offline, and draw one of its states.

The page holds the front-end and all states, for it has no Python. A content security policy lets
the browser run that one script and load nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aidge_nb.core.text import html_text
from aidge_nb.widgets.shared import COLOURS
from aidge_nb.widgets.still.svg.parts import AT_END, CENTRED, document, line, rect, text

FIT_BUNDLE = Path(__file__).parent.parent / "static" / "fit.js"
"""The front-end of the page, built from ``frontend/src/fit``."""

TITLE = "Fit it in 16 KB"
WIDTH, HEIGHT, LEFT, BOTTOM = 720, 300, 64, 36  # of the picture, in pixels

_PAGE = (Path(__file__).parent / "templates" / "fit_page.html.in").read_text("utf-8")


def fit_page(
    facts: Mapping[str, Any], states: Mapping[str, Mapping[str, Any]], runs: Mapping[str, str]
) -> str:
    """Return the page.

    Parameters
    ----------
    facts
        Levels and moves.
    states, runs
        The state of each choice, and words on its run, by key; the first state is the start.
    """
    script = FIT_BUNDLE.read_text("utf-8").replace("</", r"<\/")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    data = json.dumps({"facts": facts, "states": states, "runs": runs}, separators=(",", ":"))
    first = next(iter(states.values()))
    return _PAGE.format(
        hash=f"sha256-{digest}",
        title=TITLE,
        picture=draw_fit(first, facts["levels"][0]["budget"]),
        text=html_text(first["text"]),
        data=data.replace("<", r"\u003c"),
        script=script,
    )


def draw_fit(state: Mapping[str, Any], budget: int) -> str:
    """Draw memory over time, with the budget of level 1 as a line, as SVG."""
    colours, ticks = COLOURS["light"], len(state["order"])
    top: float = max(state["peak"], budget) * 1.04

    def x(tick: float) -> float:
        return LEFT + (WIDTH - LEFT - 8) * tick / ticks

    def y(at: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 10) * (at / top)

    parts: list[str] = []
    beside: list[str] = []
    for name, lower, upper, offset, size in state["blocks"]:
        left, width = x(lower), x(upper) - x(lower)
        high, height = y(offset + size), y(offset) - y(offset + size)
        look = f'fill="{COLOURS["board"]["block"]}" stroke="{colours["paper"]}"'
        parts.append(rect(left, high, width, height, look))
        if width > 6.2 * len(name) and height > 13:
            middle = left + width / 2, high + height / 2 + 4
            parts.append(text(*middle, name, f'font-size="11" fill="#fff" {CENTRED}'))
        elif height > 4:  # too thin for a name inside
            beside.append(text(left + width + 4, high + height / 2 + 1, name, 'font-size="11"'))
    parts += beside
    for tick, name in enumerate(state["order"] if ticks <= 12 else ()):
        parts.append(text(x(tick + 0.5), HEIGHT - 14, name, f'font-size="11" {CENTRED}'))
    limit, warn = y(budget), colours["warn"]
    dashed = f'stroke="{warn}" stroke-width="2" stroke-dasharray="6 3"'
    parts.append(line(LEFT, limit, WIDTH, limit, dashed))
    small = f'font-size="11" fill="{warn}" {AT_END}'
    parts.append(text(WIDTH - 8, limit - 6, f"level 1 allows {budget:,} bytes", small))
    return document(WIDTH, HEIGHT, state["text"], parts)
