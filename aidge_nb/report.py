"""One look at a whole model: from an ONNX file to graph, schedule, memory and result.

:func:`study` does what the command ``aidge-nb report`` does and gives a :class:`Report`: a value
that shows itself in a notebook and writes itself as one page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from aidge_nb.dtype import DType
from aidge_nb.errors import AidgeError, MissingKernelError
from aidge_nb.graph.inference import DimsReport, propagate_dims
from aidge_nb.graph.snapshot import GraphSnapshot
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import MemoryPlan, check_plan
from aidge_nb.onnx_io import load_onnx, read_onnx
from aidge_nb.onnx_io.dims import resolve_dims
from aidge_nb.recipes.constant_folding import fold_constants
from aidge_nb.runtime.sequential import SequentialScheduler
from aidge_nb.scheduling.check import check_schedule
from aidge_nb.scheduling.policies import SchedulingPolicy
from aidge_nb.scheduling.schedule import StaticSchedule
from aidge_nb.tensor import Tensor

__all__ = ["Report", "study"]

Progress = Callable[[str], None]
GivenDims = Mapping[str | int, Sequence[int]]


@dataclass(frozen=True)
class Report:
    """What came of looking at a model.

    Attributes
    ----------
    title
        Name of the model.
    graph
        The graph.
    schedule, plan
        Its schedule and memory layout; None when they could not be made, ``notes`` say why.
    notes
        What the reader should know: what was assumed, what is missing.
    result
        Label and text of the outputs, when the model was run.
    """

    title: str
    graph: GraphSnapshot
    schedule: StaticSchedule | None
    plan: MemoryPlan | None
    notes: tuple[str, ...] = ()
    result: tuple[tuple[str, str], ...] = ()

    def scene(self) -> Any:
        """Give what the views draw, as an :class:`aidge_nb.widgets.Scene`."""
        from aidge_nb.widgets import build_scene

        scene = build_scene(self.graph, self.schedule, self.plan, title=self.title)
        return replace(
            scene,
            notes=(*scene.notes, *self.notes),
            figures=(*scene.figures, *self.result),
        )

    def to_html(self) -> str:
        """Write one self-contained page: opens by double click, asks the network for nothing."""
        from aidge_nb.widgets import to_html

        return to_html(self.scene())

    def widget(self, **view: Any) -> Any:
        """Make the live view, as an :class:`aidge_nb.widgets.Workbench`."""
        from aidge_nb.widgets import Workbench

        return Workbench(self.scene(), **view)

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, for JSON."""
        return {
            "title": self.title,
            "graph": self.graph.to_dict(),
            "schedule": None if self.schedule is None else self.schedule.to_dict(),
            "plan": None if self.plan is None else self.plan.to_dict(),
            "notes": list(self.notes),
            "result": [list(each) for each in self.result],
        }

    def __repr__(self) -> str:
        parts = [f"{len(self.graph.nodes)} nodes"]
        if self.schedule is not None:
            parts.append(f"{self.schedule.n_steps} steps")
        if self.plan is not None:
            parts.append(f"peak {self.plan.peak} bytes")
        return f"Report({self.title}: {', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A graph, its title, the dimensions of its inputs in order, and what was assumed."""

    view: GraphView
    title: str
    dims: tuple[Sequence[int] | None, ...]
    assumed: tuple[str, ...] = ()


def _load(
    source: Any,
    dims: GivenDims,
    symbols: Mapping[str, int],
    constants: Mapping[str, Any],
) -> _Loaded:
    if isinstance(source, GraphView):
        groups = range(len(source.get_input_groups()))
        return _Loaded(source, source.name() or "graph", tuple(dims.get(i) for i in groups))
    if isinstance(source, str) and source.startswith("zoo:"):
        from aidge_nb import zoo

        title = source.removeprefix("zoo:")
        model = zoo.build(title)
    else:
        model = read_onnx(source)
        title = Path(fspath(source)).stem if isinstance(source, (str, PathLike)) else model.name
    open_inputs = tuple(v for v in model.signature.inputs if v.name not in constants)
    resolved = resolve_dims(replace(model.signature, inputs=open_inputs), dims, symbols)
    by_name = {v.name: each for v, each in zip(open_inputs, resolved.dims, strict=True)}
    view = load_onnx(model, dims=by_name, constants=constants)
    read = [value.name for value in view.annotations["onnx"].inputs]
    found = tuple(by_name[name] for name in read)
    return _Loaded(view, title or "model", found, resolved.assumed)


