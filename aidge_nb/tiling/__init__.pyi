# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.tiling.at_peak import tile_at_peak
from aidge_nb.tiling.build import apply_tiling
from aidge_nb.tiling.build import apply_tilings
from aidge_nb.tiling.chain import between
from aidge_nb.tiling.check import check_tiling
from aidge_nb.tiling.choices import ChainChoice
from aidge_nb.tiling.choices import TilingChoice
from aidge_nb.tiling.choices import TilingSearch
from aidge_nb.tiling.horizontal import get_conv_horizontal_tiling
from aidge_nb.tiling.layer import LayerChoice
from aidge_nb.tiling.layer import tile_layer
from aidge_nb.tiling.plan import HALOS
from aidge_nb.tiling.plan import plan_tiling
from aidge_nb.tiling.ranges import Range
from aidge_nb.tiling.ranges import Region
from aidge_nb.tiling.ranges import balanced
from aidge_nb.tiling.search import tile_for
from aidge_nb.tiling.search import tiled_plan
from aidge_nb.tiling.tiles import Tile
from aidge_nb.tiling.tiles import TilePart
from aidge_nb.tiling.tiles import Tiling

__all__ = [
    "Tile",
    "TilePart",
    "Tiling",
    "Range",
    "Region",
    "balanced",
    "HALOS",
    "plan_tiling",
    "LayerChoice",
    "tile_layer",
    "ChainChoice",
    "TilingChoice",
    "TilingSearch",
    "tile_for",
    "tiled_plan",
    "tile_at_peak",
    "between",
    "apply_tiling",
    "apply_tilings",
    "get_conv_horizontal_tiling",
    "check_tiling",
]
