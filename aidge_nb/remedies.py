"""What rooms above memory can do for a model that does not fit into one.

Tilings are planned with memory plans, and a budget asks for tilings: as with pictures, one of both
has to reach the other way. It is done here, when a tiling is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aidge_nb.graph import GraphView
    from aidge_nb.memory import MemoryPlan

__all__ = ["plan_tiled"]


def plan_tiled(view: GraphView, memory: int, **options: Any) -> MemoryPlan:
    """Plan the memory of a graph, tiled to fit; see :func:`aidge_nb.tiling.tiled_plan`."""
    plan: MemoryPlan = import_module("aidge_nb.tiling").tiled_plan(view, memory, **options)
    return plan
