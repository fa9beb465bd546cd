"""Say how often a schedule turns, how its steps add up, and what sets its pace."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aidge_nb.widgets.scene.findings import Card
from aidge_nb.widgets.scene.parts import Frame, Timeline
from aidge_nb.widgets.still.svg.folding import equation, every_text, main_frames


def loop_cards(timeline: Timeline) -> Iterator[Card]:
    """Yield the card of the loop with the most steps; none where nothing is folded."""
    outer = [timeline.frames[at] for at in main_frames(timeline.frames, -1)]
    if not outer:
        return
    frame = max(outer, key=lambda each: each.count * each.period)
    ends = _pace(timeline, frame)
    text = ""
    if ends:
        path = " → … → ".join(f"{{{number}}}" for number in range(len(ends)))
        text = f"Bound by {path}, without slack."
    total = f"{equation(timeline.frames, -1, timeline.steps)} steps"
    yield Card("loop", "LOOP", "dim", every_text(frame), total, text, ends)


def _pace(timeline: Timeline, frame: Frame) -> tuple[str, ...]:
    """Return the operators that run first and last of those in a loop that have no slack."""
    nest, loop = timeline.nest, timeline.nest.loops[frame.loop]
    own = slice(loop.start, loop.stop)
    hidden = np.array([timeline.rows[row].producer for row in nest.row[own].tolist()], bool)
    critical = np.flatnonzero((nest.early[own] == nest.late[own]) & ~hidden)
    if not critical.size:
        return ()
    early = (nest.early[own][critical] - frame.start) % frame.period
    rows = nest.row[own][critical]
    ends = (rows[int(early.argmin())], rows[int(early.argmax())])
    return tuple(dict.fromkeys(timeline.rows[int(row)].name for row in ends))
