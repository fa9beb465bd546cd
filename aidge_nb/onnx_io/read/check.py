"""Check the rules that the graph of an ONNX model must keep.

Each value is defined once and before it is read, each node has a name of its own. What can be put
right without changing the meaning is (names, the order of nodes) and a warning says so; anything
else is an error that names the node.

Reference: https://onnx.ai/onnx/repo-docs/IR.html#graphs
"""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from aidge_nb.core.errors import OnnxError, listed
from aidge_nb.core.text import terminal_text
from aidge_nb.onnx_io.ir import OnnxGraph, OnnxNode
from aidge_nb.onnx_io.model import OnnxModel


def check_model(model: OnnxModel) -> OnnxModel:
    """Return the model with named nodes in an order in which they can run.

    Raise OnnxError when a value is undefined or defined twice, a cycle is closed, or no operator
    set of the standard is imported although nodes need one.
    """
    if not model.opset and any(not node.domain for node in model.nodes):
        if model.ir_version >= 3:
            raise OnnxError.at(
                model.source,
                "the model does not say which version of the standard operators it uses",
                expected="an opset import for ai.onnx",
                found=dict(model.opsets) or "none",
                cure="Export it again with a current exporter.",
            )
        model = replace(model, opsets={**model.opsets, "": 1})
    return replace(model, graph=_check_graph(model.graph, model.source, frozenset()))


def _check_graph(graph: OnnxGraph, source: str, outer: Collection[str]) -> OnnxGraph:
    """Check a graph that may also read the values ``outer``."""
    defined = {value.name for value in graph.inputs} | set(graph.initializers)
    _check_definitions(graph, source, defined)
    known = defined.union(outer)
    nodes = _in_order(graph.nodes, known, source)
    written = {output for node in nodes for output in node.outputs}
    for output in graph.outputs:
        if output.name not in written and output.name not in known:
            raise OnnxError.at(
                f"{source}, graph output {output.name!r}",
                "no node computes it",
                cure=_similar(output.name, written | known),
            )
    nodes = _with_names(nodes, source)
    everything = known | written
    return replace(graph, nodes=tuple(_check_bodies(node, source, everything) for node in nodes))


def _check_bodies(node: OnnxNode, source: str, outer: Collection[str]) -> OnnxNode:
    """Check the graphs that a node (If, Loop, Scan) carries as attributes."""
    where = f"{source}, node {node.label}"
    return node.with_bodies(lambda key, body: _check_graph(body, f"{where}, {key}", outer))


def _check_definitions(graph: OnnxGraph, source: str, given: Collection[str]) -> None:
    """Check that each value is defined once."""
    writers: dict[str, str] = dict.fromkeys(given, "the graph")
    for node in graph.nodes:
        for output in filter(None, node.outputs):
            if output in writers:
                raise OnnxError.at(
                    f"{source}, node {node.label}",
                    f"it writes the value {output!r}, which {writers[output]} defines too",
                    cure="Every value may be written once; rename one of the two.",
                )
            writers[output] = node.label


def reads(node: OnnxNode) -> list[str]:
    """List the values that a node reads, also inside the graphs that it carries.

    Examples
    --------
    >>> reads(OnnxNode("Clip", ("x", "", "max"), ("y",)))
    ['x', 'max']
    """
    found = [name for name in node.inputs if name]
    for body in node.bodies.values():
        inside = body.defined
        captured = [name for inner in body.nodes for name in reads(inner)]
        captured += [value.name for value in body.outputs]
        found += [name for name in captured if name not in inside]
    return found


def _in_order(
    nodes: Sequence[OnnxNode], given: Collection[str], source: str
) -> tuple[OnnxNode, ...]:
    """Return nodes ordered so that values are written before they are read."""
    writer = {output: index for index, node in enumerate(nodes) for output in node.outputs}
    waits: list[set[int]] = []
    for node in nodes:
        for value in reads(node):
            if value not in given and value not in writer:
                port = node.inputs.index(value) if value in node.inputs else "of its body"
                raise OnnxError.at(
                    f"{source}, node {node.label}, input#{port}",
                    f"nothing defines the value {value!r}",
                    cure=_similar(value, writer.keys() | set(given)),
                )
        waits.append({writer[value] for value in reads(node) if value in writer})
    if all(not waits[index] or max(waits[index]) < index for index in range(len(nodes))):
        return tuple(nodes)
    order = _sorted(waits, nodes, source)
    warnings.warn(
        f"{source}: its nodes are not in an order in which they can run; they were sorted",
        stacklevel=5,
    )
    return tuple(nodes[index] for index in order)


def _sorted(waits: list[set[int]], nodes: Sequence[OnnxNode], source: str) -> list[int]:
    """Sort topologically, as close to the given order as possible."""
    from aidge_nb.graph.topology import smallest_first

    readers: list[list[int]] = [[] for _ in nodes]
    for reader, writers in enumerate(waits):
        for writer in writers:
            readers[writer].append(reader)
    order, stuck = smallest_first(readers)
    if stuck:
        cycle = _cycle(waits, set(stuck))
        raise OnnxError.at(
            source,
            "the graph has a cycle: "
            + listed([nodes[index].label for index in (*cycle, cycle[0])], " reads "),
            cure="ONNX graphs have none; use Loop or Scan for what repeats.",
        )
    return order


def _cycle(waits: list[set[int]], stuck: set[int]) -> list[int]:
    """Return a cycle of nodes that wait for each other."""
    node, path = min(stuck), dict[int, None]()
    while node not in path:
        path[node] = None
        node = min(waits[node] & stuck)
    return list(path)[list(path).index(node) :]


def _with_names(nodes: Iterable[OnnxNode], source: str) -> tuple[OnnxNode, ...]:
    """Return a unique name for each node: its name in the file, or that of its first output."""
    taken: set[str] = set()
    renamed: list[str] = []
    result = []
    for node in nodes:
        wanted = node.name or next(filter(None, node.outputs), node.op_type)
        name = unique_name(wanted, taken)
        if node.name and name != node.name:
            renamed.append(f"{node.name} → {name}")
        result.append(node if node.name == name else replace(node, name=name))
    if renamed:
        warnings.warn(
            terminal_text(
                f"{source}: several nodes have the same name; renamed {listed(renamed, most=3)}"
            ),
            stacklevel=5,
        )
    return tuple(result)


def unique_name(wanted: str, taken: set[str]) -> str:
    """Return ``wanted``, numbered if it is taken, and mark it as taken.

    Examples
    --------
    >>> taken = {"relu"}
    >>> unique_name("relu", taken), unique_name("relu", taken)
    ('relu_1', 'relu_2')
    """
    if wanted in taken:
        free = 1
        while f"{wanted}_{free}" in taken:
            free *= 2
        between = range(free // 2 + 1, free)  # many may have this name
        found = bisect_left(between, True, key=lambda number: f"{wanted}_{number}" not in taken)
        wanted = f"{wanted}_{between.start + found}"
    taken.add(wanted)
    return wanted


def _similar(name: str, known: Collection[str]) -> str:
    """Suggest a similar value name."""
    import difflib

    close = difflib.get_close_matches(name, sorted(known), n=1)
    return f"Is {close[0]!r} meant?" if close else "The model is incomplete; export it again."
