# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.compat.convert import from_aidge
from aidge_nb.compat.finder import MODULES
from aidge_nb.compat.finder import install
from aidge_nb.compat.finder import uninstall
from aidge_nb.compat.table import api_table

__all__ = [
    "from_aidge",
    "MODULES",
    "install",
    "uninstall",
    "api_table",
]
