"""Apply recipes until nothing changes, and report what they did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

from aidge_nb.core.errors import GraphError
from aidge_nb.core.leniency import strictly
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.recipes.registry import Recipe

_MOST_ROUNDS = 100
"""Every recipe makes the graph smaller or more alike, so that it ends long before."""


@dataclass(frozen=True, slots=True)
class Application:
    """One application of a recipe.

    Attributes
    ----------
    recipe
        Its name.
    round
        In which round over the recipes that was, from 1.
    places
        Labels of the nodes that it changed.
    """

    recipe: str
    round: int
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SimplifyReport:
    """The recipes applied to a graph, in order.

    Attributes
    ----------
    before, after
        Number of nodes.
    applications
        What was done, in order.
    """

    before: int
    after: int
    applications: tuple[Application, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of places by recipe, in the order in which they were first applied."""
        found: dict[str, int] = {}
        for each in self.applications:
            found[each.recipe] = found.get(each.recipe, 0) + len(each.places)
        return found

    def __bool__(self) -> bool:
        return bool(self.applications)

    def __repr__(self) -> str:
        if not self:
            return f"SimplifyReport({self.before} nodes, nothing to do)"
        lines = [f"SimplifyReport({self.before} nodes before, {self.after} after)"]
        for name, count in self.counts.items():
            places = [p for each in self.applications if each.recipe == name for p in each.places]
            shown = ", ".join(places[:3]) + (", …" if len(places) > 3 else "")
            lines.append(f"  {name} × {count}: {shown}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON."""
        return asdict(self)


def simplify(graph: GraphView, recipes: Iterable[str] | None = None) -> SimplifyReport:
    """Apply recipes to a graph, in place, until none of them changes it.

    The numbers that the graph computes stay, but for rounding, for inputs of the dimensions that it
    has: what is found to be a no-op by them may not be for others. Dimensions are propagated again
    where they were known; where they were not, less is found.

    Parameters
    ----------
    graph
        The graph.
    recipes
        Their names; all safe ones when None.

    Raises
    ------
    GraphError
        When there is no recipe of such a name, or no graph.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential(
    ...     [aidge_nb.Identity(name="same"), aidge_nb.ReLU(), aidge_nb.ReLU(name="again")]
    ... )
    >>> aidge_nb.simplify(model)
    SimplifyReport(3 nodes before, 1 after)
      remove_idempotent × 1: again (ReLU)
      remove_identity × 1: same (Identity)
    """
    check_view(graph, "simplify")
    chosen = _choose(recipes)
    before = len(graph)
    applications: list[Application] = []
    for number in range(1, _MOST_ROUNDS + 1):
        found = _round(graph, chosen, number)
        applications += found
        if not found:
            break
    return SimplifyReport(before, len(graph), tuple(applications))


def _choose(names: Iterable[str] | None) -> list[Recipe]:
    from aidge_nb.recipes.known import RECIPES  # imports all recipes

    if names is None:
        return [each for each in RECIPES.values() if each.safe]
    if isinstance(names, str):
        names = [names]
    chosen = []
    for name in names:
        if name not in RECIPES:
            raise GraphError.at(
                "simplify",
                f"unknown recipe {name!r}",
                expected=" or ".join(get_close_matches(name, RECIPES)) or sorted(RECIPES),
            )
        chosen.append(RECIPES[name])
    return chosen


def _round(graph: GraphView, recipes: Iterable[Recipe], number: int) -> list[Application]:
    found = []
    for each in recipes:
        had_dims = _knows_dims(graph)
        with strictly():  # unasked, only what is safe
            places = tuple(each.apply(graph))
        if places:
            found.append(Application(each.name, number, places))
            if had_dims:
                propagate_dims(graph, allow_data_dependency=True)
    return found


def _knows_dims(graph: GraphView) -> bool:
    """Return whether the outputs of the graph have dimensions."""
    outputs = [
        port.node.get_operator().get_output(port.index) for port in graph.get_ordered_outputs()
    ]
    return bool(outputs) and not any(tensor.undefined() for tensor in outputs)
