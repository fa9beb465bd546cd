"""From actors in the order of their executions to a schedule with steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from aidge_nb.graph.node import Node
from aidge_nb.graph.topology import unique_names
from aidge_nb.scheduling.model.conditional import condition_nodes
from aidge_nb.scheduling.schedule.nest import Repeat
from aidge_nb.scheduling.schedule.nest_timing import time_nest
from aidge_nb.scheduling.schedule.value import Actor, StaticSchedule
from aidge_nb.scheduling.solve.dataflow import find_readers

Batches = Sequence[tuple[int, ...] | Repeat[tuple[int, ...]]]
ActorNest = Sequence[int | Repeat[int]]


@dataclass(frozen=True)
class Outline:
    """A schedule whose steps are computed when it is first looked at.

    Attributes
    ----------
    order, names
        The nodes of the graph in topological order, and what they were called.
    nest
        The actors that run, in order, and loops of them.
    unrolled
        Those whose models never came back to a state, by number.
    remaining, parents, children
        As in :class:`StaticSchedule`.
    """

    order: Sequence[Node]
    names: Sequence[str]
    nest: ActorNest
    remaining: tuple[int, ...]
    parents: tuple[tuple[int | None, ...], ...]
    children: tuple[tuple[int, ...], ...]
    unrolled: Sequence[int]

    @cached_property
    def schedule(self) -> StaticSchedule:
        """The schedule, with the steps of all firings."""
        actors = _describe_actors(self.order, self.names)
        return StaticSchedule(
            actors,
            time_nest(self.nest, self.parents, self.children),
            self.remaining,
            self.parents,
            self.children,
            tuple(actors[number].name for number in self.unrolled),
        )


def make_outline(
    order: Sequence[Node],
    readers: Sequence[Sequence[int]],
    nest: ActorNest,
    remaining: Sequence[int] = (),
    unrolled: Sequence[int] = (),
) -> Outline:
    """Describe the nodes of a graph, numbered in topological ``order``, and how they run.

    ``readers`` are those of the data of each, as :func:`find_readers` gives them.
    """
    number = {node: i for i, node in enumerate(order)}
    return Outline(
        order,
        [node.name() for node in order],
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
    return make_outline(order, find_readers(order, number), nest, remaining).schedule


def actors_of(batches: Batches) -> tuple[int | Repeat[int], ...]:
    """Put the actors of batches that ran together one after the other."""
    found: list[int | Repeat[int]] = []
    for item in batches:
        if isinstance(item, Repeat):
            found.append(Repeat(item.count, actors_of(item.body)))
        else:
            found += item
    return tuple(found)


def _describe_actors(order: Sequence[Node], names: Sequence[str]) -> tuple[Actor, ...]:
    kinds = [node.type() for node in order]
    ranks: dict[str, int] = {}
    actors = []
    for name, kind, given in zip(unique_names(names, kinds), kinds, names, strict=True):
        rank = ranks[kind] = ranks.get(kind, -1) + 1
        actors.append(Actor(name, kind, kind == "Producer", given, rank))
    return tuple(actors)


def _parents(node: Node, number: Mapping[Node, int]) -> tuple[int | None, ...]:
    """Number what feeds each input of a node, then what decides whether it runs at all."""
    feeding = [None if parent is None else number.get(parent) for parent in node.get_parents()]
    if not node.annotations:
        return tuple(feeding)
    return (*feeding, *[number[each] for each in condition_nodes(node) if each in number])


def _children(
    order: Sequence[Node], number: Mapping[Node, int], readers: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], ...]:
    """Add to the readers of each actor those whose running it decides."""
    children = [tuple(each) for each in readers]
    for node in [node for node in order if node.annotations]:
        for condition in condition_nodes(node):
            giver = number.get(condition)
            if giver is not None and number[node] not in children[giver]:
                children[giver] = (*children[giver], number[node])
    return tuple(children)
