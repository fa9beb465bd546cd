"""Exercises with instant feedback: each has ``check(answer)``, which returns a hint.

The tutorials and the notebooks of the course use them; teachers make others from their own graphs.
"""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # The course
        "tasks": "TASKS task",
        "tasks.base": "CourseTask",
        "results.sheet": "ResultSheet",
        # Questions with a widget
        "actors": "actor",
        "ask": """
            broken choose cut drag_bars fit_in_16_kb fold number order pick pick_in place_blocks
            predict query reach rows
        """,
        "covering": "covered",
        # Their classes
        "answers.bars": "BarsQuestion",
        "answers.choice": "ChoiceQuestion PickQuestion",
        "answers.cutting": "CutQuestion",
        "answers.faulty": "FaultQuestion",
        "answers.folding": "FoldQuestion",
        "answers.question": "ModelAnswer Question",
        "answers.number": "NumberQuestion",
        "answers.firing_order": "OrderQuestion",
        "answers.placing": "PlacingQuestion",
        "answers.querying": "QueryQuestion",
        "answers.reaching": "ReachQuestion",
        "answers.rows": "RowsQuestion",
        "answers.texts": "TextQuestion",
        "answers.values": "ValuesQuestion",
        # Exercises
        "tiles": "ChooseTiles",
        "feedback": "Feedback",
        "queries": "FindQuery",
        "make_it_run": "MakeItRun",
        "blocks": "PlaceBlocks PlaceInTwo",
        "steps": "PredictSteps",
        "cp_model": "WantedSchedule",
        # Graphs
        ".": "generators graphs",
    },
)
