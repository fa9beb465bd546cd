"""Unit 6: halos, their price, and stripes under a budget."""

from __future__ import annotations

import re
from functools import cache, cached_property
from math import inf
from random import Random
from typing import TYPE_CHECKING

from aidge_nb import ops
from aidge_nb.course import graphs
from aidge_nb.course.answers.number import NumberQuestion
from aidge_nb.course.answers.rows import INPUT, RowsQuestion
from aidge_nb.course.answers.texts import TextQuestion
from aidge_nb.course.feedback import Feedback, not_understood
from aidge_nb.course.tasks.base import Drawing, Mistake
from aidge_nb.course.tiles import ChooseTiles
from aidge_nb.graph.builders import sequential
from aidge_nb.tiling import HALOS, plan_tiling

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.tiling import Tiling

_CHOICE = re.compile(r"(\d+)[\s,]+(recompute|cache)", re.IGNORECASE)


def chain_of(view: GraphView) -> list[str]:
    """Name the operators of a chain, in order."""
    return [node.name() for node in view.topological_order() if node.type() != "Producer"]


def cut(view: GraphView, count: int, halo: str = "recompute") -> Tiling:
    """Cut a whole chain into stripes of rows."""
    nodes = [view.get_node(name) for name in chain_of(view)]
    return plan_tiling(view, nodes, {2: count}, halo=halo)


