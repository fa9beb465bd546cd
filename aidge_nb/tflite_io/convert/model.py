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


def _convert(build: Build, operator: TfliteOperator) -> None:
    """Add the nodes of an operator; a generic one where nothing else does."""
    known = None if operator.is_custom else CONVERTERS.get(operator.kind)
    converter, least = known or (None, 0)
    present = sum(number >= 0 for number in operator.inputs[:least])
    if converter is not None and (present < least or not operator.outputs):
        raise build.refuse(
            operator,
            "inputs or outputs are missing",
            expected=f"{least} inputs and an output",
            found=f"inputs {list(operator.inputs)}, outputs {list(operator.outputs)}",
        )
    nodes = len(build.nodes)
    try:
        if converter is None:
            raise NotConverted(_why(build, operator))
        converter(build, operator, operator.inputs[0], operator.outputs[0])
    except NotConverted as reason:
        del build.nodes[nodes:]
        build.generic(operator, str(reason))
    except KERNEL_FAILURES as error:
        raise build.refuse(operator, "its tensors do not fit together", found=error) from error
