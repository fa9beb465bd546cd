"""Map a whole schedule onto a target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from aidge_nb.core.errors import AidgeError, HardwareError, MemoryPlanError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.check.mapping import check_mapping
from aidge_nb.hardware.map.home import FixedHome, Home, fixed_home, needed_bytes
from aidge_nb.hardware.map.machine import Machine, limits_of, make_machine
from aidge_nb.hardware.map.options import beside_bytes
from aidge_nb.hardware.map.schedulers import Scheduler, find_scheduler
from aidge_nb.hardware.map.state import MappingState
from aidge_nb.hardware.map.tasks import TaskList, task_list
from aidge_nb.hardware.mapping import Mapping
from aidge_nb.hardware.steps import MappingStep, Placed, Work
from aidge_nb.hardware.targets.constraints import Constraints
from aidge_nb.hardware.targets.target import Target
from aidge_nb.scheduling import StaticSchedule
from aidge_nb.tiling import Tiling, tile_for


def map_schedule(
    view: GraphView,
    target: Target,
    constraints: Constraints | None = None,
    *,
    schedule: StaticSchedule | Sequence[Node] | None = None,
    tilings: Sequence[Tiling] = (),
    scheduler: str | Scheduler = "earliest finish",
    home: str = "",
    parameters: str = "",
) -> Mapping:
    """Map a whole network onto the elements and memories of a target.

    Each element computes one function at a time, buses carry one transfer at a time, transfers
    overlap with work where two tiles fit, and elements that cooperate split a layer.

    Parameters
    ----------
    view
        The graph, with known dimensions; it is not changed.
    target, constraints
        The target, and its usable parts.
    schedule
        The order of the nodes; topological by default.
    tilings
        Nodes to compute together tile by tile, as found by :func:`~aidge_nb.tile_for`; values
        between them stay in local memories. Layers that do not fit a local memory are tiled
        anyway.
    scheduler
        ``earliest finish``, ``one by one`` or a plug-in, see
        :mod:`aidge_nb.hardware.map.schedulers`.
    home, parameters
        Memories of whole tensors and of parameters: by default the first RAM, and the first ROM
        if there is one.

    Raises
    ------
    HardwareError
        When no element runs an operator, an element reaches no memory, or something does not fit;
        says by how much, and what would help.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb import hardware
    >>> conv = aidge_nb.PaddedConv2D(3, 8, [3, 3], "conv", [2, 2], [1] * 4)
    >>> nodes = [conv, aidge_nb.ReLU("relu"), aidge_nb.MaxPooling2D([2, 2], "pool", [2, 2])]
    >>> view = aidge_nb.sequential(nodes)
    >>> view.forward_dims([[1, 3, 64, 64]])
    True
    >>> mapping = hardware.map_schedule(view, hardware.target("duo_soc"))
    >>> mapping
    Mapping(duo_soc: 2 works in ... steps on 2 elements, ... cycles)
    >>> [(work.nodes, work.elements) for work in mapping.works]
    [(('conv', 'relu'), ('accelerator/pe',)), (('pool',), ('host/pe',))]
    """
    limits = limits_of(target, constraints)
    elements = limits.elements(target)
    tasks = task_list(view, schedule, tilings, elements)
    sizes = {name: size for task in tasks.tasks for name, size in task.parameters.items()}
    machine = make_machine(target, limits, home, parameters, sum(sizes.values()))
    decide = find_scheduler(scheduler)
    resident = sum(sizes.values()) if machine.parameters == machine.home else 0
    capacity = limits.capacity(target, machine.home) - resident

    def peak(given: Sequence[Tiling]) -> int:
        return _peak(task_list(view, schedule, given, elements), machine)

    advise = partial(budget_advice, view, capacity, peak=peak)
    # Refuse at once what cannot fit.
    fixed_home(machine.home, capacity, tasks, {}, resident=resident, advise=advise)
    state = MappingState(tasks, machine, Home(machine.home, capacity, tasks))
    _place_all(state, decide)
    mapping = mapping_of(state, sizes)
    if mapping is None:
        choose = partial(fixed_home, machine.home, capacity, tasks, resident=resident)
        tight, beside = _tight_home(state, choose, advise)
        state = MappingState(tasks, machine, tight, beside)
        _place_all(state, decide)
        mapping = _summed(state, sizes, tight.placements(*_used(state)))
    # The report tells a missed latency.
    check_mapping(mapping, target, replace(limits, max_latency=None), view)
    return replace(mapping, view=view)


def _tight_home(
    state: MappingState, choose: Callable[..., FixedHome], advise: Callable[[int], str]
) -> tuple[FixedHome, dict[int, int]]:
    """Choose fixed places, and the extra bytes that each task may use.

    With enough room, parameters come one task ahead and tasks keep all their options.
    """
    most, least = _beside(state, max), _beside(state, min)
    for extra, ahead in ((most, 1), (most, 0)):
        try:
            return choose(extra, ahead=ahead), extra
        except HardwareError:
            continue
    return choose(least, advise=advise), least


def _peak(tasks: TaskList, machine: Machine) -> int:
    """Return the peak of the memory of whole tensors when tasks run one by one."""
    return needed_bytes(
        tasks, _beside(MappingState(tasks, machine, Home(machine.home, 0, tasks)), min)
    )


def _beside(state: MappingState, of: Callable[[Iterable[int]], int]) -> dict[int, int]:
    """Return the most or least extra bytes of tasks in the memory of whole tensors, if any."""
    found = {
        task.number: of(beside_bytes(task, option) for option in state.options(task))
        for task in state.tasks
    }
    return {number: size for number, size in found.items() if size}


def _place_all(state: MappingState, decide: Scheduler) -> None:
    """Place all tasks with a scheduler."""
    decide(state)
    left = [task.name for task in state.tasks if task.number not in state.placed]
    if left:
        problem, cure = "did not place all tasks", "Let it call state.place() for each of them."
        raise HardwareError.at("scheduler", problem, found=", ".join(left[:5]), cure=cure)


def mapping_of(state: MappingState, sizes: dict[str, int]) -> Mapping | None:
    """Make a mapping from placed tasks; None when whole tensors do not fit.

    ``sizes`` are the bytes of parameters by name.
    """
    whole = state.home.placements(*_used(state))
    return None if whole is None else _summed(state, sizes, whole)


def _used(state: MappingState) -> tuple[list[MappingStep], dict[str, int], int]:
    """Return all steps, the extra buffers in the home memory, and the last cycle."""
    trials = [state.placed[task.number] for task in state.tasks]
    steps = sorted(
        (step for trial in trials for step in trial.steps),
        key=lambda step: (step.start, step.end, step.tile),
    )
    extra = {name: size for trial in trials for name, size in trial.extra.items()}
    return steps, extra, max((step.end for step in steps), default=0)


def _summed(state: MappingState, sizes: dict[str, int], whole: Sequence[Placed]) -> Mapping:
    """Make a mapping from placed tasks and placed whole tensors."""
    trials = [state.placed[task.number] for task in state.tasks]
    steps, _, end = _used(state)
    machine, names = state.machine, [task.name for task in state.tasks]
    used = max((each.offset + each.size for each in whole), default=0)
    local = [each for trial in trials for each in trial.placements]
    double = {path: None for trial in trials for path in trial.double_buffered}
    inputs = [each.buffer for each in whole if each.buffer in state.home.given]
    return Mapping(
        machine.target.name,
        tuple(element.path for element in machine.elements),
        machine.target.clock,
        tuple(
            Work(
                trial.task.name,
                trial.task.functions,
                trial.option.elements,
                trial.option.tiling,
                tuple(names[number] for number in sorted(trial.task.after)),
            )
            for trial in trials
        ),
        tuple(steps),
        (*whole, *_parameters(state, sizes, end, used), *local),
        tuple(
            (m.path, machine.limits.capacity(machine.target, m.path))
            for m in machine.target.memories
        ),
        (*inputs, *sizes),
        tuple(double),
        machine.limits.max_latency,
    )


def _parameters(
    state: MappingState, sizes: dict[str, int], end: int, used: int
) -> Iterator[Placed]:
    """Place parameters in sequence, after whole tensors if these share the memory."""
    memory = state.machine.parameters
    offset = used if memory == state.machine.home else 0
    for name, size in sizes.items():
        yield Placed(name, memory, offset, size, 0, max(end, 1))
        offset += size


_TRIED = 7  # budgets that are tried


def budget_advice(
    view: GraphView, capacity: int, room: int, peak: Callable[[Sequence[Tiling]], int]
) -> str:
    """Suggest a budget with which a search of tilings finds tensors that fit.

    Elements need working memory beside the tensors, so the budget is below the capacity; a few
    budgets are tried. ``capacity`` are the bytes for tensors, ``room`` those without the inputs of
    the graph, which searches do not count; ``peak`` returns the bytes needed with some tilings.
    """
    low, high, budget = 0, room, room
    least: tuple[int, str] | None = None
    for _ in range(_TRIED):
        try:
            needed = peak(tile_for(view, memory=budget).best.plan(view))
        except MemoryPlanError:  # no tiling needs as little
            low, budget = budget, (budget + high) // 2
        except AidgeError:  # these tiles cannot be computed there
            break
        else:
            tilings = f"tilings=tile_for(view, memory={budget}).best.plan(view)"
            if needed <= capacity:
                return f"Tile the graph: {tilings}."
            least = min(least or (needed, tilings), (needed, tilings))
            high = budget
            budget = max(budget - max(needed - capacity, budget // 6), (low + budget) // 2)
        if budget in (low, high):
            break
    return _cure(view, capacity, peak, least)


def _cure(
    view: GraphView,
    capacity: int,
    peak: Callable[[Sequence[Tiling]], int],
    least: tuple[int, str] | None,
) -> str:
    """Suggest the tilings with the least peak found."""
    try:
        found = peak(tile_for(view).best.plan(view)), "tilings=tile_for(view).best.plan(view)"
    except AidgeError:
        if least is None:
            return "Give it a larger memory, or use a smaller network: no tiling was found."
        found = least
    needed, tilings = min(least or found, found)
    if needed <= capacity:
        return f"Tile the graph: {tilings}."
    return f"Give it {needed - capacity} bytes more, and tile the graph: {tilings}."
