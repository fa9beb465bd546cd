"""Unit 2: amounts, repetition vectors, folded schedules and periods."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError
from aidge_nb.course import graphs
from aidge_nb.course.answers.firing_order import OrderQuestion
from aidge_nb.course.answers.folding import FoldQuestion
from aidge_nb.course.answers.question import ModelAnswer
from aidge_nb.course.answers.values import ValuesQuestion
from aidge_nb.course.feedback import Feedback
from aidge_nb.course.tasks.base import Drawing, Mistake
from aidge_nb.scheduling import repetition_vector, static_schedule
from aidge_nb.scheduling.model.replay import Replay

if TYPE_CHECKING:
    from typing import Any

    from aidge_nb.graph.view import GraphView

MOST_FIRINGS = 12
"""Firings in one round that are written by hand."""

MOST_NUMBERS = 24
"""Numbers that a source gives at once."""

TURNS = (20, 50, 100, 1000, 10_000, 1_000_000)


class EagerQuestion(OrderQuestion):
    """Ask for the order in which the last actor fires as soon as what it takes is there."""

    def _judge(self, answer: Any) -> Feedback:
        feedback = super()._judge(answer)
        if not feedback.correct:
            return feedback
        names = self._read(answer)
        for place, (given, wanted) in enumerate(zip(names, self.eager(), strict=True)):
            if given != wanted:
                text = f"It can run, but {wanted} could fire before firing {place + 1}."
                right = (f"the first {place}",) if place else ()
                score = place / len(names)
                return Feedback(False, text, self.hint(1), score, right, "waits")
        return Feedback(True, f"{len(names)} firings, each as soon as it can be.")

    def eager(self) -> list[str]:
        """Return that order."""
        replay, found = Replay(self.view), list[str]()
        self._give(replay)
        last_first = sorted(set(self._firings), reverse=True)
        while len(found) < len(self._firings):
            ready = (
                name
                for name in last_first
                if not any(
                    replay.lacks(self.view.get_node(name), index)
                    for index in range(self.view.get_node(name).get_nb_inputs())
                )
                and found.count(name) < self._firings.count(name)
            )
            found.append(next(ready))
            replay.fire(self.view.get_node(found[-1]))
        return found

    def _solve(self) -> ModelAnswer:
        names = self.eager()
        return ModelAnswer(names, " ".join(names), self.why)


def _draw_rates(random: Random, actors: int) -> tuple[int, list[tuple[int, int]]]:
    pairs = [(random.randint(1, 4), random.randint(1, 4)) for _ in range(actors)]
    return random.randint(2, MOST_NUMBERS), pairs


def _said(size: int, pairs: list[tuple[int, int]]) -> str:
    parts = [f"The source gives {size} numbers at a time"]
    parts += [f"{name} takes {takes} and gives {gives}" for name, (takes, gives) in _named(pairs)]
    return "; ".join(parts)


def _named(pairs: list[tuple[int, int]]) -> list[tuple[str, tuple[int, int]]]:
    return list(zip("abcdefgh", pairs, strict=False))


def _scheduled(size: int, pairs: list[tuple[int, int]]) -> GraphView | None:
    """Return the graph; None where it cannot run, or takes too long by hand."""
    view = graphs.rates(size, *pairs)
    try:
        repetitions = repetition_vector(view)
    except AidgeError:
        return None
    return view if sum(repetitions.values()) <= MOST_FIRINGS else None


def fire_by_hand(seed: int) -> Drawing | None:
    """Ask for the order in which two actors fire."""
    random = Random(seed)
    size, pairs = _draw_rates(random, 2)
    view = _scheduled(size, pairs)
    if view is None or repetition_vector(view)["source"] > 1 or pairs[1][0] < 2:
        return None
    (takes_a, gives_a), (takes_b, _) = pairs
    asked = EagerQuestion(
        f"{_said(size, pairs)}. The source has fired once. Who fires, until all is taken? b fires "
        "as soon as it can.",
        view,
        hints=[
            f"b needs {takes_b}: are they there earlier?",
            f"Count what lies before b: each firing of a adds {gives_a}.",
            f"a fires first: it takes {takes_a} of the {size} numbers, and leaves {gives_a} for b.",
        ],
        why=f"b fires whenever {takes_b} numbers are there, and takes them away.",
    )
    order = asked.eager()
    waiting = sorted(order)
    if waiting == order or "b" not in order:
        return None
    before = order.index("b") * gives_a
    says = f"b needs {takes_b}, and {before} are there after {order.index('b')} × a."
    return Drawing(asked, (Mistake(waiting, says, "waits for all"),))


def balance(seed: int) -> Drawing | None:
    """Ask for the repetition vector."""
    random = Random(seed)
    size, pairs = _draw_rates(random, random.choice([2, 3]))
    view = _scheduled(size, pairs)
    if view is None:
        return None
    right = repetition_vector(view)
    takes_a, gives_a = pairs[0]
    takes_b = pairs[1][0]
    rest = size // takes_a * gives_a % takes_b
    if right["source"] == 1 or size % takes_a or not rest:
        return None
    counts, there = {"source": 1}, size
    for name, (takes, gives) in _named(pairs):
        counts[name] = there // takes
        there = counts[name] * gives
    given = counts["a"] * gives_a
    says = (
        f"{counts['a']} × a gives {given} numbers in all; b takes {takes_b} at a time: "
        "what is left over?"
    )
    names = ", ".join(right)
    asked = ValuesQuestion(
        f"{_said(size, pairs)}. How often does each fire in one round, at least once and with "
        f"nothing left over? Give {names}.",
        lambda: repetition_vector(view),
        hints=[
            "What goes into an edge in one round must come out of it.",
            f"{size} × source = {takes_a} × a, and {gives_a} × a = {takes_b} × b.",
            f"{gives_a} × a must divide by {takes_b}. Which is the smallest such a?",
        ],
        why="In = out on each edge; the smallest whole numbers.",
    )
    return Drawing(asked, (Mistake(counts, says, "source once"),))


def fold_it(seed: int) -> Drawing | None:
    """Ask for a folded schedule."""
    random = Random(seed)
    size, pairs = _draw_rates(random, 2)
    times = random.randint(4, 20)
    if _scheduled(size, pairs) is None:
        return None
    view = graphs.rates(size * times, *pairs)
    try:
        schedule = static_schedule(view)
        counts = repetition_vector(view)
    except AidgeError:
        return None
    asked = FoldQuestion(
        f"Write these {schedule.n_firings} firings on one line, as in 3×(a 2×(b)): "
        f"{_shown(schedule.order)}. {_said(size * times, pairs)}.",
        schedule,
        hints=[
            "Which stretch repeats as it is?",
            "First fold the short runs, as in 2×(a); then what repeats around them.",
            f"The stretch begins {' '.join(schedule.order[1:4])} …",
        ],
        why="Whatever unrolls to the same firings is right.",
    )
    if "×" not in schedule.to_text() or counts["source"] > 1 or counts["b"] < 2:
        return None
    sorted_text = f"source {counts['a']}×(a) {counts['b']}×(b)"
    says = "The counts are right, the order is not: b fires before a has fired for the last time."
    if asked._judge(sorted_text).correct:
        return None
    return Drawing(asked, (Mistake(sorted_text, says, "order lost"),))


def _shown(order: tuple[str, ...]) -> str:
    most = 24
    return " ".join(order[:most]) + (" …" if len(order) > most else "")


def period(seed: int) -> Drawing:
    """Ask for the period of a loop, and for its steps."""
    random = Random(seed)
    turns, extra, before = random.choice(TURNS), random.randint(1, 4), random.randint(0, 2)

    def right() -> dict[str, float]:
        steps = [
            static_schedule(graphs.loop(count, extra, before=before)).n_steps
            for count in (turns, turns + 1)
        ]
        return {"period": steps[1] - steps[0], "steps": steps[0]}

    ahead = ", ".join(f"before_{number + 1}" for number in range(before))
    tanhs = ", ".join(f"tanh_{number + 1}" for number in range(extra))
    found = right()
    first = found["steps"] - turns * found["period"]
    asked = ValuesQuestion(
        f"A loop: state → add → {tanhs.replace(', ', ' → ')} → state. pop gives add a row in each "
        f"turn{f', through {ahead}' if ahead else ''}; zero fills state for the first turn. "
        f"It runs {turns:,} turns. What is its period, and how many steps does it take?",
        right,
        hints=[
            "Which operators wait for the turn before?",
            "The period is the number of firings on the cycle. pop is not on it.",
            f"add, state and {extra} × tanh are on the cycle; add first runs at step {first:.0f}.",
        ],
        why=f"add first runs at step {first:.0f}; then {turns:,} turns of "
        f"{found['period']:.0f} steps, as many as there are operators on the cycle.",
    )
    wrong = found["period"] + 1 + before
    answer = {"period": wrong, "steps": wrong * turns + first}
    return Drawing(asked, (Mistake(answer, "Does it wait for the turn before?", "off the cycle"),))
