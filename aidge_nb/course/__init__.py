"""Exercises with instant feedback: each has ``check(answer)``, which returns a hint.

The notebooks of the course use them; teachers make others from their own graphs.
"""

from aidge_nb.course.blocks import PlaceBlocks
from aidge_nb.course.cp_model import WantedSchedule
from aidge_nb.course.feedback import Feedback
from aidge_nb.course.queries import FindQuery
from aidge_nb.course.steps import PredictSteps
from aidge_nb.course.tiles import ChooseTiles

__all__ = ["ChooseTiles", "Feedback", "FindQuery", "PlaceBlocks", "PredictSteps", "WantedSchedule"]
