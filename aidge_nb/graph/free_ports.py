"""Inputs that nothing among some nodes feeds, and outputs that nothing among them reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aidge_nb.graph.node import Node, Port


def free_inputs(nodes: Mapping[Node, None]) -> list[Port]:
    """List the inputs that no node feeds: mandatory ones first."""
    mandatory: list[Port] = []
    optional: list[Port] = []
    for node in nodes:
        for index, port in enumerate(node._parents):
            if port is None or port.node not in nodes:
                is_optional = node.is_optional_input(index)
                (optional if is_optional else mandatory).append(Port(node, index))
    return mandatory + optional


def free_outputs(nodes: Mapping[Node, None]) -> Iterator[Port]:
    """Give the outputs that no node reads, or that something else does.

    A secondary output that is not read counts only when no output of the node is.
    """
    for node in nodes:
        readers = node.outputs()
        optional = node.get_operator().spec.optional_outputs
        for index, ports in enumerate(readers):
            outside = any(port.node not in nodes for port in ports)
            main = index == 0 or (index not in optional and not any(readers))
            if outside or (main and not ports):
                yield Port(node, index)
