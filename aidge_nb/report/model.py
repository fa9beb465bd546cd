"""Study a whole model: from an ONNX file to graph, schedule, memory plan and result.

:func:`study` does what the command ``aidge-nb report`` does and gives a :class:`Report`: a value
that shows itself in a notebook and writes itself as one page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from aidge_nb.advice import Finding, find_changes, plan_findings
from aidge_nb.core.errors import AidgeError, listed
from aidge_nb.core.forms import as_plain
from aidge_nb.core.values import dataclass
from aidge_nb.graph.inference import DimsReport, propagate_dims
from aidge_nb.graph.node import Node
from aidge_nb.graph.snapshot import GraphSnapshot
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import MemoryPlan, check_plan
from aidge_nb.recipes.constant_folding import fold_constants
from aidge_nb.report.run import run_on_random_input, summary, values_text
from aidge_nb.report.source import GivenDims, Loaded, load_source
from aidge_nb.runtime.backends.cpu import CpuImpl
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler
from aidge_nb.scheduling.check.schedule import check_firings
from aidge_nb.scheduling.order.policies import SchedulingPolicy
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

if TYPE_CHECKING:
    from aidge_nb.quantization import LayerError

Progress = Callable[[str], None]

_STOPPED = "advice: stopped after"


@dataclass(frozen=True)
class Report:
    """The results of studying a model.

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
    values
        Name of each output and its first values, when the model was run.
    failure
        Why the model was not run although that was asked for; else empty.
    findings
        What the plan says, and which changes would help.
    errors
        Signal to quantization noise of each layer, when a float twin was given.
    """

    title: str
    graph: GraphSnapshot
    schedule: StaticSchedule | None
    plan: MemoryPlan | None
    notes: tuple[str, ...] = ()
    result: tuple[tuple[str, str], ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    failure: str = ""
    findings: tuple[Finding, ...] = ()
    errors: tuple[LayerError, ...] = ()

    def scene(self) -> Any:
        """Return the scene that the views draw, an :class:`aidge_nb.widgets.Scene`."""
        return self._scene

    @cached_property
    def _scene(self) -> Any:
        from aidge_nb.widgets import build_scene

        scene = build_scene(
            self.graph, self.schedule, self.plan, title=self.title, findings=self.findings
        )
        return replace(
            scene,
            notes=(*scene.notes, *self.notes),
            figures=(*scene.figures, *self.result, *self._least_exact()),
        )

    def _least_exact(self) -> Sequence[tuple[str, str]]:
        """Return the layer with most noise, and the last one."""
        if not self.errors:
            return ()
        least, last = min(self.errors, key=lambda each: each.sqnr), self.errors[-1]
        return [
            ("beside the float twin, least", f"{least.sqnr:.1f} dB ({least.name})"),
            ("beside the float twin, last", f"{last.sqnr:.1f} dB ({last.name})"),
        ]

    def conclusions(self) -> tuple[str, ...]:
        """Return the findings in words, a line each.

        Examples
        --------
        >>> study("zoo:lenet").conclusions()[0]
        'PEAK: 23 KiB while pool1 runs (tick 2): relu1 18.4 KiB, pool1 4.59 KiB'
        """
        scene = self.scene()
        return tuple(card.words(scene.names.path) for card in scene.findings)

    def to_html(self) -> str:
        """Write one self-contained page: opens by double click, asks the network for nothing."""
        from aidge_nb.widgets import to_html

        return to_html(self.scene())

    def widget(self, **view: Any) -> Any:
        """Make the live view, as an :class:`aidge_nb.widgets.Workbench`."""
        from aidge_nb.widgets import Workbench

        return Workbench(self.scene(), **view)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON."""
        return as_plain(self)

    def __repr__(self) -> str:
        parts = [f"{len(self.graph.nodes)} nodes"]
        if self.schedule is not None:
            parts.append(f"{self.schedule.n_steps} steps")
        if self.plan is not None:
            parts.append(f"peak {self.plan.peak} bytes")
        return f"Report({self.title}: {', '.join(parts)})"


