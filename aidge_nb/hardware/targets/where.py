"""Places in a description: messages name the file, the line where it is known, and the path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from aidge_nb.core.amounts import is_number
from aidge_nb.core.errors import HardwareError


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a description.

    Examples
    --------
    >>> where = Where("soc.yaml", lines={"links": 7, "links[0]": 8})
    >>> str(where / "links"), str((where / "links")[0] / "latency")
    ('soc.yaml, line 7: links', 'soc.yaml, line 8: links[0]/latency')
    """

    source: str  # name of the source, such as a file name
    # keys from the outermost one, such as ``devices/core/pe`` or ``links[2]/between``
    path: str = ""
    # line numbers by path; empty for plain values
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)

    def __truediv__(self, key: object) -> Where:
        return replace(self, path=f"{self.path}/{key}" if self.path else str(key))

    def __getitem__(self, number: int) -> Where:
        return replace(self, path=f"{self.path}[{number}]")

    @property
    def line(self) -> int | None:
        """Line of the place, or of the closest place around it; None if unknown."""
        path = self.path
        while path not in self.lines:
            if not path:
                return None
            path = path[: max(path.rfind("/"), path.rfind("["), 0)]
        return self.lines[path]

    def error(self, problem: str, **facts: Any) -> HardwareError:
        """Make an error for this place; facts are those of :func:`aidge_nb.core.errors.explain`.

        Examples
        --------
        >>> (Where("soc.yaml") / "links").error("must be a list", expected="- {…}")
        HardwareError('soc.yaml: links: must be a list (expected - {…})')
        """
        return HardwareError.at(str(self), problem, **facts)

    def __str__(self) -> str:
        line = self.line
        source = self.source if line is None else f"{self.source}, line {line}"
        return f"{source}: {self.path}" if self.path else source


def only(
    values: object, allowed: Sequence[str], where: Where, needed: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Check that values are a mapping with known keys; return those that have a value.

    A key whose value is null counts as left out. Raise HardwareError for unknown keys (suggests
    close ones) and missing keys.

    Examples
    --------
    >>> only({"size": "64KiB", "kind": None}, ("size", "kind"), Where("soc.yaml"), ("size",))
    {'size': '64KiB'}
    """
    if not isinstance(values, Mapping):
        raise where.error(
            "must be a mapping",
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
    given = {key: value for key, value in values.items() if value is not None}
    for key in needed:
        if key not in given:
            raise where.error(f"lacks {key!r}", cure=f"Add  {key}: …")
    return given


def entries(values: object, where: Where) -> Mapping[str, Any]:
    """Check that values are a mapping by name, or None.

    Raise HardwareError for other values, and for keys that are not names.
    """
    found = mapped(values, where, "name: {…}", "Write a name before each part.")
    for name in found:
        if not isinstance(name, str):
            raise (where / name).error("must be text", found=repr(name), cure=f'Write "{name}":')
        if "/" in name or "*" in name:
            cure = "Use nested devices."
            raise (where / name).error("names have no / and no *", found=name, cure=cure)
    return found


def mapped(values: object, where: Where, expected: str, cure: str) -> Mapping[Any, Any]:
    """Check that values are a mapping, or None; raise HardwareError for others."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise where.error("must be a mapping", expected=expected, found=repr(values), cure=cure)
    return values


def one_of(value: Any, known: Sequence[str], where: Where, cure: str) -> Any:
    """Check that a value is one of some words; raise HardwareError for others."""
    if value not in known:
        raise where.error("unknown", expected=" or ".join(known), found=value, cure=cure)
    return value


def listed(values: object, where: Where) -> list[Any]:
    """Check that values are a list; raise HardwareError for other values."""
    if not isinstance(values, list):
        raise where.error(
            "must be a list",
            expected="- {…}",
            found=repr(values),
            cure="Begin each entry with a dash, or write [a, b].",
        )
    return values


def text_of(value: object, where: Where, example: str) -> str:
    """Check that a value is text; raise HardwareError for other values."""
    if not isinstance(value, str):
        cure = f'Put quotes around it: "{value}".' if is_number(value) else "Write text."
        raise where.error("must be text", expected=example, found=repr(value), cure=cure)
    return value
