"""Count the nodes and levels of a model with all of its functions inlined, before any is.

Functions that call others twice double with every level: a file of two kilobytes may stand for
more nodes than fit in any memory. They are counted function by function, in time proportional to
the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from aidge_nb.core.errors import OnnxError
from aidge_nb.core.limits import check_limit
from aidge_nb.onnx_io.ir import OnnxGraph, OnnxNode, default_domain
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.wire.message import Message

Function = tuple[str, str]
"""Domain and name."""


@dataclass
class _Outline:
    """Nodes, levels of graphs inside, and operators with their level, of a list of nodes.

    Operators that turn out to be functions are called so often, the deepest at that level.
    """

    nodes: int = 0
    levels: int = 0
    operators: Counter[Function] = field(default_factory=Counter)
    deepest: dict[Function, int] = field(default_factory=dict)

    def add(self, operator: Function, level: int) -> None:
        self.nodes += 1
        self.levels = max(self.levels, level)
        self.operators[operator] += 1
        self.deepest[operator] = max(level, self.deepest.get(operator, 0))


def check_expansion(model: Message | OnnxModel, source: str) -> None:
    """Check that a model with its functions inlined is neither too large nor too deep.

    Raises
    ------
    OnnxError
        When a function calls itself.
    LimitError
        When ``expanded_nodes`` or ``depth`` is exceeded.
    """
    if isinstance(model, OnnxModel):
        whole = _outline(model.graph.nodes)
        functions = {(each.domain, each.name): _outline(each.nodes) for each in model.functions}
    else:
        whole = _outline(model.graph.node)
        functions = {(each.domain, each.name): _outline(each.node) for each in model.functions}
    found: dict[Function, tuple[int, int]] = {}
    for operator in whole.operators:
        if operator in functions:
            _measure(operator, functions, found, source)
    nodes, levels = _total(whole, found)
    largest = max(whole.operators, key=lambda each: found.get(each, (0, 0)), default=("", ""))
    where = f"{source}, calls of {largest[1]}" if largest in found else source
    check_limit("depth", levels, where, "too many levels of functions and inner graphs")
    check_limit("expanded_nodes", nodes, where, "too many nodes when functions are inlined")


def _measure(
    first: Function,
    functions: Mapping[Function, _Outline],
    found: dict[Function, tuple[int, int]],
    source: str,
) -> None:
    """Count nodes and levels of a function and of all that it calls."""
    path = [first]
    while path:
        current = path[-1]
        called = [each for each in functions[current].operators if each in functions]
        missing = next((each for each in called if each not in found), None)
        if missing is None:
            found[current] = _total(functions[current], found)
            path.pop()
        elif missing in path:
            cycle = " calls ".join(name for _, name in (*path[path.index(missing) :], missing))
            raise OnnxError.at(source, f"a function calls itself: {cycle}")
        else:
            path.append(missing)


def _total(outline: _Outline, found: Mapping[Function, tuple[int, int]]) -> tuple[int, int]:
    nodes, levels = outline.nodes, outline.levels
    for operator, times in outline.operators.items():
        if operator in found:
            inside, height = found[operator]
            nodes += times * (inside - 1)  # in place of the call
            levels = max(levels, outline.deepest[operator] + 1 + height)
    return nodes, levels


def _outline(nodes: Iterable[OnnxNode | Message]) -> _Outline:
    outline = _Outline()
    pending = [(node, 0) for node in nodes]
    while pending:
        node, level = pending.pop()
        domain = "" if default_domain(node.domain) else node.domain
        outline.add((domain, node.op_type), level)
        pending += [(inner, level + 1) for body in _bodies(node) for inner in body]
    return outline


def _bodies(
    node: OnnxNode | Message,
) -> Iterator[Iterable[OnnxNode | Message]]:
    """Return the nodes of each graph that a node carries."""
    if isinstance(node, OnnxNode):
        for value in node.attributes.values():
            bodies = value if isinstance(value, tuple) else (value,)
            yield from (body.nodes for body in bodies if isinstance(body, OnnxGraph))
        return
    for attribute in node.attribute:
        if attribute.has("g"):
            yield attribute.g.node
        yield from (graph.node for graph in attribute.graphs)
