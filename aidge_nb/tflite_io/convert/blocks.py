"""Convert what moves blocks of images to the batch and back, and elements by all their numbers."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.tflite_io.convert.build import Build, NotConverted, converts
from aidge_nb.tflite_io.convert.moving import need_same_codes
from aidge_nb.tflite_io.model import TfliteOperator


def _blocks(b: Build, operator: TfliteOperator) -> tuple[list[int], list[list[int]]]:
    """Return the size of a block along each axis after the batch, and pairs of widths."""
    rank = len(b.tensor(operator.inputs[0]).dims)
    sizes = [int(each) for each in b.known(operator, 1).reshape(-1)]
    widths = b.known(operator, 2)
    fits = widths.shape == (len(sizes), 2) and 0 < len(sizes) < rank
    if not fits or min(sizes) < 1 or widths.min() < 0:
        found = f"{sizes}, {widths.tolist()}"
        raise b.refuse(operator, "has no such blocks", expected=f"rank {rank}", found=found)
    return sizes, [[int(first), int(last)] for first, last in widths]


def _need_dims(b: Build, operator: TfliteOperator, dims: list[int]) -> None:
    result = list(b.tensor(operator.outputs[0]).dims)
    if dims != result:
        raise b.refuse(operator, "the result has other dims", expected=dims, found=result)


@converts("SPACE_TO_BATCH_ND", inputs=3)
def space_to_batch(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert elements of blocks to images of their own; the edges are padded by zero before."""
    need_same_codes(b, source, number)
    sizes, widths = _blocks(b, operator)
    given, count = b.tensor(source), len(sizes)
    batch, *rest = given.dims
    padded = [d + sum(w) for d, w in zip(rest[:count], widths, strict=True)]
    if any(dim % size for dim, size in zip(padded, sizes, strict=True)):
        problem = "the image is no whole number of blocks"
        raise b.refuse(operator, problem, expected=sizes, found=padded)
    parts = [dim // size for dim, size in zip(padded, sizes, strict=True)]
    _need_dims(b, operator, [batch * prod(sizes), *parts, *rest[count:]])
    value = b.value(source)
    if any(map(any, widths)):
        zero = np.asarray(given.zero[0] if given.is_coded else 0, np.dtype(given.dtype))
        around = [[0, 0], *widths, *([0, 0] for _ in rest[count:])]
        pads = [*(first for first, _ in around), *(last for _, last in around)]
        inputs = [value, b.ints("pads", pads), b.constant("value", zero)]
        value = b.then("Pad", inputs, "padded", mode="constant")
    pairs = [each for pair in zip(parts, sizes, strict=True) for each in pair]
    value = b.reshaped(value, [batch, *pairs, *rest[count:]], "in_blocks")
    inner = [2 + 2 * axis for axis in range(count)]
    outer = [1 + 2 * axis for axis in range(count)]
    others = range(1 + 2 * count, 1 + count + len(rest))
    turned = b.then("Transpose", [value], "blocks", perm=(*inner, 0, *outer, *others))
    b.put("Reshape", [turned, b.ints("shape", b.tensor(number).dims)], number)


@converts("BATCH_TO_SPACE_ND", inputs=3)
def batch_to_space(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert images to the elements of blocks of one; the edges are cut off behind."""
    need_same_codes(b, source, number)
    sizes, crops = _blocks(b, operator)
    count = len(sizes)
    images, *rest = b.tensor(source).dims
    if images % prod(sizes):
        problem = "the batch is no whole number of blocks"
        raise b.refuse(operator, problem, expected=prod(sizes), found=images)
    batch = images // prod(sizes)
    whole = [dim * size for dim, size in zip(rest, sizes, strict=False)]
    ends = [dim - last for dim, (_, last) in zip(whole, crops, strict=True)]
    left = [end - first for end, (first, _) in zip(ends, crops, strict=True)]
    _need_dims(b, operator, [batch, *left, *rest[count:]])
    value = b.reshaped(b.value(source), [*sizes, batch, *rest], "by_block")
    pairs = [each for axis in range(count) for each in (count + 1 + axis, axis)]
    others = range(2 * count + 1, count + 1 + len(rest))
    turned = b.then("Transpose", [value], "in_blocks", perm=(count, *pairs, *others))
    dims = [batch, *whole, *rest[count:]]
    if not any(map(any, crops)):
        b.put("Reshape", [turned, b.ints("shape", dims)], number)
        return
    value = b.reshaped(turned, dims, "uncut")
    starts, axes = [first for first, _ in crops], range(1, count + 1)
    lists = {"starts": starts, "ends": ends, "axes": axes, "steps": [1] * count}
    b.put("Slice", [value, *(b.ints(name, each) for name, each in lists.items())], number)


@converts("GATHER_ND", inputs=2)
def gather_nd(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert elements, or blocks of them, by their numbers along the first axes."""
    need_same_codes(b, source, number)
    b.put("GatherND", [b.value(source), b.value(operator.inputs[1])], number)


@converts("CUMSUM", inputs=2)
def running_sum(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert sums of all elements so far along an axis, of numbers."""
    if {b.tensor(each).dtype for each in (source, number)} != {"float32"}:
        raise NotConverted("running sums of codes")
    axis = b.ints("axis", [int(b.known(operator, 1).reshape(-1)[0])])
    exclusive, reverse = (int(operator.options[name]) for name in ("exclusive", "reverse"))
    b.put("CumSum", [b.value(source), axis], number, exclusive=exclusive, reverse=reverse)
