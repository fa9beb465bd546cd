"""Unit 7: cycles, what binds, who does what, and two memories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any

from aidge_nb import ops
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.course.answers.choice import PickQuestion
from aidge_nb.course.answers.number import NumberQuestion
from aidge_nb.course.feedback import Feedback
from aidge_nb.course.tasks.base import Drawing, Mistake
from aidge_nb.course.tasks.layouts import Blocks, blocks_text
from aidge_nb.graph.builders import get_connected_graph_view, sequential
from aidge_nb.hardware import Element, Link, Target, as_target, map_schedule, roofline
from aidge_nb.memory import plan
from aidge_nb.tiling import plan_tiling

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.hardware import Mapping as HardwareMapping
    from aidge_nb.hardware import MappingState

CLOCK = 1e8  # hertz
CLOSE = 1.05
"""An assignment that ends so much later than the best counts as solved."""


def _conv(random: Random) -> tuple[GraphView, str]:
    channels, size = random.choice([4, 8, 16]), random.choice([8, 16, 32])
    conv = ops.PaddedConv2D(channels, channels, [3, 3], "conv", padding_dims=[1] * 4)
    view = sequential([conv])
    view.forward_dims([[1, channels, size, size]])
    said = f"A 3×3 convolution from {channels} to {channels} channels on {size}×{size} points"
    return view, said


def macs_of(view: GraphView) -> int:
    """Count the multiply-accumulates of one operator."""
    return plan_tiling(view, view.get_node("conv"), {2: 1}).macs


def ideal_cycles(seed: int) -> Drawing:
    """Ask for the least cycles of a convolution on several cores."""
    random = Random(seed)
    view, said = _conv(random)
    rate, cores = random.choice([1, 2, 4, 8]), random.choice([2, 3, 4, 6])
    macs = macs_of(view)
    per_point = macs // view.get_node("conv").get_operator().get_output(0).size
    asked = NumberQuestion(
        f"{said}, a border of 1. {cores} cores do {rate} MAC{'s' * (rate > 1)} a cycle each. How "
        "many cycles does it take at least?",
        lambda: Element("core", rate, CLOCK).cycles("Conv2D", macs, 0) / cores,
        "cycles",
        near={macs / rate: "They share the MACs."},
        within=1e-6,
        hints=[
            "How many MACs does one number of the result take?",
            (
                f"It takes {per_point}; multiply by the numbers of the result, and divide by what "
                "all cores do in a cycle."
            ),
            f"There are {macs:,} MACs, and the cores do {cores} · {rate} a cycle.",
        ],
        why=f"{macs:,} ÷ ({cores} · {rate}).",
    )
    return Drawing(asked, (Mistake(macs / rate, "They share the MACs.", "one core"),))


def bound_by(seed: int) -> Drawing | None:
    """Ask from how many elements the bus binds."""
    random = Random(seed)
    rate, width = random.choice([4, 8, 16]), random.choice([2, 4, 8, 16])
    macs = random.randrange(20, 400) * 1000
    moved = round(macs / random.choice([2.5, 3.5, 4.5, 6.05, 7.5, 9.5, 12.5]))
    most = 16

    def right() -> int:
        bus = Link(("ram", "cores"), width, bus="bus")
        return next(
            (
                count
                for count in range(1, most + 1)
                if roofline(
                    macs, moved, [Element(f"e{n}", rate, CLOCK) for n in range(count)], [bus]
                ).bound
                != "compute"
            ),
            0,
        )

    found, intensity = right(), macs / moved
    wrong = int(intensity) + 1
    if found < 2 or wrong == found:
        return None
    says = (
        f"Bytes of the layer, beats of the machine: {intensity:.2f} MACs a byte is the layer's; "
        "how many MACs do so many elements do while one byte passes?"
    )
    asked = NumberQuestion(
        f"A layer does {macs:,} MACs and moves {moved:,} bytes. Each element does {rate} MACs a "
        f"cycle; one bus moves {width} bytes a cycle for all. From how many elements on does the "
        "bus bind?",
        right,
        "elements",
        near={wrong: says},
        hints=[
            "Two numbers are compared: MACs a byte of the layer, and of the machine.",
            f"While one byte passes, n elements do n · {rate} ÷ {width} MACs.",
            f"The layer does {intensity:.2f} MACs for each byte: which n does more?",
        ],
        why=f"{found} · {rate} ÷ {width} = {found * rate / width:g} > {intensity:.2f}.",
    )
    return Drawing(asked, (Mistake(wrong, says, "intensity for balance"),))


# --- who does what ------------------------------------------------------------------------------


def pair(fast: int, slow: int) -> Target:
    """Make a target of two elements with wide links: only computing takes time."""
    elements = {"fast": fast, "slow": slow}
    links = [
        {"between": ends, "bytes_per_cycle": 256}
        for name in elements
        for ends in (["ram", f"{name}/tcm"], [f"{name}/pe", f"{name}/tcm"])
    ]
    devices = {
        name: {
            "pe": {"macs_per_cycle": rate, "frequency": "100MHz"},
            "memories": {"tcm": {"size": "256KiB", "kind": "ram"}},
        }
        for name, rate in elements.items()
    }
    memories = {"ram": {"size": "1MiB", "kind": "ram"}}
    values = {"device": "pair", "memories": memories, "devices": devices, "links": links}
    return as_target(values, "pair")


class Works:
    """Works without edges between them, to be spread over a fast and a slow element.

    Parameters
    ----------
    channels
        Channels of each work, from which its MACs follow.
    fast, slow
        MACs a cycle of the elements.
    """

    def __init__(self, channels: tuple[int, ...], fast: int, slow: int) -> None:
        start = ops.Identity(name="start")
        self.names = [f"work_{number + 1}" for number in range(len(channels))]
        self.macs = {}
        for name, count in zip(self.names, channels, strict=True):
            start.add_child(ops.Conv2D(8, count, [1, 1], name=name, no_bias=True))
            self.macs[name] = 16 * 16 * 8 * count
        self.view = get_connected_graph_view(start)
        self.view.forward_dims([[1, 8, 16, 16]])
        self.rates = (fast, slow)
        self.target = pair(fast, slow)
        self._cycles: dict[frozenset[str], float] = {}

    def ideal(self, on_fast: Collection[str]) -> float:
        """Return the cycles of computing alone."""
        on_slow = [name for name in self.names if name not in on_fast]
        sums = [sum(self.macs[name] for name in part) for part in (on_fast, on_slow)]
        return max(total / rate for total, rate in zip(sums, self.rates, strict=True))

    def map(self, on_fast: Collection[str]) -> HardwareMapping:
        """Map the works, some to the fast element, the others to the slow one."""
        return map_schedule(self.view, self.target, scheduler=_placed(on_fast))

    def cycles(self, on_fast: Iterable[str]) -> float:
        """Return the end of an assignment as mapped by the library."""
        key = frozenset(on_fast)
        if key not in self._cycles:
            self._cycles[key] = self.map(key).cycles
        return self._cycles[key]

    def best(self) -> list[str]:
        """Return the works on the fast element in the assignment that ends first."""
        promising = sorted(_subsets(self.names), key=self.ideal)[:3]
        return list(min(promising, key=self.cycles))


def _subsets(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield all subsets of some names, the small ones first."""
    known = list(names)
    return (part for count in range(len(known) + 1) for part in combinations(known, count))


