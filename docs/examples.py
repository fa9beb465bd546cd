"""An example of every operator for the reference: dimensions in, dimensions out.

What is written here is the call and the dimensions of the inputs; what comes out is found by
asking the library, so that the page cannot say anything else. A test asks for all of them.
"""

from __future__ import annotations

import doctest
import logging
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import aidge_nb
from aidge_nb.graph import SPECS

__all__ = ["example", "examples", "refused", "shapes"]

Dims = Sequence[Sequence[int]]

_CALLS: dict[str, tuple[str, Dims] | tuple[str, Dims, dict[int, list[int]]]] = {
    "BatchNorm2D": ("4", ([1, 4, 8, 8],)),
    "Cast": ('"int8"', ([2, 3],)),
    "Clip": ("min=-1.0, max=1.0", ([2, 3],)),
    "Concat": ("2, axis=1", ([2, 3], [2, 5])),
    "Compress": ("axis=1", ([2, 3],), {1: [True, False, True]}),
    "ConstantOfShape": ("", (), {0: [2, 3]}),
    "DepthToSpace": ("2", ([1, 4, 3, 3],)),
    "Einsum": ('"ij,jk->ik", 2', ([2, 3], [3, 4])),
    "Expand": ("", ([3, 1],), {1: [3, 4]}),
    "EyeLike": ("", ([3, 3],)),
    "FC": ("4, 2", ([1, 4],)),
    "Fold2D": ("[4, 4], [2, 2]", ([1, 12, 9],)),
    "Gather": ("axis=1, indices=[0, 2], gathered_shape=[2]", ([2, 3],)),
    "GatherElements": ("axis=1", ([2, 3], [2, 2])),
    "GatherND": ("", ([2, 3], [4, 2])),
    "Gemm": ("4, 2", ([3, 4],)),
    "GlobalAveragePooling": ("", ([1, 4, 8, 8],)),
    "GlobalMaxPooling": ("", ([1, 4, 8, 8],)),
    "GroupNormalization": ("4, 2", ([1, 4, 8, 8],)),
    "Hardmax": ("1", ([2, 3],)),
    "Heaviside": ("0.5", ([2, 3],)),
    "InstanceNorm": ("4", ([1, 4, 8, 8],)),
    "LRN": ("3", ([1, 4, 8, 8],)),
    "LayerNorm": ("[3]", ([2, 3],)),
    "LogSoftmax": ("1", ([2, 3],)),
    "MatMul": ("", ([2, 3], [3, 4])),
    "Max": ("2", ([2, 3], [3])),
    "Mean": ("2", ([2, 3], [3])),
    "Min": ("2", ([2, 3], [3])),
    "OneHot": ("depth=5", ([4],)),
    "PRelu": ("", ([2, 3], [3])),
    "Pad": ("pads=[0, 1, 0, 1]", ([2, 3],)),
    "Pop": ("", ([5, 2, 3],)),
    "Producer": ("[2, 3]", ()),
    "RMSNormalization": ("[3]", ([2, 3],)),
    "Range": ("0, 10, 2", ()),
    **{
        f"Reduce{kind}": ("axes=[1]", ([2, 3],))
        for kind in (
            "L1",
            "L2",
            "LogSum",
            "LogSumExp",
            "Max",
            "Mean",
            "Min",
            "Prod",
            "Sum",
            "SumSquare",
        )
    },
    "Reshape": ("[3, -1]", ([2, 3],)),
    "Resize": ("scale=[1, 1, 2, 2]", ([1, 4, 8, 8],)),
    "Scatter": ("axis=1", ([2, 3], [2, 2], [2, 2])),
    "ScatterND": ("", ([2, 3], [4, 2], [4])),
    "Select": ("2", ([1], [2, 3], [2, 3])),
    "Slice": ("starts=[1], ends=[3], axes=[1], steps=[1]", ([2, 3],)),
    "Softmax": ("1", ([2, 3],)),
    "SpaceToDepth": ("2", ([1, 1, 4, 4],)),
    "Split": ("2, axis=1, split=[1, 2]", ([2, 3],)),
    "Squeeze": ("axes=[0]", ([1, 3],)),
    "Stack": ("max_elements=5", ([2, 3],)),
    "Sum": ("2", ([2, 3], [3])),
    "Tile": ("", ([2, 3],), {1: [2, 1]}),
    "TopK": ("axis=1, k=2", ([2, 3],)),
    "Transpose": ("[1, 0]", ([2, 3],)),
    "Unfold2D": ("[2, 2]", ([1, 3, 4, 4],)),
    "Unsqueeze": ("axes=[0]", ([2, 3],)),
    "Where": ("", ([2, 3], [2, 3], [3])),
}
"""Arguments, dimensions of inputs, and inputs whose values decide.

Operators that are not here take no arguments, and tensors of 2×3.
"""

