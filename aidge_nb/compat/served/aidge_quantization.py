"""Stands in for ``aidge_quantization``: its calls end in :func:`aidge_nb.quantization.quantize`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from aidge_nb.compat.operators import rounded
from aidge_nb.compat.operators.scaling import (
    get_scaling_factor,
    multiply_scaling_factor,
    remove_round,
    set_clip_range,
    set_scaling_factor,
)
from aidge_nb.compat.served.aidge_backend_cpu import get_project_version, show_version
from aidge_nb.compat.served.families import family_member
from aidge_nb.compat.served.unserved import not_served
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import GraphError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import find_spec
from aidge_nb.graph.view import GraphView
from aidge_nb.quantization import equalize_layers, quantize
from aidge_nb.quantization.insert import is_known
from aidge_nb.quantization.kinds import WEIGHTED
from aidge_nb.quantization.observe import batches_of, watch
from aidge_nb.recipes.edit import editing

__all__ = [
    "Clipping",
    "auto_assign_node_precision",
    "check_architecture",
    "check_precision_tag",
    "clear_all_node_precision",
    "clear_biases",
    "compute_ranges",
    "cross_layer_equalization",
    "determine_backend",
    "get_project_version",
    "get_scaling_factor",
    "is_cuda_available",
    "multiply_scaling_factor",
    "pop_softmax",
    "quantizability_report",
    "quantize_network",
    "remove_round",
    "set_clip_range",
    "set_scaling_factor",
    "show_version",
]

PRECISION = "quantization.ptq.precision"
SUM_PRECISION = "quantization.ptq.accumulationprecision"

is_cuda_available = False
"""Whether graphics processors compute; there are none here."""

Clipping = Enum("Clipping", "MAX MSE AA KL SIGMA3 SIGMA4 SIGMA5")
"""How the range of a tensor follows from what it held."""

RANGES = {Clipping.MAX: "minmax", Clipping.MSE: "mse", Clipping.KL: "entropy"}
"""Rules of :func:`aidge_nb.quantization.quantize` for those that it has."""


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    if name in rounded.__all__:
        return getattr(rounded, name)
    if name in rounded.DoReFaMode.__members__:
        return rounded.DoReFaMode[name]
    if name.removesuffix("Op").rpartition("_")[2] in rounded.__all__ and name.endswith("Op"):
        return family_member(name)
    raise AttributeError(not_served("aidge_quantization", name, __all__))


def quantize_network(
    network: GraphView,
    calibration_set: Sequence[Tensor],
    clipping_mode: Clipping = Clipping.MAX,
    rescale_inputs: bool = False,
    equalize: bool = True,
    channel_wise: bool = False,
    no_quant: bool = False,
    optimize_signs: bool = False,
    single_shift: bool = False,
    fold_graph: bool = True,
    fake_quantize: bool = False,
    dequantize: bool = False,
    verbose: bool = False,
) -> None:
    """Quantize a network in place; its inputs and outputs stay in floating point.

    Parameters
    ----------
    network
        The graph; each node has a precision, see :func:`auto_assign_node_precision`.
    calibration_set
        Inputs of the graph.
    clipping_mode
        ``MAX``, ``MSE`` or ``KL``.
    equalize, channel_wise
        Whether to equalize layers; whether weights have a scale for each channel.
    fake_quantize
        Whether layers compute on numbers between QuantizeLinear and DequantizeLinear.
    rescale_inputs, dequantize, optimize_signs, fold_graph
        Always so: inputs are scaled, outputs scaled back, a range is as its numbers are, and
        parameters are kept as codes.
    verbose
        Whether to log how near the outputs are.
    no_quant, single_shift
        These raise when they are true.

    Raises
    ------
    GraphError
        When a precision lacks or is none of 8 bits (weights: 4), or for options without a
        counterpart.
    """
    options = {"no_quant": no_quant, "single_shift": single_shift}
    for name in (each for each, value in options.items() if value):
        raise GraphError.at(name, "has no counterpart: scales are any numbers", found=True)
    if clipping_mode not in RANGES:
        known = [f"Clipping.{each.name}" for each in RANGES]
        raise GraphError.at("clipping_mode", "unknown", expected=known, found=str(clipping_mode))
    check_precision_tag(network)
    found = quantize(
        network,
        [np.concatenate([np.asarray(tensor) for tensor in calibration_set])],
        ranges=RANGES[clipping_mode],
        weight_bits=_weight_bits(network),
        per_channel=channel_wise,
        equalize=equalize,
    )
    if verbose:
        from aidge_nb.core.log import NOTICE, logger

        logger.log(NOTICE, "%r", found)
    _become(network, found.graph if fake_quantize else found.integer()[0])


def _weight_bits(network: GraphView) -> int:
    """Return how many bits weights have: those of the layers agree."""
    bits = set()
    for node in network.get_nodes():
        parent = node.get_parent(1) if node.type() in WEIGHTED else None
        if parent is not None:
            bits.add({"int8": 8, "int4": 4}.get(_precision_of(parent), 0))
        if node.type() != "Producer" and _precision_of(node) != "int8":
            raise GraphError.at(node.name(), "activations are int8", found=_precision_of(node))
    if 0 in bits or len(bits) > 1:
        raise GraphError.at("weights", "all are int8, or all are int4", found=sorted(bits))
    return next(iter(bits), 8)


def _precision_of(node: Node) -> str:
    """Return the name of the type that is noted at a node; empty when there is none."""
    return str(getattr(node.attributes().get(PRECISION), "name", ""))


def _become(network: GraphView, other: GraphView) -> None:
    """Put the nodes of another graph in place of a graph's own."""
    for node in network.get_nodes():
        network.remove(node)
    network.add(other.get_nodes())
    network.set_ordered_inputs(other.get_ordered_inputs())
    network.set_ordered_outputs(other.get_ordered_outputs())


