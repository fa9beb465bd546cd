# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.core import dformat as dformat
from aidge_nb.core import dtype as dtype

__all__ = [
    "dformat",
    "dtype",
]