def halo(seed: int) -> Drawing | None:
    """Ask for the rows that a stripe of one convolution reads."""
    random = Random(seed)
    kernel, stride = random.choice([3, 5]), random.choice([1, 2])
    rows = random.randrange(8, 17, 2)
    count = random.choice([3, 4])
    stripe = random.randrange(2, count)
    conv = ops.PaddedConv2D(
        1, 1, [kernel] * 2, "conv", [stride] * 2, padding_dims=[kernel // 2] * 4
    )
    view = sequential([conv])
    view.forward_dims([[1, 1, rows, rows]])
    if rows // stride < count:
        return None

    tiling = cut(view, count)
    own = tiling.tiles[stripe - 1].parts[0].output[2]
    read = tiling.tiles[stripe - 1].parts[0].inputs[0][1][2]
    if read.start != own.start * stride - kernel // 2:
        return None
    if read.stop - 1 != (own.stop - 1) * stride + kernel // 2 or read.stop >= rows:
        return None
    wrong = {INPUT: (read.start, read.stop)}
    asked = RowsQuestion(
        f"A {kernel}×{kernel} convolution with stride {stride} reads {rows} rows; a border of "
        f"{kernel // 2} keeps its size{' (halved by the stride)' if stride == 2 else ''}. Its "
        f"result is cut into {count} stripes; stripe {stripe} gives rows "
        f"{own.start}–{own.stop - 1}. Which rows of the input does it read?",
        view,
        tiling,
        stripe,
        hints=[
            f"Which rows does row {own.start} of the result read?",
            f"Row r of the result reads {stride}·r − {kernel // 2} … {stride}·r + {kernel // 2}.",
            f"The first row is {stride}·{own.start} − {kernel // 2}.",
        ],
        why=f"{stride}·{own.start} − {kernel // 2} to {stride}·{own.stop - 1} + {kernel // 2}.",
    )
    return Drawing(asked, (Mistake(wrong, "k − 1: one is its own.", "k rows more"),))


def chain(seed: int) -> Drawing | None:
    """Ask for the rows of each map that a stripe of a chain needs."""
    random = Random(seed)
    convs, count = random.choice([2, 3]), random.choice([3, 4])
    rows = random.choice([24, 32])
    stripe = random.randrange(2, count)
    view = graphs.stripes(rows, 1, convs)

    tiling = cut(view, count)
    parts = {part.node: part for part in tiling.tiles[stripe - 1].parts}
    last = parts[f"conv{convs - 1}"].output[2]
    read = parts["conv0"].inputs[0][1][2]
    if read.start <= 0 or read.stop >= rows:
        return None  # the border is another task
    # Each convolution reads a row more above and below than is wanted of it.
    same = (last.start - 1, last.stop)
    wrong = {INPUT: same, **dict.fromkeys((f"conv{n}" for n in range(convs - 1)), same)}
    wrong[f"conv{convs - 1}"] = (last.start, last.stop - 1)
    own = tiling.tiles[stripe - 1].parts[-1].output[2]
    names = " → ".join([INPUT, *chain_of(view)])
    asked = RowsQuestion(
        f"{names}: 3×3 convolutions with a border of 1, on {rows} rows, and a 2×2 pooling. Stripe "
        f"{stripe} of {count} gives rows {own.start}–{own.stop - 1} of pool. Which rows does it "
        "need of the others? Walk back.",
        view,
        tiling,
        stripe,
        hints=[
            "Begin at pool: which rows of the last convolution does it read?",
            "Each 3×3 convolution adds one row above and one below.",
            f"pool reads rows {last.start}–{last.stop - 1} of conv{convs - 1}.",
        ],
        why="The pooling doubles the rows; each convolution adds one above and one below.",
    )
    return Drawing(asked, (Mistake(wrong, "Walk back, adding.", "same halo"),))


def price(seed: int) -> Drawing:
    """Ask for the extra work of stripes."""
    random = Random(seed)
    convs, rows, count = random.choice([2, 3]), random.choice([16, 32]), random.choice([2, 4, 8])
    view = graphs.stripes(rows, 2, convs)
    # A stripe at the border has a halo on one side only.
    per_border = sum(2 * above for above in range(convs))
    wrong = 100 * count * per_border / (rows * convs)
    names = " → ".join(chain_of(view))
    asked = NumberQuestion(
        f"{names}: {convs} 3×3 convolutions with a border of 1 on {rows} rows, all of the same "
        f"work, and a 2×2 pooling. In {count} stripes, halos are computed again. How many MACs "
        "more is that, in percent?",
        lambda: 100 * cut(view, count).overhead,
        "%",
        within=0.001,
        near={wrong: "Outside there is padding."},
        hints=[
            "Which convolutions are computed twice, and which not?",
            (
                "Each border between two stripes costs 2 rows of the last convolution but one, 4 "
                "of that before it."
            ),
            f"There are {count - 1} borders; all rows of all convolutions are {rows * convs}.",
        ],
        why=f"{count - 1} × {per_border} of {rows * convs} rows.",
    )
    return Drawing(asked, (Mistake(wrong, "Outside there is padding.", "outer borders"),))


class WholeChain(ChooseTiles):
    """The exercise on tiles where the whole chain is cut into stripes."""

    @cached_property
    def best_overhead(self) -> float:
        """Extra MACs of the best stripes that fit; infinite where none do."""
        last = self.view.get_node(chain_of(self.view)[-1])
        rows = int(last.get_operator().get_output(0).dims[2])
        # Small tiles come first: where they fit, larger ones need not be planned.
        cuts = [cut(self.view, count, halo) for count in range(rows, 1, -1) for halo in HALOS]
        cuts.sort(key=lambda tiling: tiling.overhead)
        fitting = (tiling.overhead for tiling in cuts if self._peak(tiling) <= self.memory)
        return next(fitting, inf)

    def _overhead(self, tiling: Tiling) -> float:
        return tiling.overhead


@cache
def tiles_for(rows: int, channels: int, convs: int, memory: int) -> WholeChain:
    """Return the exercise for a budget; its search is done once."""
    return WholeChain(graphs.stripes(rows, channels, convs), memory)


def fit_it(seed: int) -> Drawing | None:
    """Ask for stripes and halos under a budget."""
    random = Random(seed)
    rows, channels, convs = 16, random.randint(1, 8), 2
    share = random.choice([0.75, 0.8, 0.875, 0.95, 1, 1.05, 1.125])
    memory = 64 * round(rows * rows * channels * 4 * share / 64)
    exercise = tiles_for(rows, channels, convs, memory)
    names = chain_of(exercise.view)

    @cache
    def judge(text: str) -> Feedback:
        found = _CHOICE.fullmatch(text)
        if found is None:
            return not_understood("stripes and halo, as in '2 recompute' or '2 cache'")
        return exercise.check_stripes(names, (int(found[1]), found[2].lower()))

    if exercise.best_overhead == inf:
        return None
    choices = [f"{count} {halo}" for halo in ("cache", "recompute") for count in (8, 4, 2)]
    wrong = judge("8 recompute")
    if wrong.correct or not wrong.hint.startswith("It fits"):
        return None
    solved = next((text for text in choices if judge(text).correct), "")
    if not solved:
        return None
    extra = cut(exercise.view, 8).overhead
    asked = TextQuestion(
        f"{' → '.join(names)}: {convs} 3×3 convolutions with a border of 1 on {rows}×{rows} points "
        f"and {channels} channels of 4 bytes, and a 2×2 pooling. There are {memory:,} bytes for "
        "activations. Into how many stripes do you cut the chain, and do you recompute or cache "
        "the halos? As few MACs as possible.",
        judge,
        lambda: solved,
        "2 recompute",
        label="stripes and halo",
        hints=[
            "Which of the two halos costs no MACs?",
            "Cut until it fits, and no further; kept rows lie in memory, too.",
            f"2 stripes cached: {judge('2 cache').text}",
        ],
        why=f"The least known is {exercise.best_overhead:.1%} more MACs.",
    )
    says = f"It fits; {extra:.1%} is dear: {exercise.best_overhead:.1%} is possible."
    return Drawing(asked, (Mistake("8 recompute", says, "too many stripes"),))
