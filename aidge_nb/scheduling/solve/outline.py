"""Schedule a graph: find the order of its firings, and compute their steps when first read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from aidge_nb.core.errors import SchedulingError, listed
from aidge_nb.core.garbage import put_off_collection
from aidge_nb.core.log import Level, logger
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node
from aidge_nb.graph.topology import names_of
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.scheduling.executor import occupied
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.schedule.nest import Actor, Repeat, walk
from aidge_nb.scheduling.schedule.nest_timing import time_nest
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.scheduling.solve.dataflow import Dataflow, find_readers, reset_models
from aidge_nb.scheduling.solve.static import BaseSchedule, schedule_batches

Batches = Sequence[tuple[int, ...] | Repeat[tuple[int, ...]]]
ActorNest = Sequence[int | Repeat[int]]


@dataclass(frozen=True)
class Outline:
    """A schedule whose early and late steps are computed when it is first read.

    Attributes
    ----------
    order, names, unique
        The nodes of the graph in topological order, and at the time of scheduling their names and
        the names that tell them apart.
    nest
        Numbers of the actors in firing order, and loops of them.
    unrolled
        Numbers of the actors whose models never returned to an earlier state.
    remaining, parents, children
        As in :class:`StaticSchedule`.
    """

    order: Sequence[Node]
    names: Sequence[str]
    unique: Sequence[str]
    nest: ActorNest
    remaining: tuple[int, ...]
    parents: tuple[tuple[int | None, ...], ...]
    children: tuple[tuple[int, ...], ...]
    unrolled: Sequence[int]

    @property
    def nodes(self) -> list[Node]:
        """The node of each firing, in order."""
        return [self.order[number] for number in walk(self.nest)]

    @cached_property
    def schedule(self) -> StaticSchedule:
        """The schedule, with the steps of all firings."""
        with put_off_collection():
            actors = _describe_actors(self)
            return StaticSchedule(
                actors,
                time_nest(self.nest, self.parents, self.children),
                self.remaining,
                self.parents,
                self.children,
                tuple(actors[number].name for number in self.unrolled),
            )


def static_schedule(view: GraphView) -> StaticSchedule:
    """Schedule a graph from the start.

    Raises
    ------
    SchedulingError
        When it cannot be scheduled, or another thread schedules or runs it.

    Examples
    --------
    >>> import aidge_nb
    >>> static_schedule(aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Tanh()])).order
    ('(ReLU#0)', '(Tanh#0)')
    """
    check_view(view, "scheduler", SchedulingError)
    with occupied(view.get_nodes(), view.name()), put_off_collection():
        reset_models(view)
        return outline_graph(view).schedule


def schedule_nodes(
    view: GraphView, sequence: Sequence[Node], remaining: Sequence[Node] = ()
) -> StaticSchedule:
    """Make the schedule that fires nodes in the given order, once per occurrence."""
    order = view.topological_order()
    number = {node: i for i, node in enumerate(order)}
    nest = [number[node] for node in sequence]
    return make_schedule(order, nest, [number[node] for node in remaining])


def outline_graph(view: GraphView) -> Outline:
    """Schedule a graph from its present C-P state, and advance that state."""
    try:
        dataflow = Dataflow(view)
        base = schedule_batches(dataflow)
        _check_began(dataflow, base)
    except SchedulingError:
        reset_models(view)
        raise
    dataflow.write_back()
    unrolled = dataflow.find_unrolled()
    _report(dataflow, base, unrolled)
    names = view.unique_names()
    return _make_outline(
        dataflow.order,
        [names[node] for node in dataflow.order],
        dataflow.children,
        actors_of(base.nest),
        base.remaining,
        unrolled,
    )


def _check_began(flow: Dataflow, base: BaseSchedule) -> None:
    """Refuse a deadlock: a first schedule in which only Producers fire."""
    if all(flow.is_producer[number] for number in base.fired()):
        from aidge_nb.scheduling.solve.lacks import check_deadlock

        check_deadlock(flow, base.remaining)


def _report(dataflow: Dataflow, base: BaseSchedule, unrolled: Sequence[int]) -> None:
    """Log the nodes that still wait, and the models that prevent repetitions from being found."""
    if unrolled:
        unique = dataflow.view.unique_names()
        logger.log(
            Level.Notice,
            "The consumer-producer models of [%s] never return to an earlier state: their "
            "repetitions are listed one by one",
            ", ".join(unique[dataflow.order[number]] for number in unrolled),
        )
    if base.remaining:
        # Loops and direct tensors run out as expected; only an empty schedule deserves a warning.
        from aidge_nb.scheduling.solve.lacks import describe_lack

        described = (describe_lack(dataflow, number) for number in base.remaining)
        lacks = listed(list(filter(None, described)), "; ")
        names = listed([dataflow.order[number].label for number in base.remaining])
        level = Level.Info if base.nest else Level.Warn
        logger.log(level, "Remaining consumers: [%s]", lacks or names)


def _make_outline(
    order: Sequence[Node],
    unique: Sequence[str],
    readers: Sequence[Sequence[int]],
    nest: ActorNest,
    remaining: Sequence[int] = (),
    unrolled: Sequence[int] = (),
) -> Outline:
    """Describe the nodes of a graph, numbered in topological ``order``, and how they fire.

    ``readers`` are the readers of each node, as :func:`find_readers` returns them.
    """
    number = {node: i for i, node in enumerate(order)}
    return Outline(
        order,
        [node.name() for node in order],
        unique,
        nest,
        tuple(remaining),
        tuple([_parents(node, number) for node in order]),
        _children(order, number, readers),
        unrolled,
    )


def make_schedule(
    order: Sequence[Node], nest: ActorNest, remaining: Sequence[int] = ()
) -> StaticSchedule:
    """Make a schedule of the nodes of a graph, numbered in topological ``order``."""
    number = {node: i for i, node in enumerate(order)}
    unique = list(names_of(order).values())
    return _make_outline(order, unique, find_readers(order, number), nest, remaining).schedule


def actors_of(batches: Batches) -> tuple[int | Repeat[int], ...]:
    """Concatenate the actors of batches, inside loops too."""
    found: list[int | Repeat[int]] = []
    for item in batches:
        if isinstance(item, Repeat):
            found.append(Repeat(item.count, actors_of(item.body)))
        else:
            found += item
    return tuple(found)


def _describe_actors(outline: Outline) -> tuple[Actor, ...]:
    kinds = [node.type() for node in outline.order]
    ranks: dict[str, int] = {}
    actors = []
    for name, kind, given in zip(outline.unique, kinds, outline.names, strict=True):
        rank = ranks[kind] = ranks.get(kind, -1) + 1
        actors.append(Actor(name, kind, kind == "Producer", given, rank))
    return tuple(actors)


def _parents(node: Node, number: Mapping[Node, int]) -> tuple[int | None, ...]:
    """Number the nodes that feed the inputs of a node, then those that decide whether it runs."""
    feeding = [None if parent is None else number.get(parent) for parent in node.get_parents()]
    if not node.annotations:
        return tuple(feeding)
    return (*feeding, *[number[each] for each in condition_nodes(node) if each in number])


def _children(
    order: Sequence[Node], number: Mapping[Node, int], readers: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], ...]:
    """Extend the readers of each actor by the actors that run on its condition."""
    children = [tuple(each) for each in readers]
    for node in [node for node in order if node.annotations]:
        for condition in condition_nodes(node):
            giver = number.get(condition)
            if giver is not None and number[node] not in children[giver]:
                children[giver] = (*children[giver], number[node])
    return tuple(children)
