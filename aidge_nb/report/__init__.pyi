# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.report.model import Report
from aidge_nb.report.model import study
from aidge_nb.report.readers import load_model

__all__ = [
    "Report",
    "study",
    "load_model",
]
