"""Exercise: write a consumer–producer model that gives a wanted schedule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.actors import ModelImpl
from aidge_nb.course.feedback import NO_ANSWER, Feedback, not_understood
from aidge_nb.scheduling import ProdConso, static_schedule

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.operator import Operator
    from aidge_nb.graph.view import GraphView

Model = Callable[["Operator"], ProdConso]


@dataclass(frozen=True)
class WantedSchedule:
    """Write a consumer–producer model with which a graph runs in a wanted order.

    Parameters
    ----------
    make_graph
        Makes the graph anew for each answer, with known dimensions.
    node
        Name of the node whose model is asked for.
    order
        The wanted order of the firings, by name, Producers left out.

    Examples
    --------
    >>> import aidge_nb
    >>> def make():
    ...     image = aidge_nb.Producer([1, 1, 4, 2], name="image")
    ...     filtered = aidge_nb.GenericOperator("Filter", 1, 0, 1, name="filter")
    ...     filtered.get_operator().set_forward_dims(lambda dims: [dims[0]])
    ...     view = aidge_nb.sequential([image, filtered])
    ...     view.forward_dims()
    ...     return view
    >>> exercise = WantedSchedule(make, "filter", ("filter",) * 2)
    >>> exercise.check(lambda op: aidge_nb.ProdConso.default_model(op))
    Not yet (50 %): 1 of 2 firings are as wanted: filter.
    Hint: It stops after firing 1; filter should run then. Does it take all there is at once?
    """

    make_graph: Callable[[], GraphView]
    node: str
    order: Sequence[str]

    def check(self, model: Model | None) -> Feedback:
        """Check an answer: a class of ``ProdConso``, or a function that makes one."""
        if model is None:
            return NO_ANSWER
        view = self.make_graph()
        operator = view.get_node(self.node).get_operator()
        try:
            made: object = model(operator)
        except TypeError as error:
            return not_understood(f"a class of ProdConso, without parentheses; yours says: {error}")
        if not isinstance(made, ProdConso):
            return not_understood("a class of ProdConso, without parentheses")
        operator.set_impl(ModelImpl(operator, model))
        try:
            schedule = static_schedule(view)
        except AidgeError as error:
            return Feedback(False, "The graph cannot be scheduled with it.", str(error), 0.0)
        actors = {actor.name: actor for actor in schedule.actors}
        found = [name for name in schedule.order if not actors[name].producer]
        same = 0
        for expected, got in zip_longest(self.order, found):
            if expected != got:
                break
            same += 1
        total = max(len(self.order), len(found))
        if same == total:
            return Feedback(True, f"All {total} firings are as wanted.")
        shown = " ".join(found[:12]) + (" …" if len(found) > 12 else "")
        text = f"{same} of {total} firings are as wanted: {shown}."
        return Feedback(False, text, self._hint(view, found, same), same / total)

    def _hint(self, view: GraphView, found: Sequence[str], same: int) -> str:
        if same == len(found):
            cure = (
                "Does it take all there is at once?"
                if self.order[same] == self.node
                else f"Does {self.node} give less than {self.order[same]} needs?"
            )
            return f"It stops after firing {same}; {self.order[same]} should run then. {cure}"
        if same == len(self.order):
            return f"It should stop after firing {same}, and {found[same]} runs on."
        if found[same] == self.node:
            waiting = self.order[same] in _behind(view.get_node(self.node))
            must = "give more at a time" if waiting else "wait for more"
        else:
            must = "give" if self.node in found[same:] else "take"
            must += " less at a time"
        return (
            f"Firing {same + 1} should be {self.order[same]}, and is {found[same]}: "
            f"{self.node} must {must}."
        )


def _behind(node: Node) -> set[str]:
    """Name the nodes that depend on one."""
    found: dict[Node, None] = {}
    pending = node.get_children()
    while pending:
        child = pending.pop()
        if child not in found:
            found[child] = None
            pending += child.get_children()
    return {child.name() for child in found}