def study(
    source: str | PathLike[str] | GraphView | Any,
    dims: GivenDims | Sequence[Sequence[int]] | None = None,
    *,
    symbols: Mapping[str, int] | None = None,
    constants: Mapping[str, Any] | None = None,
    policy: SchedulingPolicy = SchedulingPolicy.Default,
    fold: bool = True,
    integer: bool = True,
    run: bool = False,
    open_dims: bool = False,
    advice: float | None = 0.0,
    ram: int | None = None,
    float_twin: Any = None,
    progress: Progress = lambda stage: None,
) -> Report:
    """Load a model, propagate dimensions, schedule it, plan its memory, and optionally run it.

    What fails after the graph was loaded leaves a note instead of a part of the report, so that
    the graph can be looked at in any case.

    Parameters
    ----------
    source
        A path, ``zoo:NAME`` (``zoo:NAME@96`` at another size), an ONNX model, a graph, or what
        :func:`aidge_nb.report.source.load_source` loaded.
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
    integer
        Whether a quantized file is computed on integers; see :mod:`aidge_nb.quantization`.
    run
        Whether to run the model, on seeded random inputs.
    open_dims
        Whether inputs may stay without dimensions: the graph is then scheduled by tokens, and has
        no memory layout. A graph that is given as such may always.
    advice
        Seconds for a search for changes that lower the peak, looked at between two plans. By
        default only what costs little is tried; None for no search.
    ram
        Bytes of the memory that the activations should fit into; the least disruptive change
        that fits comes first.
    float_twin
        The float model that a quantized one was made from, as ``source``: both are run on seeded
        random input, and ``errors`` has the signal to quantization noise of each layer.
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
    values = symbols or {}, constants or {}
    loaded = load_source(source, given, *values, open_dims=open_dims, integer=integer)
    view, notes = loaded.view, list(loaded.assumed)
    folded = fold_constants(view) if fold else ()
    progress("dimensions")
    known = _infer(loaded, notes)
    view.set_backend("cpu")
    notes += _describe(view, folded)
    scheduler = SequentialScheduler(view)
    scheduler.set_scheduling_policy(policy)
    if policy.needs_branches:
        scheduler.tag_fork_branches()
    progress("schedule")
    schedule = _try(notes, "no schedule", lambda: _schedule(view, scheduler))
    progress("memory")
    plan = None
    if schedule is not None and known.complete:
        plan = _try(notes, "no memory layout", lambda: _plan(scheduler))
    elif schedule is not None and known.unknown:
        unknown = listed(known.unknown, most=5)
        notes.append(f"no memory layout: dimensions stay unknown for {unknown}")
    report = Report(loaded.title, view.snapshot(), schedule, plan, tuple(notes))
    if plan is not None and advice is not None:
        progress("advice")
    report = advised(report, view, ram, advice)
    if run:
        progress("run")
        report = _run(report, view, scheduler)
    if float_twin is not None:
        from aidge_nb.report.twin import errors_beside  # slow to import

        progress("twin")
        report = replace(report, errors=errors_beside(view, float_twin, given, *values))
    return report


def _run(report: Report, view: GraphView, scheduler: SequentialScheduler) -> Report:
    """Add the outputs of a run to a report, or why there are none."""
    if report.schedule is None:
        return replace(report, failure="not run: there is no schedule")
    try:
        elapsed, outputs = run_on_random_input(view, scheduler)
    except (AidgeError, MemoryError) as error:
        failure = f"not run: {str(error) or 'not enough memory'}"
        return replace(report, notes=(*report.notes, failure), failure=failure)
    return replace(
        report,
        result=(
            ("run in NumPy, on random input", f"{elapsed:.1f} ms"),
            *((name, summary(tensor)) for name, tensor in outputs.items()),
        ),
        values=tuple((name, values_text(tensor)) for name, tensor in outputs.items()),
    )


def _infer(loaded: Loaded, notes: list[str]) -> DimsReport:
    """Propagate dimensions unless those of an input are open; record problems."""
    if loaded.unknown:
        why = listed(loaded.unknown, "; ", most=5)
        notes.append(f"scheduled by tokens, without dimensions: {why}")
        return DimsReport(complete=False)
    known = propagate_dims(loaded.view, loaded.dims, allow_data_dependency=True)
    notes += [*known.problems, *known.notes]
    if known.problems:
        notes.append("no memory layout: dimensions of inputs are missing")
    return known


def _describe(view: GraphView, folded: Sequence[str]) -> list[str]:
    """Return notes about a graph before it is scheduled."""
    notes = []
    unknown = [node.label for node in view.get_nodes() if _cannot_run(node)]
    if unknown:
        notes.append(f"operators without kernel, shown but not run: {listed(unknown, most=5)}")
    if folded:
        notes.append(
            f"operators that compute constants, replaced by their results ({len(folded)}): "
            f"{listed(folded, most=5)}"
        )
    return notes


def _cannot_run(node: Node) -> bool:
    """Return whether a node has no kernel and no implementation of the user."""
    from aidge_nb.kernels import find_kernel

    operator = node.get_operator()
    if type(operator.get_impl()) is not CpuImpl or node.type() == "Producer":
        return False
    return find_kernel(operator.spec) is None


def _try(notes: list[str], what: str, action: Callable[[], Any]) -> Any:
    try:
        return action()
    except AidgeError as error:
        notes.append(f"{what}: {error}")
        return None


def _schedule(view: GraphView, scheduler: SequentialScheduler) -> StaticSchedule:
    scheduler.generate_scheduling()
    schedule = scheduler.schedule()
    check_firings(view, schedule)
    return schedule


def advised(report: Report, view: GraphView, ram: int | None, limit: float | None) -> Report:
    """Return a report with the findings of a search; ``ram`` and ``limit`` as for :func:`study`."""
    if report.plan is None:
        return report
    findings = plan_findings(report.plan, None if ram is None else ("ram", ram))
    if limit is None:
        return replace(report, findings=findings)
    found = find_changes(view, report.plan, budget=ram, limit=limit)
    notes = tuple(note for note in report.notes if not note.startswith(_STOPPED))
    if not found.complete and limit:
        notes += (f"{_STOPPED} {limit:g} s; not every change was tried",)
    return replace(report, findings=(*findings, *found.changes), notes=notes)


def _plan(scheduler: SequentialScheduler) -> MemoryPlan:
    plan = scheduler.plan_memory()
    check_plan(plan)
    return plan
