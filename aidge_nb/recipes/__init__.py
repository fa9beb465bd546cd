"""Recipes: transformations of graphs that keep what they compute, and first values."""

from aidge_nb.recipes.constant_folding import constant_folding
from aidge_nb.recipes.fillers import (
    VarianceNorm,
    constant_filler,
    he_filler,
    init_weights,
    normal_filler,
    uniform_filler,
    xavier_normal_filler,
    xavier_uniform_filler,
)

__all__ = [
    "VarianceNorm",
    "constant_filler",
    "constant_folding",
    "he_filler",
    "init_weights",
    "normal_filler",
    "uniform_filler",
    "xavier_normal_filler",
    "xavier_uniform_filler",
]
