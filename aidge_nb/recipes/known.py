"""The table of all recipes."""

from __future__ import annotations

from aidge_nb import recipes
from aidge_nb.recipes.registry import REGISTERED, Recipe

RECIPES: dict[str, Recipe] = {}
"""All recipes by name, in the order in which simplify() tries them: that of the public names."""

_NAMES: list[str] = vars(recipes)["__all__"]
for _name in _NAMES:
    getattr(recipes, _name)  # imports its module, which registers it
RECIPES.update({name: REGISTERED[name] for name in _NAMES if name in REGISTERED})
