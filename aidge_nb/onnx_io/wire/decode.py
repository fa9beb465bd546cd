"""Decode protobuf messages from bytes, without copying what they hold.

Stricter than protobuf: a known field of the wrong kind is refused, as are lengths that lead out of
their message, numbers of more than ten bytes, and messages within messages beyond a depth.

Reference: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.limits import check_limit, current_limits
from aidge_nb.onnx_io.wire.fields import FIELDS, FIXED32, FIXED64, LENGTH, VARINT, WireField
from aidge_nb.onnx_io.wire.message import Message

DEEPEST = 200
"""Messages within messages: a graph in an attribute of a node of a graph counts three."""

_PER_NODE = 16
"""Messages that count as a node: the limit of nodes holds before they are made."""

_ALIGNED = 4096
"""Bytes from which data of tensors are moved to where an array may begin."""
_WIDTH = {FIXED32: 4, FIXED64: 8}


class DecodeError(ValueError):
    """The bytes are not such a message."""


def decode(content: memoryview, kind: str, *, own: bool = False) -> Message:
    """Decode a message.

    Parameters
    ----------
    content
        Its bytes. Long ones (data of tensors) stay where they are: the message has views of them.
    kind
        Such as ``"ModelProto"``.
    own
        Whether the bytes may be changed: data of tensors are then moved by up to three bytes, over
        the key before them, so that arrays of four-byte elements need no copy.

    Raises
    ------
    DecodeError
        When the bytes are truncated, damaged or of another kind.
    LimitError
        When there are sixteen messages for each node that ``expanded_nodes`` permits.

    Examples
    --------
    >>> decode(memoryview(bytes([0x22, 4]) + b"Relu"), "NodeProto").op_type
    'Relu'
    """
    return _Decoder(content, own).message(kind, 0, len(content), 0)


class _Decoder:
    def __init__(self, content: memoryview, own: bool) -> None:
        self.content = content
        self.base = 0
        self.own = own and not content.readonly
        self.count = 0
        self.most = _PER_NODE * current_limits().expanded_nodes
        if self.own:
            self.base = int(np.frombuffer(content, np.uint8).ctypes.data) if len(content) else 0

    def message(self, kind: str, at: int, stop: int, depth: int) -> Message:
        """Decode the message that lies between two places."""
        if depth > DEEPEST:
            raise DecodeError(f"more than {DEEPEST} messages within messages")
        self.count += 1
        if self.count > self.most:
            nodes, problem = -(-self.count // _PER_NODE), "has too many parts"
            check_limit("expanded_nodes", nodes, "model", problem)
        fields = FIELDS[kind]
        values: dict[str, Any] = {}
        while at < stop:
            key, at = self.varint(at, stop)
            wire = key & 7
            end, number = self.end(key, at, stop)
            field = fields.get(key >> 3)
            if field is None:
                pass
            elif wire == LENGTH:
                self.long(values, field, end - number, end, depth)
            elif wire != field.wire:
                raise DecodeError(f"the field {field.name} of a {kind} is of the wrong kind")
            elif wire == VARINT:
                self.add(values, field, number)
            else:
                found = np.frombuffer(self.content[at:end], f"<f{end - at}")
                self.add(values, field, float(found[0]))
            at = end
        return Message(kind, {n: tuple(v) if isinstance(v, list) else v for n, v in values.items()})

    def end(self, key: int, at: int, stop: int) -> tuple[int, int]:
        """Return where a field ends, and its number: the length of what is long."""
        wire = key & 7
        if not key >> 3 or wire not in (VARINT, LENGTH, *_WIDTH):
            raise DecodeError(f"at byte {at} there is no field")
        number = 0
        end = at + _WIDTH.get(wire, 0)
        if wire in (VARINT, LENGTH):
            number, end = self.varint(at, stop)
        if wire == LENGTH:
            end += number
        if end > stop:
            raise DecodeError(f"field {key >> 3} ends at byte {end} of {stop}")
        return end, number if wire == LENGTH else _signed(number)

    def long(self, values: dict[str, Any], field: WireField, at: int, end: int, depth: int) -> None:
        """Add a text, bytes, a message, or numbers that lie behind each other."""
        if field.wire != LENGTH:
            self.packed(values, field, self.content[at:end])
        elif field.kind == "text":
            self.add(values, field, str(self.content[at:end], "utf-8", "replace"))
        elif field.kind == "bytes":
            self.add(values, field, self.data(at, end))
        else:
            self.add(values, field, self.message(field.kind, at, end, depth + 1))

    def varint(self, at: int, stop: int) -> tuple[int, int]:
        """Decode a number; return it and where it ends."""
        number = shift = 0
        while at < stop and shift < 70:
            byte = self.content[at]
            at += 1
            number |= (byte & 127) << shift
            if byte < 128:
                return number, at
            shift += 7
        raise DecodeError(f"the number that ends at byte {at} has no end")

    def data(self, at: int, end: int) -> memoryview:
        """Return a view of bytes, of long ones where an array may begin."""
        shift = (self.base + at) % 4
        if not self.own or not shift or end - at < _ALIGNED:
            return self.content[at:end]
        whole = np.frombuffer(self.content, np.uint8)
        whole[at - shift : end - shift] = whole[at:end]  # its length took two bytes, its key one
        return self.content[at - shift : end - shift]

    def packed(self, values: dict[str, Any], field: WireField, content: memoryview) -> None:
        """Add the numbers of a list that lie behind each other, without keys."""
        width = _WIDTH.get(field.wire)
        if not (field.many or field.array) or (width and len(content) % width):
            raise DecodeError(f"the field {field.name} is of the wrong kind, or cut off")
        found: NDArray[Any] = (
            np.frombuffer(content, f"<f{width}") if width else varints(content).view(np.int64)
        )
        values.setdefault(field.name, []).extend([found] if field.array else found.tolist())

    def add(self, values: dict[str, Any], field: WireField, value: Any) -> None:
        """Add one value: lists grow, messages are merged, of others the last one counts."""
        if field.many or field.array:
            values.setdefault(field.name, []).append(value)
        elif isinstance(value, Message) and field.name in values:
            _merge(values[field.name], value)
        else:
            values[field.name] = value


def _merge(first: Message, second: Message) -> None:
    """Add to a message what another says."""
    for name, value in second.filled.items():
        known = first.filled.get(name)
        if isinstance(value, Message) and isinstance(known, Message):
            _merge(known, value)
        elif isinstance(value, tuple) and known is not None:
            first.filled[name] = (*known, *value)
        else:
            first.filled[name] = value


def _signed(number: int) -> int:
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


def varints(content: memoryview) -> NDArray[np.uint64]:
    """Decode numbers that follow each other.

    Raise DecodeError when one has no end, or more than ten bytes.

    Examples
    --------
    >>> varints(memoryview(bytes([1, 0xAC, 0x02])))
    array([  1, 300], dtype=uint64)
    """
    data = np.frombuffer(content, np.uint8)
    ends = np.flatnonzero(data < 128)
    if len(data) and (not len(ends) or ends[-1] != len(data) - 1):
        raise DecodeError("a number has no end")
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(np.intp)[: len(ends)]
    lengths = ends - starts + 1
    if len(lengths) and lengths.max() > 10:
        raise DecodeError("a number has more than ten bytes")
    numbers = np.zeros(len(ends), np.uint64)
    for place in range(int(lengths.max(initial=0))):
        more = lengths > place
        bits = (data[starts[more] + place] & 127).astype(np.uint64)
        numbers[more] |= bits << np.uint64(7 * place)
    return numbers
