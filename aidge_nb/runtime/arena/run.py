"""Running a model inside the arena that its memory plan describes.

At each tick whatever holds no value is poisoned, the node reads its inputs where the plan put
them, and its outputs go to theirs. A kernel that takes ``out=`` writes there itself, perhaps over
its own input; all others compute into a temporary, which is then copied. What the graph held
before is put back at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.tensor import Tensor
from aidge_nb.runtime.arena.binding import check_is_plan
from aidge_nb.runtime.arena.block import Arena
from aidge_nb.runtime.arena.player import FiringCheck, Observer, Player
from aidge_nb.runtime.passes import kept_tensors, set_inputs, start_pass

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import MemoryPlan

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ArenaRun:
    """What came of running a model in its arena.

    Attributes
    ----------
    outputs
        Copies of the outputs of the graph, in their order.
    arena_bytes
        Size of the arena, the planned peak.
    touched
        The highest byte that was written, plus one.
    firings
        What each execution did.
    """

    outputs: tuple[Array, ...]
    arena_bytes: int
    touched: int
    firings: tuple[FiringCheck, ...]

    @property
    def scratch(self) -> int:
        """The most that a kernel computed outside of the arena at once, in bytes."""
        return max((firing.scratch for firing in self.firings), default=0)

    def __repr__(self) -> str:
        return (
            f"ArenaRun({len(self.firings)} firings, touched {self.touched} of "
            f"{self.arena_bytes} bytes, scratch {self.scratch} bytes)"
        )


def run_in_arena(
    view: GraphView,
    plan: MemoryPlan,
    inputs: Sequence[Tensor | ArrayLike] | None = None,
    *,
    poison: bool = True,
) -> ArenaRun:
    """Run a model inside one block of bytes, each value where its plan puts it.

    Parameters
    ----------
    view
        The graph, with a backend and with the dimensions for which it was planned.
    plan
        A plan of :func:`aidge_nb.memory.plan_memory`, or one of the memory manager's layouts.
    inputs
        Data for the inputs of the graph, in their order, as a list; what the inputs hold if left
        out.
    poison
        Whether bytes that hold no value are poisoned before each firing.

    Returns
    -------
    ArenaRun
        The outputs, and what each firing did to the arena.

    Raises
    ------
    MemoryPlanError
        When the plan is not one for this graph and these dimensions, for inputs that are no list
        or too few, or when a firing writes beyond the arena.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> view.set_backend("cpu")
    >>> view.forward_dims([[2]])
    True
    >>> run = run_in_arena(view, aidge_nb.plan_memory(view, view.topological_order()), [[-1.0, 0]])
    >>> run, run.outputs[0].tolist()
    (ArenaRun(2 firings, touched 8 of 8 bytes, scratch 0 bytes), [0.0, 0.0])
    """
    return execute_in_arena(view, plan, inputs, Observer(), poison=poison)


def execute_in_arena(
    view: GraphView,
    plan: MemoryPlan,
    inputs: Sequence[Tensor | ArrayLike] | None,
    observer: Observer,
    *,
    poison: bool = True,
) -> ArenaRun:
    """Do what :func:`run_in_arena` does, under the eyes of an observer."""
    check_is_plan(plan)
    with kept_tensors(view):
        set_inputs(view, inputs)
        start_pass(view)
        player = Player(view, plan, observer, Arena(plan.peak, poison=poison))
        firings = tuple(player.fire(tick) for tick in range(len(plan.order)))
        player.gather_outputs(view)
        outputs = tuple(
            np.array(port.node.get_operator().get_output(port.index).array)
            for port in view.get_ordered_outputs()
        )
        return ArenaRun(outputs, plan.peak, player.arena.touched, firings)
