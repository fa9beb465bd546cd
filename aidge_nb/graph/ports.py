"""Queries about the ports of nodes and views, under aidge_core's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from aidge_nb.core.errors import GraphError

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node, Port
    from aidge_nb.graph.view import GraphView

_Child = TypeVar("_Child", bound="Node | GraphView")


class Connector:
    """The result of calling a node with connectors: its output, for other nodes.

    Parameters
    ----------
    node
        The node that it comes from; None, or anything else, for an input of the graph.

    Examples
    --------
    >>> import aidge_nb
    >>> x = Connector()
    >>> y = aidge_nb.Tanh(name="b")(aidge_nb.ReLU(name="a")(x))
    >>> y.node.get_parents()
    [Node(a, ReLU)]
    """

    def __init__(self, node: object = None) -> None:
        self.node: Node | None = node if hasattr(node, "get_operator") else None  # type: ignore[assignment]


class ViewPorts:
    """Ports of a view; a port is a pair of a node and an index."""

    __slots__ = ()

    @property
    def _view(self) -> GraphView:
        return cast("GraphView", self)

    def get_nb_inputs(self) -> int:
        """Count the inputs of the graph."""
        return len(self._view.get_ordered_inputs())

    def get_nb_outputs(self) -> int:
        """Count the outputs of the graph."""
        return len(self._view.get_ordered_outputs())

    def inputs(self) -> list[Port | None]:
        """Return the outside output that feeds each input of the graph; None for free inputs."""
        return [port.node.input(port.index) for port in self._view.get_ordered_inputs()]

    def outputs(self) -> list[list[Port]]:
        """Return the outside inputs that each output of the graph feeds."""
        return [port.node.output(port.index) for port in self._view.get_ordered_outputs()]

    def get_all_input_tuples(self) -> list[Port]:
        """List the inputs of the graph."""
        return self._view.get_ordered_inputs()

    def get_all_output_tuples(self) -> list[Port]:
        """List the outputs of the graph."""
        return self._view.get_ordered_outputs()

    def get_ordered_input_nodes(self) -> list[Node]:
        """Return the node of each input of the graph, in their order."""
        return [port.node for port in self._view.get_ordered_inputs()]

    def get_ordered_output_nodes(self) -> list[Node]:
        """Return the node of each output of the graph, in their order."""
        return [port.node for port in self._view.get_ordered_outputs()]

    get_free_input_tuples, get_free_output_tuples = get_all_input_tuples, get_all_output_tuples
    get_nb_free_inputs, get_nb_free_outputs = get_nb_inputs, get_nb_outputs

    def get_ordered_nodes(self, reversed: bool = False) -> list[Node]:
        """Return the nodes so that producers come before consumers, or after them."""
        return self._view.topological_order()[:: -1 if reversed else 1]


class NodePorts:
    """Queries about the ports of a node."""

    __slots__ = ()

    @property
    def _node(self) -> Node:
        return cast("Node", self)

    def __call__(self, *inputs: object) -> Connector:
        """Connect the node to connectors, and return its own: ``y = relu(conv(x))``."""
        for index, each in enumerate(inputs):
            if not isinstance(each, Connector):
                raise GraphError.at(self._node.label, "is called with connectors", found=repr(each))
            if each.node is not None:
                each.node.add_child(self._node, 0, index)
        return Connector(self._node)

    def link_to(
        self,
        other: _Child,
        self_out_idx: int | None = None,
        other_in_idx: int | tuple[Node, int] | None = None,
    ) -> _Child:
        """Connect an output, the first by default, to a node or graph; return that."""
        self._node.add_child(other, self_out_idx or 0, other_in_idx)
        return other

    link = to = link_to

    def create_unique_name(self, base_name: str) -> str:
        """Return a name that no other node of the node's graphs has: ``base_name``, or numbered.

        Examples
        --------
        >>> import aidge_nb
        >>> graph = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
        >>> graph.get_node("b").create_unique_name("a")
        'a_1'
        """
        taken = {node.name() for view in self._node._views for node in view.get_nodes()}
        name, number = base_name, 0
        while name in taken:
            number += 1
            name = f"{base_name}_{number}"
        return name

    def get_nb_free_outputs(self) -> int:
        """Count the outputs without readers."""
        return sum(not self._node.output(index) for index in range(self._node.get_nb_outputs()))

    def get_all_input_tuples(self) -> list[Port]:
        """List the inputs."""
        return [self._node.port(index) for index in range(self._node.get_nb_inputs())]

    def get_all_output_tuples(self) -> list[Port]:
        """List the outputs."""
        return [self._node.port(index) for index in range(self._node.get_nb_outputs())]

    def get_free_input_tuples(self) -> list[Port]:
        """List the inputs that nothing feeds.

        Examples
        --------
        >>> from aidge_nb import ops
        >>> [port.index for port in ops.Add(name="sum").get_free_input_tuples()]
        [0, 1]
        """
        return [p for p in self.get_all_input_tuples() if self._node.source(p.index) is None]

    def get_free_output_tuples(self) -> list[Port]:
        """List the outputs without readers."""
        return [p for p in self.get_all_output_tuples() if not self._node.output(p.index)]
