"""Find actors and nodes by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError
from aidge_nb.scheduling.schedule.nest import Actor

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView

MOST_NAMES = 12
"""Maximum number of names in an error message."""


def find_actor(actors: Sequence[Actor], wanted: int | str) -> int:
    """Return the number of an actor, given by number, unique name, or name of its node."""
    if not isinstance(wanted, str):
        if 0 <= wanted < len(actors):
            return int(wanted)
        expected = f"0 to {len(actors) - 1}" if actors else "none: the schedule is empty"
        raise SchedulingError.at("schedule", "no such actor", expected=expected, found=wanted)
    found = [number for number, actor in enumerate(actors) if actor.name == wanted]
    found = found or [number for number, actor in enumerate(actors) if actor.given == wanted]
    if len(found) == 1:
        return found[0]
    names = [actors[number].name for number in found] or [actor.name for actor in actors]
    listed = ", ".join(names[:MOST_NAMES]) + ", …" * (len(names) > MOST_NAMES)
    if found:
        problem, cure = "several nodes have this name", ""
    else:
        from difflib import get_close_matches

        close = get_close_matches(wanted, names, n=3, cutoff=0.5)
        problem, cure = "no such node", f"Did you mean {' or '.join(close)}?" if close else ""
    expected = f"one of {listed}" if names else "none: the schedule is empty"
    raise SchedulingError.at("schedule", problem, expected=expected, found=repr(wanted), cure=cure)


def nodes_named(view: GraphView, names: Iterable[str]) -> list[Node]:
    """Return the nodes of a graph by their unique names."""
    named = {name: node for node, name in view.unique_names().items()}
    found = []
    for name in names:
        if name not in named:
            raise SchedulingError.at(
                "order",
                f"the graph has no node {name!r}",
                found=f"{len(named)} nodes",
                cure="Pass the graph that was scheduled; if it changed, schedule it again.",
            )
        found.append(named[name])
    return found
