"""Aidge's names are served during a test, and taken back after it."""

from collections.abc import Iterator

import pytest

from aidge_nb.compat import install, uninstall
from aidge_nb.core.log import Log

collect_ignore = ["scripts", "record_aidge_names.py"]  # run by tests, and by hand


@pytest.fixture(autouse=True)
def _as_usual() -> Iterator[None]:
    """Show messages as before: scripts and probes choose what is shown."""
    yield
    Log.reset()


@pytest.fixture
def served() -> Iterator[None]:
    """Serve all of them, whatever is installed."""
    install(force=True)
    yield
    uninstall()
