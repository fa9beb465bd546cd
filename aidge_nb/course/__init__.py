"""Exercises with instant feedback: each has ``check(answer)``, which returns a hint.

The tutorials and the notebooks of the course use them; teachers make others from their own graphs.
"""

from aidge_nb.course import generators, graphs
from aidge_nb.course.actors import actor
from aidge_nb.course.answers.bars import BarsQuestion
from aidge_nb.course.answers.choice import ChoiceQuestion, PickQuestion
from aidge_nb.course.answers.cutting import CutQuestion
from aidge_nb.course.answers.faulty import FaultQuestion
from aidge_nb.course.answers.firing_order import OrderQuestion
from aidge_nb.course.answers.folding import FoldQuestion
from aidge_nb.course.answers.number import NumberQuestion
from aidge_nb.course.answers.placing import PlacingQuestion
from aidge_nb.course.answers.querying import QueryQuestion
from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.answers.reaching import ReachQuestion
from aidge_nb.course.answers.rows import RowsQuestion
from aidge_nb.course.answers.texts import TextQuestion
from aidge_nb.course.answers.values import ValuesQuestion
from aidge_nb.course.ask import (
    broken,
    choose,
    cut,
    drag_bars,
    fit_in_16_kb,
    fold,
    number,
    order,
    pick,
    pick_in,
    place_blocks,
    predict,
    query,
    reach,
    rows,
)
from aidge_nb.course.blocks import PlaceBlocks, PlaceInTwo
from aidge_nb.course.covering import covered
from aidge_nb.course.cp_model import WantedSchedule
from aidge_nb.course.feedback import Feedback
from aidge_nb.course.make_it_run import MakeItRun
from aidge_nb.course.queries import FindQuery
from aidge_nb.course.results.sheet import ResultSheet
from aidge_nb.course.steps import PredictSteps
from aidge_nb.course.tasks import TASKS, task
from aidge_nb.course.tasks.base import CourseTask
from aidge_nb.course.tiles import ChooseTiles

__all__ = [
    # The course
    "TASKS",
    "CourseTask",
    "ResultSheet",
    "fit_in_16_kb",
    "task",
    # Questions with a widget
    "actor",
    "broken",
    "choose",
    "covered",
    "cut",
    "drag_bars",
    "fold",
    "number",
    "order",
    "pick",
    "pick_in",
    "place_blocks",
    "predict",
    "query",
    "reach",
    "rows",
    # Their classes
    "BarsQuestion",
    "ChoiceQuestion",
    "CutQuestion",
    "FaultQuestion",
    "FoldQuestion",
    "ModelAnswer",
    "NumberQuestion",
    "OrderQuestion",
    "PickQuestion",
    "PlacingQuestion",
    "QueryQuestion",
    "Question",
    "ReachQuestion",
    "RowsQuestion",
    "TextQuestion",
    "ValuesQuestion",
    # Exercises
    "ChooseTiles",
    "Feedback",
    "FindQuery",
    "MakeItRun",
    "PlaceBlocks",
    "PlaceInTwo",
    "PredictSteps",
    "WantedSchedule",
    # Graphs
    "generators",
    "graphs",
]
