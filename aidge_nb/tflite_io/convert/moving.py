"""Convert what only moves elements: codes are moved as they are."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from aidge_nb.kernels.formats import TYPES
from aidge_nb.tflite_io.convert.build import (
    FILE,
    IMAGE,
    TO_IMAGE,
    Build,
    NotConverted,
    converts,
    put_activated,
    turned,
)
from aidge_nb.tflite_io.convert.pointwise import layout_of, need_equal, operand
from aidge_nb.tflite_io.model import TfliteOperator


def need_same_codes(b: Build, *numbers: int) -> None:
    """Raise NotConverted where codes stand for other numbers after they have moved."""
    tensors = [b.tensor(number) for number in numbers]
    if len({tensor.dtype for tensor in tensors}) > 1:
        raise NotConverted("an element type that changes")
    if any(tensor.is_coded for tensor in tensors):
        need_equal(tensors)


def _axis(b: Build, operator: TfliteOperator, axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise b.refuse(operator, "has no such axis", expected=f"{rank} axes", found=axis)
    return axis % rank


@converts("CONCATENATION")
def concatenation(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert concatenations."""
    numbers = operator.inputs
    need_same_codes(b, *numbers, number)
    layout = layout_of(b, numbers)
    axis = _axis(b, operator, operator.options["axis"], len(b.tensor(number).dims))
    values = [operand(b, each, layout) for each in numbers]
    axis = TO_IMAGE.index(axis) if layout == IMAGE else axis
    activation = operator.options["activation"]
    if b.tensor(number).dtype != "float32" and activation != "NONE":
        raise NotConverted(f"codes that are joined with the activation {activation}")
    put_activated(b, "Concat", values, number, activation, layout, axis=axis)


