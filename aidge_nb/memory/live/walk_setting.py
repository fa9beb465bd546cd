"""Options and cached facts of live-range analysis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.graph.node import Port
from aidge_nb.memory.live.by_rows import works_by_lines
from aidge_nb.memory.live.graph_values import is_connected, output_bytes
from aidge_nb.memory.live.lifetimes import Changes, Lifetimes
from aidge_nb.memory.live.sharing import first_in_input, part_of_input
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.memory.values.part import Part
from aidge_nb.scheduling import EltType, ProdConso, prod_conso_of

if TYPE_CHECKING:
    from aidge_nb.graph import Node


class Made(NamedTuple):
    """What is written to an output, whatever is chosen.

    Its bytes and dimensions; whether executions add up in it; its rows, if it could lie by rows;
    and whether it is stored at all.
    """

    size: int
    dims: tuple[int, ...]
    grows: bool
    rows: int
    is_stored: bool


class Cut(NamedTuple):
    """What an output of Slice or Split is of input 0: where it begins by axis, and its bytes."""

    first: tuple[int, ...]
    part: Part


@dataclass(frozen=True, slots=True)
class Setting:
    """Names, lifetimes, options, and cached facts about outputs (``made``, ``cuts``)."""

    names: dict[Node, str]
    life: Lifetimes
    options: PlanOptions
    changes: Changes
    made: dict[Port, Made] = field(default_factory=dict)
    cuts: dict[Port, Cut | None] = field(default_factory=dict)

    def made_at(self, port: Port) -> Made:
        """Tell what is written to an output.

        Raises
        ------
        MemoryPlanError
            While its dimensions are unknown.
        """
        if port not in self.made:
            operator = port.node.get_operator()
            left_out = operator.may_leave_out(port.index)
            if left_out and not is_connected(port, self.life.outputs):
                self.made[port] = Made(0, (), False, 0, is_stored=False)
            else:
                size, grows = output_bytes(port), _grows(port)
                dims = operator.get_output(port.index).dims
                rows = dims[2] if len(dims) == 4 and not grows else 0
                self.made[port] = Made(size, tuple(dims), grows, rows, is_stored=True)
        return self.made[port]

    def cut_at(self, port: Port) -> Cut | None:
        """Tell which part of input 0 an output of Slice or Split is; None for all others."""
        if port not in self.cuts:
            node, index = port
            cuts = node.type() in ("Slice", "Split")
            first = first_in_input(node, index) if cuts else None
            part = part_of_input(node, index) if cuts else None
            found = None if first is None or part is None else Cut(tuple(first), part)
            self.cuts[port] = found
        return self.cuts[port]

    def overwrites(self, node: Node) -> tuple[int, ...]:
        """Give the inputs over which a node may write its output."""
        declared = node.get_operator().spec.in_place
        if not self.options.in_place or declared or not node.get_nb_inputs():
            return declared if self.options.in_place else ()
        allowed = node in self.changes.in_place or (self.options.by_rows and works_by_lines(node))
        return (0,) if allowed else ()

    def permits(self, part: Part) -> bool:
        """Whether a part may stay in the whole."""
        distances = (part.start, *(step for _, step in part.levels))
        is_aligned = not any(distance % self.options.alignment for distance in distances)
        return is_aligned and not (part.levels and self.options.contiguous)


def _grows(port: Port) -> bool:
    """Whether executions of a node add up in one output tensor, as those of Stack do."""
    node, index = port
    tensor, model = node.get_operator().get_output(index), prod_conso_of(node.get_operator())
    if type(model) is ProdConso:
        return False  # it gives all at once
    made = model.get_required_memory(index, ())
    return made.type is EltType.Data and 0 < made.data < tensor.size
