"""Replace nodes of a graph by others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor

Target = tuple[Port, list[Port]]
"""An output of the old nodes, and who reads it outside."""


def replace_nodes(
    old: Iterable[Node] | GraphView,
    new: Iterable[Node] | GraphView,
    *,
    ignore_new_outputs: bool = False,
) -> bool:
    """Replace the nodes ``old`` by ``new`` in every view that holds the old ones.

    Inputs and outputs are matched by their order when there are as many of them. A single outer
    input may feed several new ones (the tiles of a convolution read one tensor). Without new
    nodes the old ones are bypassed: what fed them feeds what read them. Inputs and outputs of the
    graph keep their order.

    Parameters
    ----------
    old, new
        The nodes to take out and to put in. Producers of parameters belong to ``old`` when the
        new nodes bring their own.
    ignore_new_outputs
        Whether new outputs beyond the old ones may stay unread.

    Returns
    -------
    bool
        True when the graph was changed.

    Raises
    ------
    GraphError
        When inputs or outputs cannot be matched; the graph is left as it was.
    """
    outside, inside = _view_of(old), _view_of(new)
    if not len(outside):
        raise GraphError.at("replace", "no nodes to replace")
    sources = _outer_sources(outside)
    targets = _outer_targets(outside)
    entries = _match_inputs(sources, inside)
    if len(inside):
        exits: list[Port | None] = list(_match_outputs(targets, inside, ignore_new_outputs))
    else:
        bypassed = _match_bypass(targets, sources)
        exits = [source.node.source(source.index) for source in bypassed]
        entries = {source: readers for source, (_, readers) in zip(bypassed, targets, strict=True)}
    ports = _ports_of_views(outside, inside)
    _reconnect(outside, targets, entries, exits)
    leaving = {port: end for (port, _), end in zip(targets, exits, strict=True)}
    for view, (inputs, outputs) in ports.items():
        for node in outside:
            view.remove(node, include_learnable_params=False)
        view.add(inside.get_nodes(), include_learnable_params=False)
        follow_ports(view, inputs, outputs, entries, leaving)
    return True


def _view_of(nodes: Iterable[Node] | GraphView) -> GraphView:
    view = GraphView()
    view.add(nodes, include_learnable_params=False)
    if isinstance(nodes, GraphView):
        view.set_ordered_inputs(nodes.get_ordered_inputs())
        view.set_ordered_outputs(nodes.get_ordered_outputs())
    return view


def _ports_of_views(
    outside: GraphView, inside: GraphView
) -> dict[GraphView, tuple[list[Port], list[Port]]]:
    """Record the inputs and outputs of the views that hold any old node."""
    views = dict.fromkeys(view for node in outside for view in list(node._views))
    return {
        view: (view.get_ordered_inputs(), view.get_ordered_outputs())
        for view in views
        if view not in (outside, inside)
    }


def _outer_sources(view: GraphView) -> list[Port]:
    """List the inputs of the old nodes that something outside feeds, or should feed."""
    return [
        port
        for port in view.get_ordered_inputs()
        if port.node.source(port.index) is not None or not port.node.is_optional_input(port.index)
    ]


def _outer_targets(view: GraphView) -> list[Target]:
    """List the outputs of the old nodes: ordered outputs first, then others read outside."""
    plain = GraphView()
    plain.add(view.get_nodes(), include_learnable_params=False)
    ports = dict.fromkeys(view.get_ordered_outputs())
    ports.update((port, None) for port in plain.get_ordered_outputs() if _readers(port, view))
    return [(port, _readers(port, view)) for port in ports]


def _readers(port: Port, view: GraphView) -> list[Port]:
    return [reader for reader in port.node.output(port.index) if reader.node not in view]


def _match_inputs(sources: list[Port], inside: GraphView) -> dict[Port, list[Port]]:
    free = [
        port
        for port in inside.get_ordered_inputs()
        if port.node.source(port.index) is None and not port.node.is_optional_input(port.index)
    ]
    if not free:
        return {}
    if len(sources) == 1:
        return {sources[0]: free}
    if len(sources) != len(free):
        raise GraphError.at(
            "replace",
            "inputs of old and new nodes do not match",
            expected=[f"{p.node.label}, input#{p.index}" for p in sources],
            found=[f"{p.node.label}, input#{p.index}" for p in free],
        )
    return {source: [entry] for source, entry in zip(sources, free, strict=True)}


def _match_bypass(targets: Sequence[Target], sources: list[Port]) -> list[Port]:
    """Choose the old input that takes the place of each old output."""
    if len(sources) < len(targets):
        raise GraphError.at(
            "replace", "nothing to bypass to", expected=len(targets), found=len(sources)
        )
    return sources[: len(targets)]


def _match_outputs(
    targets: Sequence[Target], inside: GraphView, ignore_new_outputs: bool
) -> list[Port]:
    """Choose the port that takes the place of each old output."""
    free = inside.get_ordered_outputs()
    if len(free) < len(targets) or (len(free) > len(targets) and not ignore_new_outputs):
        raise GraphError.at(
            "replace",
            "outputs of old and new nodes do not match",
            expected=[f"{p.node.label}, output#{p.index}" for p, _ in targets],
            found=[f"{p.node.label}, output#{p.index}" for p in free],
        )
    return free[: len(targets)]


def _reconnect(
    outside: GraphView,
    targets: Sequence[Target],
    entries: Mapping[Port, Sequence[Port]],
    exits: Sequence[Port | None],
) -> None:
    """Disconnect the old nodes, and connect the new ones in their place."""
    fed = [port.node.source(port.index) for port in entries]
    tensors = [port.node.get_operator().get_input(port.index) for port in entries]
    _cut_off(outside, targets)
    for ports, source, tensor in zip(entries.values(), fed, tensors, strict=True):
        for port in ports:
            feed(port, source, tensor)
    for (_, readers), leaving in zip(targets, exits, strict=True):
        for reader in readers:
            if leaving is not None and reader.node.source(reader.index) is None:
                leaving.node.add_child(reader.node, leaving.index, reader.index)


def feed(port: Port, source: Port | None, tensor: Tensor | None) -> None:
    """Connect an input to an output or, where there is none, let it read a tensor."""
    if source is not None:
        source.node.add_child(port.node, source.index, port.index)
    elif tensor is not None:
        port.node.get_operator().associate_input(port.index, tensor)


def _cut_off(outside: GraphView, targets: Sequence[Target]) -> None:
    for _, readers in targets:
        for reader in readers:
            reader.node.remove_parent(reader.index)
    for node in outside:
        for index, parent in list(node.edges_in()):
            if parent.node not in outside:
                node.remove_parent(index)


def follow_ports(
    view: GraphView,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    entries: Mapping[Port, Sequence[Port]],
    leaving: Mapping[Port, Port | None],
) -> None:
    """Restore the order of a view's inputs and outputs, some of which others took the place of."""
    if any(port in entries for port in inputs):
        moved = [new for port in inputs for new in entries.get(port, [port])]
        view.set_ordered_inputs([port for port in moved if port.node in view])
    if any(port in leaving for port in outputs):
        ends = [leaving.get(port, port) for port in outputs]
        view.set_ordered_outputs([end for end in ends if end is not None and end.node in view])
