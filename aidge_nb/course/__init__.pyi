# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.course import generators
from aidge_nb.course import graphs
from aidge_nb.course.actors import actor
from aidge_nb.course.answers.bars import BarsQuestion
from aidge_nb.course.answers.choice import ChoiceQuestion
from aidge_nb.course.answers.choice import PickQuestion
from aidge_nb.course.answers.cutting import CutQuestion
from aidge_nb.course.answers.faulty import FaultQuestion
from aidge_nb.course.answers.firing_order import OrderQuestion
from aidge_nb.course.answers.folding import FoldQuestion
from aidge_nb.course.answers.number import NumberQuestion
from aidge_nb.course.answers.placing import PlacingQuestion
from aidge_nb.course.answers.querying import QueryQuestion
from aidge_nb.course.answers.question import ModelAnswer
from aidge_nb.course.answers.question import Question
from aidge_nb.course.answers.reaching import ReachQuestion
from aidge_nb.course.answers.rows import RowsQuestion
from aidge_nb.course.answers.texts import TextQuestion
from aidge_nb.course.answers.values import ValuesQuestion
from aidge_nb.course.ask import broken
from aidge_nb.course.ask import choose
from aidge_nb.course.ask import cut
from aidge_nb.course.ask import drag_bars
from aidge_nb.course.ask import fit_in_16_kb
from aidge_nb.course.ask import fold
from aidge_nb.course.ask import number
from aidge_nb.course.ask import order
from aidge_nb.course.ask import pick
from aidge_nb.course.ask import pick_in
from aidge_nb.course.ask import place_blocks
from aidge_nb.course.ask import predict
from aidge_nb.course.ask import query
from aidge_nb.course.ask import reach
from aidge_nb.course.ask import rows
from aidge_nb.course.blocks import PlaceBlocks
from aidge_nb.course.blocks import PlaceInTwo
from aidge_nb.course.covering import covered
from aidge_nb.course.cp_model import WantedSchedule
from aidge_nb.course.feedback import Feedback
from aidge_nb.course.make_it_run import MakeItRun
from aidge_nb.course.queries import FindQuery
from aidge_nb.course.results.sheet import ResultSheet
from aidge_nb.course.steps import PredictSteps
from aidge_nb.course.tasks import TASKS
from aidge_nb.course.tasks import task
from aidge_nb.course.tasks.base import CourseTask
from aidge_nb.course.tiles import ChooseTiles

__all__ = [
    "TASKS",
    "task",
    "CourseTask",
    "ResultSheet",
    "actor",
    "broken",
    "choose",
    "cut",
    "drag_bars",
    "fit_in_16_kb",
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
    "covered",
    "BarsQuestion",
    "ChoiceQuestion",
    "PickQuestion",
    "CutQuestion",
    "FaultQuestion",
    "FoldQuestion",
    "ModelAnswer",
    "Question",
    "NumberQuestion",
    "OrderQuestion",
    "PlacingQuestion",
    "QueryQuestion",
    "ReachQuestion",
    "RowsQuestion",
    "TextQuestion",
    "ValuesQuestion",
    "ChooseTiles",
    "Feedback",
    "FindQuery",
    "MakeItRun",
    "PlaceBlocks",
    "PlaceInTwo",
    "PredictSteps",
    "WantedSchedule",
    "generators",
    "graphs",
]
