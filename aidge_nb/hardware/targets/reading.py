"""Plain values of a description, checked: mappings with known keys, names, and lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from aidge_nb.hardware.targets.where import Where


def only(
    values: object, allowed: Sequence[str], where: Where, needed: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Check that values are a mapping with known keys.

    Raises
    ------
    HardwareError
        For other keys (says which are close), and for missing ones.
    """
    if not isinstance(values, Mapping):
        raise where.error(
            "is no mapping",
            expected="key: value",
            found=repr(values),
            cure=f"Write its keys: {', '.join(allowed)}.",
        )
    for key in values:
        if key not in allowed:
            close = get_close_matches(str(key), allowed)
            cure = f"Did you mean {close[0]}?" if close else "Remove it."
            expected = " or ".join(allowed)
            raise (where / key).error(f"unknown key {key!r}", expected=expected, cure=cure)
    for key in needed:
        if values.get(key) is None:
            raise where.error(f"lacks {key!r}", cure=f"Add  {key}: …")
    return values


def entries(values: object, where: Where) -> Mapping[str, Any]:
    """Check that values are a mapping of names, or nothing.

    Raises
    ------
    HardwareError
        For other values, and for what is no name.
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise where.error(
            "is no mapping",
            expected="name: {…}",
            found=repr(values),
            cure="Write a name before each part.",
        )
    for name in values:
        if not isinstance(name, str):
            raise (where / name).error("is no name", found=repr(name), cure=f'Write "{name}":')
        if "/" in name or "*" in name:
            cure = "Use nested devices."
            raise (where / name).error("names have no / and no *", found=name, cure=cure)
    return values


def listed(values: object, where: Where) -> list[Any]:
    """Check that values are a list.

    Raises
    ------
    HardwareError
        For others.
    """
    if not isinstance(values, list):
        raise where.error(
            "is no list",
            expected="- {…}",
            found=repr(values),
            cure="Begin each entry with a dash, or write [a, b].",
        )
    return values
