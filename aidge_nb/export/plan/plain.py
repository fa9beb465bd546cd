"""Export plans as plain Python values, for JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError, explain
from aidge_nb.export.plan import parts
from aidge_nb.memory import MemoryPlan

_PARTS: dict[str, Any] = {name: kind for name, kind in vars(parts).items() if is_dataclass(kind)}


def to_plain(value: Any) -> Any:
    """Return a value of a plan as dictionaries, lists, texts and numbers; ``is`` names the class.

    Examples
    --------
    >>> to_plain(parts.Place("arena", "relu"))
    {'is': 'Place', 'kind': 'arena', 'name': 'relu', 'offset': 0, 'strides': []}
    """
    if isinstance(value, MemoryPlan):
        return {"is": "MemoryPlan", **value.to_dict()}
    if isinstance(value, DType):
        return {"is": "DType", "name": value.name}
    if is_dataclass(value):
        named = {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
        return {"is": type(value).__name__, **named}
    if isinstance(value, (tuple, list)):
        return [to_plain(each) for each in value]
    return value


def from_plain(value: Any, whole: type) -> Any:
    """Return the value that :func:`to_plain` was given; ``whole`` is the class of plans.

    Raises
    ------
    ExportError
        For what is no part of a plan.
    """
    if isinstance(value, list):
        return tuple(from_plain(each, whole) for each in value)
    if not isinstance(value, Mapping):
        return value
    values = dict(value)
    kind = values.pop("is", None)
    if kind == "MemoryPlan":
        return MemoryPlan.from_dict(values)
    if kind == "DType" and values.get("name") in DType.__members__:
        return DType[values["name"]]
    kinds = {**_PARTS, whole.__name__: whole}
    if kind not in kinds:
        raise ExportError(
            explain("export plan", "cannot be read", expected=", ".join(kinds), found=repr(kind))
        )
    try:
        return kinds[kind](**{name: from_plain(each, whole) for name, each in values.items()})
    except TypeError as error:
        raise ExportError(explain("export plan", f"cannot be read: {error}")) from error
