"""Put pictures below each other, as one picture that says what all of them say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aidge_nb.widgets.still.svg.parts import PAPER, number, rect

_PICTURE = re.compile(
    r'<svg (?P<head>[^>]*?)width="(?P<wide>[\d.]+)" height="(?P<high>[\d.]+)" viewBox="[^"]*"'
    r'(?P<role>[^>]*?)aria-label="(?P<label>[^"]*)"(?P<look>[^>]*)><title>(?P<title>[^<]*)</title>'
    r"(?:<desc>(?P<desc>[^<]*)</desc>)?(?P<inside>.*)</svg>",
    re.DOTALL,
)


def stacked(svgs: Sequence[str]) -> str:
    """Stack pictures that this package drew; the first gives the style of all.

    Examples
    --------
    >>> from aidge_nb.widgets.still.svg.parts import document
    >>> both = stacked([document(90, 40, "Is it?", []), document(60, 30, "Graph", [])])
    >>> both[both.index("width") : both.index(" viewBox")], "<title>Is it? Graph</title>" in both
    ('width="90" height="70"', True)
    """
    found = [each for each in map(_PICTURE.fullmatch, svgs) if each is not None]
    if len(found) < 2:
        return svgs[0]
    wide = max(float(each["wide"]) for each in found)
    drawn, high = list[str](), 0.0
    for each in found:
        place = f'transform="translate(0 {number(high)})"' if high else ""
        drawn.append(f"<g {place}>{each['inside']}</g>" if place else each["inside"])
        high += float(each["high"])
    first = found[0]
    label, title, desc = (_joined([each[name] for each in found]) for name in _SAID)
    size = f"{number(wide)} {number(high)}"
    across, down = size.split()
    return (
        f'<svg {first["head"]}width="{across}" height="{down}" viewBox="0 0 {size}"'
        f'{first["role"]}aria-label="{label}"{first["look"]}><title>{title}</title>'
        + (f"<desc>{desc}</desc>" if desc else "")
        + rect(0, 0, wide, high, f'fill="{PAPER}"')
        + f"{''.join(drawn)}</svg>"
    )


_SAID = ("label", "title", "desc")


def _joined(texts: Sequence[str | None]) -> str:
    """Join what pictures say, each a sentence; what two of them say is said once."""
    said = list(dict.fromkeys(text for text in texts if text))
    return " ".join(
        [*(text if text[-1] in ".?!" else f"{text}." for text in said[:-1]), *said[-1:]]
    )
