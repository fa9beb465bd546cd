"""Build graphs from nodes: in sequence, in parallel, or around a shortcut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aidge_nb.core.errors import GraphError
from aidge_nb.core.log import logger
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.topology import connected_nodes
from aidge_nb.graph.view import GraphView

Block = Node | GraphView


def _free_inputs(block: Block) -> list[Port]:
    """List the data inputs that nothing feeds; without any, the inputs that must be fed."""
    view = _as_view(block)
    free = [port for port in view.get_ordered_inputs() if port.node.source(port.index) is None]
    data = [port for port in free if port.node.input_category(port.index).is_data]
    return data or [port for port in free if not port.node.is_optional_input(port.index)]


def _as_view(block: Block) -> GraphView:
    if isinstance(block, GraphView):
        return block
    view = GraphView()
    view.add(block)
    return view


def _link(sources: Sequence[Port], block: Block) -> None:
    """Connect ``sources``, in order, to the free data inputs of a block.

    A single one feeds each node of a view.
    """
    free = _free_inputs(block)
    if sources and not free:
        raise GraphError.at(
            repr(block), "has no free data input", found=[p.node.label for p in sources]
        )
    if len(free) < len(sources):
        logger.warning(
            "%r: %d outputs before it, %d free data inputs; the last outputs stay free",
            block,
            len(sources),
            len(free),
        )
    if len(sources) == 1 and isinstance(block, GraphView):
        firsts = {port.node: port for port in reversed(free)}  # of each node, its first input
        free = [port for port in free if firsts[port.node] is port]
        sources = [*sources] * len(free)
    for source, target in zip(sources, free, strict=False):
        source.node.add_child(target.node, source.index, target.index)


def _check_blocks(what: str, blocks: Any) -> None:
    """Check that the argument is a list of nodes and views."""
    listed = isinstance(blocks, Sequence) and not isinstance(blocks, str)
    wrong = [block for block in blocks if not isinstance(block, Block)] if listed else [blocks]
    if wrong:
        cure = "" if listed else f"Write {what}([...])."
        raise GraphError.at(what, "needs a list of nodes or views", found=repr(wrong[0]), cure=cure)


def sequential(blocks: Sequence[Block], name: str = "") -> GraphView:
    """Chain nodes or views: outputs of each feed the free data inputs of the next.

    A single output feeds all nodes of a view that :func:`parallel` made.

    Parameters
    ----------
    blocks
        Nodes or views, in order.
    name
        Name of the new view.

    Raises
    ------
    GraphError
        When a block has no free data input, or is neither a node nor a view.

    Examples
    --------
    >>> import aidge_nb
    >>> aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Tanh()])
    GraphView((unnamed), 2 nodes)
    """
    _check_blocks("sequential", blocks)
    view = GraphView(name)
    previous: list[Port] = []
    first: list[Port] = []
    for position, block in enumerate(blocks):
        if position == 0:
            first = _free_inputs(block)
        else:
            _link(previous, block)
        view.add(block)
        previous = _as_view(block).get_ordered_outputs()
    view.set_ordered_inputs(first)
    if blocks and isinstance(blocks[-1], GraphView):
        view.set_ordered_outputs(previous)
    return view


def parallel(blocks: Sequence[Block], name: str = "") -> GraphView:
    """Put nodes or views side by side: their inputs and outputs in order.

    Raises
    ------
    GraphError
        When something is neither node nor view.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.parallel([aidge_nb.ReLU(), aidge_nb.Tanh()])
    >>> len(view.get_ordered_inputs()), len(view.get_ordered_outputs())
    (2, 2)
    """
    _check_blocks("parallel", blocks)
    view = GraphView(name)
    inputs: list[Port] = []
    outputs: list[Port] = []
    for block in blocks:
        inputs += _free_inputs(block)
        outputs += _as_view(block).get_ordered_outputs()
        view.add(block)
    view.set_ordered_inputs(inputs)
    view.set_ordered_outputs(outputs)
    return view


def residual(blocks: Sequence[Block], name: str = "") -> GraphView:
    """Chain blocks, and connect the output of the first to the last one as well.

    The first block forks, the last one (an Add, say) joins.

    Raises
    ------
    GraphError
        When there are fewer than two blocks, or something is neither node nor graph.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.residual([aidge_nb.ReLU(), aidge_nb.Tanh(), aidge_nb.Add()])
    >>> [len(node.get_children()) for node in view]
    [2, 1, 0]
    """
    _check_blocks("residual", blocks)
    if len(blocks) < 2:
        raise GraphError.at("residual", "too few blocks", expected="at least 2", found=len(blocks))
    fork = _as_view(blocks[0]).get_ordered_outputs()
    view = sequential(blocks, name)
    _link(fork[:1], blocks[-1])
    return view


def get_connected_graph_view(node: Node) -> GraphView:
    """Make a view of everything that is connected to a node.

    Examples
    --------
    >>> import aidge_nb
    >>> conv = aidge_nb.Conv2D(3, 4, [3, 3], name="conv")
    >>> sorted(node.name() for node in aidge_nb.get_connected_graph_view(conv))
    ['conv', 'conv_b', 'conv_w']
    """
    view = GraphView()
    for each in connected_nodes(node):
        view.add(each, include_learnable_params=False)
    return view
