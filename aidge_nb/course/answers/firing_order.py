"""Ask for an order in which a graph can run; it is replayed on the consumer-producer models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood
from aidge_nb.memory import plan_memory
from aidge_nb.scheduling import order_for_memory, static_schedule
from aidge_nb.scheduling.model.replay import Replay

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

_SEPARATORS = re.compile(r"[\s,→]+")


@dataclass(eq=False, repr=False)
class OrderQuestion(Question):
    """Ask for an order of all firings; ``course.order`` for short.

    Parameters
    ----------
    text
        What is asked.
    view
        The graph. Producers of weights give when they are asked, and need no place.
    cost
        ``"peak"`` asks for the order with the fewest live bytes; None accepts any that can run.
    in_place
        Whether outputs may overwrite inputs, where bytes are counted.
    hints, why
        As for :class:`Question`.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> OrderQuestion("Which order?", view).check("b a")
    Not yet (0 %): b cannot run first.
    Hint: It reads a, which stands later.
    >>> OrderQuestion("Which order?", view).check("a b")
    Solved (100 %): It runs: there is no other order.
    """

    kind = "order"

    view: GraphView
    cost: str | None = None
    in_place: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cost not in (None, "peak"):
            raise ValueError(f"cost must be None or 'peak', not {self.cost!r}")

    @cached_property
    def _firings(self) -> tuple[str, ...]:
        """The firings of the schedule, by name, without Producers that give weights only."""
        schedule = static_schedule(self.view)
        skipped = {actor.name for actor in schedule.actors if actor.producer}
        return tuple(name for name in schedule.order if name not in skipped)

    @property
    def items(self) -> tuple[str, ...]:
        """The names, once each, by the alphabet: the order in which they stand at first."""
        return tuple(sorted(set(self._firings)))

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        return repr(" ".join(self.items))

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        repeats = len(self._firings) > len(self.items)
        return {"items": list(self.items), "repeats": repeats}

    def peak(self, names: Sequence[str]) -> int:
        """Return the peak of live bytes of an order that runs."""
        return max(self._live(names))

    def _live(self, names: Sequence[str]) -> tuple[int, ...]:
        nodes = [self.view.get_node(name) for name in names]
        return plan_memory(self.view, nodes, in_place=self.in_place).live_bytes()

    @cached_property
    def _least(self) -> tuple[str, ...]:
        found = order_for_memory(self.view)
        return tuple(name for name in found.order if name in self.items)

    def shown(self, answer: Any) -> Mapping[str, Any]:
        """Return the bytes alive at each tick, where they are counted and the order runs."""
        names = _names(answer)
        if self.cost is None or names is None or self._problem(names) is not None:
            return {}
        return {"bars": list(self._live(names))}

    def _read(self, answer: Any) -> Any:
        """Return the names as a list."""
        return _names(answer)

    def _judge(self, answer: Any) -> Feedback:
        names = _names(answer)
        if names is None:
            return not_understood(f"names, as in {self.form}")
        problem = self._problem(names)
        if problem is not None:
            return problem
        if self.cost is None:
            return Feedback(True, f"It runs: {self._count_text()}.")
        live, least = self._live(names), self.peak(self._least)
        peak = max(live)
        if peak <= least:
            return Feedback(True, f"{peak:,} bytes, and no order needs less.")
        text = f"It runs, with {peak:,} bytes; {least:,} are possible."
        alive = f"Most bytes are alive at tick {live.index(peak)}, while {names[live.index(peak)]}"
        hint = f"{alive} runs. What is alive then, and could be gone?"
        return Feedback(False, text, hint, least / peak, ("it can run",), "peak")

    def _problem(self, names: Sequence[str]) -> Feedback | None:
        """Return feedback on an order that cannot run, or that lacks firings."""
        unknown = [name for name in names if name not in self.items]
        if unknown:
            text = f"There is nothing called {unknown[0]!r} to run."
            return Feedback(False, text, f"The names are {', '.join(self.items)}.", 0.0)
        wanted, replay = Counter(self._firings), Replay(self.view)
        self._give(replay)
        for place, name in enumerate(names):
            node = self.view.get_node(name)
            lacking = [i for i in range(node.get_nb_inputs()) if replay.lacks(node, i)]
            score = place / len(self._firings)
            if lacking:
                return self._lacks(names, place, lacking[0], replay, min(score, 0.99))
            if replay.executions[node] == wanted[name]:
                text = f"{name} runs {wanted[name] + 1} times."
                hint = f"In one round it runs {wanted[name]}: what would it take?"
                return Feedback(False, text, hint, min(score, 0.99))
            replay.fire(node)
        if len(names) < len(self._firings):
            left = wanted - Counter(names)
            text = f"It runs as far as it goes: {len(names)} of {len(self._firings)} firings."
            hint = f"{next(iter(left))} has not run often enough."
            return Feedback(False, text, hint, len(names) / len(self._firings))
        return None

    def _give(self, replay: Replay) -> None:
        """Let each Producer give once for each firing that the schedule has of it."""
        schedule = static_schedule(self.view)
        for name in schedule.order:
            node = self.view.get_node(name)
            if node.type() == "Producer":
                replay.fire(node)

    def _lacks(
        self, names: Sequence[str], place: int, index: int, replay: Replay, score: float
    ) -> Feedback:
        name = names[place]
        node = self.view.get_node(name)
        source = node.source(index)
        where = "first" if place == 0 else f"after {names[place - 1]}"
        text = f"{name} cannot run {where}."
        if source is None:
            return Feedback(False, text, "Its input was taken already.", score)
        given, wanted = replay.offered(node, index), replay.wanted(node, index)
        reads = source.node.name()
        if len(self._firings) > len(self.items) and given is not None:
            has = given.data - replay.model(node).get_nb_consumed_data(index).data
            needs = replay.model(node).get_nb_required_data(index).data
            hint = f"It takes {needs} from {reads}, and {has} are there."
        elif reads in names[place:]:
            hint = f"It reads {reads}, which stands later."
        else:
            hint = f"It reads {reads}, and needs {wanted}."
        right = (f"the first {place}",) if place else ()
        return Feedback(False, text, hint, score, right, "order")

    def _count_text(self) -> str:
        if len(self._firings) > len(self.items):
            return f"{len(self._firings)} firings, each with what it takes"
        count = count_orders(self.view, self.items)
        return "there is no other order" if count == 1 else f"yours is one of {count} orders"

    def _solve(self) -> ModelAnswer:
        names = self._least if self.cost else self._firings
        return ModelAnswer(list(names), " ".join(names), self.why)


def count_orders(view: GraphView, names: Iterable[str]) -> int:
    """Count the orders in which the nodes of a graph can run, each once.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.parallel([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> count_orders(view, ["a", "b"])
    2
    """
    all_names = frozenset(names)
    parents = {
        name: {parent.name() for parent in view.get_node(name).get_parents() if parent} & all_names
        for name in all_names
    }
    ways = {frozenset[str](): 1}
    for _ in all_names:
        longer: Counter[frozenset[str]] = Counter()
        for done, count in ways.items():
            for name in all_names - done:
                if parents[name] <= done:
                    longer[done | {name}] += count
        ways = dict(longer)
    return sum(ways.values())


def _names(answer: Any) -> list[str] | None:
    """Return the names of an answer: a sequence, or text with names between spaces or commas."""
    if isinstance(answer, str):
        return [name for name in _SEPARATORS.split(answer) if name]
    if isinstance(answer, Sequence) and all(isinstance(name, str) for name in answer):
        return list(answer)
    return None
