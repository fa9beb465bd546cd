"""The state of a conversion: nodes so far, and each tensor in one layout or both.

Files hold images as rows, columns, channels; operators on images here take channels, rows, columns.
An image is turned where an operator needs the other layout, once; what is computed element by
element follows the layout of its input, so that images stay turned from the first layer on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import TfliteError
from aidge_nb.kernels.standard import TFLITE
from aidge_nb.onnx_io.ir import OnnxNode, OnnxValue
from aidge_nb.onnx_io.read.check import unique_name
from aidge_nb.tflite_io.model import TfliteModel, TfliteOperator, TfliteTensor

FILE, IMAGE = "rows, columns, channels", "channels, rows, columns"
TO_IMAGE, TO_FILE = (0, 3, 1, 2), (0, 2, 3, 1)


class NotConverted(Exception):  # noqa: N818  # the operator becomes a generic one
    """An operator, or what it asks for, has no counterpart; the message says what."""


COMPILED = "ethos-u"
"""The custom operator that Vela makes of what it compiles for an Arm Ethos-U."""

OF_IMAGES = ("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D")
"""Operators that read images in the other layout than files have."""

_DAMAGED = "The file is damaged; convert the model again."

Converter = Callable[["Build", TfliteOperator, int, int], None]
"""Adds the nodes of an operator; the last two are its first input and its first output."""

CONVERTERS: dict[str, tuple[Converter, int]] = {}
"""The converter of each kind of operator, with the number of inputs that it needs."""


def converts(*kinds: str, inputs: int = 1) -> Callable[[Converter], Converter]:
    """Make the decorated function convert operators of these kinds, with so many inputs."""

    def bind(function: Converter) -> Converter:
        CONVERTERS.update(dict.fromkeys(kinds, (function, inputs)))
        return function

    return bind


def turned(sizes: Sequence[Any], layout: str) -> tuple[Any, ...]:
    """Return the four sizes (or others, one per axis) of a tensor of the file in a layout."""
    return tuple(sizes) if layout == FILE else tuple(sizes[axis] for axis in TO_IMAGE)


class Build:
    """The nodes and constants so far, and the names of each tensor by layout."""

    def __init__(self, model: TfliteModel) -> None:
        self.model = model
        self.nodes: list[OnnxNode] = []
        self.constants: dict[str, NDArray[Any]] = {}
        self.values: dict[str, OnnxValue] = {}
        self.turns: list[str] = []  # tensors that were moved into the other layout
        self.kept: dict[str, str] = {}  # why an operator became a generic one
        self._names: set[str] = set()
        self._forms: dict[int, dict[str, str]] = {}
        self._folded: dict[int, NDArray[Any]] = {}
        self._codings: dict[int, list[str]] = {}
        for number in model.inputs:
            self.declare(number, FILE)

    def tensor(self, number: int) -> TfliteTensor:
        """Return a tensor."""
        return self.model.tensors[number]

    def fresh(self, wanted: str) -> str:
        """Return a name that is not taken."""
        return unique_name(wanted, self._names)

    def declare(self, number: int, layout: str) -> str:
        """Name a tensor in a layout, and say what it is."""
        tensor = self.tensor(number)
        if layout == IMAGE and len(tensor.dims) != 4:
            what, found = f"{self.model.source}, tensor {number}", list(tensor.dims)
            raise TfliteError.at(what, "is no image", expected="4 axes", found=found, cure=_DAMAGED)
        name = self.fresh(tensor.name.split(";")[0] or f"tensor_{number}")
        self._forms.setdefault(number, {})[layout] = name
        dims = turned(tensor.dims, layout) if layout == IMAGE else tensor.dims
        self.values[name] = OnnxValue(name, tensor.dtype, dims)
        return name

    def data(self, number: int) -> NDArray[Any] | None:
        """Return the value of a constant, or of what was computed of constants."""
        if number < 0:
            return None
        return self._folded.get(number, self.tensor(number).data)

    def known(self, operator: TfliteOperator, index: int) -> NDArray[Any]:
        """Return the value of an input; raise NotConverted when it is not known."""
        number = operator.inputs[index] if index < len(operator.inputs) else -1
        found = self.data(number)
        if found is None:
            raise NotConverted(f"input {index} is not constant")
        return found

    def fold(self, number: int, value: NDArray[Any]) -> None:
        """Record that a tensor is constant."""
        self._folded[number] = value

    def has(self, operator: TfliteOperator, index: int) -> bool:
        """Return whether an operator has an input."""
        return index < len(operator.inputs) and operator.inputs[index] >= 0

    def is_image(self, number: int) -> bool:
        """Return whether a tensor is at hand as an image, and not as in the file."""
        forms = self._forms.get(number, {})
        return IMAGE in forms and FILE not in forms

    def is_read_as_image(self, number: int) -> bool:
        """Return whether all readers of a tensor want channels first, and it has several."""
        dims = self.tensor(number).dims
        kinds = [each.kind for each in self.model.operators if number in each.inputs]
        image = len(dims) == 4 and dims[3] > 1 and number not in self.model.outputs
        return image and bool(kinds) and all(kind in OF_IMAGES for kind in kinds)

    def constant(self, wanted: str, array: NDArray[Any]) -> str:
        """Add a constant."""
        name = self.fresh(wanted)
        self.constants[name] = np.ascontiguousarray(array).reshape(array.shape)
        return name

    def ints(self, wanted: str, numbers: Sequence[int]) -> str:
        """Add a constant list of integers."""
        return self.constant(wanted, np.asarray(numbers, np.int64))

    def value(self, number: int, layout: str = FILE) -> str:
        """Return the name of a tensor in a layout, and turn it if that is not at hand."""
        if number < 0:
            return ""
        forms = self._forms.setdefault(number, {})
        if layout in forms:
            return forms[layout]
        tensor, data = self.tensor(number), self.data(number)
        if data is not None:
            array = data.transpose(TO_IMAGE) if layout == IMAGE else data
            forms[layout] = self.constant(tensor.name.split(";")[0] or f"constant_{number}", array)
            return forms[layout]
        if not forms:
            raise NotConverted(f"nothing writes tensor {number} ({tensor.name!r})")
        source = next(iter(forms.values()))
        target = self.declare(number, layout)
        _, rows, columns, channels = tensor.dims
        if channels == 1 or rows * columns == 1:  # the bytes stay where they are
            shape = self.ints(f"{target}_shape", turned(tensor.dims, layout))
            self.add("Reshape", [source, shape], [target])
        else:
            self.turns.append(tensor.name)
            perm = TO_IMAGE if layout == IMAGE else TO_FILE
            self.add("Transpose", [source], [target], perm=perm)
        return target

    def image(self, number: int) -> str:
        """Return the name of a tensor as an image; raise NotConverted when it has not four axes."""
        if len(self.tensor(number).dims) != 4:
            raise NotConverted(f"the image has {len(self.tensor(number).dims)} axes, not 4")
        return self.value(number, IMAGE)

    def add(
        self,
        op_type: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        domain: str = "",
        **attributes: Any,
    ) -> None:
        """Add a node."""
        node = OnnxNode(op_type, tuple(inputs), tuple(outputs), "", domain, attributes)
        self.nodes.append(node)

    def then(
        self,
        op_type: str,
        inputs: Sequence[str],
        wanted: str,
        domain: str = "",
        **attributes: Any,
    ) -> str:
        """Add a node whose one value is no tensor of the file; return the name of the value."""
        target = self.fresh(wanted)
        self.add(op_type, inputs, [target], domain, **attributes)
        return target

    def reshaped(self, value: str, dims: Sequence[int], wanted: str) -> str:
        """Add other dims of a value; return the name of the result."""
        return self.then("Reshape", [value, self.ints("shape", dims)], wanted)

    def put(
        self,
        op_type: str,
        inputs: Sequence[str],
        number: int,
        layout: str = FILE,
        domain: str = "",
        **attributes: Any,
    ) -> None:
        """Add a node that writes a tensor."""
        self.add(op_type, inputs, [self.declare(number, layout)], domain, **attributes)

    def coding(self, number: int) -> list[str]:
        """Return the names of the scale and the zero point of a tensor."""
        if number not in self._codings:
            tensor = self.tensor(number)
            name = (tensor.name.split(";")[0] or f"tensor_{number}").rsplit("/", 1)[-1]
            kind = np.int8 if tensor.dtype == "int4" else np.dtype(tensor.dtype)
            several = tensor.scale.size > 1
            shape = (-1,) if several else ()
            self._codings[number] = [
                self.constant(f"{name}_scale", tensor.scale.reshape(shape)),
                self.constant(f"{name}_zero", tensor.zero.astype(kind).reshape(shape)),
            ]
        return self._codings[number]

    def refuse(self, operator: TfliteOperator, problem: str, **facts: Any) -> TfliteError:
        """Make the error for an operator whose tensors do not fit together."""
        where, cure = f"{self.model.source}, {operator.label}", _DAMAGED
        return TfliteError.at(where, problem, cure=cure, **facts)

    def generic(self, operator: TfliteOperator, why: str) -> None:
        """Add an operator without a counterpart: it can be looked at, and not run.

        What nothing writes is a variable, which begins with zeros; for one that was compiled for a
        processor of its own, it is working memory, which is shown as an output.
        """
        inputs, working = [], []
        for number in operator.inputs:
            unknown = number >= 0 and not self._forms.get(number) and self.data(number) is None
            if unknown and operator.kind == COMPILED:
                working.append(number)
                continue
            if unknown:
                tensor = self.tensor(number)
                self.fold(number, np.zeros(tensor.dims, _held(tensor.dtype)))
            inputs.append(self.value(number))
        written = (*operator.outputs, *dict.fromkeys(working))
        outputs = [self.declare(number, FILE) for number in written]
        plain = {k: v for k, v in operator.options.items() if isinstance(v, (int, float, str))}
        self.kept[outputs[0] if outputs else operator.label] = why
        self.add(operator.kind, inputs, outputs, TFLITE, **plain)


def _held(dtype: str) -> Any:
    try:
        return np.dtype(dtype)
    except TypeError:
        return np.float32


def is_coded(*tensors: TfliteTensor) -> bool:
    """Return whether tensors are codes of 8 or 16 bits with one scale each, or numbers.

    Raise NotConverted for other types.
    """
    kinds = {tensor.dtype for tensor in tensors}
    if kinds in ({"int8"}, {"int16"}):
        if any(tensor.scale.size != 1 for tensor in tensors):
            raise NotConverted(f"{tensors[0].dtype} tensors without one scale and zero point")
        if kinds == {"int16"} and any(tensor.zero[0] for tensor in tensors):
            raise NotConverted("int16 tensors whose zero point is not 0")
        return True
    if kinds == {"float32"}:
        return False
    raise NotConverted(f"element types {', '.join(sorted(kinds))}")


_LIMITS: Mapping[str, tuple[float | None, float | None]] = {
    "NONE": (None, None),
    "RELU": (0.0, None),
    "RELU6": (0.0, 6.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
}


def limits_of(activation: str) -> tuple[float | None, float | None]:
    """Return the bounds of an activation; raise NotConverted when it is more than bounds."""
    if activation not in _LIMITS:
        raise NotConverted(f"the activation {activation}")
    return _LIMITS[activation]


def bounds(activation: str, tensor: TfliteTensor) -> dict[str, int]:
    """Return the codes that an activation leaves, as attributes."""
    first, last = limits_of(activation)
    scale, zero = np.float32(tensor.scale.reshape(-1)[0]), int(tensor.zero.reshape(-1)[0])

    def code(number: float) -> int:
        with np.errstate(over="ignore"):
            ratio = float(np.clip(np.float32(number) / scale, -(2.0**40), 2.0**40))
        return zero + int(np.copysign(np.floor(abs(ratio) + 0.5), ratio))

    ends = np.iinfo(tensor.dtype)
    least = ends.min if first is None else max(ends.min, code(first))
    most = ends.max if last is None else min(ends.max, code(last))
    if least > most:
        raise NotConverted(f"the activation {activation} leaves no code")
    return {"least": least, "most": most}


def put_activated(
    b: Build,
    op_type: str,
    inputs: Sequence[str],
    number: int,
    activation: str,
    layout: str = FILE,
    **attributes: Any,
) -> None:
    """Add a node on numbers, and its activation after it."""
    first, last = limits_of(activation)
    if first is None and last is None:
        b.put(op_type, inputs, number, layout, **attributes)
        return
    named = b.tensor(number).name.split(";")[0] or f"tensor_{number}"
    inner = b.then(op_type, inputs, f"{named}_sum", **attributes)
    if last is None:
        b.put("Relu", [inner], number, layout)
    else:
        ends = [b.constant("bound", np.asarray(end, np.float32)) for end in (first, last)]
        b.put("Clip", [inner, *ends], number, layout)