def study(
    source: str | PathLike[str] | GraphView | Any,
    dims: GivenDims | Sequence[Sequence[int]] | None = None,
    *,
    symbols: Mapping[str, int] | None = None,
    constants: Mapping[str, Any] | None = None,
    policy: SchedulingPolicy = SchedulingPolicy.Default,
    fold: bool = True,
    run: bool = False,
    progress: Progress = lambda stage: None,
) -> Report:
    """Load a model, propagate dimensions, schedule it, lay out its memory, and perhaps run it.

    What fails after the graph was loaded leaves a note instead of a part of the report, so that
    the graph can be looked at in any case.

    Parameters
    ----------
    source
        A path, ``zoo:NAME``, an ONNX model or a graph.
    dims
        Dimensions of the inputs: in order, or by name or position.
    symbols
        Values of symbolic dimensions.
    constants
        Values of inputs by name, that are known beforehand; they may decide branches.
    policy
        Order in which nodes run at their step.
    fold
        Whether operators that compute constants (weights, mostly) are replaced by their results.
    run
        Whether to run the model, on seeded random inputs.
    progress
        Called with the name of each stage as it begins.

    Raises
    ------
    OnnxError
        When the file cannot be read, or an input dimension is unknown or contradicts the file.
    ShapeError
        When the inputs of an operator do not fit each other.

    Examples
    --------
    >>> report = study("zoo:lenet")
    >>> report.schedule.n_steps > 5, report.plan.peak == report.plan.lower_bound
    (True, True)
    """
    progress("load")
    given: GivenDims = dict(enumerate(dims)) if isinstance(dims, Sequence) else dims or {}
    loaded = _load(source, given, symbols or {}, constants or {})
    view, notes = loaded.view, list(loaded.assumed)
    folded = fold_constants(view) if fold else ()
    progress("dimensions")
    known = propagate_dims(view, loaded.dims, allow_data_dependency=True)
    notes += _describe(view, known, folded)
    view.set_backend("cpu")
    scheduler = SequentialScheduler(view)
    scheduler.set_scheduling_policy(policy)
    progress("schedule")
    schedule = _try(notes, "no schedule", lambda: _schedule(view, scheduler))
    progress("memory")
    plan = None
    if schedule is not None and known.complete:
        plan = _try(notes, "no memory layout", lambda: _plan(scheduler))
    elif schedule is not None:
        notes.append("no memory layout: dimensions stay unknown for " + _some(known.unknown))
    result: tuple[tuple[str, str], ...] = ()
    if run and schedule is not None:
        progress("run")
        result = _try(notes, "not run", lambda: _run(view, scheduler)) or ()
    return Report(loaded.title, view.snapshot(), schedule, plan, tuple(notes), result)


def _describe(view: GraphView, known: DimsReport, folded: Sequence[str]) -> list[str]:
    """Say what is worth knowing about a graph before it is scheduled."""
    notes = [*known.problems, *known.notes]
    generic = [node.label for node in view.get_nodes() if _is_unknown(node)]
    if generic:
        notes.append(f"operators without declaration, shown but not run: {_some(generic)}")
    if folded:
        notes.append(
            f"operators that compute constants, replaced by their results: {_some(folded)}"
        )
    return notes


def _is_unknown(node: Any) -> bool:
    from aidge_nb.graph.generic import GenericOperatorOp

    return isinstance(node.get_operator(), GenericOperatorOp)


def _some(labels: Sequence[str], most: int = 5) -> str:
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more


def _try(notes: list[str], what: str, action: Callable[[], Any]) -> Any:
    try:
        return action()
    except AidgeError as error:
        notes.append(f"{what}: {error}")
        return None


def _schedule(view: GraphView, scheduler: SequentialScheduler) -> StaticSchedule:
    scheduler.generate_scheduling()
    schedule = scheduler.schedule()
    check_schedule(view, schedule)
    return schedule


def _plan(scheduler: SequentialScheduler) -> MemoryPlan:
    plan = scheduler.plan_memory()
    check_plan(plan)
    return plan


def _run(view: GraphView, scheduler: SequentialScheduler) -> tuple[tuple[str, str], ...]:
    data = [_random_input(group[0]) for group in view.get_input_groups() if _is_needed(group[0])]
    outputs = scheduler.forward(data=data)
    elapsed = sum(each.end - each.start for each in scheduler.get_forward_scheduling())
    names = [f"output {i}" for i in range(len(outputs))]
    signature = view.annotations.get("onnx")
    if signature is not None and len(signature.outputs) == len(outputs):
        names = [value.name for value in signature.outputs]
    rows = [("run in NumPy, on random input", f"{elapsed / 1e6:.1f} ms")]
    rows += [(name, _summary(t)) for name, t in zip(names, outputs, strict=True)]
    return tuple(rows)


def _is_needed(port: Any) -> bool:
    tensor = port.node.get_operator().get_input(port.index)
    return tensor is not None and not tensor.undefined


def _random_input(port: Any) -> Tensor:
    tensor = port.node.get_operator().get_input(port.index)
    if tensor.has_data:
        return Tensor(tensor.array)
    generator = np.random.default_rng(port.index)
    if tensor.dtype.is_float:
        values = generator.standard_normal(tensor.dims)
    elif tensor.dtype is DType.string:
        raise MissingKernelError(f"{port.node.label}: cannot make up text for an input")
    else:
        values = generator.integers(0, 2, tensor.dims).astype(np.float64)
    return Tensor(values.astype(tensor.dtype.numpy))


def _summary(tensor: Tensor) -> str:
    array = tensor.array
    shape = "×".join(map(str, array.shape)) or "scalar"
    if array.size and array.dtype.kind in "fiu":
        return f"{shape} {tensor.dtype.name}, {array.min():.4g} to {array.max():.4g}"
    return f"{shape} {tensor.dtype.name}"
