"""The registry of recipes: what each does, what it needs, and whether `simplify` may apply it.

A recipe is a function that changes a graph in place and names every place where it did. Once
registered it gives their number, and :func:`aidge_nb.recipes.simplify` can find it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps

from aidge_nb.core.errors import listed
from aidge_nb.core.log import logger
from aidge_nb.core.values import dataclass
from aidge_nb.graph.view import GraphView, check_view

Apply = Callable[[GraphView], Iterable[str]]
"""Changes a graph; names the nodes that it changed or took out."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A transformation of graphs.

    Attributes
    ----------
    name
        What it is called.
    summary
        What it does, in one line.
    needs
        What it looks at beside the graph: ``dims`` (places whose dimensions are unknown are left
        alone) and ``values`` (so are those whose parameters have none yet).
    safe
        Whether :func:`~aidge_nb.recipes.simplify` applies it unasked: it makes the graph smaller
        and the numbers stay, but for rounding.
    exact
        Whether they stay to the last bit.
    apply
        Does it; gives the places.
    """

    name: str
    summary: str
    needs: tuple[str, ...]
    safe: bool
    exact: bool
    apply: Apply

    def __repr__(self) -> str:
        kind = "safe" if self.safe else "when asked for"
        return f"Recipe({self.name}, {kind}: {self.summary})"


REGISTERED: dict[str, Recipe] = {}
"""The recipes imported so far, by name; :data:`aidge_nb.recipes.RECIPES` has all of them."""


def recipe(
    *, needs: Iterable[str] = (), safe: bool = True, exact: bool = True
) -> Callable[[Apply], Callable[[GraphView], int]]:
    """Register a recipe; the decorated function returns the number of places changed.

    The function raises a GraphError if its argument is not a graph.

    Examples
    --------
    >>> import aidge_nb
    >>> aidge_nb.recipes.RECIPES["remove_identity"]
    Recipe(remove_identity, safe: Remove Identity nodes.)
    """

    def register(apply: Apply) -> Callable[[GraphView], int]:
        name = getattr(apply, "__name__", "")
        summary = (apply.__doc__ or "").strip().partition("\n")[0]
        REGISTERED[name] = Recipe(name, summary, tuple(needs), safe, exact, apply)

        @wraps(apply)
        def run(view: GraphView) -> int:
            check_view(view, name)
            places = tuple(apply(view))
            if places:
                logger.info("%s: %s", name, listed(places))
            return len(places)

        return run

    return register
