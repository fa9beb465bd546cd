"""From actors in the order of their executions to a schedule with steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.conditional import condition_nodes
from aidge_nb.scheduling.nest import Repeat
from aidge_nb.scheduling.nest_timing import time_nest
from aidge_nb.scheduling.schedule import Actor, StaticSchedule

__all__ = ["actors_of", "make_schedule"]

Batches = Sequence[tuple[int, ...] | Repeat[tuple[int, ...]]]
ActorNest = Sequence[int | Repeat[int]]


def make_schedule(
    view: GraphView,
    order: Sequence[Node],
    nest: ActorNest,
    remaining: Sequence[int] = (),
    unrolled: Sequence[int] = (),
) -> StaticSchedule:
    """Make a schedule of the graph's nodes, numbered in topological ``order``."""
    number = {node: i for i, node in enumerate(order)}
    parents = tuple([_parents(node, number) for node in order])
    children = _children(order, number)
    actors = _describe_actors(view, order)
    return StaticSchedule(
        actors,
        time_nest(nest, parents, children),
        tuple(remaining),
        parents,
        children,
        tuple(actors[each].name for each in unrolled),
    )


def actors_of(batches: Batches) -> tuple[int | Repeat[int], ...]:
    """Put the actors of batches that ran together one after the other."""
    found: list[int | Repeat[int]] = []
    for item in batches:
        if isinstance(item, Repeat):
            found.append(Repeat(item.count, actors_of(item.body)))
        else:
            found += item
    return tuple(found)


def _describe_actors(view: GraphView, order: Sequence[Node]) -> tuple[Actor, ...]:
    names = {node: node.name() for node in order}
    if "" in names.values() or len(set(names.values())) < len(names):
        names = view.unique_names()
    ranks: dict[str, int] = {}
    actors = []
    for node in order:
        kind = node.type()
        rank = ranks[kind] = ranks.get(kind, -1) + 1
        actors.append(Actor(names[node], kind, kind == "Producer", node.name(), rank))
    return tuple(actors)


def _parents(node: Node, number: Mapping[Node, int]) -> tuple[int | None, ...]:
    """Number what feeds each input of a node, then what decides whether it runs at all."""
    feeding = [None if parent is None else number.get(parent) for parent in node.get_parents()]
    if not node.annotations:
        return tuple(feeding)
    return (*feeding, *[number[each] for each in condition_nodes(node) if each in number])


def _children(order: Sequence[Node], number: Mapping[Node, int]) -> tuple[tuple[int, ...], ...]:
    children = [[number[c] for c in node.get_children() if c in number] for node in order]
    for node in [node for node in order if node.annotations]:
        for condition in condition_nodes(node):
            if condition in number and number[node] not in children[number[condition]]:
                children[number[condition]].append(number[node])
    return tuple([tuple(each) for each in children])
