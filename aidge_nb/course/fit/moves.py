"""Moves of "Fit it in 16 KB": what the learner may choose, and the levels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations, product

from aidge_nb.tiling import HALOS

BEFORE = ("stem", "relu")
BRANCHES = (("half", "pool_half"), ("wide", "relu_wide", "pool_wide"))
BEHIND = ("both", "mean", "flatten", "fc")
SCHEDULED = ("half", "wide", "pool_half", "relu_wide", "pool_wide")
"""The order in which the static schedule runs both branches."""

STRIPES = (1, 2, 3, 4, 5, 6, 8)
VARIANTS = ("", "image", "int8")
"""The network as it is, with the image in the same memory, and with numbers of one byte."""

ANY = "-"
"""In keys: what makes no difference."""


@dataclass(frozen=True, slots=True)
class FitSetting:
    """One choice of all moves.

    Attributes
    ----------
    order
        The five operators of both branches, in the order in which they run; in stripes, each
        stripe runs in the order of the graph.
    in_place
        Whether a result may overwrite an input.
    rows
        Whether a result may follow its input row by row.
    stripes
        How many stripes stem … both are cut into; 1 for none.
    halo
        ``"recompute"`` or ``"cache"``.
    variant
        Of the network: one of :data:`VARIANTS`.
    """

    order: tuple[str, ...] = SCHEDULED
    in_place: bool = False
    rows: bool = False
    stripes: int = 1
    halo: str = "recompute"
    variant: str = ""

    @property
    def key(self) -> str:
        """Text by which the state of this choice is found."""
        order, halo = (ANY, self.halo) if self.stripes > 1 else (" ".join(self.order), ANY)
        key = f"{order}|{int(self.in_place)}|{int(self.rows)}|{self.stripes}|{halo}"
        return f"{key}|{self.variant}" if self.variant else key


def setting_of(key: str) -> FitSetting:
    """Return the choice that a key stands for.

    Raises
    ------
    ValueError
        For a key of no choice.

    Examples
    --------
    >>> setting_of("-|1|0|4|cache").stripes
    4
    """
    parts = key.split("|")
    if len(parts) in (5, 6) and parts[1] in "01" and parts[2] in "01" and parts[3].isdecimal():
        order = SCHEDULED if parts[0] == ANY else tuple(parts[0].split())
        halo, variant = HALOS[0] if parts[4] == ANY else parts[4], "".join(parts[5:])
        in_place, rows = parts[1] == "1", parts[2] == "1"
        found = FitSetting(order, in_place, rows, int(parts[3]), halo, variant)
        is_known = found.stripes in STRIPES and halo in HALOS and variant in VARIANTS
        if order in orders() and is_known and found.key == key:
            return found
    raise ValueError(f"{key!r} is no choice of moves")


def orders() -> list[tuple[str, ...]]:
    """Return all orders of the two branches in which each operator stands behind its input."""
    return [
        order
        for order in permutations(SCHEDULED)
        if all(
            order.index(one) < order.index(other)
            for branch in BRANCHES
            for one, other in pairwise(branch)
        )
    ]


def settings() -> Iterator[FitSetting]:
    """Yield every choice that some level allows and that differs from the others."""
    for level in {level.variant: level for level in LEVELS}.values():
        allowed, variant = level.moves, level.variant
        for in_place, rows in product((False, True), (False, True)[: 1 + ("rows" in allowed)]):
            for order in orders() if "order" in allowed else orders()[:1]:
                yield FitSetting(order, in_place, rows, variant=variant)
            for stripes, halo in product(STRIPES[1:], HALOS) if "stripes" in allowed else ():
                yield FitSetting(SCHEDULED, in_place, rows, stripes, halo, variant)


@dataclass(frozen=True, slots=True)
class FitLevel:
    """A level.

    Attributes
    ----------
    name
        As it is shown.
    budget
        Bytes for activations.
    moves
        Names of the moves that it allows.
    is_program
        Whether the exported program must fit, and not the plan alone.
    says
        The level in a sentence.
    variant
        Of the network: one of :data:`VARIANTS`.
    """

    name: str
    budget: int
    moves: tuple[str, ...]
    is_program: bool
    says: str
    variant: str = ""


LEVELS = (
    FitLevel(
        "Level 1",
        53_248,
        ("order", "in_place"),
        False,
        "Change the order, and what may be overwritten.",
    ),
    FitLevel(
        "Level 2",
        36_864,
        ("order", "in_place", "rows"),
        False,
        "Results may follow inputs row by row.",
    ),
    FitLevel(
        "Level 3",
        16_384,
        ("order", "in_place", "rows", "stripes", "halo"),
        True,
        "Cut the network into stripes: now the C program must fit.",
    ),
    FitLevel(
        "Level +",
        16_384,
        ("in_place", "stripes", "halo"),
        False,
        "The image has no memory of its own any more: it lies here, too.",
        "image",
    ),
    FitLevel(
        "Bonus",
        16_384,
        ("order", "in_place", "rows"),
        False,
        "Each number takes one byte instead of four (int8). How few moves does it still need?",
        "int8",
    ),
)
FEW_MACS = 0.02
"""Two stars for at most so many more MACs; three for none."""
