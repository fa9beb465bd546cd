"""Messages of an ONNX file as plain objects."""

from __future__ import annotations

from typing import Any

from aidge_nb.onnx_io.wire.fields import NAMED


class Message:
    """One message: its kind, and the values of its fields by name.

    A field that the file does not have reads as protobuf has it: zero, an empty text or tuple, or
    an empty message.

    Examples
    --------
    >>> node = Message("NodeProto", {"op_type": "Relu"})
    >>> node.op_type, node.input, node.has("name")
    ('Relu', (), False)
    """

    __slots__ = ("filled", "kind")

    def __init__(self, kind: str, filled: dict[str, Any] | None = None) -> None:
        self.kind = kind
        self.filled = {} if filled is None else filled

    def __getattr__(self, name: str) -> Any:
        if name in self.filled:
            return self.filled[name]
        field = NAMED[self.kind].get(name) if not name.startswith("_") else None
        if field is None:
            raise AttributeError(f"{self.kind} has no field {name!r}")
        return Message(field.kind) if field.default is None else field.default

    def has(self, name: str) -> bool:
        """Return whether the file has the field."""
        return name in self.filled

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(self.filled)})"
