"""Attributes of an operator: a small namespace that is also a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aidge_nb.core.errors import UnknownAttributeError


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()
"""The default of an attribute that has none: it must be given."""


class Attributes(dict[str, Any]):
    """Named values, read and written as ``attr.kernel_dims`` or ``attr["kernel_dims"]``.

    Only names that exist can be written: a misspelt attribute is an error.

    Examples
    --------
    >>> attr = Attributes({"axis": 1})
    >>> attr.axis = 2
    >>> attr.dict()
    {'axis': 2}
    """

    __slots__ = ()

    def _check(self, name: str) -> None:
        if name not in self:
            raise UnknownAttributeError.at(
                "attribute", "no such name", expected=sorted(self), found=name
            )

    def __getattr__(self, name: str) -> Any:
        return self.get_attr(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        self._check(name)
        super().__setitem__(name, value)

    def update(self, *given: Any, **values: Any) -> None:
        """Set attributes that exist, given as a dict does."""
        for name, value in dict(*given, **values).items():
            self[name] = value

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the value of an attribute, which must exist: ``default`` is never needed."""
        return self.get_attr(name)

    def dict(self) -> dict[str, Any]:
        """Return a copy as a plain dict."""
        return dict(self)

    def has_attr(self, name: str) -> bool:
        """Return whether there is such an attribute."""
        return name in self

    def get_attr(self, name: str) -> Any:
        """Return the value of an attribute."""
        self._check(name)
        return self[name]

    def set_attr(self, name: str, value: Any) -> None:
        """Set an attribute that exists."""
        self[name] = value

    def add_attr(self, name: str, value: Any) -> None:
        """Add an attribute, or set it if it exists."""
        super().__setitem__(name, value)

    def __reduce__(self) -> tuple[type[Attributes], tuple[Mapping[str, Any]]]:
        return Attributes, (self.dict(),)

    def __repr__(self) -> str:
        return f"Attributes({super().__repr__()})"


class DynamicAttributes(Attributes):
    """Attributes of which new ones can be set: those of generic operators, and annotations.

    Examples
    --------
    >>> attr = DynamicAttributes({"axis": 1})
    >>> attr.keep = True
    >>> attr.dict()
    {'axis': 1, 'keep': True}
    """

    __slots__ = ()

    __setitem__ = dict.__setitem__

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the value of an attribute, which is made where it is missing."""
        return dict.setdefault(self, name, default)

    def del_attr(self, name: str) -> None:
        """Remove an attribute that exists."""
        self._check(name)
        del self[name]

    def __reduce__(self) -> tuple[type[Attributes], tuple[Mapping[str, Any]]]:
        return type(self), (self.dict(),)


class Annotations(DynamicAttributes):
    """What was noted about a node or graph: a dict, and ``node.annotations()`` as Aidge has it."""

    __slots__ = ()

    def __call__(self) -> Annotations:
        """Return the annotations themselves."""
        return self

    def __repr__(self) -> str:
        return dict.__repr__(self)
