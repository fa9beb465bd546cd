"""Turn a graph of QuantizeLinear and DequantizeLinear nodes into one that computes on integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from aidge_nb.core.errors import listed
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.kernels.cpu.quantization.standard import dequantized, quantized
from aidge_nb.quantization.coded import (
    CODES,
    CODES_OF,
    CODING,
    Coded,
    CodedOutput,
    coded_input,
    coded_output,
    parameters_of,
)
from aidge_nb.quantization.functions import bounds_of, table_of
from aidge_nb.quantization.kinds import CODERS, COMBINING, MAX_POOLINGS, is_elementwise, is_moving
from aidge_nb.quantization.layer import NotInteger, QuantizedLayer, converted
from aidge_nb.quantization.rules import RULES
from aidge_nb.recipes.edit import Edit, editing


@dataclass(frozen=True)
class IntegerReport:
    """Result of :func:`to_integer`: what changed, and what did not.

    Attributes
    ----------
    integer
        Names of the layers that compute on integers now.
    float_
        The layers next to codes that stay in floating point, and why.

    Examples
    --------
    >>> print(IntegerReport(("conv", "fc"), {"norm": "no integer operator"}))
    2 layers on integers; 1 in floating point (norm: no integer operator)
    """

    integer: tuple[str, ...] = ()
    float_: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of layers changed."""
        return len(self.integer)

    def __str__(self) -> str:
        if not self.integer and not self.float_:
            return "no quantized layers"
        kept = [f"{name}: {why}" for name, why in self.float_.items()]
        named = listed(kept, "; ", most=3)
        rest = f"; {len(kept)} in floating point ({named})" if kept else ""
        return f"{len(self.integer)} layers on integers{rest}"


def to_integer(view: GraphView) -> IntegerReport:
    """Make layers between codes compute on the codes, in place.

    A layer whose inputs are made of codes of 8 or 16 bits and whose result is quantized becomes the
    operator on codes of ONNX or ONNX Runtime (QLinearConv, QGemm, QLinearAdd …). ReLU and Clip
    behind it become a part of its saturation where the codes allow it. Functions of one tensor
    become a table; what only moves data moves the codes. A conversion from codes to codes becomes a
    table, or vanishes when both are the same. Data of 16 bits keep weights of 8: sums have 64 bits
    where 32 may not hold them. A table of such data would have 65,536 entries: conversions, ReLU,
    LeakyReLU and Clip are arithmetic (Rescale), all other functions stay in floating point.

    Results differ from those of the graph before by a step of their scale at most, where the
    floating-point sum lay close to the middle between two codes.

    Parameters
    ----------
    view
        The graph.

    Returns
    -------
    IntegerReport
        What changed, and what stays in floating point and why.

    Raises
    ------
    GraphError
        When ``view`` is not a graph.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.onnx_io.convert.operator import onnx_node
    >>> from aidge_nb.graph.spec import InputCategory
    >>> ports = [InputCategory.Data, InputCategory.Data, InputCategory.OptionalData]
    >>> nodes = {n: onnx_node(f"{n}Linear", ports, name=n) for n in ("Quantize", "Dequantize")}
    >>> last = onnx_node("QuantizeLinear", ports, name="Again")
    >>> for node in (*nodes.values(), last):
    ...     scale = aidge_nb.Producer(np.array(0.1, np.float32), name=f"{node.name()}_scale")
    ...     scale.add_child(node, 0, 1)
    >>> order = [nodes["Quantize"], nodes["Dequantize"], aidge_nb.ReLU(name="relu"), last]
    >>> graph = aidge_nb.sequential(order)
    >>> print(to_integer(graph))
    1 layers on integers
    >>> [node.type() for node in graph.topological_order() if node.type() != "Producer"]
    ['QuantizeLinear', 'LookUp']

    Notes
    -----
    Source: B. Jacob and others, Quantization and Training of Neural Networks for Efficient
    Integer-Arithmetic-Only Inference, 2018; the operators' arithmetic is that of ONNX Runtime.
    """
    check_view(view, "to_integer")
    integer: list[str] = []
    kept: dict[str, str] = {}
    with editing(view) as edit:
        _fold_single_numbers(edit)
        view.forward_dims(allow_data_dependency=True)
        _drop_equal_conversions(edit)
        for node in view.topological_order():
            if node in view and node.type() not in (*CODERS, "Producer"):
                _change(edit, node, integer, kept)
        for node in edit.nodes("DequantizeLinear"):
            if node in view:
                _convert(edit, node)
    view.forward_dims(allow_data_dependency=True)
    return IntegerReport(tuple(integer), kept)


