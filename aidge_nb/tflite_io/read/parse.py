"""Turn the tables of a TensorFlow Lite file into a :class:`TfliteModel`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import OnnxError, TfliteError
from aidge_nb.core.limits import current_limits
from aidge_nb.onnx_io.read.source import read_bytes, recognise
from aidge_nb.tflite_io.model import TfliteModel, TfliteOperator, TfliteTensor
from aidge_nb.tflite_io.read.flat import FlatFile, FlatTable
from aidge_nb.tflite_io.read.schema import (
    ACTIVATIONS,
    CUSTOM,
    OPERATORS,
    OTHERS,
    PADDINGS,
    TYPES,
    UNREAD_TYPES,
    KnownOperator,
    OptionField,
)

IDENTIFIER = b"TFL3"


def read_tflite(source: str | os.PathLike[str] | bytes | bytearray | memoryview) -> TfliteModel:
    """Read a TensorFlow Lite file.

    Every offset is checked before it is followed: nothing outside the file is read.

    Parameters
    ----------
    source
        Path or bytes.

    Raises
    ------
    TfliteError
        When it cannot be read, is of another format, or is damaged.
    """
    content, name = _content(source)
    if bytes(content[4:8]) != IDENTIFIER:
        kind = recognise(content)
        found = kind if kind and IDENTIFIER not in bytes(content[:64]) else bytes(content[4:8])
        cure = "Pass a .tflite file, as the TensorFlow Lite converter writes it."
        problem = "the file is not a TensorFlow Lite model"
        raise TfliteError.at(name, problem, expected=IDENTIFIER, found=found, cure=cure)
    return _FileParser(FlatFile(content, name)).model()


def _content(source: Any) -> tuple[memoryview, str]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return memoryview(bytes(source)), "bytes"
    if not isinstance(source, (str, os.PathLike)):
        cure = "Pass the path of a .tflite file, or its bytes."
        raise TfliteError.at("source", "is no file", found=type(source).__name__, cure=cure)
    path = Path(os.fspath(source))
    try:
        return read_bytes(path), str(path)
    except OnnxError as error:  # the message is about the file alone
        raise TfliteError(str(error)) from None


class _FileParser:
    """Reads one file."""

    def __init__(self, file: FlatFile) -> None:
        self.file = file
        self.root = file.root()
        self.buffers = self.root.tables(4, "buffer")
        self.codes = self.root.tables(1, "operator code")

    def model(self) -> TfliteModel:
        """Return the model."""
        version = self.root.number(0, "I")
        if version != 3:
            raise self.file.error("the schema has another version", 3, version)
        graphs = self.root.tables(2, "graph")
        if not graphs:
            raise self.file.error("there is no graph", "1 or more", 0)
        graph = graphs[0]
        tensors = tuple(self._tensor(table) for table in graph.tables(0, "tensor"))
        inputs = self._numbers(graph, 1, len(tensors))
        outputs = self._numbers(graph, 2, len(tensors))
        operators = tuple(
            self._operator(table, tensors, index)
            for index, table in enumerate(graph.tables(3, "operator"))
        )
        _check_order(self.file, tensors, operators, inputs, outputs)
        return TfliteModel(
            tensors,
            operators,
            inputs,
            outputs,
            self.root.text(3),
            version,
            dict(self._metadata()),
            self.file.source,
            len(graphs),
        )

    def _metadata(self) -> Iterator[tuple[str, bytes]]:
        for table in self.root.tables(6, "metadata"):
            data = self._buffer(table.number(1, "I"), table.what)
            yield table.text(0), b"" if data is None else data.tobytes()

    def _numbers(self, table: FlatTable, slot: int, count: int, least: int = 0) -> tuple[int, ...]:
        found = table.vector(slot, "i4")
        numbers = () if found is None else tuple(int(each) for each in found)
        for number in numbers:
            if not least <= number < count:
                what = f"{table.what} names a tensor that is not there"
                raise self.file.error(what, f"{least} to {count - 1}", number)
        return numbers

    def _buffer(self, number: int, what: str) -> NDArray[np.uint8] | None:
        """Return the bytes of a buffer; None when it is empty."""
        if number >= len(self.buffers):
            problem = f"{what} names a buffer that is not there"
            raise self.file.error(problem, f"0 to {len(self.buffers) - 1}", number)
        buffer = self.buffers[number]
        start = int(buffer.number(1, "Q"))
        if start > 1:
            size = int(buffer.number(2, "Q"))
            return np.frombuffer(self.file.bytes(start, size, f"data of {what}"), np.uint8)
        found = buffer.vector(0, "u1")
        return found if found is not None and found.size else None

    def _tensor(self, table: FlatTable) -> TfliteTensor:
        found = table.vector(0, "i4")
        dims = () if found is None else tuple(int(size) for size in found)
        name = table.text(3)
        label = f"{table.what} {name!r}"
        if min(dims, default=0) < 0 or len(dims) > current_limits().rank:
            expected = f"at most {current_limits().rank} sizes from 0 on"
            raise self.file.error(f"{label} has no such dims", expected, list(dims[:40]))
        if prod(dims) > 2**31 - 1:
            raise self.file.error(f"{label} is too large", "at most 2^31 - 1 elements", list(dims))
        number = table.number(1, "b")
        dtype = TYPES.get(number) or UNREAD_TYPES.get(number)
        if dtype is None:
            raise self.file.error(f"{label} has an unknown element type", sorted(TYPES), number)
        data = self._buffer(table.number(2, "I"), label)
        value = (
            None if data is None or number not in TYPES else self._value(data, dims, dtype, label)
        )
        scale, zero, axis = self._coding(table, dims, label)
        return TfliteTensor(name, dims, dtype, value, scale, zero, axis)

    def _value(
        self, data: NDArray[np.uint8], dims: tuple[int, ...], dtype: str, label: str
    ) -> NDArray[Any]:
        count = prod(dims)
        kind = np.dtype("u1" if dtype == "int4" else dtype)
        size = -(-count // 2) if dtype == "int4" else count * kind.itemsize
        if data.size != size:
            raise self.file.error(f"the data of {label} have another size", size, data.size)
        if dtype == "int4":
            halves = np.stack([data << 4, data & 0xF0], -1).view(np.int8) >> 4
            return halves.reshape(-1)[:count].reshape(dims)
        return data.view(kind.newbyteorder("<")).astype(kind, copy=False).reshape(dims)

    def _coding(
        self, table: FlatTable, dims: Sequence[int], label: str
    ) -> tuple[NDArray[Any], NDArray[Any], int]:
        nothing = np.zeros(0, np.float32), np.zeros(0, np.int64), 0
        found = table.table(4, f"the quantization of {label}")
        scale = None if found is None else found.vector(2, "f4")
        if found is None or scale is None or not scale.size:
            return nothing
        zero = found.vector(3, "i8")
        axis = int(found.number(6, "i"))
        zero = np.zeros(scale.size, np.int64) if zero is None or not zero.size else zero
        sizes = {1} if not 0 <= axis < len(dims) else {1, dims[axis]}
        if scale.size not in sizes or zero.size not in {1, scale.size}:
            expected = f"{' or '.join(map(str, sorted(sizes)))} scales and zero points"
            problem = f"{label} has scales that do not fit"
            raise self.file.error(problem, expected, f"{scale.size} and {zero.size}")
        if not np.all(np.isfinite(scale) & (scale > 0)):
            raise self.file.error(f"{label} has such scales", "positive, finite", scale.min())
        return scale, np.array(np.broadcast_to(zero, scale.shape)), axis

    def _operator(
        self, table: FlatTable, tensors: Sequence[TfliteTensor], index: int
    ) -> TfliteOperator:
        number = table.number(0, "I")
        if number >= len(self.codes):
            problem = f"operator {index} names an operator code that is not there"
            raise self.file.error(problem, f"0 to {len(self.codes) - 1}", number)
        code_table = self.codes[number]
        code = max(code_table.number(0, "b"), code_table.number(3, "i"))
        known = OPERATORS.get(code)
        kind = known.name if known else OTHERS.get(code, f"OPERATOR_{code}")
        if code == CUSTOM:
            kind = code_table.text(1) or "CUSTOM"
        inputs = self._numbers(table, 1, len(tensors), least=-1)
        outputs = self._numbers(table, 2, len(tensors))
        label = f"operator {index} ({kind})"
        options = self._options(table, known, label) if known is not None else {}
        return TfliteOperator(kind, inputs, outputs, options, label, code == CUSTOM)

    def _options(self, table: FlatTable, known: KnownOperator, label: str) -> dict[str, Any]:
        fields = known.fields
        union = table.number(3, "B")
        options = table.table(4, f"the options of {label}") if union == known.union else None
        if options is None and fields and known.needed:
            raise TfliteError.at(
                f"{self.file.source}, {label}",
                "its options are missing",
                expected=f"options of type {known.union}: {', '.join(fields)}",
                found=f"options of type {union}" if union else "none",
                cure="Convert the model again: the operator means nothing without them.",
            )
        return {name: self._option(options, each, label) for name, each in fields.items()}

    def _option(self, options: FlatTable | None, field: OptionField, label: str) -> Any:
        if options is None:
            return field.default
        if field.code == "v":
            found = options.vector(field.slot, "i4")
            return () if found is None else tuple(int(each) for each in found)
        names = {"p": PADDINGS, "a": ACTIVATIONS}.get(field.code)
        value = options.number(field.slot, "b" if names else field.code, field.default)
        if names is None:
            return value
        if value not in names:
            raise self.file.error(f"{label} has an unknown option", list(names.values()), value)
        return names[value]


def _check_order(
    file: FlatFile,
    tensors: Sequence[TfliteTensor],
    operators: Sequence[TfliteOperator],
    inputs: Sequence[int],
    outputs: Sequence[int],
) -> None:
    """Check that each tensor is written once, and before it is read."""
    written = {index for index, each in enumerate(tensors) if each.data is not None}
    constants = frozenset(written)
    written.update(inputs)
    if len(set(inputs)) != len(inputs) or constants & set(inputs):
        raise file.error("an input of the graph is named twice, or is constant")
    for operator in operators:
        for number in operator.outputs:
            if number in written:
                raise file.error(f"{operator.label} writes tensor {number} again")
        if len(set(operator.outputs)) != len(operator.outputs):
            raise file.error(f"{operator.label} writes a tensor twice")
        written.update(operator.outputs)
    ready = set(constants) | set(inputs)
    for operator in operators:
        for number in operator.inputs:
            if number in written and number not in ready:
                raise file.error(
                    f"{operator.label} reads tensor {number} before it is written",
                    "operators in an order in which they can run",
                )
        ready.update(operator.outputs)
    for number in outputs:
        if number not in ready:
            raise file.error(f"nothing writes tensor {number}, an output of the graph")