@converts("RESHAPE", "SQUEEZE", "EXPAND_DIMS")
def reshape(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert other dims of the same elements; the file says which."""
    given, result, data = b.tensor(source), b.tensor(number), b.data(source)
    if prod(given.dims) != prod(result.dims):
        problem = "the number of elements changes"
        raise b.refuse(operator, problem, expected=list(given.dims), found=list(result.dims))
    need_same_codes(b, source, number)
    if data is not None:
        b.fold(number, data.reshape(result.dims))
        return
    shape = b.ints("shape", result.dims)
    pixel = b.is_image(source) and given.dims[1:3] == (1, 1)
    b.put("Reshape", [b.value(source, IMAGE if pixel else FILE), shape], number)


@converts("SHAPE")
def shape(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert dims as data: they are constant here."""
    dims = b.tensor(operator.inputs[0]).dims
    b.fold(number, np.asarray(dims, np.dtype(b.tensor(number).dtype)))


@converts("PAD", "PADV2", inputs=2)
def pad(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert padding by zero, whose code is the zero point, or by a constant."""
    need_same_codes(b, source, number)
    given, layout = b.tensor(source), layout_of(b, [source])
    widths: Any = b.known(operator, 1).reshape(-1, 2)
    if len(widths) != len(given.dims) or widths.min(initial=0) < 0:
        problem, found = "has no such widths", widths.tolist()
        expected = f"{len(given.dims)} pairs from 0 on"
        raise b.refuse(operator, problem, expected=expected, found=found)
    if b.has(operator, 2):
        value = b.known(operator, 2).reshape(())
    else:
        value = np.asarray(given.zero[0] if given.is_coded else 0, np.dtype(given.dtype))
    pairs = turned(widths.tolist(), layout)
    pads = [*(pair[0] for pair in pairs), *(pair[1] for pair in pairs)]
    inputs = [b.value(source, layout), b.ints("pads", pads), b.constant("value", value)]
    b.put("Pad", inputs, number, layout, mode="constant")


@converts("TRANSPOSE", inputs=2)
def transpose(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert other orders of axes."""
    need_same_codes(b, source, number)
    perm = tuple(int(axis) for axis in b.known(operator, 1).reshape(-1))
    if sorted(perm) != list(range(len(b.tensor(source).dims))):
        problem, expected = "is no order of axes", len(b.tensor(source).dims)
        raise b.refuse(operator, problem, expected=expected, found=list(perm))
    b.put("Transpose", [b.value(source)], number, perm=perm)


def _put_slice(
    b: Build, operator: TfliteOperator, starts: list[int], ends: list[int], steps: list[int]
) -> None:
    """Add a slice along the first axes, and the dims that the file gives it."""
    source, number = operator.inputs[0], operator.outputs[0]
    result, data = b.tensor(number), b.data(source)
    if data is not None:
        cut = data[tuple(map(slice, starts, ends, steps))]
        b.fold(number, cut.reshape(result.dims))
        return
    lists = (starts, ends, range(len(starts)), steps)
    names = ("starts", "ends", "axes", "steps")
    inputs = [b.value(source), *(b.ints(*each) for each in zip(names, lists, strict=True))]
    sizes = tuple(
        len(range(*slice(start, end, step).indices(size)))
        for start, end, step, size in zip(starts, ends, steps, b.tensor(source).dims, strict=True)
    )
    if sizes == result.dims:
        b.put("Slice", inputs, number)
        return
    if prod(sizes) != prod(result.dims):
        problem, found = "the slice has other dims", list(sizes)
        raise b.refuse(operator, problem, expected=list(result.dims), found=found)
    inner = b.then("Slice", inputs, "slice")
    b.put("Reshape", [inner, b.ints("shape", result.dims)], number)


@converts("SLICE", inputs=3)
def cut(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert a block that begins somewhere and has a size; -1 is all that follows."""
    need_same_codes(b, source, number)
    dims = b.tensor(source).dims
    begin, size = ([int(x) for x in b.known(operator, i).reshape(-1)] for i in (1, 2))
    if len(begin) != len(dims) or len(size) != len(dims):
        raise NotConverted("a block of another number of axes")
    ends = [n if s == -1 else at + s for at, s, n in zip(begin, size, dims, strict=True)]
    _put_slice(b, operator, begin, ends, [1] * len(dims))


@converts("STRIDED_SLICE", inputs=4)
def strided_slice(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert slices with steps; a bit of a mask concerns one axis."""
    need_same_codes(b, source, number)
    options, dims = operator.options, b.tensor(source).dims
    if options["ellipsis"] or options["new_axis"]:
        raise NotConverted("an ellipsis or a new axis in a slice")
    begin, end, steps = ([int(x) for x in b.known(operator, i).reshape(-1)] for i in (1, 2, 3))
    if not len(begin) == len(end) == len(steps) <= len(dims) or 0 in steps:
        raise b.refuse(operator, "has no such slice", found=f"{begin}, {end}, {steps}")
    far = 2**31 - 1
    for axis, size in enumerate(dims):
        if axis >= len(begin):
            begin.append(0)
            end.append(size)
            steps.append(1)
            continue
        back = steps[axis] < 0
        if options["shrink"] >> axis & 1:
            begin[axis] %= max(size, 1)
            end[axis], steps[axis] = begin[axis] + 1, 1
            continue
        if options["begin"] >> axis & 1:
            begin[axis] = far if back else 0
        if options["end"] >> axis & 1:
            end[axis] = -far if back else far
    _put_slice(b, operator, begin, end, steps)


@converts("SPLIT", inputs=2)
@converts("SPLIT_V", inputs=3)
def split(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert pieces along an axis."""
    where, what = (0, 1) if operator.kind == "SPLIT" else (2, 0)
    source = operator.inputs[what]
    need_same_codes(b, source, *operator.outputs)
    given, layout = b.tensor(source), layout_of(b, [source])
    axis = int(b.known(operator, where).reshape(-1)[0])
    axis = _axis(b, operator, axis, len(given.dims))
    sizes = [b.tensor(number).dims[axis] for number in operator.outputs]
    if sum(sizes) != given.dims[axis]:
        problem = "the pieces are not the whole"
        raise b.refuse(operator, problem, expected=given.dims[axis], found=sizes)
    value = b.value(source, layout)
    names = [b.declare(number, layout) for number in operator.outputs]
    at = TO_IMAGE.index(axis) if layout == IMAGE else axis
    b.add("Split", [value, b.ints("sizes", sizes)], names, axis=at)


@converts("PACK")
def pack(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert a stack along a new axis."""
    numbers = operator.inputs
    need_same_codes(b, *numbers, number)
    rank = len(b.tensor(number).dims)
    axis = _axis(b, operator, operator.options["axis"], rank)
    data = [b.data(each) for each in numbers]
    known = [each for each in data if each is not None]
    if known and len(known) == len(data):
        b.fold(number, np.stack(known, axis))
        return
    values = [
        b.then("Unsqueeze", [b.value(each), b.ints("axes", [axis])], "layer") for each in numbers
    ]
    b.put("Concat", values, number, axis=axis)


@converts("UNPACK")
def unpack(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert the slices along an axis, which goes."""
    need_same_codes(b, source, *operator.outputs)
    dims = b.tensor(source).dims
    axis = _axis(b, operator, operator.options["axis"], len(dims))
    if dims[axis] != len(operator.outputs):
        problem, found = "has another number of slices", len(operator.outputs)
        raise b.refuse(operator, problem, expected=dims[axis], found=found)
    parts = [b.fresh("layer") for _ in operator.outputs]
    b.add("Split", [b.value(source), b.ints("sizes", [1] * len(parts))], parts, axis=axis)
    for part, number in zip(parts, operator.outputs, strict=True):
        b.put("Reshape", [part, b.ints("shape", b.tensor(number).dims)], number)


@converts("GATHER", inputs=2)
def gather(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert elements by their number along an axis."""
    need_same_codes(b, source, number)
    if operator.options["batch_dims"]:
        raise NotConverted("numbers per element of a batch")
    axis = _axis(b, operator, operator.options["axis"], len(b.tensor(source).dims))
    b.put("Gather", [b.value(source), b.value(operator.inputs[1])], number, axis=axis)


@converts("ARG_MAX", "ARG_MIN", inputs=2)
def place_of_end(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert the place of the largest or the least element."""
    value = b.value(source)
    kind = "ArgMax" if operator.kind == "ARG_MAX" else "ArgMin"
    axis = int(b.known(operator, 1).reshape(-1)[0])
    dtype = b.tensor(number).dtype
    if dtype == "int64":
        b.put(kind, [value], number, axis=axis, keepdims=0)
        return
    place = b.then(kind, [value], "place", axis=axis, keepdims=0)
    b.put("Cast", [place], number, to=TYPES.index(dtype))


@converts("MIRROR_PAD", inputs=2)
def mirrored(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert padding by the elements on the other side of the edge."""
    need_same_codes(b, source, number)
    if operator.options["mode"]:
        raise NotConverted("padding that repeats the edge")
    layout, widths = layout_of(b, [source]), b.known(operator, 1).reshape(-1, 2)
    pairs = turned(widths.tolist(), layout)
    pads = [*(pair[0] for pair in pairs), *(pair[1] for pair in pairs)]
    b.put("Pad", [b.value(source, layout), b.ints("pads", pads)], number, layout, mode="reflect")


_BLOCKS: dict[str, tuple[str, dict[str, str]]] = {
    "SPACE_TO_DEPTH": ("SpaceToDepth", {}),
    "DEPTH_TO_SPACE": ("DepthToSpace", {"mode": "DCR"}),
}


@converts(*_BLOCKS)
def blocks_and_channels(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert blocks of an image to channels, or channels to blocks."""
    need_same_codes(b, source, number)
    kind, mode = _BLOCKS[operator.kind]
    size = operator.options["block_size"]
    b.put(kind, [b.image(source)], number, IMAGE, blocksize=size, **mode)
