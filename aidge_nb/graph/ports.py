"""Queries about the ports of nodes and views, under aidge_core's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node, Port


class ViewPorts:
    """Ports of a view; a port is a pair of a node and an index."""

    __slots__ = ()

    if TYPE_CHECKING:  # what a view brings

        def get_ordered_inputs(self) -> list[Port]:  # noqa: D102
            ...

        def get_ordered_outputs(self) -> list[Port]:  # noqa: D102
            ...

        def topological_order(self) -> list[Node]:  # noqa: D102
            ...

    def get_nb_inputs(self) -> int:
        """Count the inputs of the graph."""
        return len(self.get_ordered_inputs())

    def get_nb_outputs(self) -> int:
        """Count the outputs of the graph."""
        return len(self.get_ordered_outputs())

    def inputs(self) -> list[Port | None]:
        """Return the outside output that feeds each input of the graph; None for free inputs."""
        return [port.node.input(port.index) for port in self.get_ordered_inputs()]

    def outputs(self) -> list[list[Port]]:
        """Return the outside inputs that each output of the graph feeds."""
        return [port.node.output(port.index) for port in self.get_ordered_outputs()]

    def get_all_input_tuples(self) -> list[Port]:
        """List the inputs of the graph."""
        return self.get_ordered_inputs()

    def get_all_output_tuples(self) -> list[Port]:
        """List the outputs of the graph."""
        return self.get_ordered_outputs()

    def get_ordered_input_nodes(self) -> list[Node]:
        """Return the node of each input of the graph, in their order."""
        return [port.node for port in self.get_ordered_inputs()]

    def get_ordered_output_nodes(self) -> list[Node]:
        """Return the node of each output of the graph, in their order."""
        return [port.node for port in self.get_ordered_outputs()]

    def get_ordered_nodes(self) -> list[Node]:
        """Return the nodes so that producers come before consumers."""
        return self.topological_order()


class NodePorts:
    """Queries about the ports of a node."""

    __slots__ = ()

    if TYPE_CHECKING:  # what a node brings

        def get_nb_inputs(self) -> int:  # noqa: D102
            ...

        def get_nb_outputs(self) -> int:  # noqa: D102
            ...

        def input(self, index: int) -> Port | None:  # noqa: D102
            ...

        def output(self, index: int) -> list[Port]:  # noqa: D102
            ...

        def port(self, index: int) -> Port:  # noqa: D102
            ...

    def get_nb_free_outputs(self) -> int:
        """Count the outputs without readers."""
        return sum(not self.output(index) for index in range(self.get_nb_outputs()))

    def get_all_input_tuples(self) -> list[Port]:
        """List the inputs."""
        return [self.port(index) for index in range(self.get_nb_inputs())]

    def get_all_output_tuples(self) -> list[Port]:
        """List the outputs."""
        return [self.port(index) for index in range(self.get_nb_outputs())]

    def get_free_input_tuples(self) -> list[Port]:
        """List the inputs that nothing feeds.

        Examples
        --------
        >>> from aidge_nb import ops
        >>> [port.index for port in ops.Add(name="sum").get_free_input_tuples()]
        [0, 1]
        """
        free = [index for index in range(self.get_nb_inputs()) if self.input(index) is None]
        return [self.port(index) for index in free]

    def get_free_output_tuples(self) -> list[Port]:
        """List the outputs without readers."""
        free = [index for index in range(self.get_nb_outputs()) if not self.output(index)]
        return [self.port(index) for index in free]