WITHOUT = {"GRU", "LSTM", "Memorize", "NonZero"}
"""What makes sense in a loop alone, and what has dimensions that no rule gives: see `sessions`."""


@cache
def examples() -> dict[str, str]:
    """Write an example of every operator that has a factory."""
    names = {*SPECS, *(name for name in dir(aidge_nb) if name.startswith("Padded"))}
    return {name: example(name) for name in sorted(names - WITHOUT) if hasattr(aidge_nb, name)}


def example(name: str) -> str:
    """Write one, as a session in Python.

    Raises
    ------
    LookupError
        When the dimensions do not follow: the entry above needs an eye.
    """
    arguments, inputs, values = _call(name)
    call = f"aidge_nb.{name}({arguments})"
    session: dict[str, Any] = {"aidge_nb": aidge_nb}
    lines = [f"node = {call}"]
    for index, value in values.items():
        lines.append(f"node.get_operator().set_input({index}, aidge_nb.Tensor({value}))")
    lines.append("graph = aidge_nb.get_connected_graph_view(node)")
    given = [list(dims) for dims in inputs]
    options = [str(given)] * bool(given) + ["allow_data_dependency=True"] * bool(values)
    follow = f"graph.forward_dims({', '.join(options)})"
    exec("\n".join(lines), session)  # what is written above
    if not eval(follow, session):
        raise LookupError(f"{call} gives no dimensions for {given}")
    node = session["node"]
    lines = [f">>> {line}" for line in [*lines, follow]] + ["True"]
    operator = node.get_operator()
    for index in range(operator.nb_outputs):
        lines += [f">>> node.get_operator().get_output({index}).dims"]
        lines += [str(list(operator.get_output(index).dims))]
    return "\n".join(lines)


@cache
def shapes(name: str) -> tuple[list[tuple[int, ...] | None], list[tuple[int, ...]]]:
    """Give the dimensions of inputs and outputs in the example; None for inputs left open."""
    session: dict[str, Any] = {"aidge_nb": aidge_nb}
    for each in doctest.DocTestParser().get_examples(example(name)):
        exec(each.source, session)
    node = session["node"]
    operator = node.get_operator()
    tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
    given = [list(dims) for dims in _call(name)[1]]
    inputs = [None if tensor is None else tuple(tensor.dims) for tensor in tensors]
    for port, dims in zip(session["graph"].get_ordered_inputs(), given, strict=False):
        inputs[port.index] = tuple(dims)
    return inputs, [tuple(operator.get_output(index).dims) for index in range(operator.nb_outputs)]


@cache
def refused(name: str) -> str:
    """Give the message to dimensions that an operator does not take; empty if it takes all."""
    arguments, inputs, values = _call(name)
    logging.disable()
    try:
        for wrong in _spoilt(inputs):
            session: dict[str, Any] = {"aidge_nb": aidge_nb}
            exec(f"node = aidge_nb.{name}({arguments})", session)
            operator = session["node"].get_operator()
            for index, value in values.items():
                operator.set_input(index, aidge_nb.Tensor(value))
            try:
                graph = aidge_nb.get_connected_graph_view(session["node"])
                graph.forward_dims(wrong, allow_data_dependency=True)
            except aidge_nb.ShapeError as error:
                return " ".join(str(error).split())
    finally:
        logging.disable(logging.NOTSET)
    return ""


def _spoilt(inputs: Dims) -> Iterator[list[list[int]]]:
    """Spoil the dimensions of one input after the other: a size that does not fit, then an axis."""
    good = [list(dims) for dims in inputs]
    for index, dims in reversed(list(enumerate(good))):
        for axis in range(len(dims)):
            wrong = [*dims[:axis], dims[axis] + 2, *dims[axis + 1 :]]
            yield [*good[:index], wrong, *good[index + 1 :]]
        yield [*good[:index], dims[:-1], *good[index + 1 :]]


def _call(name: str) -> tuple[str, Dims, dict[int, list[int]]]:
    """Give arguments of a factory, dimensions of its inputs, and values where they decide."""
    if name in _CALLS:
        arguments, inputs, *values = _CALLS[name]
        return arguments, inputs, values[0] if values else {}
    rank = int(name[-2]) if name[-1] == "D" and name[-2].isdigit() else 0
    if not rank:
        needed = [index for index in range(len(SPECS[name].inputs)) if _is_needed(name, index)]
        return "", ([2, 3],) * len(needed), {}
    channels = "4, " if "DepthWise" in name else "" if "Pooling" in name else "4, 6, "
    pads = f", padding_dims={[1] * (2 * rank)}" if name.startswith("Padded") else ""
    return f"{channels}{[3] * rank}{pads}", ([1, 4, *[8] * rank],), {}


def _is_needed(name: str, index: int) -> bool:
    return not SPECS[name].input_spec(index).category.is_optional
