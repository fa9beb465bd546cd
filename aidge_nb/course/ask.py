"""Ask questions in a notebook: one function for each kind of answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

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
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView
    from aidge_nb.scheduling import StaticSchedule
    from aidge_nb.tiling import Tiling
    from aidge_nb.widgets.live.answers import Asked, Prediction
    from aidge_nb.widgets.live.fitting import FitBoard


def number(
    text: str, value: float | Callable[[], float], unit: str = "", **options: Any
) -> NumberQuestion:
    """Ask for a number.

    Parameters are those of :class:`NumberQuestion`.

    Examples
    --------
    >>> number("2 + 2?", 4, near={5: "Count again."}).check(5).hint
    'Count again.'
    """
    return NumberQuestion(text, value, unit, **options)


def choose(
    text: str, options: Mapping[str, str], right: str | Callable[[], str], **more: Any
) -> ChoiceQuestion:
    """Ask which option is right; each has its sentence.

    Parameters are those of :class:`ChoiceQuestion`.

    Examples
    --------
    >>> choose("Which?", {"a": "Yes: it waits.", "b": "It runs."}, "a").check("a").text
    'Yes: it waits.'
    """
    return ChoiceQuestion(text, options, right, **more)


def pick(
    text: str, items: Iterable[str], right: Iterable[str] | Callable[[], Iterable[str]], **more: Any
) -> PickQuestion:
    """Ask to pick names.

    Parameters are those of :class:`PickQuestion`.

    Examples
    --------
    >>> pick("Which two?", ["a", "b", "c"], ["a", "c"]).check(["a", "c"]).correct
    True
    """
    return PickQuestion(text, items, right, **more)


def order(text: str, view: GraphView, cost: str | None = None, **options: Any) -> OrderQuestion:
    """Ask for an order in which a graph can run, or for the one with the least peak.

    Parameters are those of :class:`OrderQuestion`.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> order("Which order?", graphs.fork()).check("split slow_1 slow_2 quick join").text
    'It runs: yours is one of 3 orders.'
    """
    return OrderQuestion(text, view, cost, **options)


def drag_bars(text: str, view: GraphView, ask: str = "both", **options: Any) -> BarsQuestion:
    """Ask when operators can run, or until when results are alive.

    Parameters are those of :class:`BarsQuestion`.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> asked = drag_bars("When?", graphs.fork(), "early")
    >>> asked.check({"split": 0, "slow_1": 1, "quick": 1, "slow_2": 2, "join": 3}).correct
    True
    """
    return BarsQuestion(text, view, ask, **options)


def fold(text: str, schedule: StaticSchedule, **options: Any) -> FoldQuestion:
    """Ask for the folded text of a schedule.

    Parameters are those of :class:`FoldQuestion`.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.course import graphs
    >>> schedule = aidge_nb.static_schedule(graphs.rates(6, (2, 1), (3, 1)))
    >>> fold("Fold it.", schedule).check("3×(a) b").correct
    True
    """
    return FoldQuestion(text, schedule, **options)


def query(text: str, view: GraphView, wanted: str, **options: Any) -> QueryQuestion:
    """Ask for a graph query that matches the same as the wanted one.

    Parameters are those of :class:`QueryQuestion`.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> query("Find all ReLUs.", graphs.gated(), "ReLU").check("ReLU").text
    '3 matches, as wanted.'
    """
    return QueryQuestion(text, view, wanted, **options)


def reach(
    text: str, view: GraphView, peak: int | Callable[[], int], **options: Any
) -> ReachQuestion:
    """Ask to move the controls of an explorer until the peak is small enough.

    Parameters are those of :class:`ReachQuestion`.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> from aidge_nb.widgets.exploration import Settings
    >>> asked = reach("At most 2,688 bytes.", graphs.two_branches(), 2688)
    >>> asked.check(Settings(policy="LowestMemoryFirst")).text
    '2,688 bytes.'
    """
    return ReachQuestion(text, view, peak, **options)


def cut(
    text: str, view: GraphView, nodes: Node | Iterable[Node], memory: int, **options: Any
) -> CutQuestion:
    """Ask to move the sliders of a tile explorer until a chain fits, for no more work than needed.

    Parameters are those of :class:`CutQuestion`.

    Examples
    --------
    >>> from aidge_nb.course import graphs
    >>> from aidge_nb.widgets.live.tile_controls import TileSettings
    >>> view = graphs.stripes()
    >>> asked = cut("It has 1,800 bytes.", view, view.get_node("conv0"), 1800)
    >>> asked.check(TileSettings(rows=4)).correct
    False
    """
    return CutQuestion(text, view, nodes, memory, **options)


def rows(text: str, view: GraphView, tiling: Tiling, stripe: int, **options: Any) -> RowsQuestion:
    """Ask which rows of each map a stripe needs; stripes count from 1.

    Parameters are those of :class:`RowsQuestion`.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.course import graphs
    >>> view = graphs.stripes(12, convs=1)
    >>> tiling = aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 3})
    >>> rows("Which rows does stripe 2 read?", view, tiling, 2).check({"input": (3, 8)}).text
    'Yes: input 3–8.'
    """
    return RowsQuestion(text, view, tiling, stripe, **options)


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
