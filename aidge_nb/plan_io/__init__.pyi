# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.plan_io.read import read_plan

__all__ = [
    "read_plan",
]