def _placed(on_fast: Collection[str]) -> Callable[[MappingState], None]:
    def scheduler(state: MappingState) -> None:
        for task in state.tasks:
            wanted = "fast/pe" if task.name in on_fast else "slow/pe"
            option = next(
                each
                for each in state.options(task)
                if [station.element.path for station in each.stations] == [wanted]
            )
            state.place(task, option)

    return scheduler


class AssignmentQuestion(PickQuestion):
    """Ask which works go to the fast element; judged by the end of the mapping."""

    def __init__(self, text: str, works: Works, **options: Any) -> None:
        super().__init__(text, works.names, works.best, **options)
        self.works = works

    def _judged(self, given: Collection[str]) -> Feedback:
        end, best = self.works.cycles(given), self.works.cycles(self.works.best())
        text = f"All has run after {end:,.0f} cycles"
        if end <= best * CLOSE:
            return Feedback(True, f"{text}; {best:,.0f} is the best known.")
        hint = f"{best:,.0f} are possible. Which element is idle at the end?"
        return Feedback(False, f"{text}.", hint, best / end, idea="unbalanced")


@cache
def works_of(channels: tuple[int, ...], fast: int, slow: int) -> Works:
    """Return works; they are mapped once."""
    return Works(channels, fast, slow)


def who_does_what(seed: int) -> Drawing | None:
    """Ask which works go to the fast element."""
    random = Random(seed)
    count = random.randint(3, 5)
    channels = tuple(8 * random.randint(1, 8) for _ in range(count))
    works = works_of(channels, *random.choice([(8, 2), (8, 4), (4, 2), (6, 4)]))
    if works.ideal(works.names) < 1.15 * min(
        works.ideal(part) for part in combinations(works.names, count - 1)
    ):
        return None
    mapping = works.map(works.names)
    if mapping.cycles <= CLOSE * works.cycles(works.best()):
        return None
    says = f"The other is idle for {mapping.cycles:,.0f} cycles."
    fast, slow = works.rates
    listed = ", ".join(f"{name} {macs:,}" for name, macs in works.macs.items())
    asked = AssignmentQuestion(
        f"These works do not wait for each other; their MACs are {listed}. Element fast does "
        f"{fast} MACs a cycle, element slow {slow}. Which works do you give to fast, so that all "
        f"ends early? Up to {CLOSE - 1:.0%} above the best is right.",
        works,
        hints=[
            "Both elements should end at about the same time.",
            (
                f"fast can do {fast / (fast + slow):.0%} of all MACs in the time in which slow "
                "does the rest."
            ),
            (
                f"All MACs are {sum(works.macs.values()):,}; fast should get about "
                f"{sum(works.macs.values()) * fast / (fast + slow):,.0f}."
            ),
        ],
        why="The element that ends last decides.",
    )
    return Drawing(asked, (Mistake(list(works.names), says, "all on fast"),))


