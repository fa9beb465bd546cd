"""Recipes: transformations of graphs that keep what they compute."""

from aidge_nb.recipes.constant_folding import constant_folding

__all__ = ["constant_folding"]
