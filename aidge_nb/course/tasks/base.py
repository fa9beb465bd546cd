"""Task: a question drawn from a seed, with sentences for the common wrong answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.answers.question import ModelAnswer, Question

if TYPE_CHECKING:
    from aidge_nb.course.feedback import Feedback
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView
    from aidge_nb.widgets.live.answers import AnswerSheet
    from aidge_nb.widgets.live.blocks import BlockBoard

MOST_TRIES = 1000
"""A seed is drawn again so often until the filter of its task holds."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A common wrong answer.

    Attributes
    ----------
    answer
        The answer, in the form that ``check`` takes.
    says
        The sentence that names the misconception.
    idea
        Key of the misconception, for a teacher's statistics.
    """

    answer: Any
    says: str
    idea: str


class Drawing(NamedTuple):
    """A drawn question, and the common wrong answers to it."""

    asked: Question
    mistakes: tuple[Mistake, ...]


class TaskForm(NamedTuple):
    """A row of the table of tasks: a title, and a function that draws from a number.

    The function returns None where the drawn problem does not pass the filter of the task.
    """

    title: str
    draw: Callable[[int], Drawing | None]


class CourseTask(Question):
    """A task of the course; made by :func:`aidge_nb.course.task`.

    Attributes
    ----------
    number, title
        Its number in the course, as in ``"2.3"``, and its title.
    seed
        The seed from which it was drawn.
    mistakes
        Common wrong answers; each has a sentence that names the misconception.
    best_answer
        The answer with the best score so far.
    ideas
        Keys of the misconceptions that were met.
    opened
        Whether the solution was opened before the task was solved.
    """

    def __init__(self, number: str, title: str, seed: int | str, drawn: Drawing) -> None:
        asked = drawn.asked
        super().__init__(asked.text, hints=asked.hints, why=asked.why)
        self.kind = asked.kind
        self.number = number
        self.title = title
        self.seed = seed
        self.mistakes = drawn.mistakes
        self.best_answer: Any = None
        self.ideas: list[str] = []
        self.opened = False
        self._asked = asked

    def check(self, answer: Any) -> Feedback:
        """Check an answer; None is none.

        Parameters
        ----------
        answer
            The answer; :attr:`form` has the form of one.
        """
        before = self.best
        feedback = super().check(answer)
        if answer is not None and (self.best > before or self.best_answer is None):
            self.best_answer = answer
        if feedback.idea:
            self.ideas.append(feedback.idea)
        return feedback

    def solution(self) -> ModelAnswer:
        """Return the right answer and its reason; only after a try."""
        self.opened = self.opened or (self.tries > 0 and self.best < 1)
        return super().solution()

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        return self._asked.form

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return self._asked.config

    def _read(self, answer: Any) -> Any:
        """Return an answer in the form in which answers are compared."""
        return self._asked._read(answer)

    def shown(self, answer: Any) -> Mapping[str, Any]:
        """Return what the widget draws beside the feedback on an answer."""
        return self._asked.shown(answer)

    def _sheet(self, checks: Question) -> AnswerSheet | BlockBoard:
        """Make the widget of the question."""
        return self._asked._sheet(checks)

    def _judge(self, answer: Any) -> Feedback:
        feedback = self._asked._judge(answer)
        if feedback.correct:
            return feedback
        given = self._read(answer)
        for mistake in self.mistakes:
            if given is not None and given == self._read(mistake.answer):
                return replace(feedback, hint=mistake.says, idea=mistake.idea)
        return feedback

    def _solve(self) -> ModelAnswer:
        return self._asked._solve()

    def table(self) -> str:
        """Return the task as text, with the form of an answer."""
        return f"Task {self.number} {self.title}\n{super().table()}"


def draw_task(number: str, form: TaskForm, seed: int | str) -> CourseTask:
    """Draw until the filter of the task holds.

    Raises
    ------
    AidgeError
        When no drawn problem passed the filter.
    """
    first = seed_number(seed)
    for again in range(MOST_TRIES):
        drawn = form.draw(first if again == 0 else (first + 1) * MOST_TRIES + again)
        if drawn is not None:
            return CourseTask(number, form.title, seed, drawn)
    problem = f"no problem passes its filter in {MOST_TRIES:,} tries"
    raise AidgeError.at(f"task {number}", problem, found=f"seed {seed!r}", cure="Take another.")


def seed_number(seed: int | str) -> int:
    """Return the number of a seed; that of a name is the same everywhere.

    Examples
    --------
    >>> seed_number(7), seed_number("7"), seed_number("Ada") == seed_number("Ada")
    (7, 7, True)
    """
    if isinstance(seed, int):
        return abs(int(seed))
    text = seed.strip()
    if text.isdecimal():
        return int(text)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])


def chains_text(view: GraphView) -> str:
    """Return the edges of a graph as text, without Producers.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> chains_text(graphs.fork())
    'split → quick → join; split → slow_1 → slow_2 → join'
    """
    nodes = [node for node in view.topological_order() if node.type() != "Producer"]
    chains = []
    for node in nodes:
        parents = _parents(node)
        chains += [_chain([each, node]) for each in parents if _ends_a_chain(each)]
        if not parents and len(_children(node)) < 2:
            chains.append(_chain([node]))
    found = dict.fromkeys(" → ".join(chain) for chain in chains)
    return "; ".join(sorted(found))


def _chain(nodes: list[Node]) -> list[str]:
    while len(_children(nodes[-1])) == 1 and len(_parents(nodes[-1])) < 2:
        nodes = [*nodes, _children(nodes[-1])[0]]
    return [node.name() for node in nodes]


def _ends_a_chain(node: Node) -> bool:
    """Return whether a node is a fork or a join."""
    return len(_children(node)) > 1 or len(_parents(node)) > 1


def _children(node: Node) -> list[Node]:
    return sorted(set(node.get_children()), key=lambda child: child.name())


def _parents(node: Node) -> list[Node]:
    found = {parent for parent in node.get_parents() if parent and parent.type() != "Producer"}
    return sorted(found, key=lambda parent: parent.name())
