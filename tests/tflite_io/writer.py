"""Write small TensorFlow Lite files: tables, vectors and strings, each behind its parent."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.tflite_io.read.schema import ACTIVATIONS, OPERATORS, PADDINGS, TYPES

Scalar = tuple[str, Any]
"""Its type, as :mod:`struct` calls it, and its value."""


def table(**slots: Any) -> dict[int, Any]:
    """Return a table: ``s3=("i", 5)``; None is left out."""
    return {int(name[1:]): value for name, value in slots.items() if value is not None}


class _Writer:
    def __init__(self) -> None:
        self.out = bytearray(struct.pack("<I4s", 0, b"TFL3"))

    def _align(self, size: int, extra: int = 0) -> None:
        while (len(self.out) + extra) % size:
            self.out.append(0)

    def write(self, value: Any) -> int:
        """Write a table, vector or string; return where it lies."""
        if isinstance(value, dict):
            return self._table(value)
        if isinstance(value, str):
            data = value.encode()
            return self._vector(len(data), data + b"\0", 1)
        if isinstance(value, np.ndarray):
            return self._vector(value.size, value.tobytes(), 16)
        at = self._vector(len(value), bytes(4 * len(value)), 1)
        written: dict[int, int] = {}  # one that is there several times lies at one place
        for index, each in enumerate(value):
            place = at + 4 + 4 * index
            if id(each) not in written:
                written[id(each)] = self.write(each)
            struct.pack_into("<I", self.out, place, written[id(each)] - place)
        return at

    def _vector(self, count: int, data: bytes, align: int) -> int:
        self._align(max(align, 4), 4)
        at = len(self.out)
        self.out += struct.pack("<I", count) + data
        return at

    def _table(self, slots: Mapping[int, Any]) -> int:
        places, size = {}, 4
        for slot, value in slots.items():
            width = struct.calcsize(value[0]) if isinstance(value, tuple) else 4
            size = -(-size // width) * width
            places[slot] = size
            size += width
        count = max(slots, default=-1) + 1
        self._align(8, 4 + 2 * count)
        vtable = len(self.out)
        self.out += struct.pack("<HH", 4 + 2 * count, size)
        self.out += struct.pack(f"<{count}H", *(places.get(slot, 0) for slot in range(count)))
        at = len(self.out)
        self.out += struct.pack("<i", at - vtable) + bytes(size - 4)
        for slot, value in slots.items():
            place = at + places[slot]
            if isinstance(value, tuple):
                struct.pack_into(f"<{value[0]}", self.out, place, value[1])
        for slot, value in slots.items():
            place = at + places[slot]
            if not isinstance(value, tuple):
                struct.pack_into("<I", self.out, place, self.write(value) - place)
        return at

    def file(self, root: Mapping[int, Any]) -> bytes:
        struct.pack_into("<I", self.out, 0, self._table(root))
        return bytes(self.out)


_CODES = {known.name: code for code, known in OPERATORS.items()}


@dataclass
class Net:
    """A model that is being built; tensors and operators are added in order."""

    tensors: list[dict[int, Any]] = field(default_factory=list)
    buffers: list[dict[int, Any]] = field(default_factory=lambda: [{}])
    operators: list[dict[int, Any]] = field(default_factory=list)
    codes: list[dict[int, Any]] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)

    def tensor(
        self,
        dims: Sequence[int],
        dtype: str = "int8",
        scale: float | Sequence[float] = (),
        zero: int | Sequence[int] = 0,
        data: NDArray[Any] | None = None,
        axis: int = 0,
        is_variable: bool = False,
    ) -> int:
        """Add a tensor; a constant with ``data``."""
        kinds = {name: number for number, name in TYPES.items()}
        scales = np.asarray(scale, np.float32).reshape(-1)
        zeros = np.broadcast_to(np.asarray(zero, np.int64), scales.shape).copy()
        coding = table(s2=scales, s3=zeros, s6=("i", axis)) if scales.size else None
        if data is not None:
            self.buffers.append({0: np.frombuffer(data.tobytes(), np.uint8)})
        self.tensors.append(
            table(
                s0=np.asarray(dims, np.int32),
                s1=("b", kinds[dtype]),
                s2=("I", 0 if data is None else len(self.buffers) - 1),
                s3=f"t{len(self.tensors)}",
                s4=coding,
                s5=("?", True) if is_variable else None,
            )
        )
        return len(self.tensors) - 1

    def input(
        self, dims: Sequence[int], dtype: str = "int8", scale: Any = (), zero: int = 0
    ) -> int:
        """Add an input."""
        self.inputs.append(self.tensor(dims, dtype, scale, zero))
        return self.inputs[-1]

    def ints(self, *numbers: int, dims: Sequence[int] | None = None) -> int:
        """Add a constant list of int32."""
        data = np.asarray(numbers, np.int32)
        return self.tensor(data.shape if dims is None else dims, "int32", data=data)

    def add(self, kind: str, inputs: Sequence[int], outputs: Sequence[int], **options: Any) -> None:
        """Add an operator; options by their names in the schema that is read."""
        code = _CODES.get(kind, 32)
        known = OPERATORS.get(code)
        custom = kind if known is None else None
        self.codes.append(table(s0=("b", min(code, 127)), s1=custom, s3=("i", code)))
        fields = known.fields if known else {}
        made = {}
        for name, each in fields.items():
            if name not in options:
                continue
            names = {"p": PADDINGS, "a": ACTIVATIONS}.get(each.code)
            numbers = {v: k for k, v in names.items()} if names else {}
            made[each.slot] = (
                "b" if names else each.code,
                numbers[options[name]] if names else options[name],
            )
        union = known.union if known else 0
        self.operators.append(
            table(
                s0=("I", len(self.codes) - 1),
                s1=np.asarray(inputs, np.int32),
                s2=np.asarray(outputs, np.int32),
                s3=("B", union) if union else None,
                s4=made if union else None,
            )
        )

    def root(self, outputs: Sequence[int]) -> dict[int, Any]:
        """Return the root table."""
        graph = table(
            s0=self.tensors,
            s1=np.asarray(self.inputs, np.int32),
            s2=np.asarray(outputs, np.int32),
            s3=self.operators,
            s4="main",
        )
        return table(s0=("I", 3), s1=self.codes, s2=[graph], s3="made by tests", s4=self.buffers)

    def file(self, *outputs: int) -> bytes:
        """Return the bytes of the file."""
        return _Writer().file(self.root(outputs))


def file_of(root: Mapping[int, Any]) -> bytes:
    """Return the bytes of a file with this root table."""
    return _Writer().file(root)