def _change(edit: Edit, node: Node, integer: list[str], kept: dict[str, str]) -> None:
    """Make one layer an integer one, or say why it stays."""
    if not any(port.node.type() == "DequantizeLinear" for _, port in node.edges_in()):
        return
    if node.type() == "Split":
        _split(edit, node, integer, kept)
        return
    output = coded_output(edit, Port(node, 0))
    if isinstance(output, str):
        if node.type() not in ("ReLU", "Clip") or not edit.only_reader(Port(node, 0)):
            kept[node.label] = output
        return
    layer = QuantizedLayer(edit, node, output)
    try:
        made = _integer_node(layer)
    except NotInteger as reason:
        kept[node.label] = str(reason)
        return
    _replace_codes(edit, output.coded.node, made)
    integer.append(node.name() or node.type())


def _split(edit: Edit, node: Node, integer: list[str], kept: dict[str, str]) -> None:
    """Let a Split move codes; convert a part behind it where that is coded otherwise."""
    ports = [Port(node, index) for index in range(node.get_nb_outputs())]
    read = [port for port in ports if port.node.output(port.index) or edit.is_output(port)]
    outputs = [coded_output(edit, port) for port in read]
    given = coded_input(edit, node, 0)
    why = next((each for each in outputs if isinstance(each, str)), "")
    if given is None or not given.is_whole or given.kind not in CODES:
        why = "input#0 is not made of codes of 8 or 16 bits with one scale"
    known = [each for each in outputs if isinstance(each, CodedOutput)]
    if why or given is None or any(_nothing_known(o.between, given, o.coded) for o in known):
        kept[node.label] = why or "the bounds behind it are not known"
        return
    edit.feed_like(node, 0, given.node, 0)
    for port in ports:
        node.get_operator().get_output(port.index).set_datatype(given.kind)
    for port, output in zip(read, known, strict=True):
        made, between = port, output.between
        if not _changes_nothing(between, given, output.coded):
            layer, name = QuantizedLayer(edit, node, output), f"{node.name()}_part_{port.index}"
            made = converted(layer, given, output.coded, between, port, name)
        _replace_codes(edit, output.coded.node, made)
    integer.append(node.name() or node.type())


def _integer_node(layer: QuantizedLayer) -> Port:
    """Return the codes that a layer gives.

    Raise NotInteger when it has to stay in floating point.
    """
    node, wanted = layer.node, layer.result
    if is_elementwise(node):
        return converted(layer, layer.data(0), wanted, [node, *layer.output.between])
    place = _place_beside_a_number(layer)
    if place is not None and not layer.data(place).is_wide:
        return converted(layer, layer.data(place), wanted, [node, *layer.output.between], at=place)
    if is_moving(node) and not _is_mean(node):
        return _moved(layer)
    rule = RULES.get(node.type())
    if rule is None:
        raise NotInteger(f"there is no integer operator for {node.type()}")
    made = Port(rule(layer), 0)
    return _bounded(layer, made)


def _place_beside_a_number(layer: QuantizedLayer) -> int | None:
    """Return the input with the data where the other one is a known number; None elsewhere."""
    node, edit = layer.node, layer.edit
    if node.type() not in COMBINING or node.get_nb_inputs() != 2:
        return None
    for place in (0, 1):
        number, tensor = edit.constant(node, 1 - place), node.get_operator().get_input(place)
        if number is None or number.size != 1 or tensor is None or tensor.undefined():
            continue
        if number.ndim <= tensor.ndim:
            return place
    return None


def _is_mean(node: Node) -> bool:
    """Return whether a Resize makes means of elements."""
    return node.type() == "Resize" and node.get_operator().attr.interpolation_mode == "linear"


def _bounded(layer: QuantizedLayer, made: Port) -> Port:
    """Apply ReLU and Clip to codes, where saturation does not do it already."""
    if not layer.output.between:
        return made
    between, result = layer.output.between, layer.result
    if _changes_nothing(between, result, result):
        return made
    return converted(layer, result, result, between, made, f"{layer.node.name()}_bounds")


def _nothing_known(between: Sequence[Node], given: Coded, wanted: Coded) -> bool:
    """Return whether functions behind a layer cannot be computed on codes."""
    if given.is_wide:
        return bounds_of(between, wanted) is None
    return table_of(between, given, wanted) is None


