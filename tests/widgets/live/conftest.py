"""Views with controls, closed after a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aidge_nb.widgets import explore, explore_tiling
from aidge_nb.widgets.live.controls import Explorer
from aidge_nb.widgets.live.tile_controls import TileExplorer
from tests.widgets.explored import network


@pytest.fixture
def explorer() -> Iterator[Explorer]:
    made = explore(network())
    yield made
    made.close()


@pytest.fixture
def tiles() -> Iterator[TileExplorer]:
    view = network()
    made = explore_tiling(view, [view.get_node(f"conv{n}") for n in range(3)])
    yield made
    made.close()
