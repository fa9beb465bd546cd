"""Attributes of an operator: a small namespace that is also a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from aidge_nb.core.errors import UnknownAttributeError


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()
"""The default of an attribute that has none: it must be given."""


class Attributes(MutableMapping[str, Any]):
    """Named values, read and written as ``attr.kernel_dims`` or ``attr["kernel_dims"]``.

    Only names that exist can be written: a misspelt attribute is an error.

    Examples
    --------
    >>> attr = Attributes({"axis": 1})
    >>> attr.axis = 2
    >>> attr.dict()
    {'axis': 2}
    """

    __slots__ = ("_values",)
    _values: dict[str, Any]

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", dict(values))

    def _check(self, name: str) -> None:
        if name not in self._values:
            raise UnknownAttributeError.at(
                "attribute", "no such name", expected=sorted(self._values), found=name
            )

    def __getattr__(self, name: str) -> Any:
        self._check(name)
        return self._values[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._check(name)
        self._values[name] = value

    def __delitem__(self, name: str) -> None:
        del self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def dict(self) -> dict[str, Any]:
        """Return a copy as a plain dict."""
        return dict(self._values)

    def has_attr(self, name: str) -> bool:
        """Return whether there is such an attribute."""
        return name in self._values

    def get_attr(self, name: str) -> Any:
        """Return the value of an attribute."""
        self._check(name)
        return self._values[name]

    def set_attr(self, name: str, value: Any) -> None:
        """Set an attribute that exists."""
        self[name] = value

    def add_attr(self, name: str, value: Any) -> None:
        """Add an attribute, or set it if it exists."""
        self._values[name] = value

    def __reduce__(self) -> tuple[type[Attributes], tuple[Mapping[str, Any]]]:
        return Attributes, (self._values,)

    def __repr__(self) -> str:
        return f"Attributes({self._values})"
