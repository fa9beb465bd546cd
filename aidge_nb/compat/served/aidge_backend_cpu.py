"""Stands in for ``aidge_backend_cpu``: importing it is what makes the backend ``"cpu"`` known."""

from __future__ import annotations

import aidge_nb.runtime  # noqa: F401  # registers the backend
from aidge_nb.compat.served.unserved import refusing
from aidge_nb.version import __version__

__all__ = ["get_project_version", "show_version"]

__getattr__ = refusing(__name__, "aidge_backend_cpu")


def get_project_version() -> str:
    """Return the version of the library that serves this module.

    Examples
    --------
    >>> get_project_version() == __version__
    True
    """
    return __version__


def show_version() -> None:
    """Log the version."""
    from aidge_nb.core.log import NOTICE, logger

    logger.log(NOTICE, "aidge_nb %s, NumPy backend", __version__)
