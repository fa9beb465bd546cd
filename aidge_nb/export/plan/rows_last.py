"""Let values that lie by rows have their channels side by side, and convolutions do more at once.

A row with all of its channels takes the same bytes either way. With the channels last it is one
piece for kernels, and so are the rows of a window: nodes compute wholes, and only those that write
over their input go row by row. What a plan scatters in other ways stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.export.boards.targets import ExportTarget
from aidge_nb.export.plan.aside import as_a_whole
from aidge_nb.export.plan.by_parts import ByParts, Maker, Operands, by_parts
from aidge_nb.export.plan.calls import Calls
from aidge_nb.export.plan.fused import FusedChain, Fusion, fuse
from aidge_nb.export.plan.scattered import (
    Scattered,
    buffers_by_port,
    find_scattered,
    operands_of,
    runs_in_steps,
)
from aidge_nb.export.plan.strided import Strided, array_of
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c import CCall, Site
from aidge_nb.kernels.c.adapters.channels_last import MORE, conv_last, pool_last
from aidge_nb.kernels.c.node_calls import calls_at
from aidge_nb.memory.live.by_rows import row_window

if TYPE_CHECKING:
    from aidge_nb.graph.operator import Operator
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import Buffer, MemoryPlan

Known = Mapping[Node, Mapping[int, NDArray[Any]]]
SiteOf = Callable[[Node], Site]


def fuse_scattered(
    view: GraphView,
    order: Sequence[Node],
    memory: MemoryPlan,
    calls: Calls,
    scattered: Scattered,
    spread: Collection[Port],
    apart: Collection[Node],
    known: Known,
    site_of: SiteOf,
    target: ExportTarget,
) -> tuple[Fusion, Calls, Scattered]:
    """Fuse what is not scattered, or by rows alone; return it with the calls and the rest.

    ``calls`` compute whole nodes; nodes ``apart`` are left as they are. ``order`` has no Producers.
    """
    free = {n: c for n, c in calls.items() if n not in scattered.nodes and n not in apart}
    buffers = buffers_by_port(view, memory)
    rows = {port for port, buffer in buffers.items() if buffer.rows}
    able = {
        node
        for node in scattered.nodes
        if target.is_host and node in calls and node not in apart
        if _is_by_rows(node, buffers, scattered, spread)
    }
    while True:
        some = {**free, **{node: calls[node] for node in able}}
        fusion, changed = fuse(view, order, memory, some, known, rows, channels_last=target.is_host)
        stored = rows - fusion.last - set(_inside(fusion))
        refused = {node for node in able if stored & set(_ports(node))}
        if not refused:
            break
        able -= refused
    if able:
        scattered = find_scattered(view, order, memory, target.name, site_of, calls, spread, able)
    parts = dict(scattered.parts)
    for node in able & set(changed):
        buffer = buffers.get(Port(node, 0))
        if buffer is not None and buffer.in_place_of and row_window(node):
            in_steps = runs_in_steps(node, buffers)
            own = changed[node]
            parts[node] = _row_by_row(node, scattered, fusion, own, site_of, target.name, in_steps)
    kept = {node: calls[node] for node in apart if node in calls and node not in scattered.nodes}
    return fusion, {**changed, **kept}, replace(scattered, parts=parts)


def _ports(node: Node) -> list[Port]:
    made = (Port(node, index) for index in range(node.get_nb_outputs()))
    return [port for port in (*node.sources(), *made) if port is not None]


def _inside(fusion: Fusion) -> list[Port]:
    """List the values that are never stored, between a convolution and what it does besides."""
    return [
        Port(node, 0)
        for chain in fusion.chains.values()
        for node in (chain.conv, *chain.after)
        if node is not chain.last
    ]


def _is_by_rows(
    node: Node, buffers: Mapping[Port, Buffer], scattered: Scattered, spread: Collection[Port]
) -> bool:
    """Tell whether a node works on what lies by rows, and on nothing else that is scattered."""
    ports = _ports(node)
    by_rows = {port for port in ports if port in buffers and buffers[port].rows}
    others = set(ports) - by_rows
    odd = any(port in spread or scattered.lies_elsewhere(port) for port in others)
    over = any(
        port.node is node and port in buffers and buffers[port].in_place_of for port in others
    )
    return bool(by_rows) and not odd and (not over or bool(node.get_operator().spec.in_place))


def _row_by_row(
    node: Node,
    scattered: Scattered,
    fusion: Fusion,
    calls: tuple[CCall, ...],
    site_of: SiteOf,
    target: str,
    in_steps: bool,
) -> ByParts:
    """Compute a window row by row, which it writes over rows that it needs no more.

    Without ``in_steps`` it would need some of them, and is computed aside.
    """
    chain = fusion.chains.get(node)
    result = Port(node if chain is None else chain.last, 0)
    x_last, y_last = node.source(0) in fusion.last, result in fusion.last
    operands = operands_of(node, scattered, [], True)
    inputs: dict[int, Strided] = dict(operands.inputs)
    inputs[0] = array_of(inputs[0].dims, inputs[0].itemsize, last=x_last)
    output = array_of(operands.output.dims, operands.output.itemsize, last=y_last)
    along: frozenset[int] = frozenset()
    if chain is not None and chain.more is not None:
        along, inputs[MORE] = frozenset({MORE}), output
    operands = Operands(inputs, operands.moving | {0} | along, output, True, along)
    make: Maker = _pooling
    if chain is not None:
        make = partial(_convolution, chain=chain, x_last=x_last, y_last=y_last)
    made = by_parts(node, site_of(node), operands, target, make) if in_steps else None
    return made or as_a_whole(calls, operands)


def _convolution(
    site: Site, operator: Operator, *, chain: FusedChain, x_last: bool, y_last: bool
) -> tuple[CCall, ...]:
    return (conv_last(site, chain.finish, x_last=x_last, y_last=y_last),)


def _pooling(site: Site, operator: Operator) -> tuple[CCall, ...]:
    return (pool_last(site, *calls_at(site, operator, "host")),)
