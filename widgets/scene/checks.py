"""Validate the values given to views; leave out numbers that are not finite.

A view must not fail because a computation failed: what cannot be drawn is left out, and the notes
of the scene say so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError, listed
from aidge_nb.graph.snapshot import GraphSnapshot, NodeView
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import MemoryPlan
from aidge_nb.scheduling import Scheduler, StaticSchedule
from aidge_nb.widgets.text import elide

if TYPE_CHECKING:
    from aidge_nb.memory.values.plan import Buffer

Runs = Iterable[tuple[str, float, float]]
"""Name, start and end (in microseconds) of each execution of a run."""

_ORDER = "A view takes graph, schedule and plan, in this order; leave out what is missing."


def check_given(**given: object) -> None:
    """Check the types of graph, schedule, plan and mapping.

    Raises
    ------
    AidgeError
        With the expected type and, where known, how to get it.
    """
    for name, value in given.items():
        if value is None:
            continue
        kinds = _KINDS[name] or _mappings()
        if not isinstance(value, kinds):
            expected = " or ".join(kind.__name__ for kind in kinds)
            problem = f"cannot show this {name}"
            found = type(value).__name__
            raise AidgeError.at("view", problem, expected=expected, found=found, cure=_cure(value))


def check_graph(where: str, value: object) -> None:
    """Check that a value is a GraphView, which can be planned again.

    Raises
    ------
    AidgeError
        When it is not a GraphView.
    """
    if not isinstance(value, GraphView):
        problem, found = "needs a graph that can be planned anew", type(value).__name__
        cure = "" if isinstance(value, GraphSnapshot) else _cure(value)
        raise AidgeError.at(where, problem, expected="GraphView", found=found, cure=cure)


_KINDS: dict[str, tuple[type, ...]] = {
    "graph": (GraphView, GraphSnapshot),
    "schedule": (StaticSchedule,),
    "plan": (MemoryPlan,),
    "before": (MemoryPlan,),
    "mapping": (),
}


def _mappings() -> tuple[type, ...]:
    """Return the types of mappings, which few views need."""
    from aidge_nb.hardware.mapping import Mapping

    return (Mapping,)


def _cure(value: object) -> str:
    """Suggest how to get the expected value from the given one."""
    if isinstance(value, (str, Path)):
        return "Load it first, with aidge_nb.load_onnx(path), or look at it with study(path)."
    if type(value).__name__ in ("OnnxModel", "ModelProto"):
        return "Load it first: aidge_nb.load_onnx(model)."
    if isinstance(value, Scheduler):
        return "Pass what it planned: scheduler.schedule()."
    from aidge_nb.memory import MemoryManager  # slow to import

    if isinstance(value, MemoryManager):
        return "Pass its plan: aidge_nb.memory.plan_of_manager(manager, graph, order)."
    known = tuple(kind for kinds in _KINDS.values() for kind in kinds)
    return _ORDER if isinstance(value, known) else ""


def sound_graph(graph: GraphSnapshot) -> tuple[GraphSnapshot, list[str]]:
    """Return a graph without numbers that are not finite, and notes on them."""
    odd = [node.name for node in graph.nodes if not _are_numbers(*_amounts(node))]
    if not odd:
        return graph, []
    mended = tuple(
        replace(
            node,
            macs=node.macs if _are_numbers(node.macs or 0) else None,
            parameters=_number(node.parameters),
            constants=_number(node.constants),
            weight_bytes=_number(node.weight_bytes),
        )
        for node in graph.nodes
    )
    return replace(graph, nodes=mended), [f"numbers of these nodes are not known: {_few(odd)}"]


def _amounts(node: NodeView) -> tuple[float, ...]:
    return (node.macs or 0, node.parameters, node.constants, node.weight_bytes)


def sound_plan(plan: MemoryPlan) -> tuple[MemoryPlan, list[str]]:
    """Return a plan without buffers that lack a place or size, and notes on them."""
    odd = [buffer.name for buffer in plan.buffers if not _is_sound(buffer)]
    notes = []
    if odd:
        notes.append(
            "buffers whose size, place or time is not a number are not drawn in the memory plan: "
            + _few(odd)
        )
        plan = replace(plan, buffers=tuple(each for each in plan.buffers if _is_sound(each)))
    if not _are_numbers(plan.peak, plan.lower_bound):
        notes.append(
            "peak or lower bound of the memory plan is not a number: "
            "the peak is that of the buffers that are drawn"
        )
        peak = max((each.offset + each.size for each in plan.buffers), default=0)
        plan = replace(plan, peak=peak, lower_bound=0)
    return plan, notes


def _is_sound(buffer: Buffer) -> bool:
    numbers = (buffer.size, buffer.offset, buffer.lower, buffer.upper)
    return _are_numbers(*numbers) and buffer.size >= 0 and buffer.lower <= buffer.upper


def sound_runs(runs: Runs, known: Iterable[str]) -> tuple[list[tuple[str, float, float]], str]:
    """Return the executions of a run that can be drawn, and a note on the others."""
    names = set(known)
    drawn, odd = [], []
    for name, start, end in runs:
        if name in names and _are_numbers(start, end) and start <= end:
            drawn.append((name, start, end))
        else:
            odd.append(name)
    note = "runs of nodes that the schedule does not know, or without a time, are not drawn: "
    return drawn, note + _few(list(dict.fromkeys(odd))) if odd else ""


def _are_numbers(*values: float) -> bool:
    return all(map(math.isfinite, values))


def _number(value: int) -> int:
    return value if math.isfinite(value) else 0


def _few(names: list[str]) -> str:
    return listed([elide(name, 40) for name in names], most=3)
