"""Unit 1: early steps, late steps and slack."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aidge_nb import ops
from aidge_nb.course import generators
from aidge_nb.course.answers.bars import BarsQuestion
from aidge_nb.course.answers.choice import ChoiceQuestion
from aidge_nb.course.answers.values import Numbers, ValuesQuestion
from aidge_nb.course.graphs import chained
from aidge_nb.course.steps import steps_of
from aidge_nb.course.tasks.base import Drawing, Mistake, chains_text
from aidge_nb.graph.builders import get_connected_graph_view

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

MOST_ADDED = 20
"""More operators than this are not added to a branch."""


def fork_steps(seed: int) -> Drawing:
    """Ask for all early and late steps of a fork."""
    view = generators.fork(seed)
    steps = steps_of(view)
    asked = BarsQuestion(
        f"Give the early and the late step of each operator: {chains_text(view)}.",
        view,
        "both",
        hints=[
            "Early steps count from the front, late steps from the end.",
            "Write the early steps first: 1 + the largest early step of what an operator reads.",
            (
                f"out runs at step {steps['out'][0]}, early and late. What it reads may run one "
                "step before, at the latest."
            ),
        ],
        why="Late step = the smallest late step of its readers − 1; slack = late − early.",
    )
    from_front = {name: (early, early) for name, (early, _) in steps.items()}
    return Drawing(
        asked, (Mistake(from_front, "Begin at `out` and walk back.", "late from front"),)
    )


def most_slack(seed: int) -> Drawing:
    """Ask which of three branches has most slack."""
    view = generators.fork(seed, 3)
    letters = "abc"

    def length(letter: str) -> int:
        return sum(node.name().startswith(letter) for node in view.get_nodes())

    def right() -> str:
        steps = steps_of(view)
        return max(letters, key=lambda each: steps[f"{each}1"][1] - steps[f"{each}1"][0])

    lengths = {letter: length(letter) for letter in letters}
    options = {
        letter: f"The length of branch {letter} is {count}. Short branches wait."
        for letter, count in lengths.items()
    }
    longest = max(letters, key=lambda letter: lengths[letter])
    asked = ChoiceQuestion(
        f"Which branch has most slack, a, b or c? {chains_text(view)}.",
        options,
        right,
        hints=[
            "Which branch decides when out can run?",
            "Slack is what a branch lacks to be as long as the longest one.",
            f"Branch {longest} is the longest, with {lengths[longest]}: it cannot wait.",
        ],
        why="All branches begin at step 1 and must end before out; the shortest one waits most.",
    )
    return Drawing(asked, (Mistake(longest, options[longest], "most operators"),))


def two_ends(seed: int) -> Drawing:
    """Ask for the late steps of two ends."""
    view = generators.fork(seed, joined=False)
    steps = steps_of(view)
    ends = sorted(node.name() for node in view.get_nodes() if not node.get_children())
    asked = ValuesQuestion(
        f"Nobody joins the two branches: {chains_text(view)}. Give the late steps of "
        f"{ends[0]} and {ends[1]}.",
        lambda: {name: steps_of(view)[name][1] for name in ends},
        hints=[
            "Who waits for the end of the shorter branch?",
            "The graph has run when its last operator has. At which step is that?",
            f"The last step of all is step {max(late for _, late in steps.values())}.",
        ],
        why="Nobody waits for an end: it may run until the last step of all.",
    )
    early = {name: steps[name][0] for name in ends}
    says = "Nobody waits: until the last step."
    return Drawing(asked, (Mistake(early, says, "late is early"),))


def make_it_fit(seed: int) -> Drawing | None:
    """Ask how many operators to add so that `quick` has a given slack."""
    random = Random(seed)
    quick, slow = sorted(random.sample(range(1, 5), 2))
    goal = random.randrange(1, 5)
    lacking = goal - (slow - quick)
    if lacking < 1:
        return None

    def accepts(added: Numbers) -> bool:
        counts = [added["quick"], added["slow"]]
        if any(count != int(count) or not 0 <= count <= MOST_ADDED for count in counts):
            return False
        view = two_lengths(quick + int(counts[0]), slow + int(counts[1]))
        early, late = steps_of(view)["quick_1"]
        return late - early == goal

    asked = ValuesQuestion(
        f"Operators on branch quick: {quick}; on branch slow: {slow}. Both begin at split and end "
        f"at join. quick_1 should have a slack of {goal} steps. How many operators do you add to "
        "quick, and how many to slow?",
        {"quick": 0, "slow": lacking},
        accepts=accepts,
        hints=[
            f"The slack is {slow - quick} now. Which branch must become longer?",
            "Slack is the length of the slow branch minus that of the quick one.",
            f"It should be {goal}: how many more than {slow - quick} is that?",
        ],
        why=f"({slow} + {lacking}) − {quick} = {goal}.",
    )
    wrong = Mistake({"quick": lacking, "slow": 0}, "Its own length eats its slack.", "own length")
    return Drawing(asked, (wrong,))


def two_lengths(quick: int, slow: int) -> GraphView:
    """Make a fork with branches of given lengths."""
    split, join = ops.Identity(name="split"), ops.Add(name="join")
    for port, (name, length) in enumerate((("quick", quick), ("slow", slow))):
        branch = [ops.ReLU(name=f"{name}_{number + 1}") for number in range(length)]
        chained([split, *branch]).add_child(join, 0, port)
    return get_connected_graph_view(split)
