"""Tiling: compute layers and chains of layers part by part, with the same bits."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # Tilings, as values
        "tiles": "Tile TilePart Tiling",
        "ranges": "Range Region balanced",
        # Choosing one
        "plan": "HALOS plan_tiling",
        "layer": "LayerChoice tile_layer",
        "choices": "ChainChoice TilingChoice TilingSearch",
        "search": "tile_for tiled_plan",
        "at_peak": "tile_at_peak",
        "chain": "between",
        # Changing graphs
        "build": "apply_tiling apply_tilings",
        "horizontal": "get_conv_horizontal_tiling",
        # The checker
        "check": "check_tiling",
    },
)
