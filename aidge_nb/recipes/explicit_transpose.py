"""Make data formats explicit: insert a Transpose at each change of axis order.

Operators compute on channels before space. A graph that is fed with pictures whose channels come
last, or whose values shall lie in memory that way, gets a Transpose at each border; operators that
treat every element alike work in either order and need none.
"""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.core.dformat import DataFormat, as_dformat
from aidge_nb.core.errors import GraphError
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.arithmetic import broadcast_dims
from aidge_nb.ops.rules import broadcast, same_dims
from aidge_nb.ops.shape import Transpose
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe

_WISH = "wanted_format"


def set_data_format(view: GraphView, dformat: DataFormat | str) -> None:
    """Request an axis order, as :meth:`GraphView.set_dataformat`, once dimensions are known.

    Parameters
    ----------
    view
        The graph, whose Producers keep theirs.
    dformat
        The format; ``"default"`` takes the wish back.

    Raises
    ------
    GraphError
        When dimensions are not known: what has how many axes cannot be told.
    ShapeError
        When there is no such format.
    """
    for node in view:
        _check_dims(node, as_dformat(dformat))
    view.set_dataformat(dformat)


def _check_dims(node: Node, wanted: DataFormat) -> None:
    outputs = (node.get_operator().get_output(i) for i in range(node.get_nb_outputs()))
    if wanted.rank and any(tensor.undefined() for tensor in outputs):
        raise GraphError.at(
            node.label,
            "has no dimensions yet",
            expected=f"them, to tell what can be {wanted.name}",
            cure="Call forward_dims() first.",
        )


@recipe(needs=("dims",), safe=False)
def explicit_transpose(view: GraphView) -> Iterable[str]:
    """Insert a Transpose at each change of axis order.

    The format of an input is what its tensor says (:meth:`~aidge_nb.Tensor.set_data_format`), that
    of an output what :meth:`GraphView.set_dataformat` asked for; outputs of the graph are given in
    it, too. Two that undo each other are left for ``fuse_transpose``.

    Raises
    ------
    GraphError
        When an order is asked for where dimensions are not known; nothing is changed.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.MaxPooling2D([2, 2]), aidge_nb.ReLU()])
    >>> photo = aidge_nb.Tensor(np.zeros((1, 8, 6, 3), np.float32))
    >>> photo.set_data_format("nhwc")
    >>> list(model)[0].get_operator().set_input(0, photo)
    >>> explicit_transpose(model), [node.type() for node in model.topological_order()]
    (1, ['Transpose', 'MaxPooling2D', 'ReLU'])
    >>> model.forward_dims(), model.get_ordered_outputs()[0].node.get_operator().get_output(0).dims
    (True, [1, 3, 7, 5])
    """
    turns: dict[object, Node] = {}
    for node in view:
        _check_dims(node, node.annotations.get(_WISH, DataFormat.default))
    with editing(view) as edit:
        for node in [node for node in view.topological_order() if node.type() != "Producer"]:
            formats = _input_formats(node)
            is_free = node.type() == "Transpose" or _is_elementwise(node, formats)
            for index, found in formats.items():
                if found is not found.channels_first and not is_free:
                    _before(edit, node, index, found, turns)
                    yield node.label
            if node.type() != "Transpose" and is_free:
                _pass_on(node, formats)
            wanted = node.annotations.pop(_WISH, DataFormat.default)
            for index in range(node.get_nb_outputs()):
                if _wants_turn(Port(node, index), wanted):
                    _behind(edit, Port(node, index), wanted)
                    yield node.label


def _input_formats(node: Node) -> dict[int, DataFormat]:
    """Return the format of each input that says one."""
    operator = node.get_operator()
    tensors = ((index, operator.get_input(index)) for index in range(node.get_nb_inputs()))
    return {index: tensor.dformat for index, tensor in tensors if tensor and tensor.dformat.rank}


def _is_elementwise(node: Node, formats: dict[int, DataFormat]) -> bool:
    """Return whether a node ignores axis order: its other inputs are single numbers."""
    operator = node.get_operator()
    if operator.spec.dims not in (same_dims, broadcast_dims) or node.type() == "Trilu":
        return False
    others = (operator.get_input(i) for i in range(node.get_nb_inputs()) if i not in formats)
    alike = len(set(formats.values())) == 1
    return alike and all(tensor is None or tensor.size == 1 for tensor in others)


def _pass_on(node: Node, formats: dict[int, DataFormat]) -> None:
    """Set the dimensions and format of an output to those of the inputs."""
    given = [node.get_operator().get_input(index) for index in formats]
    dims = [tensor.dims for tensor in given if tensor is not None]
    for index in range(node.get_nb_outputs()):
        tensor = node.get_operator().get_output(index)
        if not tensor.undefined() and tensor.dims != (now := broadcast(dims)):
            tensor.clear()
            tensor.resize(now)
        if tensor.dformat.rank == 0:
            tensor.set_data_format(next(iter(formats.values())))


def _before(
    edit: Edit, node: Node, index: int, found: DataFormat, turns: dict[object, Node]
) -> None:
    """Transpose an input to the order that operators compute on."""
    source = edit.source(node, index)
    if source not in turns:
        order = found.order_to(found.channels_first)
        turn = edit.add(Transpose(order, _name(node, f"in{index}")), node)
        edit.feed_like(turn, 0, node, index)
        _describe(turn, found.channels_first)
        turns[source] = turn
    edit.feed(node, index, Port(turns[source], 0))


def _wants_turn(port: Port, wanted: DataFormat) -> bool:
    """Return whether an output has to be turned; one that is in the right order is told so."""
    tensor = port.node.get_operator().get_output(port.index)
    if not wanted.rank or tensor.ndim != wanted.rank:
        return False
    if not tensor.dformat.rank:
        tensor.set_data_format(wanted.channels_first)
    return tensor.dformat is not wanted


def _behind(edit: Edit, port: Port, wanted: DataFormat) -> None:
    """Return an output in another order to all that read it."""
    node = port.node
    order = node.get_operator().get_output(port.index).dformat.order_to(wanted)
    turn = edit.add(Transpose(order, _name(node, f"out{port.index}")), node)
    for view in list(node._views):
        outputs = view._output_order
        view._output_order = [Port(turn, 0) if each == port else each for each in outputs]
    for reader in list(node.output(port.index)):
        reader.node.remove_parent(reader.index)
        turn.add_child(reader.node, 0, reader.index)
    node.add_child(turn, port.index, 0)
    _describe(turn, wanted)


def _describe(turn: Node, after: DataFormat) -> None:
    """Return the output of a Transpose its dimensions and format."""
    before = turn.get_operator().get_input(0)
    result = turn.get_operator().get_output(0)
    if before is not None and not before.undefined():
        result.set_datatype(before.dtype)
        result.resize([before.dims[axis] for axis in turn.get_operator().attr.output_dims_order])
    result.set_data_format(after)


def _name(node: Node, suffix: str) -> str:
    return f"{node.name()}_{suffix}" if node.name() else ""