# --- two memories -------------------------------------------------------------------------------


class FastMemoryQuestion(PickQuestion):
    """Ask which buffers lie in a small fast memory; judged by the bytes that are read there."""

    def __init__(
        self, text: str, blocks: Blocks, reads: Mapping[str, int], room: int, **options: Any
    ) -> None:
        super().__init__(text, blocks, self.most, **options)
        self.blocks, self.reads, self.room = blocks, dict(reads), room

    def gain(self, names: Iterable[str]) -> int:
        """Return the bytes that are read from the fast memory."""
        return sum(self.blocks[name][2] * self.reads[name] for name in names)

    def fits(self, names: Collection[str]) -> bool:
        """Return whether buffers fit into the fast memory."""
        try:
            return not names or bool(plan({each: self.blocks[each] for each in names}, self.room))
        except MemoryPlanError:
            return False

    def most(self) -> list[str]:
        """Return the buffers that fit and from which most is read."""
        by_gain = sorted(_subsets(self.blocks), key=self.gain, reverse=True)
        return list(next(part for part in by_gain if self.fits(part)))

    def _judged(self, given: Collection[str]) -> Feedback:
        names = [name for name in self.blocks if name in given]
        if not self.fits(names):
            text = f"{', '.join(names)} do not fit into {self.room} bytes."
            return Feedback(False, text, "Which of them meet at one tick?", 0.0, idea="too large")
        gain, most = self.gain(names), self.gain(self.most())
        text = f"{gain:,} bytes are read from the fast memory"
        if gain == most:
            return Feedback(True, f"{text}; more is not possible.")
        return Feedback(False, f"{text}.", f"{most:,} are possible.", gain / most, idea="reads")


def two_memories(seed: int) -> Drawing | None:
    """Ask which buffers lie in the fast memory."""
    random = Random(seed)
    blocks: Blocks = {}
    for name in "abcdef":
        lower = random.randrange(5)
        blocks[name] = (lower, lower + random.randint(1, 3), 64 * random.randint(1, 8))
    reads = {name: random.randint(1, 6) for name in blocks}
    room = 64 * random.randint(6, 10)
    shown = "; ".join(
        f"{each}, {reads[each[0]]} read{'s' * (reads[each[0]] > 1)}"
        for each in blocks_text(blocks).split("; ")
    )
    asked = FastMemoryQuestion(
        f"{shown}. Each read reads the whole buffer. The fast memory has {room} bytes; what does "
        "not lie there lies in the slow one. Which buffers lie in the fast memory, so that most "
        "bytes are read there?",
        blocks,
        reads,
        room,
        hints=[
            "Buffers that do not meet at a tick can share bytes.",
            "A byte of the fast memory pays by the reads of what lies there: reads per byte.",
            f"Most reads per byte: {max(reads, key=lambda name: reads[name])}.",
        ],
        why="Where two buffers meet and do not fit, the one with more reads per byte stays.",
    )
    greedy: list[str] = []
    for name in sorted(blocks, key=lambda name: -blocks[name][2]):
        if asked.fits([*greedy, name]):
            greedy.append(name)
    if asked.gain(greedy) >= asked.gain(asked.most()):
        return None
    return Drawing(asked, (Mistake(greedy, "Reads per byte decide.", "largest first"),))
