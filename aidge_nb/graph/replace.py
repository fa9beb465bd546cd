"""Replacing nodes of a graph by others."""

from __future__ import annotations

from aidge_nb.errors import GraphError, explain
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView

__all__ = ["replace_nodes"]


def replace_nodes(old: list[Node], new: list[Node], *, ignore_new_outputs: bool = False) -> bool:
    """Put ``new`` in the place of ``old``, in every view that holds the old nodes.

    Inputs and outputs are matched by their order when there are as many of them. A single outer
    input may feed several new ones (the tiles of a convolution read one tensor). Without new
    nodes the old ones are bypassed: what fed them feeds what read them.

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
    if not old:
        raise GraphError(explain("replace", "no nodes to replace"))
    outside = _view_of(old)
    sources = _outer_sources(outside)
    targets = [(port, _readers(port, outside)) for port in outside.get_ordered_outputs()]
    inside = _view_of(new)
    entries = _match_inputs(sources, inside)
    exits = _match_outputs(targets, inside, sources, ignore_new_outputs)
    results = {view: view.get_ordered_outputs() for node in old for view in list(node._views)}
    results.pop(outside, None)
    fed = [(source.node.input(source.index), source) for source in sources]
    tensors = {s: s.node.get_operator().get_input(s.index) for s in sources}
    for _, readers in targets:
        for reader in readers:
            reader.node.remove_parent(reader.index)
    for node in old:
        for index, parent in enumerate(node.inputs()):
            if parent is not None and parent.node not in outside:
                node.remove_parent(index)
    for parent, source in fed:
        for entry in entries.get(source, []):
            tensor = tensors[source]
            if parent is not None:
                parent.node.add_child(entry.node, parent.index, entry.index)
            elif tensor is not None:
                entry.node.get_operator().associate_input(entry.index, tensor)
    _connect_exits(targets, exits, dict((s, p) for p, s in fed))
    _update_views(results, old, new, exits)
    return True


def _view_of(nodes: list[Node]) -> GraphView:
    view = GraphView()
    for node in nodes:
        view.add(node, include_learnable_params=False)
    return view


def _outer_sources(view: GraphView) -> list[Port]:
    """List the inputs of the old nodes that something outside feeds, or should feed."""
    return [
        port
        for port in view.get_ordered_inputs()
        if port.node.input(port.index) is not None or not port.node.is_optional_input(port.index)
    ]


def _readers(port: Port, view: GraphView) -> list[Port]:
    return [reader for reader in port.node.output(port.index) if reader.node not in view]


def _match_inputs(sources: list[Port], inside: GraphView) -> dict[Port, list[Port]]:
    free = [
        port
        for port in inside.get_ordered_inputs()
        if port.node.input(port.index) is None and not port.node.is_optional_input(port.index)
    ]
    if not free:
        return {}
    if len(sources) == 1:
        return {sources[0]: free}
    if len(sources) != len(free):
        raise GraphError(
            explain(
                "replace",
                "inputs of old and new nodes do not match",
                expected=[f"{p.node.label}, input#{p.index}" for p in sources],
                found=[f"{p.node.label}, input#{p.index}" for p in free],
            )
        )
    return {source: [entry] for source, entry in zip(sources, free, strict=True)}


def _match_outputs(
    targets: list[tuple[Port, list[Port]]],
    inside: GraphView,
    sources: list[Port],
    ignore_new_outputs: bool,
) -> list[Port]:
    """Choose the port that takes the place of each old output; an old input for a bypass."""
    if not len(inside):
        if len(sources) < len(targets):
            raise GraphError(
                explain(
                    "replace", "nothing to bypass to", expected=len(targets), found=len(sources)
                )
            )
        return sources[: len(targets)]
    free = inside.get_ordered_outputs()
    if len(free) < len(targets) or (len(free) > len(targets) and not ignore_new_outputs):
        raise GraphError(
            explain(
                "replace",
                "outputs of old and new nodes do not match",
                expected=[f"{p.node.label}, output#{p.index}" for p, _ in targets],
                found=[f"{p.node.label}, output#{p.index}" for p in free],
            )
        )
    return free[: len(targets)]


def _connect_exits(
    targets: list[tuple[Port, list[Port]]],
    exits: list[Port],
    parents: dict[Port, Port | None],
) -> None:
    for (_, readers), leaving in zip(targets, exits, strict=True):
        source = parents[leaving] if leaving in parents else leaving
        for reader in readers:
            if source is not None:
                source.node.add_child(reader.node, source.index, reader.index)


def _update_views(
    results: dict[GraphView, list[Port]], old: list[Node], new: list[Node], exits: list[Port]
) -> None:
    old_outputs = _view_of(old).get_ordered_outputs()
    renamed = dict(zip(old_outputs, exits, strict=False))
    for view, ports in results.items():
        for node in old:
            view.remove(node, include_learnable_params=False)
        view.add(new, include_learnable_params=False)
        if new and any(port in renamed for port in ports):
            view.set_ordered_outputs([renamed.get(port, port) for port in ports])
