"""The controls of an explorer, in plain words."""

from __future__ import annotations

import math
from typing import Any

import ipywidgets

from aidge_nb.memory import MemoryPlan
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.scheduling import SchedulingPolicy
from aidge_nb.widgets.live.control_panel import ChoiceSlider
from aidge_nb.widgets.text import size_text

SEARCH = "search"
"""The planner of this library; the others are Aidge's strategies."""

MOST_AT_ONCE = 8
MOST_STRIPES = 16

POLICIES = {
    SchedulingPolicy.Default: "as operators become ready",
    SchedulingPolicy.AsSoonAsPossible: "as soon as possible",
    SchedulingPolicy.AsLateAsPossible: "as late as possible",
    SchedulingPolicy.ShortestBranchFirst: "shortest branch first",
    SchedulingPolicy.LonguestBranchFirst: "longest branch first",
    SchedulingPolicy.LowestMemoryFirst: "branch with the smallest result first",
    SchedulingPolicy.ReduceForkMemory: "branch that frees memory first",
    SchedulingPolicy.MinimumMemory: "least memory",
}
"""One sentence for each policy."""

STRATEGIES = {
    OptimizeStrategy.None_: "Aidge: in order of use",
    OptimizeStrategy.OptimizeMaxLifetimeMinSizeFirst: "Aidge: longest-lived, then smallest first",
    OptimizeStrategy.OptimizeMaxLifetimeMaxSizeFirst: "Aidge: longest-lived, then largest first",
    OptimizeStrategy.OptimizeMaxHoleMaxLifetimeFirst: "Aidge: largest hole first",
}
"""What each of Aidge's strategies does."""

_FEWEST = 12
"""Budgets to choose from, at least, where bytes are enough for as many."""

_WIDE = {"description_width": "initial"}
_CALM = {"continuous_update": False, "style": _WIDE}


def budgets(plan: MemoryPlan) -> list[tuple[str, int]]:
    """Return budgets that make sense for a plan, with their labels: from a quarter of its peak on.

    Its peak and its lower bound are among them.

    Examples
    --------
    >>> [label for label, _ in budgets(MemoryPlan((), (), 0, 0))]
    ['none']
    >>> [label for label, _ in budgets(MemoryPlan((), (), 4096, 3000))]
    ... # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    ['none', '1 KiB', '1.25 KiB', ..., '2.93 KiB: lower bound', ..., '4 KiB: peak']
    """
    peak, bound = plan.peak, plan.lower_bound
    named = {0: "none"}
    if peak > 0:
        unit = 2 ** max(0, math.floor(math.log2(peak / _FEWEST)))
        named |= {size: size_text(size) for size in range(unit, peak, unit) if 4 * size >= peak}
        named |= {bound: f"{size_text(bound)}: lower bound"} if 0 < bound < peak else {}
        named[peak] = f"{size_text(peak)}: peak"
    return [(named[size], size) for size in sorted(named)]


def make_controls(plan: MemoryPlan) -> dict[str, Any]:
    """Make the controls, by the name of the setting each is for.

    Parameters
    ----------
    plan
        The plan at first: its peak and lower bound say what budgets make sense.
    """
    policies = [(POLICIES[policy], policy.name) for policy in SchedulingPolicy]
    strategies = [("search for the lowest peak", SEARCH)]
    strategies += [(STRATEGIES[each], each.name) for each in OptimizeStrategy]
    widths = [("any number", 0), *((str(width), width) for width in range(1, MOST_AT_ONCE + 1))]
    return {
        "policy": ipywidgets.Dropdown(options=policies, description="order", style=_WIDE),
        "strategy": ipywidgets.Dropdown(options=strategies, description="memory", style=_WIDE),
        "wrapping": ipywidgets.Checkbox(False, description="buffers may wrap around", indent=False),
        "in_place": ipywidgets.Checkbox(
            True, description="results may overwrite inputs", indent=False
        ),
        "stripes": ipywidgets.IntSlider(1, 1, MOST_STRIPES, description="stripes", **_CALM),
        "budget": ChoiceSlider(options=budgets(plan), description="memory budget", **_CALM),
        "width": ipywidgets.SelectionSlider(options=widths, description="run at once", **_CALM),
    }
