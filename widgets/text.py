"""Write text for the views: shortened names, readable sizes and counts.

Units and limits are in ``shared/labels.json``.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from aidge_nb.widgets.shared import LABELS

_NARROW = frozenset("iIjl!|.,:;'`()[]{} ftr")
_WIDE = frozenset("mwMW@%&")


def elide(text: str, limit: int) -> str:
    """Shorten to at most ``limit`` characters, keeping both ends of the name.

    Examples
    --------
    >>> elide("features_0_conv_relu", 11), elide("conv1", 11)
    ('featu…_relu', 'conv1')
    """
    if not text.isidentifier():  # which has no space in it
        text = " ".join(text[: 4 * limit].split()) + text[4 * limit :]
    if len(text) <= limit:
        return text
    if limit <= 1:
        return "…"[:limit]
    tail = (limit - 1) // 2
    return text[: limit - 1 - tail] + "…" + text[len(text) - tail :]


def width_of(text: str, size: float = 12.0) -> float:
    """Estimate the width in pixels of text in a sans-serif font of ``size`` pixels.

    Examples
    --------
    >>> width_of("conv1") < width_of("CONV1") < width_of("CONV1", 14)
    True
    """
    return sum(map(_WIDTHS.__getitem__, text)) / 100 * size


class _Widths(dict[str, int]):
    """Widths of characters in hundredths of the size, each found once."""

    def __missing__(self, char: str) -> int:
        width = 63 if char.isupper() else 56
        if char in _NARROW:
            width = 34
        elif char in _WIDE:
            width = 86
        elif ord(char) >= 0x1100:
            width = 100
        self[char] = width
        return width


_WIDTHS = _Widths()


def size_text(size: int) -> str:
    """Write a number of bytes with three significant figures.

    Examples
    --------
    >>> size_text(0), size_text(1000), size_text(4816896)
    ('0 B', '1000 B', '4.59 MiB')
    """
    return _scaled(size, **LABELS["bytes"])


def count_text(count: int) -> str:
    """Write a count with three significant figures.

    Examples
    --------
    >>> count_text(97), count_text(3504872), count_text(300_774_272)
    ('97', '3.5 M', '301 M')
    """
    return _scaled(count, **LABELS["counts"]).strip()


def _scaled(amount: int, base: int, units: list[str]) -> str:
    value, unit = float(amount), 0
    while abs(value) >= base and unit + 1 < len(units):
        value /= base
        unit += 1
    digits = f"{value:.0f}" if unit == 0 or abs(value) >= 99.95 else _three_figures(value)
    return f"{digits} {units[unit]}"


def _three_figures(value: float) -> str:
    """Round a number below 100 half up, as the browser does, and leave out trailing zeros."""
    places = Decimal("0.01") if abs(value) < 9.995 else Decimal("0.1")
    rounded = str(Decimal(value).quantize(places, ROUND_HALF_UP))
    return rounded.rstrip("0").rstrip(".")


def range_text(first: int, stop: int) -> str:
    """Write a half-open range as views do, with both ends included.

    Examples
    --------
    >>> range_text(13, 15), range_text(14, 15), range_text(0, 4_816_896)
    ('13–14', '14', '0–4,816,895')
    """
    return f"{first:,}–{stop - 1:,}" if stop - first > 1 else f"{first:,}"


def dims_text(dims: tuple[int, ...] | None) -> str:
    """Write dimensions as a picture shows them.

    Examples
    --------
    >>> dims_text((1, 3, 224, 224)), dims_text(()), dims_text(None)
    ('1×3×224×224', 'scalar', '?')
    """
    if dims is None:
        return "?"
    return "×".join(map(str, dims)) if dims else "scalar"
