"""Encode messages as the bytes of protobuf: fields in the order of their numbers.

Equal messages give equal bytes.

Reference: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from aidge_nb.onnx_io.wire.fields import FIELDS, LENGTH, VARINT, WireField
from aidge_nb.onnx_io.wire.message import Message

Part = bytes | memoryview


def encode(message: Message) -> bytes:
    r"""Return the bytes of a message.

    Examples
    --------
    >>> encode(Message("NodeProto", {"op_type": "Relu"}))
    b'"\x04Relu'
    """
    return b"".join(_parts(message))


def encoded_size(message: Message) -> int:
    """Return the number of bytes of a message, without making them."""
    return sum(map(len, _parts(message)))


def _parts(message: Message) -> list[Part]:
    """Return the bytes piece by piece: data of tensors are copied once, at the end."""
    parts: list[Part] = []
    for number, field in sorted(FIELDS[message.kind].items()):
        if field.name in message.filled:
            value = message.filled[field.name]
            if field.array:
                parts += _delimited(number, [_packed(field, value)])
            else:
                for each in value if field.many else (value,):
                    parts += _field(field, each)
    return parts


def _field(field: WireField, value: Any) -> list[Part]:
    if field.wire == VARINT:
        return [_varint(field.number << 3 | VARINT) + _varint(value)]
    if field.wire != LENGTH:
        return [_varint(field.number << 3 | field.wire) + np.float32(value).tobytes()]
    if isinstance(value, Message):
        return _delimited(field.number, _parts(value))
    return _delimited(field.number, [value.encode() if isinstance(value, str) else value])


def _delimited(number: int, parts: list[Part]) -> list[Part]:
    size = sum(map(len, parts))
    return [_varint(number << 3 | LENGTH) + _varint(size), *parts]


def _packed(field: WireField, values: Iterable[Any]) -> bytes:
    """Return the numbers of an array without keys between them."""
    listed = [np.atleast_1d(value) for value in values]
    if field.wire != VARINT:
        return b"".join(each.astype(f"<{field.kind}").tobytes() for each in listed)
    return b"".join(_varint(number) for each in listed for number in each.tolist())


def _varint(number: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first; negative ones have ten bytes."""
    number = int(number) & (1 << 64) - 1
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)
