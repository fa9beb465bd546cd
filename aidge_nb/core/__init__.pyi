# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.core import dformat
from aidge_nb.core import dtype

__all__ = [
    "dformat",
    "dtype",
]
