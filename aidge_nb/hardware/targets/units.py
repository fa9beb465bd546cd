"""Sizes, frequencies and times with their units: '64KiB', '200MHz', '10ms'."""

from __future__ import annotations

import re
from math import inf

from aidge_nb.core.errors import HardwareError

_BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_BYTES |= {"kB": 1000, "KB": 1000, "MB": 10**6, "GB": 10**9}
_HERTZ = {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def bytes_of(value: object, where: object) -> int:
    """Read a size in bytes.

    Raise HardwareError for a missing or unknown unit, or a size that is not a positive number of
    bytes.

    Examples
    --------
    >>> bytes_of("64KiB", "l1"), bytes_of("1.5 kB", "l1")
    (65536, 1500)
    """
    size = _read(value, _BYTES, "64KiB", where)
    if size != int(size):
        raise HardwareError.at(
            str(where),
            "must be a whole number of bytes",
            found=repr(value),
            cure="Write whole bytes, or a smaller unit.",
        )
    return int(size)


def hertz_of(value: object, where: object) -> float:
    """Read a frequency in hertz; errors are those of :func:`bytes_of`."""
    return _read(value, _HERTZ, "200MHz", where)


def seconds_of(value: object, where: object) -> float:
    """Read a time in seconds; errors are those of :func:`bytes_of`."""
    return _read(value, _SECONDS, "10ms", where)


def _read(
    value: object, units: dict[str, float] | dict[str, int], example: str, where: object
) -> float:
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*([A-Za-zµ]+)\s*", str(value))
    if found is None or found[2] not in units:
        raise HardwareError.at(
            str(where),
            "needs a number and a unit",
            expected=f"a number like {example}; units are {', '.join(units)}",
            found=repr(value),
            cure=f"Write {value}{next(iter(units))}."
            if isinstance(value, (int, float)) and value > 0
            else f"Write a number above 0 with its unit, such as {example}.",
        )
    number = float(found[1]) * units[found[2]]
    if not 0 < number < inf:
        problem = "must be positive" if number <= 0 else "is too large"
        raise HardwareError.at(
            str(where), problem, expected=example, found=repr(value), cure="Write a number above 0."
        )
    return number


def size_text(size: int) -> str:
    """Write a size with the largest binary unit that leaves no fraction.

    Examples
    --------
    >>> size_text(65536), size_text(1500)
    ('64KiB', '1500B')
    """
    for unit in ("GiB", "MiB", "KiB"):
        if size and size % _BYTES[unit] == 0:
            return f"{size // _BYTES[unit]}{unit}"
    return f"{size}B"


def hertz_text(frequency: float) -> str:
    """Write a frequency with the largest unit that leaves no fraction.

    Examples
    --------
    >>> hertz_text(2e8), hertz_text(32_768)
    ('200MHz', '32768Hz')
    """
    for unit in ("GHz", "MHz", "kHz"):
        if frequency >= _HERTZ[unit] and frequency % _HERTZ[unit] == 0:
            return f"{frequency / _HERTZ[unit]:.0f}{unit}"
    return f"{frequency:.15g}Hz"