def _changes_nothing(between: Sequence[Node], given: Coded, wanted: Coded) -> bool:
    """Return whether functions of one number leave all codes as they are."""
    if given.is_wide or wanted.is_wide:
        return given.is_like(wanted) and bounds_of(between, wanted) == (*wanted.ends, 1.0)
    table = table_of(between, given, wanted)
    codes = np.arange(256, dtype=np.uint8).view(given.kind)
    return given.kind == wanted.kind and table is not None and np.array_equal(table, codes)


def _moved(layer: QuantizedLayer) -> Port:
    """Let an operator move codes; convert them behind it where the result is coded otherwise."""
    edit, node, given = layer.edit, layer.node, layer.data(0)
    if node.type() in MAX_POOLINGS and node.get_nb_outputs() > 1 and node.output(1):
        raise NotInteger("the places of its largest elements are wanted")
    if node.type() == "Pad":
        _pad_with_codes(edit, node, given)
    between = layer.output.between
    if _nothing_known(between, given, layer.result):
        raise NotInteger("the bounds behind it are not known")
    edit.feed_like(node, 0, given.node, 0)
    _retype(node, given.kind)
    port = Port(node, 0)
    if _changes_nothing(between, given, layer.result):
        return port
    return converted(layer, given, layer.result, between, port, f"{node.name()}_bounds")


def _pad_with_codes(edit: Edit, node: Node, given: Coded) -> None:
    """Let a Pad add the code of its value; raise NotInteger when that is not known."""
    attributes = node.get_operator().attr
    value = edit.constant(node, 2)
    if attributes.mode == "constant_lowest" or (node.source(2) is not None and value is None):
        raise NotInteger("the value that it adds is not known")
    if attributes.mode != "constant":
        return
    number = float(attributes.constant_value if value is None else value.reshape(()))
    code = quantized(
        np.asarray(number, np.float32), given.scale, given.zero, given.kind.name
    ).reshape(())
    if value is not None:
        edit.feed(node, 2, edit.add_producer(code, f"{node.name()}_value", node, constant=True))
    attributes.constant_value = float(code)


def _retype(node: Node, kind: np.dtype[np.generic]) -> None:
    """Say that a node gives codes; the operators inside a meta-operator do, too."""
    operator = node.get_operator()
    operator.get_output(0).set_datatype(kind)


def _fold_single_numbers(edit: Edit) -> None:
    """Make Producers of single numbers that codes stand for, such as the value of a Pad."""
    for node in edit.nodes("DequantizeLinear"):
        codes, given = edit.constant(node, 0), parameters_of(edit, node)
        if codes is None or given is None or codes.size != 1 or not given.is_whole:
            continue
        number = dequantized(codes, given.scale.reshape(()), given.zero.reshape(()))
        edit.redirect(Port(node, 0), edit.add_producer(number, node.name(), node, constant=True))


def _drop_equal_conversions(edit: Edit) -> None:
    """Bypass a DequantizeLinear and the QuantizeLinear behind it where codes stay the same."""
    for node in edit.nodes("QuantizeLinear"):
        port = node.source(0)
        if port is None or port.node.type() != "DequantizeLinear" or port.node not in edit.view:
            continue
        first, second = parameters_of(edit, port.node), parameters_of(edit, node)
        source = port.node.source(0)
        if (
            first is not None
            and second is not None
            and first.is_like(second)
            and source is not None
        ):
            edit.redirect(Port(node, 0), source)


def _convert(edit: Edit, node: Node) -> None:
    """Make codes of a DequantizeLinear that a QuantizeLinear alone reads from its codes."""
    output, given = coded_output(edit, Port(node, 0)), parameters_of(edit, node)
    if isinstance(output, str) or given is None or not given.is_whole:
        return
    if given.kind not in CODES:
        return
    layer = QuantizedLayer(edit, output.coded.node, output)
    try:
        made = converted(layer, given, output.coded, output.between)
    except NotInteger:
        return
    _replace_codes(edit, output.coded.node, made)


def _replace_codes(edit: Edit, coder: Node, made: Port) -> None:
    """Read codes that a node computes in place of those of a QuantizeLinear; keep its name."""
    known = parameters_of(edit, coder)
    if made.index == 0 and known is not None:
        coding = float(known.scale.reshape(())), int(known.zero.reshape(()))
        made.node.annotations.update({CODES_OF: coder.name(), CODING: coding})
    edit.redirect(Port(coder, 0), made)
