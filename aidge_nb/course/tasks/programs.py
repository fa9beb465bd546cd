"""Unit 8: addresses, bits, faults and kernels of exported programs."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb import ops
from aidge_nb.course.answers.choice import ChoiceQuestion
from aidge_nb.course.answers.number import NumberQuestion
from aidge_nb.course.answers.texts import TextQuestion
from aidge_nb.course.answers.values import ValuesQuestion
from aidge_nb.course.feedback import Feedback
from aidge_nb.course.graphs import chained, five_layers
from aidge_nb.course.tasks.base import Drawing, Mistake, chains_text
from aidge_nb.course.tasks.expression import ExpressionError, evaluate
from aidge_nb.graph.builders import get_connected_graph_view, sequential
from aidge_nb.memory import plan_memory
from aidge_nb.runtime import run_in_arena
from aidge_nb.scheduling import static_schedule
from aidge_nb.scheduling.executor import Observer

if TYPE_CHECKING:
    from typing import Any

    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import MemoryPlan
    from aidge_nb.scheduling.executor import Access

FLOATS = np.float32


def address(seed: int) -> Drawing:
    """Ask for the address of a buffer in the exported program."""
    random = Random(seed)
    channels, size, pool = random.choice([2, 4, 6, 8]), random.choice([8, 10, 14]), 2
    view = five_layers(channels, size, pool)

    def right() -> int:
        from aidge_nb.export import plan_export

        buffers = plan_export(view, name="net").buffers
        return next(buffer.offset for buffer in buffers if buffer.node == "pool")

    plan = plan_memory(view)
    sizes = {buffer.name: buffer.size for buffer in plan.buffers}
    listed = ", ".join(f"{name} {count:,}" for name, count in sizes.items())
    wrong = sizes["conv"] + sizes["relu"]
    says = "relu lies on conv: its bytes are counted once."
    asked = NumberQuestion(
        f"conv → relu → pool → flatten → fc. Results take, in bytes: {listed}. The exported "
        "program has one arena, from byte 0, and conv lies at its beginning. Which address is "
        "AT_POOL, in bytes?",
        right,
        "bytes",
        near={wrong: says},
        hints=[
            "Who is alive while pool runs?",
            "relu may write over conv: both begin at byte 0. pool may not write over relu.",
            f"Bytes 0–{sizes['relu'] - 1} belong to relu while pool runs.",
        ],
        why="pool is the first result that needs bytes of its own, behind relu.",
    )
    return Drawing(asked, (Mistake(wrong, says, "sum of sizes"),))


def which_bits(seed: int) -> Drawing | None:
    """Ask for the sums of three floats in three orders."""
    random = Random(seed)
    large = random.choice([1e8, 2e8, 5e8, 1e9]) * random.choice([1, -1])
    small = float(random.randint(1, 7))
    numbers = {"a": large, "b": small, "c": -large + random.choice([0.0, 0.0, 64.0])}
    a, b, c = (FLOATS(value) for value in numbers.values())

    def right() -> dict[str, float]:
        return {
            "(a + b) + c": float(FLOATS(a + b) + c),
            "a + (b + c)": float(a + FLOATS(b + c)),
            "(a + c) + b": float(FLOATS(a + c) + b),
        }

    exact = sum(numbers.values())
    wrong = dict.fromkeys(right(), exact)
    gap = float(np.spacing(abs(a)))
    if right() == wrong or small * 2 == gap:
        return None
    listed = ", ".join(f"{name} = {value:,.0f}" for name, value in numbers.items())
    says = f"Next to {abs(large):.0e} floats are {gap:.0f} apart."
    asked = ValuesQuestion(
        f"{listed}, as 32-bit floats. What are {', '.join(right())}?",
        right,
        hints=[
            "How far apart are two floats of this size?",
            (
                f"A float has 24 bits: next to {abs(large):.0e} they are {gap:.0f} apart, and each "
                "sum is rounded to the nearest one."
            ),
            f"a + c is exact: {float(FLOATS(a + c)):,.0f}. Then b is added.",
        ],
        why=f"{says} What is added to a or c first is rounded to a multiple of {gap:.0f}.",
    )
    return Drawing(asked, (Mistake(wrong, says, "exact"),))


# --- faults -------------------------------------------------------------------------------------


class _LayerBits(Observer):
    """Keep what each layer writes."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def writes(self, access: Access) -> None:
        """Copy the value."""
        if access.value is not None:
            self.values[access.node.name()] = np.array(access.value)


def first_wrong(view: GraphView, plan: MemoryPlan, moved: MemoryPlan) -> str:
    """Return the first layer that writes other bits with the moved plan; empty for none."""
    count = plan.buffers[0].size // FLOATS(0).itemsize
    image = np.random.default_rng(0).uniform(0.5, 2.0, (1, count)).astype(FLOATS)
    good, bad = _LayerBits(), _LayerBits()
    run_in_arena(view, plan, [image], observers=[good])
    run_in_arena(view, moved, [image], observers=[bad])
    return next(
        (
            name
            for name, value in good.values.items()
            if value.tobytes() != bad.values[name].tobytes()
        ),
        "",
    )


