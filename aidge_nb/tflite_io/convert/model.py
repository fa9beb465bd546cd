"""Convert a whole TensorFlow Lite model to ONNX's operators, and to those that round alike."""

from __future__ import annotations

from math import prod

from aidge_nb.core.errors import KERNEL_FAILURES, TfliteError
from aidge_nb.kernels.standard import OURS, TFLITE
from aidge_nb.onnx_io.ir import OnnxGraph, OnnxValue
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.tflite_io.convert import (
    blocks,
    functions,
    layers,
    moving,
    pointwise,
    pooling,
    sequence,
)
from aidge_nb.tflite_io.convert.build import COMPILED, CONVERTERS, Build, NotConverted
from aidge_nb.tflite_io.model import TfliteModel, TfliteOperator

_FAMILIES = (blocks, functions, layers, moving, pointwise, pooling, sequence)
"""The modules whose functions are in CONVERTERS."""

_OPSET = 13


def convert_model(model: TfliteModel) -> OnnxModel:
    """Return a model of ONNX's operators, and of ``tflite`` ones on codes.

    Its metadata say how many images were turned into another layout, and why operators became
    generic ones.

    Raises
    ------
    TfliteError
        When tensors of an operator do not fit together.
    """
    build = Build(model)
    needed = _needed(model)
    for operator, is_needed in zip(model.operators, needed, strict=True):
        if is_needed:
            _convert(build, operator)
    outputs: list[OnnxValue] = []
    for number in model.outputs:
        try:
            name = build.value(number)
        except NotConverted as reason:
            raise TfliteError.at(model.source, str(reason)) from None
        if any(name == value.name for value in outputs) or name in build.constants:
            name = _copied(build, number, name)
        outputs.append(OnnxValue(name, model.tensors[number].dtype, model.tensors[number].dims))
    inputs = [build.values[build.value(number)] for number in model.inputs]
    title = model.source.rsplit("/", 1)[-1].removesuffix(".tflite") or "model"
    graph = OnnxGraph(
        title, tuple(build.nodes), build.constants, tuple(inputs), tuple(outputs), build.values
    )
    facts = {"tflite.turned": "\n".join(build.turns)}
    facts |= {f"tflite.generic.{name}": why for name, why in build.kept.items()}
    opsets = {"": _OPSET, TFLITE: 1, OURS: 1}
    return OnnxModel(graph, opsets, metadata=facts, producer="tflite", source=model.source)


def _copied(build: Build, number: int, name: str) -> str:
    copy = build.declare(number, "output")
    build.add("Identity", [name], [copy])
    return copy


def _needed(model: TfliteModel) -> list[bool]:
    """Return which operators some output depends on; dims as data are read from the file."""
    wanted, found = set(model.outputs), []
    for operator in reversed(model.operators):
        is_needed = bool(wanted & set(operator.outputs))
        if is_needed:
            known = operator.kind in ("RESHAPE", "SQUEEZE", "EXPAND_DIMS")
            wanted.update(operator.inputs[:1] if known else operator.inputs)
        found.append(is_needed)
    return found[::-1]


def _why(build: Build, operator: TfliteOperator) -> str:
    """Say why an operator has no counterpart."""
    if operator.kind != COMPILED:
        return "there is no such operator here"
    data = [build.tensor(number) for number in operator.inputs if number >= 0]
    stream = sum(each.data.size for each in data[:1] if each.data is not None)
    working = max((prod(each.dims) for each in data if each.data is None), default=0)
    return (
        f"Vela compiled it to {stream:,} bytes of commands for an Ethos-U; its working memory of "
        f"{working:,} bytes, which holds its inputs, outputs and all between, is shown as an output"
    )


_AT_LEAST = {
    "RESHAPE": 1,
    "TRANSPOSE_CONV": 3,
    "STRIDED_SLICE": 4,
    "SLICE": 3,
    "SPLIT_V": 3,
    "SELECT_V2": 3,
    "SPACE_TO_BATCH_ND": 3,
    "BATCH_TO_SPACE_ND": 3,
}
_PAIRS = (
    *("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "CONV_2D", "DEPTHWISE_CONV_2D"),
    *("FULLY_CONNECTED", "BATCH_MATMUL", "MEAN", "SUM", "REDUCE_MAX", "PAD", "TRANSPOSE"),
    *("SPLIT", "GATHER", "ARG_MAX", "ARG_MIN", "REDUCE_MIN", "MIRROR_PAD", "PRELU", "POW"),
    *("LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "EQUAL", "NOT_EQUAL"),
    *("LOGICAL_AND", "LOGICAL_OR", "SQUARED_DIFFERENCE", "GATHER_ND", "CUMSUM"),
)


def _convert(build: Build, operator: TfliteOperator) -> None:
    """Add the nodes of an operator; a generic one where nothing else does."""
    least = _AT_LEAST.get(operator.kind, 2 if operator.kind in _PAIRS else 1)
    present = sum(number >= 0 for number in operator.inputs[:least])
    converter = None if operator.is_custom else CONVERTERS.get(operator.kind)
    if converter is not None and (present < least or not operator.outputs):
        raise TfliteError.at(
            f"{build.model.source}, {operator.label}",
            "inputs or outputs are missing",
            expected=f"{least} inputs and an output",
            found=f"inputs {list(operator.inputs)}, outputs {list(operator.outputs)}",
            cure="The file is damaged; convert the model again.",
        )
    nodes = len(build.nodes)
    try:
        if converter is None:
            raise NotConverted(_why(build, operator))
        converter(build, operator)
    except NotConverted as reason:
        del build.nodes[nodes:]
        build.generic(operator, str(reason))
    except KERNEL_FAILURES as error:
        cure = "The file is damaged; convert the model again."
        where, problem = (
            f"{build.model.source}, {operator.label}",
            "its tensors do not fit together",
        )
        raise TfliteError.at(where, problem, found=error, cure=cure) from error
