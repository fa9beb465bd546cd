"""Say what a choice of moves leads to, in a sentence and in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aidge_nb.course.fit.moves import STRIPES
from aidge_nb.course.fit.states import shown_name

if TYPE_CHECKING:
    from aidge_nb.course.fit.states import FitState

VARIANT = {"": "", "image": "The image counts: ", "int8": "Numbers of one byte: "}
ROWS = 8  # of the result of a stripe: those of `both`


def _listed(parts: dict[str, int], most: int = 4) -> str:
    large = sorted(parts.items(), key=lambda part: -part[1])
    words = [f"{name} {size:,}" for name, size in large[:most]]
    rest = sum(size for _, size in large[most:])
    return ", ".join([*words, f"others {rest:,}"] if rest else words)


def sentence(state: FitState) -> str:
    """Return the sentence that explains a state: what meets at the peak, and why."""
    setting = state.setting
    return _of_stripes(state) if setting.stripes > 1 else _of_order(state)


def _of_order(state: FitState) -> str:
    setting, order = state.setting, state.setting.order
    meet = f"{_listed(state.alive)} meet at tick {state.tick}."
    wide_first = order.index("wide") < order.index("half")
    half_done = order.index("pool_half") < order.index("wide")
    if setting.rows and not setting.in_place:
        return f"{meet} A result that may not overwrite cannot follow its input: no gain by rows."
    if setting.rows and wide_first:
        return f"{meet} half still has to read relu: wide cannot write over it."
    if setting.rows:
        follows = "wide follows relu through memory: nobody else reads relu any more."
        return f"{meet} {follows}" + ("" if half_done else " But half waits for its pooling.")
    if setting.in_place:
        if half_done:
            return f"{meet} half is pooled before wide begins."
        done = order.index("pool_wide") < order.index("half")
        waits = "wide is pooled before half begins." if done else "Both branches are open at once."
        return f"{meet} {waits}"
    return f"{meet} Each result lies in a place of its own."


def _of_stripes(state: FitState) -> str:
    setting, count = state.setting, state.setting.stripes
    parts = []
    largest = -(-ROWS // count)
    fewer = [each for each in STRIPES[1:] if each < count and -(-ROWS // each) == largest]
    if ROWS % count and fewer:
        parts.append(
            f"{ROWS} rows do not divide by {count}: the largest stripe has {largest} rows of the "
            f"result, as with {fewer[0]}."
        )
    if setting.halo == "cache":
        parts.append("No MAC twice: the rows of the halo are kept.")
    else:
        parts.append(
            f"{count - 1} border{'s' * (count > 2)}, and at each, rows of stem and relu again: "
            f"{state.share:.2%} more MACs."
        )
    if not setting.in_place:
        parts.append("Nothing is overwritten: relu lies beside stem in each stripe.")
    if state.arena == state.plan.peak:
        parts.append("The C program takes as much.")
    elif setting.rows and state.arena is not None:
        aside = state.arena - state.plan.peak
        parts.append(f"The C program holds a row of a result aside: {aside:,} bytes more.")
    return " ".join(parts)


def description(state: FitState) -> str:
    """Return a state in full: the choice, the peak, and what is alive then."""
    setting = state.setting
    order = (
        f"{setting.stripes} stripes, halos {'kept' if setting.halo == 'cache' else 'recomputed'}"
        if setting.stripes > 1
        else f"order {', '.join(setting.order)}"
    )
    place = "in place" if setting.in_place else "nothing in place"
    rows = ", row by row" if setting.rows else ""
    arena = "" if state.arena is None else f" The C program's arena: {state.arena:,} bytes."
    return (
        f"{VARIANT[setting.variant]}{order}; {place}{rows}. Peak {state.plan.peak:,} bytes at "
        f"tick {state.tick} of {len(state.plan.order)}, while {state.plan.order[state.tick]} runs. "
        f"Alive then: {_listed(state.alive, most=20)}.{arena} {state.share:.2%} more MACs."
    )


def as_wire(state: FitState) -> dict[str, Any]:
    """Return a state as JSON for the front-end."""
    return {
        "peak": state.plan.peak,
        "arena": state.arena,
        "share": state.share,
        "tick": state.tick,
        "order": list(state.plan.order),
        "blocks": [
            [shown_name(buffer.name), buffer.lower, buffer.upper, buffer.offset, buffer.size]
            for buffer in state.plan.buffers
            if buffer.view_of is None and not buffer.levels
        ],
        "says": sentence(state),
        "text": description(state),
    }
