"""Run tutorials written for Aidge on this library, and use its views on real Aidge objects.

:func:`install` lets ``import aidge_core`` and its companions find this library:

- in a notebook: ``%load_ext aidge_nb.compat``
- on the command line: ``python -m aidge_nb.compat SCRIPT.py``

An installed package of Aidge is left alone unless ``install(force=True)`` is called.
:func:`api_table` lists the names that are served. :func:`from_aidge` reads objects of the real
aidge_core.
"""

from aidge_nb.compat.finder import load_ipython_extension, unload_ipython_extension  # noqa: F401
from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "convert": "from_aidge",
        "finder": "MODULES install uninstall",
        "table": "api_table",
    },
)
