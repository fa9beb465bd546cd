"""Tilings × policies × strategies: what each combination costs, on any executor.

Every case tiles a copy of the graph, orders it by a policy, lays out its memory by a strategy, and
maps it onto a target if there is one. Cases know nothing of each other, so that they run on
threads, processes or a Dask cluster alike.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from functools import lru_cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError, HardwareError, MissingExtraError
from aidge_nb.core.text import csv_text
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.map.map_schedule import map_schedule
from aidge_nb.hardware.targets.constraints import Constraints
from aidge_nb.hardware.targets.target import Target
from aidge_nb.memory import OptimizeStrategy, generate_memory, plan_memory
from aidge_nb.scheduling import Scheduler, SchedulingPolicy
from aidge_nb.scheduling.jobs import Jobs
from aidge_nb.tiling import TilingChoice, apply_tilings

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from aidge_nb.graph.node import Node

STRATEGIES = ("planned", *(strategy.name for strategy in OptimizeStrategy))
"""Memory layouts: ``planned``, or by Aidge's manager with one of its strategies."""

Model = GraphView | Callable[[], GraphView]
Progress = Callable[[int, int], None]
Case = tuple[Model, TilingChoice | None, SchedulingPolicy, str, Target | None, Constraints | None]


@dataclass(frozen=True, slots=True)
class SweepRow:
    """The costs of one combination.

    Attributes
    ----------
    tiling
        The tiled chains; ``as it is`` for none.
    policy, strategy
        Names of the scheduling policy and of the memory strategy.
    peak
        Bytes of the memory layout; None if it failed.
    macs
        Multiply-accumulates.
    cycles
        Cycles of the mapping; None without target or if it failed.
    problem
        The error; empty if there was none.
    """

    tiling: str
    policy: str
    strategy: str
    peak: int | None
    macs: int | None
    cycles: int | None
    problem: str = ""


@dataclass(frozen=True, repr=False)
class Sweep:
    """The rows of a sweep.

    Attributes
    ----------
    rows
        One row for each combination, in order.
    """

    rows: tuple[SweepRow, ...]

    @property
    def front(self) -> tuple[SweepRow, ...]:
        """The rows not dominated in peak, multiply-accumulates and cycles."""
        found: list[SweepRow] = []
        for row in sorted((row for row in self.rows if row.peak is not None), key=_costs):
            if not any(_beats(other, row) for other in found):
                found.append(row)
        return tuple(found)

    def to_csv(self) -> str:
        """Return the rows as CSV with a header."""
        return csv_text([[each.name for each in fields(SweepRow)], *map(astuple, self.rows)])

    def __iter__(self) -> Iterator[SweepRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        failed = sum(bool(row.problem) for row in self.rows)
        return f"Sweep({len(self.rows)} cases, {failed} failed, {len(self.front)} trade-offs)"


def _costs(row: SweepRow) -> tuple[int, ...]:
    return tuple(-1 if each is None else each for each in (row.peak, row.macs, row.cycles))


def _beats(one: SweepRow, other: SweepRow) -> bool:
    return all(a <= b for a, b in zip(_costs(one), _costs(other), strict=True))


def sweep(
    model: Model,
    tilings: Sequence[TilingChoice | None] = (None,),
    policies: Sequence[SchedulingPolicy] = (SchedulingPolicy.Default,),
    strategies: Sequence[str] = ("planned",),
    *,
    target: Target | None = None,
    constraints: Constraints | None = None,
    executor: Executor | None = None,
    progress: bool | Progress = False,
) -> Sweep:
    """Weigh all combinations of tilings, policies and strategies.

    Parameters
    ----------
    model
        The graph, with known dimensions, or a function that returns it; for processes and Dask
        one that can be pickled.
    tilings
        Choices of :func:`~aidge_nb.tile_for`; None for no tiling.
    policies
        Scheduling policies.
    strategies
        Some of :data:`STRATEGIES`.
    target, constraints
        A machine to map each combination onto.
    executor
        Any ``concurrent.futures.Executor``; None to run one by one.
    progress
        True for a bar, or a function of the numbers of done and of all cases.

    Returns
    -------
    Sweep
        A row for each combination; a refused one says why in its ``problem``.

    Raises
    ------
    HardwareError
        For an unknown strategy, or a model that cannot be pickled.
    MissingExtraError
        For a bar when tqdm is not installed.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 8, [3, 3], "c"), aidge_nb.ReLU("r")])
    >>> view.forward_dims([[1, 3, 18, 18]])
    True
    >>> found = sweep(view, strategies=["planned", "None_"])
    >>> [(row.strategy, row.peak) for row in found]
    [('planned', 8192), ('None_', 8192)]
    """
    _check(tilings, policies, strategies)
    _check_can_go(model, executor)
    each = list(product(tilings, policies, strategies))
    with _sent(model, executor) as sent, _shown(progress, len(each)) as tell:
        cases = [(sent, *case, target, constraints) for case in each]
        return Sweep(tuple(_weighed(cases, executor, tell)))


def _check(
    tilings: Sequence[object], policies: Sequence[object], strategies: Sequence[str]
) -> None:
    unknown = [each for each in strategies if each not in STRATEGIES]
    if unknown:
        raise HardwareError.at(
            "sweep",
            "unknown strategy",
            expected=", ".join(STRATEGIES),
            found=unknown[0],
            cure="Take some of these.",
        )
    for kind, given, legal in (
        (SchedulingPolicy, policies, "SchedulingPolicy.Default"),
        ((TilingChoice, type(None)), tilings, "tile_for(view).front, or None"),
    ):
        wrong = next((each for each in given if not isinstance(each, kind)), None)
        if wrong is not None:
            raise HardwareError.at(
                "sweep",
                "cannot weigh this",
                expected=legal,
                found=repr(wrong),
                cure="Pass what is expected.",
            )


def _check_can_go(model: Model, executor: Executor | None) -> None:
    """Refuse for processes what cannot be sent to them."""
    if not _is_pool_of_processes(executor):
        return
    try:
        pickle.dumps(model)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        problem = "the model cannot be pickled"
        expected = "a graph or a function of a module"
        cure = "Write def model(): … in a module, which returns the graph, or pass threads."
        raise HardwareError.at(
            "sweep", problem, expected=expected, found=type(model).__name__, cure=cure
        ) from error


def _is_pool_of_processes(executor: Executor | None) -> bool:
    if executor is None:
        return False
    from concurrent.futures import ProcessPoolExecutor

    return isinstance(executor, ProcessPoolExecutor)


@dataclass(frozen=True, slots=True)
class _KeptModel:
    """A graph in a file of this machine: a process reads it once, for all of its cases."""

    path: str

    def __call__(self) -> GraphView:
        return _read(self.path).clone()


@lru_cache(maxsize=1)
def _read(path: str) -> GraphView:
    with Path(path).open("rb") as file:
        found: GraphView = pickle.load(file)  # a private file that _sent wrote
    return found


@contextmanager
def _sent(model: Model, executor: Executor | None) -> Iterator[Model]:
    """Yield what is sent with each case: to processes a file's name, so that weights go once."""
    if not isinstance(model, GraphView) or not _is_pool_of_processes(executor):
        yield model
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, "graph.pickle")
        with path.open("wb") as file:
            pickle.dump(model, file, pickle.HIGHEST_PROTOCOL)
        yield _KeptModel(str(path))


