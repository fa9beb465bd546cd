"""Ask questions in a notebook: a short name for each kind of answer, and views that ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.answers.bars import BarsQuestion
from aidge_nb.course.answers.choice import ChoiceQuestion, PickQuestion
from aidge_nb.course.answers.cutting import CutQuestion
from aidge_nb.course.answers.faulty import FaultQuestion
from aidge_nb.course.answers.firing_order import OrderQuestion
from aidge_nb.course.answers.folding import FoldQuestion
from aidge_nb.course.answers.number import NumberQuestion
from aidge_nb.course.answers.querying import QueryQuestion
from aidge_nb.course.answers.reaching import ReachQuestion
from aidge_nb.course.answers.rows import RowsQuestion
from aidge_nb.course.blocks import PlaceBlocks, PlaceInTwo
from aidge_nb.course.models import broken as broken_model
from aidge_nb.memory import MemoryPlan

if TYPE_CHECKING:
    from aidge_nb.course.answers.question import Question
    from aidge_nb.widgets.live.answers import Asked, Prediction
    from aidge_nb.widgets.live.fitting import FitBoard


number, choose, pick = NumberQuestion, ChoiceQuestion, PickQuestion
order, drag_bars, fold = OrderQuestion, BarsQuestion, FoldQuestion
query, reach, cut, rows = QueryQuestion, ReachQuestion, CutQuestion, RowsQuestion


def place_blocks(
    blocks: Mapping[str, tuple[int, int, int]] | MemoryPlan, fast: int = 0
) -> PlaceBlocks:
    """Ask for a layout of blocks, or of the buffers of a plan; views need no place of their own.

    Parameters
    ----------
    blocks
        By name, (lower, upper, size); or a plan.
    fast
        Bytes of a fast memory: then as few bytes as possible shall lie in the slow one.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.course import graphs
    >>> view = graphs.five_layers()
    >>> plan = aidge_nb.plan_memory(view, aidge_nb.static_schedule(view), in_place=False)
    >>> place_blocks(plan).blocks
    {'conv': (0, 2, 576), 'relu': (1, 3, 576), 'pool': (2, 5, 144), 'fc': (4, 5, 40)}
    """
    if not isinstance(blocks, MemoryPlan):
        return PlaceInTwo(blocks, fast) if fast else PlaceBlocks(blocks)
    found: dict[str, tuple[int, int, int]] = {}
    holders: dict[str, str] = {}
    for buffer in blocks.buffers:
        # What lies in the place of another one lives on in its block.
        before = buffer.view_of or next(iter(buffer.in_place_of), "")
        holder = holders.get(before, buffer.name)
        holders[buffer.name] = holder
        lower, upper, size = found.get(holder, (buffer.lower, buffer.upper, buffer.size))
        found[holder] = (
            min(lower, buffer.lower),
            max(upper, buffer.upper),
            max(size, buffer.size),
        )
    return place_blocks(found, fast)


def predict(question: Question, reveals: Asked) -> Prediction:
    """Ask a question above a view that stays covered until the first answer.

    Parameters
    ----------
    question
        What is asked.
    reveals
        A view: what :func:`aidge_nb.widgets.workbench`, ``cp_debugger`` or ``show`` return.

    Raises
    ------
    AidgeError
        For something that is not a question.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> from aidge_nb.widgets import workbench
    >>> view = workbench(graphs.fork())
    >>> asked = predict(number("How many operators run first?", 1), view)
    >>> view.covered
    True
    >>> asked.check(2)
    Not yet (0 %): 2 is not it.
    Hint: Less.
    >>> view.covered
    False
    """
    from aidge_nb.course.answers.question import Question
    from aidge_nb.widgets.live.answers import Prediction

    if not isinstance(question, Question):
        cure = "Make one with course.number(), course.choose(), …"
        raise AidgeError.at("predict", "no question", found=type(question).__name__, cure=cure)
    return Prediction(question, reveals)


def pick_in(question: PickQuestion, view: Asked) -> Asked:
    """Ask to pick nodes in a view, whose feedback stands below the question.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> from aidge_nb.widgets import workbench
    >>> asked = pick("Which reads both?", ["quick", "join"], ["join"])
    >>> view = pick_in(asked, workbench(graphs.fork()))
    >>> view.question
    'Which reads both?'
    """
    from aidge_nb.widgets.live.answers import ask_in

    ask_in(question, view)
    return view


def broken(seed: int) -> FaultQuestion:
    """Draw a broken model, and ask which node complains, at which port, and of what.

    Examples
    --------
    >>> asked = broken(1)
    >>> asked.check(asked.fault).correct
    True
    """
    return FaultQuestion(
        "One thing is wrong in this model. Which node complains, at which port, of what?",
        broken_model(seed),
        hints=[
            "Load asked.model, and read the report of what was not understood.",
            "If all was understood, give the image its dimensions: the message names the place.",
            "Write the node of the file, the port such as input#0, and the word of the message.",
        ],
        why="The message names the node, the port, what was expected and what was found.",
    )


def fit_in_16_kb() -> FitBoard:
    """Show the puzzle "Fit it in 16 KB": order, in place, rows, stripes and halos, in three levels.

    ``fit_in_16_kb().to_html("fit.html")`` writes it as a page that opens without Python.

    Examples
    --------
    >>> board = fit_in_16_kb()
    >>> board
    FitBoard(Fit it in 16 KB)
    """
    from aidge_nb.course.fit.game import FitGame
    from aidge_nb.widgets.live.fitting import FitBoard

    return FitBoard(FitGame())
