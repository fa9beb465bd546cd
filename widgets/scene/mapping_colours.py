"""Colour what moves and lies in the memories of a machine: as the work that made the values.

What a view colours by (type, work, block) is chosen in the browser. The scene therefore tells the
node whose colour each thing has, its source.
"""

from __future__ import annotations

from collections.abc import Mapping as Table
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb.widgets.palette import FAMILIES
from aidge_nb.widgets.scene.devices import NO_FAMILY

if TYPE_CHECKING:
    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.hardware.steps import MappingStep
    from aidge_nb.widgets.scene.mapping_details import Key
    from aidge_nb.widgets.scene.parts import Ints

_INPUT = next(place for place, family in enumerate(FAMILIES) if family.name == "layout")
"""Family whose colour the inputs of the graph have: no work makes them."""

PARAMETERS = "producer"
"""Kind of the buffers that hold parameters, which are no values of the graph."""

OF_PARAMETERS, OF_INPUT = -1, -2
"""Sources of what no node made: parameters, and inputs of the graph."""


class MappingColours:
    """Sources of what moves and lies in memories: the works that made the values.

    With ``by_tile`` all that belongs to a tile has its colour.

    Parameters
    ----------
    mapping
        The mapping.
    place
        The node of each tile.
    families
        Family of each node.
    by_tile
        Whether tiles have colours of their own.
    """

    def __init__(
        self,
        mapping: Mapping,
        place: Table[Key, int],
        families: Sequence[int],
        *,
        by_tile: bool = False,
    ) -> None:
        self._place, self._families, self._by_tile = place, families, by_tile
        self.kinds = _kinds(mapping)
        self._made = dict.fromkeys(mapping.given, OF_INPUT)
        self.copies: set[str] = set()
        for step in mapping.steps:
            source = self.of_step(step)
            for name in step.writes:
                self._made.setdefault(name, source)
            if step.kind == "transfer":
                self.copies.update(step.writes)
        self.copies -= {each.buffer for each in mapping.placements if each.holds}

    def families(self, sources: Ints) -> Ints:
        """Return the family of each source."""
        # Counted from the end: the last is that of parameters, the one before that of inputs.
        return np.array([*self._families, _INPUT, NO_FAMILY], np.int64)[sources]

    def of_step(self, step: MappingStep) -> int:
        """Return the source of a step: of a transfer, that of the values it moves."""
        own = self._place[step.work, step.tile]
        if step.kind != "transfer":
            return own
        if self.is_parameters(step):
            return OF_PARAMETERS
        return own if self._by_tile else self._made.get(next(iter(step.reads), ""), own)

    def is_parameters(self, step: MappingStep) -> bool:
        """Tell whether a transfer moves parameters and nothing else."""
        names = step.reads or step.writes
        return all(self.kinds.get(name) == PARAMETERS for name in names) and bool(names)

    def of_buffer(self, name: str, owner: int) -> int:
        """Return the source of a buffer; ``owner`` is the node that it belongs to."""
        if self.kinds.get(name) == PARAMETERS:
            return OF_PARAMETERS
        return owner if self._by_tile else self._made.get(name, owner)


def _kinds(mapping: Mapping) -> dict[str, str]:
    """Tell the buffers that are there from the beginning, and copies of parameters, from others."""
    given = set(mapping.given)
    found = {
        each.buffer: "input" if each.holds else PARAMETERS
        for each in mapping.placements
        if each.buffer in given
    }
    parameters = {name for name, kind in found.items() if kind == PARAMETERS}
    for step in mapping.steps:
        if step.kind == "transfer" and not parameters.isdisjoint(step.reads):
            is_alone = parameters.issuperset(step.reads)  # else they come behind what is loaded
            found |= dict.fromkeys(step.writes[0 if is_alone else 1 :], PARAMETERS)
    return found