def _weighed(
    cases: Sequence[Case], executor: Executor | None, tell: Progress
) -> Iterator[SweepRow]:
    """Weigh the cases; yield their rows in order."""
    if executor is None:
        for done, case in enumerate(cases, 1):
            yield weigh_case(*case)
            tell(done, len(cases))
        return
    rows: dict[int, SweepRow] = {}
    with Jobs[int](executor, HardwareError) as jobs:
        for number, case in enumerate(cases):
            jobs.start(f"sweep, case {number + 1} of {len(cases)}", number, weigh_case, *case)
        while jobs:
            number, rows[number] = jobs.next()
            tell(len(rows), len(cases))
    yield from (rows[number] for number in range(len(cases)))


@contextmanager
def _shown(progress: bool | Progress, total: int) -> Iterator[Progress]:
    """Yield the function that reports progress."""
    if callable(progress):
        yield progress
        return
    if not progress:
        yield lambda done, of: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise MissingExtraError("tqdm", "hardware") from error
    with tqdm(total=total, unit="case") as bar:
        yield lambda done, of: bar.update(done - bar.n)


def weigh_case(
    model: Model,
    tiling: TilingChoice | None,
    policy: SchedulingPolicy,
    strategy: str,
    target: Target | None,
    constraints: Constraints | None,
) -> SweepRow:
    """Weigh one combination."""
    label = "as it is"
    if tiling is not None and tiling.chains:
        label = "; ".join(map(str, tiling.chains))
    try:
        view = model.clone() if isinstance(model, GraphView) else model()
        planned = tiling.plan(view) if tiling is not None and tiling.chains else ()
        cycles = None
        if target is not None:
            order = _order(view, policy)
            cycles = map_schedule(view, target, constraints, schedule=order, tilings=planned).cycles
        apply_tilings(view, planned)
        macs = sum(node.get_operator().macs() or 0 for node in view)
        peak = _peak(view, _order(view, policy), strategy)
        return SweepRow(label, policy.name, strategy, peak, macs, cycles)
    except AidgeError as error:
        return SweepRow(label, policy.name, strategy, None, None, None, str(error))


def _order(view: GraphView, policy: SchedulingPolicy) -> list[Node]:
    """Order the nodes; by default tile by tile."""
    if policy is SchedulingPolicy.Default:
        return view.topological_order()
    scheduler = Scheduler(view)
    if policy.needs_branches:
        scheduler.tag_fork_branches()
    scheduler.generate_scheduling()
    return scheduler.get_sequential_static_scheduling(0, policy)


def _peak(view: GraphView, order: Sequence[Node], strategy: str) -> int:
    if strategy == "planned":
        return plan_memory(view, order, parts=True).peak
    manager = generate_memory(view, order)
    manager.optimize(OptimizeStrategy[strategy])
    return manager.get_peak_usage()