# --- precisions ----------------------------------------------------------------------------------


def auto_assign_node_precision(
    graphview: GraphView, act_precision: DType, weight_precision: DType, bias_precision: DType
) -> None:
    """Note which integers each node works on; what is noted at it already stays.

    Parameters
    ----------
    graphview
        The graph.
    act_precision, weight_precision, bias_precision
        Types of activations, of weights, and of biases and sums.
    """
    for node in graphview.get_nodes():
        if node.type() == "Producer":
            continue
        node.attributes().setdefault(PRECISION, act_precision)
        if node.type() in WEIGHTED:
            node.attributes().setdefault(SUM_PRECISION, bias_precision)
            for index, kind in ((1, weight_precision), (2, bias_precision)):
                parent = node.get_parent(index)
                if parent is not None:
                    parent.attributes()[PRECISION] = kind


def clear_all_node_precision(graphview: GraphView) -> None:
    """Forget the precisions of all nodes."""
    for node in graphview.get_nodes():
        for name in (PRECISION, SUM_PRECISION):
            node.attributes().pop(name, None)


def check_precision_tag(graphview: GraphView, verbose: bool = False) -> None:
    """Raise GraphError when a node has no precision or one that is no integer.

    Parameters
    ----------
    graphview
        The graph.
    verbose
        Whether to print the precisions first.
    """
    for node in graphview.topological_order():
        found = _precision_of(node)
        if verbose:
            sys.stdout.write(f"{node.name()} {node.type()} {found}\n")
        if not found or found.startswith(("float", "bfloat", "complex")):
            raise GraphError.at(
                node.name() or node.type(),
                "has no integer precision",
                cure="Call auto_assign_node_precision(graph, act, weight, bias) before.",
                found=found or "none",
            )


# --- what can be quantized -----------------------------------------------------------------------


def _mark(node: Node) -> str:
    """Return ``ok`` for kinds of layers that compute on codes, ``!`` or ``?`` for others."""
    if node.type() == "Producer" or is_known(node):
        return "ok"
    return "?" if find_spec(node.type()) is None else "!"


def check_architecture(network: GraphView) -> bool:
    """Return whether each layer can compute on codes."""
    return all(_mark(node) == "ok" for node in network.get_nodes())


def quantizability_report(graphView: GraphView) -> None:
    """Print which kinds of layers can compute on codes, which stay, and which are unknown."""
    counts = Counter((_mark(node), node.type()) for node in graphView.get_nodes())
    marks = [mark for mark in _SUMMARY if any(mark == each for each, _ in counts)]
    kinds = sorted(counts.items(), key=lambda each: (marks.index(each[0][0]), each[0][1]))
    lines = [*("=" * 40, "      Graph Quantizability Report       ", "=" * 40, "")]
    lines += [f"- [{mark}] {kind} x{count}" for (mark, kind), count in kinds]
    whole = set(marks) <= {"ok"}
    lines += ["", "Summary", "-------", f"The graph is {'' if whole else 'not '}fully quantizable"]
    lines += [f"  {_SUMMARY[mark]}" for mark in marks if whole or mark != "ok"]
    sys.stdout.write("\n".join(lines) + "\n")


_SUMMARY = {
    "ok": "All operators in the graph support PTQ.",
    "!": "- Those marked [!] stay in floating point.",
    "?": "- Those marked [?] are unknown: they stay in floating point, too.",
}


# --- steps ---------------------------------------------------------------------------------------


def compute_ranges(
    network: GraphView, calibration_set: Sequence[Tensor], scaling_nodes_only: bool
) -> dict[Node, float]:
    """Return the largest magnitude that each node gave for some inputs.

    Parameters
    ----------
    network, calibration_set
        The graph and inputs of it.
    scaling_nodes_only
        Whether to look at scaling nodes only, of which there are none here.
    """
    nodes = [] if scaling_nodes_only else network.topological_order()
    ports: list[Port | int] = [Port(node, 0) for node in nodes if node.type() != "Producer"]
    batches = batches_of(network, [np.concatenate([np.asarray(each) for each in calibration_set])])
    found = dict.fromkeys(ports, 0.0)
    for seen in watch(network, batches, ports):
        for port, values in seen.items():
            found[port] = max(found[port], float(np.abs(values).max(initial=0.0)))
    return {port.node: most for port, most in found.items() if isinstance(port, Port)}


def cross_layer_equalization(network: GraphView, target_delta: float = 0.01) -> None:
    """Equalize the ranges of weights of neighbouring layers, in place.

    Parameters
    ----------
    network
        The graph.
    target_delta
        Taken for Aidge's sake: rounds end when factors are near 1.
    """
    equalize_layers(network)


def clear_biases(network: GraphView) -> None:
    """Fill the biases of convolutions and fully connected layers with 0."""
    for node in network.get_nodes():
        parent = node.get_parent(2) if node.type() in WEIGHTED else None
        if parent is not None:
            tensor = parent.get_operator().get_output(0)
            parent.get_operator().set_output(0, Tensor(np.zeros_like(np.asarray(tensor))))


def determine_backend(node: Node) -> str:
    """Return the backend of a node.

    Raise GraphError when it has none.
    """
    found = node.get_operator().backend()
    if not found:
        raise GraphError.at(node.label, "has no backend", cure='Call set_backend("cpu") first.')
    return found


def pop_softmax(network: GraphView) -> None:
    """Take away a Softmax whose output is the graph's."""
    last = [port.node for port in network.get_ordered_outputs()]
    with editing(network) as edit:
        for node in (each for each in last if each.type() == "Softmax"):
            edit.bypass(node)
