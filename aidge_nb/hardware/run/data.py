"""The values of a running mapping: parameters, inputs and computed outputs.

A node executed several times has several versions of its outputs. Readers take the last version in
mapping order, in any order of the run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import HardwareError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.inputs import fitting_arrays, input_slots
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.run.programs import (
    DataKey,
    TileProgram,
    run_program,
    whole_program,
)
from aidge_nb.hardware.steps import Work
from aidge_nb.tiling.ranges import Region, index_of

Array = NDArray[Any]


class RunData:
    """Parameters, inputs and computed outputs.

    Raise HardwareError for inputs that do not fit the graph. Works are those of the mapping in
    order, nodes come by name.
    """

    def __init__(
        self,
        view: GraphView,
        works: Sequence[Work],
        nodes: Mapping[str, Node],
        inputs: Sequence[Tensor | ArrayLike],
    ) -> None:
        self._given = _given(view, inputs)
        self._made: dict[tuple[Node, int, int], Array] = {}
        self._writers: dict[Node, list[int]] = {}
        self._end = len(works)
        for number, work in enumerate(works):
            for name in work.nodes:
                self._writers.setdefault(nodes[name], []).append(number)

    def key(self, node: Node, index: int, work: int) -> DataKey:
        """Return the key of the value that an input reads in a work."""
        port = node.source(index)
        if port is None:
            return DataKey(node, index, is_input=True)
        return DataKey(port.node, port.index, version=self._version(port.node, work))

    def reader(self, work: int, members: Sequence[Node] = ()) -> Callable[[Node, int], DataKey]:
        """Return the :meth:`key` function of a work in which ``members`` read each other."""
        inside = set(members)

        def key(node: Node, index: int) -> DataKey:
            port = node.source(index)
            if port is not None and port.node in inside:
                return DataKey(port.node, port.index, version=work)
            return self.key(node, index, work)

        return key

    def is_known(self, key: DataKey) -> bool:
        """Return whether a value was computed or given."""
        return key.version >= 0 or key.node.type() == "Producer"

    def at(self, key: DataKey) -> Array:
        """Return the array of a key; nodes that take no time are computed on demand.

        Raise HardwareError when an input is missing.
        """
        if key.is_input:
            return self._input(key)
        node, number, version = key.node, key.number, key.version
        if node.type() == "Producer":
            return node.get_operator().get_output(number).array
        if (node, number, version) not in self._made:
            program = whole_program([node], self.reader(version + 1))
            outputs, _, _ = run_program(program.calls, self.read(program))
            self.keep(node, version, outputs[-1])
        return self._made[node, number, version]

    def result(self, port: Port) -> Array:
        """Return an output of the graph."""
        version = self._version(port.node, self._end)
        return self.at(DataKey(port.node, port.index, version=version))

    def read(self, program: TileProgram) -> list[Array]:
        """Return the data of a program."""
        return [self.part(key, region) for key, region in program.data]

    def part(self, key: DataKey, region: Region | None) -> Array:
        """Return a region of the array of a key, or all of it."""
        array = self.at(key)
        return array if region is None else np.ascontiguousarray(array[index_of(region)])

    def keep(self, node: Node, version: int, outputs: Sequence[Array]) -> None:
        """Keep the outputs of a node."""
        for index, array in enumerate(outputs):
            self._made[node, index, version] = array

    def put(self, node: Node, version: int, region: Region, part: Array) -> None:
        """Keep a region of the output of a node."""
        if (node, 0, version) not in self._made:
            tensor = node.get_operator().get_output(0)
            self._made[node, 0, version] = np.empty(tensor.dims, part.dtype)
        self._made[node, 0, version][index_of(region)] = part

    def _version(self, node: Node, work: int) -> int:
        """Find the last work before one that computes a node or the source of a view; else -1."""
        if node in self._writers:
            writers = self._writers[node]
            at = bisect_left(writers, work)
            return writers[at - 1] if at else -1
        if node.type() == "Producer":
            return -1
        return max((self._version(port.node, work) for _, port in node.edges_in()), default=-1)

    def _input(self, key: DataKey) -> Array:
        if (key.node, key.number) in self._given:
            return self._given[key.node, key.number]
        tensor = key.node.get_operator().get_input(key.number)
        if tensor is None or not tensor.has_data:
            where = f"{key.node.label}, input#{key.number}"
            raise HardwareError.at(where, "has no data", cure="Pass it with the inputs.")
        return tensor.array


def _given(view: GraphView, inputs: Sequence[Tensor | ArrayLike]) -> dict[tuple[Node, int], Array]:
    """Check the inputs, and return them by the ports that read them."""
    cure = "Pass such an input, or map the graph again for these dimensions."
    fitting = fitting_arrays(input_slots(view), inputs, "the graph was mapped", HardwareError, cure)
    return {(port.node, port.index): array for slot, array in fitting for port in slot.ports}
