"""Edit a graph in steps that preserve its inputs and outputs.

Recipes change graphs with these alone. While a graph is edited its outputs are pinned, so that a
node that is cut off does not become one; inputs of the graph keep their order and their tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.producer import Producer


@contextmanager
def editing(view: GraphView) -> Iterator[Edit]:
    """Edit a graph.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Identity(), aidge_nb.Tanh()])
    >>> with editing(view) as edit:
    ...     edit.bypass(list(view)[1])
    True
    >>> [node.type() for node in view]
    ['ReLU', 'Tanh']
    """
    inputs_set, outputs_set = bool(view._input_order), bool(view._output_order)
    view.set_ordered_inputs(view.get_ordered_inputs())
    view.set_ordered_outputs(view.get_ordered_outputs())
    try:
        yield Edit(view)
    finally:
        inputs, outputs = view.get_ordered_inputs(), view.get_ordered_outputs()
        view.set_ordered_inputs([])
        if inputs_set or view.get_ordered_inputs() != inputs:
            view.set_ordered_inputs(inputs)
        view.set_ordered_outputs([])
        if outputs_set or view.get_ordered_outputs() != outputs:
            view.set_ordered_outputs(outputs)


class Edit:
    """The editing steps of recipes."""

    def __init__(self, view: GraphView) -> None:
        self.view = view

    # --- looking ------------------------------------------------------------------------------

    def nodes(self, *types: str) -> list[Node]:
        """List the nodes of some types, producers before consumers."""
        return [node for node in self.view.topological_order() if node.type() in types]

    def is_output(self, port: Port) -> bool:
        """Return whether a port is an output of the graph."""
        return port in self.view._output_order

    def only_reader(self, port: Port) -> Port | None:
        """Return the input that a port feeds, None when there are others or it is an output."""
        readers = port.node.output(port.index)
        if len(readers) != 1 or self.is_output(port) or readers[0].node not in self.view:
            return None
        return readers[0]

    def constant(self, node: Node, index: int) -> NDArray[Any] | None:
        """Return the values that a Producer feeds to an input, None when they are not known."""
        port = node.source(index)
        if port is None or port.node.type() != "Producer" or port.node not in self.view:
            return None
        tensor = port.node.get_operator().get_output(0)
        return tensor.array if tensor.has_data else None

    def source(self, node: Node, index: int) -> Port | int | None:
        """Return the source of an input: a port, the tensor of a graph input, or None.

        Two inputs with the same source read the same.
        """
        port = node.source(index)
        tensor = node.get_operator().get_input(index)
        return port if port is not None or tensor is None else id(tensor)

    def given(self, node: Node, index: int, attribute: str) -> list[Any] | None:
        """Return the numbers at an input, those of an attribute where nothing is connected there.

        None when they are not known.
        """
        values = self.constant(node, index)
        if values is None and node.get_operator().get_input(index) is not None:
            return None
        found = node.get_operator().attr[attribute] if values is None else values
        return np.ravel(found).tolist()

    def pairs(self, first: Container[str], second: str) -> Iterator[tuple[Node, Node]]:
        """Go over the nodes of a type that read one of some other types first, and this one."""
        for node in self.nodes(second):
            parent = node.get_parent(0)
            if parent is not None and parent.type() in first and parent in self.view:
                yield parent, node

    def terms(self, node: Node, joins: Callable[[Node, Node], bool]) -> list[Port]:
        """List the inputs of a node, with those of nodes in their place that join it.

        Those are read by it alone; ``joins`` says of a node and its reader whether they are one.
        """
        found = []
        for index, parent in enumerate(node.sources()):
            mine = parent is not None and self.only_reader(parent) == Port(node, index)
            if mine and parent is not None and joins(parent.node, node):
                found += self.terms(parent.node, joins)
            else:
                found.append(Port(node, index))
        return found

    # --- changing -----------------------------------------------------------------------------

    def add(self, node: Node, like: Node) -> Node:
        """Add a node to every view that holds another one."""
        for view in dict.fromkeys([self.view, *like._views]):
            view.add(node, include_learnable_params=False)
        backend = like.get_operator().backend()
        if backend:
            node.get_operator().set_backend(backend)
        return node

    def add_producer(
        self, values: NDArray[Any], name: str, like: Node, *, constant: bool = False
    ) -> Port:
        """Add a Producer beside a node; give its port."""
        return Port(self.add(Producer(Tensor(values), name=name, constant=constant), like), 0)

    def feed(self, node: Node, index: int, port: Port) -> None:
        """Reconnect an input to another port, and drop nodes left without readers."""
        before = node.source(index)
        if before is not None:
            node.remove_parent(index)
        port.node.add_child(node, port.index, index)
        if before is not None:
            self.drop(before.node)

    def cut(self, node: Node, index: int) -> None:
        """Disconnect an input, and drop nodes left without readers."""
        before = node.source(index)
        node.remove_parent(index)
        if before is not None:
            self.drop(before.node)

    def feed_like(self, node: Node, index: int, other: Node, other_index: int) -> None:
        """Connect an input to the source of another input, which may be a graph input."""
        port = other.source(other_index)
        if port is not None:
            self.feed(node, index, port)
            return
        tensor = other.get_operator().get_input(other_index)
        if tensor is None:
            tensor = Tensor()
            other.get_operator().associate_input(other_index, tensor)
        before = node.source(index)
        node.remove_parent(index)
        node.get_operator().associate_input(index, tensor)
        order = self.view._input_order
        if Port(other, other_index) in order and Port(node, index) not in order:
            order.insert(order.index(Port(other, other_index)) + 1, Port(node, index))
        if before is not None:
            self.drop(before.node)

    def redirect(self, old: Port, new: Port) -> None:
        """Replace output ``old`` by ``new``, of the same dimensions, for all readers and views."""
        was, now = (port.node.get_operator().get_output(port.index) for port in (old, new))
        if now.undefined() and not was.undefined():
            now.set_datatype(was.dtype)
            now.resize(was.dims)
        for view in list(old.node._views):
            if new.node in view:
                view._output_order = [new if port == old else port for port in view._output_order]
        for reader in old.node.output(old.index):
            if reader.node is not new.node:
                reader.node.remove_parent(reader.index)
                new.node.add_child(reader.node, new.index, reader.index)
        self.drop(old.node)

    def replace(self, old: Node, new: Node, inputs: Iterable[Port]) -> None:
        """Let a new node read what these inputs read, and stand where another one was."""
        self.add(new, old)
        for index, port in enumerate(inputs):
            self.feed_like(new, index, port.node, port.index)
        self.redirect(Port(old, 0), Port(new, 0))

    def bypass(self, node: Node, index: int = 0, output: int = 0) -> bool:
        """Bypass a node: connect its source to its readers. Return whether that was possible.

        It is not when an input of the graph would become its output, when two outputs of the graph
        would become one, and when another output of the node is wanted.
        """
        old, source = Port(node, output), node.source(index)
        if any(self._is_wanted(Port(node, i)) for i in range(node.get_nb_outputs()) if i != output):
            return False
        if self.is_output(old) and (source is None or self.is_output(source)):
            return False
        if source is not None and source.node not in self.view:
            return False
        if source is not None:
            self.redirect(old, source)
        else:
            for reader in node.output(output):
                self.feed_like(reader.node, reader.index, node, index)
        return True

    def _is_wanted(self, port: Port) -> bool:
        return bool(port.node.output(port.index)) or self.is_output(port)

    def drop(self, node: Node) -> None:
        """Remove an unused node, and the sources that feed no other node."""
        pending = [node]
        while pending:
            current = pending.pop()
            ports = (Port(current, index) for index in range(current.get_nb_outputs()))
            if current not in self.view or any(self._is_wanted(port) for port in ports):
                continue
            parents = [parent.node for _, parent in current.edges_in()]
            current.reset_connections()
            for view in list(current._views):
                view.remove(current, include_learnable_params=False)
            pending.extend(parents)
