"""Controls that tile anew: what is cut is what they say."""

from dataclasses import replace

import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.widgets import explore_tiling
from aidge_nb.widgets.live.tile_controls import TileExplorer, TileSettings


def test_sliders_tile_anew(tiles: TileExplorer) -> None:
    tiles.settings = TileSettings(rows=7, columns=2)
    assert tiles.tiling.grid == (7, 2)
    assert len(tiles.bench.scene.nodes) == 14
    assert tiles.bench.scene.panels == ("tiling", "graph", "charts", "table")
    tiles.settings = TileSettings(rows=4, columns=2, halo="cache")
    assert tiles.status.startswith("<b>Not possible:</b>")
    assert tiles.tiling.grid == (7, 2)


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("name", list(hardware.TARGETS))
def test_tiles_on_every_ready_target_open_with_what_can_be_mapped(name: str, batch: int) -> None:
    conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
    view = aidge_nb.sequential([conv])
    view.forward_dims([[batch, 3, 66, 66]])
    made = explore_tiling(view, [conv], hardware.target(name))
    if made.mapping is None:
        assert made.status.startswith("<b>Not possible:</b> ")
    else:
        assert made.settings.rows == made.tiling.grid[0]
        assert len(made.mapping.elements) == (4 if name == "quad_cluster" else 1)
    made.settings = replace(made.settings, rows=64)
    assert (made.mapping is None) == ("Not possible" in made.status)
    made.close()


def test_more_elements_than_may_share_cannot_be_asked_for() -> None:
    conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 3, 66, 66]])
    made = explore_tiling(view, [conv], hardware.target("quad_cluster"))
    assert made.settings.elements == 4
    cycles = []
    for elements in (1, 2, 4):
        made.settings = replace(made.settings, rows=32, elements=elements)
        assert made.mapping is not None
        assert len(made.mapping.elements) == elements
        cycles.append(made.mapping.cycles)
    assert cycles == sorted(cycles, reverse=True)
    most = max(value for _, value in made._panel["budget"].options)
    assert 0 < most < 64 * 1024, "no element has more of its own"
    slow = replace(made.settings, bandwidth=1.0)
    made.settings = slow
    assert made.mapping is not None
    assert made.mapping.cycles > cycles[-1]
    made.settings = replace(slow, budget=8 * 1024)
    assert "at most 8192" in made.status
    made.close()
