"""Exercises that answer: each has ``check(answer)``, and gives a hint rather than a verdict.

The notebooks of the course are made of them; a teacher makes others from graphs of their own.
"""

from aidge_nb.course.blocks import PlaceBlocks
from aidge_nb.course.cp_model import WantedSchedule
from aidge_nb.course.feedback import Feedback
from aidge_nb.course.queries import FindQuery
from aidge_nb.course.steps import PredictSteps
from aidge_nb.course.tiles import ChooseTiles

__all__ = ["ChooseTiles", "Feedback", "FindQuery", "PlaceBlocks", "PredictSteps", "WantedSchedule"]
