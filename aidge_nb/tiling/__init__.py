"""Tiling: compute layers and chains of layers part by part, with the same bits."""

from aidge_nb.tiling.build import apply_tiling, apply_tilings
from aidge_nb.tiling.chain import between
from aidge_nb.tiling.check import check_tiling
from aidge_nb.tiling.choices import ChainChoice, TilingChoice, TilingSearch
from aidge_nb.tiling.horizontal import get_conv_horizontal_tiling
from aidge_nb.tiling.layer import LayerChoice, tile_layer
from aidge_nb.tiling.plan import HALOS, plan_tiling
from aidge_nb.tiling.ranges import Range, Region, balanced
from aidge_nb.tiling.search import tile_for, tiled_plan
from aidge_nb.tiling.tiles import Tile, TilePart, Tiling

__all__ = [
    "HALOS",
    "ChainChoice",
    "TilingChoice",
    "LayerChoice",
    "TilePart",
    "Range",
    "Region",
    "Tile",
    "Tiling",
    "TilingSearch",
    "apply_tiling",
    "apply_tilings",
    "balanced",
    "between",
    "check_tiling",
    "get_conv_horizontal_tiling",
    "plan_tiling",
    "tile_for",
    "tiled_plan",
    "tile_layer",
]