def find_fault(seed: int) -> Drawing | None:
    """Ask which layer is named first when one address is wrong."""
    random = Random(seed)
    length = random.randint(5, 7)
    kinds = random.choices([ops.Tanh, ops.Sqrt, ops.Exp, ops.Sigmoid], k=length)
    chain = [kind(name=name) for kind, name in zip(kinds, "abcdefg", strict=False)]
    join, place = ops.Add(name="join"), random.randint(3, length - 1)
    chained(chain[:place]).add_child(join, 0, 0)
    chain[random.randrange(0, place - 2)].add_child(join, 0, 1)
    chained([join, *chain[place:]])
    view = get_connected_graph_view(chain[0])
    view.set_backend("cpu")
    view.forward_dims([[1, random.choice([8, 16, 32])]])
    order = list(static_schedule(view).order)
    plan = plan_memory(view, in_place=False)
    moving = random.choice(order[1:-1])
    target = random.choice([buffer.offset for buffer in plan.buffers])
    moved = replace(
        plan,
        buffers=tuple(
            replace(buffer, offset=target) if buffer.name == moving else buffer
            for buffer in plan.buffers
        ),
    )
    of = {buffer.name: buffer for buffer in plan.buffers}
    if of[moving].offset == target:
        return None
    reads = {parent.name() for parent in view.get_node(moving).get_parents() if parent}
    if any(of[name].offset == target for name in reads):
        return None  # a kernel may read an input after it wrote there: C could differ

    def right() -> str:
        return first_wrong(view, plan, moved)

    found, last = right(), order[-1]
    if found in ("", last):
        return None
    options = {
        name: "All layers are compared; the first that differs is named."
        if name == last
        else f"{name}: does it read bytes that were written over?"
        for name in order
    }
    places = ", ".join(f"{name} {buffer.offset}" for name, buffer in of.items())
    asked = ChoiceQuestion(
        f"{chains_text(view)}. The order is {' '.join(order)}; each result takes "
        f"{of[moving].size} bytes, nothing in place, at {places}. In the program, {moving} now "
        f"lies at {target}: it is written and read there. The tests compare what each layer "
        "writes. Which layer is named first?",
        options,
        right,
        hints=[
            f"Who else lies at {target}, and until when?",
            (
                f"{moving} itself is written as before. Who reads bytes later that it wrote "
                "over, or that were written over it?"
            ),
            "Walk along the order: the first that reads such bytes writes other bits.",
        ],
        why="The first layer that reads overwritten bytes is the first that writes others.",
    )
    return Drawing(asked, (Mistake(last, options[last], "last layer"),))


# --- kernels ------------------------------------------------------------------------------------


def own_kernel(seed: int) -> Drawing:
    """Ask for the C expression of an operator like ReLU, with equal bits."""
    random = Random(seed)
    limit = random.choice([1, 2, 3, 4, 6, 8, 20])
    is_clipped = random.random() < 0.7
    node = ops.Clip("act", 0.0, float(limit)) if is_clipped else ops.ReLU("act")
    steps = FLOATS(random.choice([0.25, 0.5, 0.125]))
    far = np.array([1e30, -1e30], FLOATS)
    values = np.concatenate([np.arange(-40, 200, dtype=FLOATS) * steps, far])

    def wanted() -> Any:
        view = sequential([node.clone()])
        view.set_backend("cpu")
        view.forward_dims([list(values.shape)])
        plan = plan_memory(view)
        return np.asarray(run_in_arena(view, plan, [values]).outputs[0])

    def judge(text: str) -> Feedback:
        try:
            found = evaluate(text, values)
        except ExpressionError as error:
            return Feedback(False, "The expression cannot be read.", str(error), 0.0)
        bits = wanted().view(np.uint32)
        same = found.view(np.uint32) == bits
        if same.all():
            return Feedback(True, f"All bits of {len(values)} numbers are equal.")
        at = values[~same][0]
        text = f"{int(same.sum())} of {len(values)} numbers have equal bits."
        hint = f"For x = {at:g} it gives {found[~same][0]:g}."
        return Feedback(False, text, hint, float(same.mean()) * 0.99, idea="bits")

    said = f"0 below 0, {limit} above {limit}, x between" if is_clipped else "0 below 0, x above"
    low = "x > 0.0f ? x : 0.0f"
    right = f"x > {limit}.0f ? {limit}.0f : ({low})" if is_clipped else low
    product = "x * (x > 0)"
    wrong = f"fminf({product}, {limit}.0f)" if is_clipped else product
    asked = TextQuestion(
        f"A kernel of your own computes y = {said}. Write the C expression of y in x, a float, "
        "with all bits equal to those of the library. There are + - * /, comparisons, ?: and "
        "fmaxf, fminf, fabsf.",
        judge,
        lambda: right,
        "x * 2.0f",
        label="y =",
        hints=[
            "A float has two zeros, whose bits differ.",
            "Choose between numbers, instead of multiplying by 0 or 1.",
            "It begins x > … ? …",
        ],
        why="?: chooses +0.0; a product with a negative x gives −0.0.",
    )
    says = "What is −1 × 0, in bits?"
    return Drawing(asked, (Mistake(wrong, says, "minus zero"),))
