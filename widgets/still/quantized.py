"""Draw a quantized network: error of each layer, and the range of one with what is clipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aidge_nb.widgets.shared import COLOURS
from aidge_nb.widgets.still.svg.parts import AT_END, LINE, SMALL, document, fit, line, rect, text
from aidge_nb.widgets.text import count_text, size_text

_WIDTH, _ROW, _TOP = 720.0, 24.0, 76.0
_LEFT, _BAR = 140.0, 220.0  # where bars begin, and how long the longest is
_ALONE, _WIDE, _FLOAT = 548.0, 626.0, _WIDTH - 16  # where columns of numbers end
_HIGH, _PAD = 110.0, 16.0
_LIGHT = COLOURS["light"]


def draw_quantized(facts: Mapping[str, Any], chosen: str | None = None) -> str:
    """Draw the rows of :func:`.scene.quantized.quantized_facts`, and the range of one of them.

    Parameters
    ----------
    facts
        What is known of the network.
    chosen
        The row whose range is drawn; by default the one with the least decibels.
    """
    rows = facts["rows"]
    known = [row for row in rows if row["tensor"]]
    least = min(known, key=lambda row: _decibels(row["tensor"]["sqnr"]), default=None)
    shown = next((row for row in known if row["name"] == chosen), least)
    parts = [*_head(facts), *_rows(rows, facts["kinds"])]
    bottom = _TOP + _ROW * len(rows) + 24
    if shown:
        parts += _range(shown, bottom)
        bottom += _HIGH + 44
    return document(_WIDTH, bottom, f"Quantized network. {said(facts)}", parts)


def said(facts: Mapping[str, Any]) -> str:
    """Say what quantizing changed, in one line."""
    sqnr = "no error" if facts["sqnr"] is None else f"{facts['sqnr']:.1f} dB"
    (peak, now), (bytes_, rest) = facts["peak"], facts["parameters"]
    macs, whole = facts["macs"]
    share = f"{whole / macs:.0%} of {count_text(macs)} MACs on codes" if macs else "no MACs"
    return (
        f"Outputs {sqnr}; peak {size_text(peak)} → {size_text(now)}; "
        f"parameters {size_text(bytes_)} → {size_text(rest)}; {share}"
    )


def _decibels(value: float | None) -> float:
    return float("inf") if value is None else value


def _words(value: float | None) -> str:
    return "no error" if value is None else f"{value:.1f}"


def _head(facts: Mapping[str, Any]) -> Iterator[str]:
    yield text(_PAD, 24, said(facts), 'font-weight="600"')
    for x, label, extra in (
        (_PAD, "layer", ""),
        (_LEFT, "error of its result, dB; line: worst channel", ""),
        (_ALONE, "outputs, it alone on codes, dB", AT_END),
        (_FLOAT, f"more bytes: {facts['kinds'][1]}, in float", AT_END),
    ):
        yield text(x, _TOP - 14, label, f"{SMALL} {extra}".strip())


def _rows(rows: list[Mapping[str, Any]], kinds: list[str]) -> Iterator[str]:
    found = [_decibels(row["tensor"]["sqnr"]) for row in rows if row["tensor"]]
    longest = max((each for each in found if each < float("inf")), default=1.0)
    for number, row in enumerate(rows):
        y = _TOP + _ROW * number
        is_wide = row["on"] == 1
        yield text(_PAD, y + 14, fit(row["name"], _LEFT - _PAD - 8 - 40 * is_wide))
        if is_wide:
            yield text(_LEFT - 8, y + 14, kinds[1], f"{SMALL} {AT_END}")
        tensor = row["tensor"]
        if tensor is None:
            yield text(_LEFT, y + 14, "in float" if row["on"] == 2 else "no codes")
        else:
            sqnr = min(_decibels(tensor["sqnr"]), longest)
            channel, worst = tensor["worst"]
            wide = _BAR * max(0.0, sqnr) / longest
            yield rect(_LEFT, y + 3, wide, 15, f'fill="{_LIGHT["accent"]}"')
            at = _LEFT + _BAR * max(0.0, min(_decibels(worst), longest)) / longest
            yield line(at, y, at, y + 21, f'stroke="{_LIGHT["warn"]}" stroke-width="2"')
            label = f"{_words(tensor['sqnr'])}; channel {channel}: {_words(worst)}"
            yield text(_LEFT + wide + 8, y + 14, label, SMALL)
        if row["on"] is not None:
            yield text(_ALONE, y + 14, _words(row["alone"]), AT_END)
            for x, size in zip((_WIDE, _FLOAT), row["more"], strict=True):
                yield text(x, y + 14, f"+{size:,}", AT_END)


def _range(row: Mapping[str, Any], top: float) -> Iterator[str]:
    tensor = row["tensor"]
    (low, high), (first, last) = tensor["range"], tensor["observed"]
    start, stop = min(low, first), max(high, last)
    scale = (_WIDTH - 2 * _PAD) / ((stop - start) or 1.0)
    bars = tensor["bars"]
    step = (last - first) / len(bars)
    yield text(_PAD, top + 8, f"{row['name']}: {range_said(tensor)}", 'font-weight="600"')
    base = top + 20 + _HIGH - 20
    for number, bar in enumerate(bars):
        left = first + step * number
        inside = low <= left + step / 2 <= high
        colour = _LIGHT["accent" if inside else "warn"]
        tall = bar * (_HIGH - 24)
        x = _PAD + (left - start) * scale
        yield rect(x, base - tall, max(1.0, step * scale - 1), tall, f'fill="{colour}"')
    yield line(_PAD, base, _WIDTH - _PAD, base, f'stroke="{LINE}"')
    for value, extra in ((low, ""), (high, AT_END)):
        x = _PAD + (value - start) * scale
        look = f'stroke="{_LIGHT["ink"]}" stroke-dasharray="4 3"'
        yield line(x, top + 16, x, base + 4, look)
        yield text(x, base + 18, f"{value:.3g}", f"{SMALL} {extra}".strip())


def range_said(tensor: Mapping[str, Any]) -> str:
    """Say what the range of a tensor is, and how much of it is clipped."""
    (low, high), (first, last) = tensor["range"], tensor["observed"]
    share = f"{tensor['clipped']:.2%} clipped" if tensor["clipped"] else "nothing clipped"
    return (
        f"codes from {low:.3g} to {high:.3g}, numbers from {first:.3g} to {last:.3g}; {share} "
        "(bars: how many numbers, logarithmic)"
    )
