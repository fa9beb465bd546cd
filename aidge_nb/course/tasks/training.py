"""Unit 9: what training keeps, and numbers of eight bits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb import ops
from aidge_nb.course.answers.choice import PickQuestion
from aidge_nb.course.answers.number import NumberQuestion
from aidge_nb.course.answers.values import ValuesQuestion
from aidge_nb.course.graphs import ready
from aidge_nb.course.tasks.base import Drawing, Mistake, chains_text
from aidge_nb.graph.builders import sequential
from aidge_nb.learning import backward_memory, training_graph
from aidge_nb.memory import plan_memory
from aidge_nb.runtime import run_in_arena

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView

LARGEST = 127  # code of eight bits with a sign


def kept(seed: int) -> Drawing | None:
    """Ask which results the way back reads."""
    random = Random(seed)
    channels, size = 2, 16
    acts: list[Callable[..., Node]] = [ops.ReLU, ops.LeakyReLU, ops.Tanh]
    layers: list[Node] = []
    for number in range(1, random.randint(2, 3) + 1):
        act = random.choice(acts)
        layers.append(ops.Conv2D(channels, channels, [1, 1], name=f"conv_{number}"))
        layers.append(act(name=f"{act.__name__.lower()}_{number}"))
        if random.random() < 0.5:
            name = random.choice(["max", "avg"])
            pool = ops.MaxPooling2D if name == "max" else ops.AvgPooling2D
            layers.append(pool([2, 2], f"{name}_{number}", stride_dims=[2, 2]))
    view = ready(sequential(layers), [1, channels, size, size])
    names = [layer.name() for layer in layers]

    def right() -> list[str]:
        ports = {port.node.name() for port in training_graph(view).kept}
        return [name for name in names if name in ports]

    found = right()
    if found == names:
        return None

    asked = PickQuestion(
        f"{chains_text(view)}, then a loss. Which results are kept for the way back?",
        names,
        right,
        lambda name: f"No gradient reads the result of {name}.",
        hints=[
            "What does the gradient of each operator read: its input, its result, or neither?",
            (
                "A convolution reads its input; ReLU and Tanh their result; LeakyReLU and maximum "
                "pooling their input; average pooling nothing."
            ),
            f"{names[0]}: does {names[1]} read its input on the way back?",
        ],
        why="A result is kept where a gradient reads it: as input of a layer, or as its result.",
    )
    return Drawing(asked, (Mistake(names, "Read off the gradient's inputs.", "all kept"),))


def deep(seed: int) -> Drawing | None:
    """Ask for the bytes that are kept, by depth."""
    random = Random(seed)
    depth, batch = random.choice([2, 3, 4, 6, 8, 10]), random.choice([2, 4, 8, 16])
    width = random.choice([8, 16, 32])
    layers = [
        layer
        for number in range(1, depth + 1)
        for layer in (ops.FC(width, width, name=f"fc_{number}"), ops.ReLU(name=f"relu_{number}"))
    ]
    view = ready(sequential(layers), [batch, width])
    found = backward_memory(view)
    if found.forward_peak == found.kept:
        return None
    one = batch * width * 4
    says = "Every layer is read again."
    asked = NumberQuestion(
        f"{depth} times FC({width}, {width}) → ReLU, batch {batch}, floats of 4 bytes. The forward "
        f"pass alone needs {found.forward_peak:,} bytes. How many bytes of results are kept for "
        "the way back?",
        lambda: backward_memory(view).kept,
        "bytes",
        near={found.forward_peak: says},
        hints=[
            "Which result does the gradient of ReLU read?",
            "One result a layer is kept: that of ReLU, which the next FC reads, too.",
            f"One result is {batch} · {width} · 4 = {one:,} bytes.",
        ],
        why=f"{depth} results of {one:,} bytes.",
    )
    return Drawing(asked, (Mistake(found.forward_peak, says, "forward peak"),))


# --- eight bits ---------------------------------------------------------------------------------


def quantized(value: float, scale: float) -> dict[str, float]:
    """Return code, value and error of a number in steps of a scale, as operators compute them."""
    view = sequential(
        [ops.Round(name="round"), ops.Clip("clip", float(-LARGEST - 1), float(LARGEST))]
    )
    view.set_backend("cpu")
    steps = np.array([value / scale], np.float32)
    view.forward_dims([[1]])
    code = float(np.asarray(run_in_arena(view, plan_memory(view), [steps]).outputs[0])[0])
    return decoded(code, value, scale)


def decoded(code: float, value: float, scale: float) -> dict[str, float]:
    """Return code, value and error of a code, to four decimals."""
    stands_for = code * scale
    return {
        "code": code,
        "value": round(stands_for, 4),
        "error": round(abs(stands_for - value), 4),
    }


def one_number(seed: int) -> Drawing | None:
    """Ask for code, value and error of one number."""
    random = Random(seed)
    largest = random.choice([1, 2, 3, 4, 6])
    value = round(random.uniform(-1.3, 1.3) * largest, 2)
    scale = largest / LARGEST

    def right() -> dict[str, float]:
        return quantized(value, scale)

    found, code = right(), float(int(value / scale))
    steps = value / scale
    if abs(steps) > LARGEST or abs(abs(steps) % 1 - 0.5) < 0.05 or code == found["code"]:
        return None
    wrong = decoded(code, value, scale)
    asked = ValuesQuestion(
        f"{value} is written as an int8 code in steps of {largest}/{LARGEST}. Give the code, the "
        "value that it stands for, and the error, to four decimals.",
        right,
        within=0.0001,
        hints=[
            "How many steps is it from 0?",
            "Round to the nearest whole number of steps; the value is code times step.",
            f"{value} ÷ ({largest}/{LARGEST}) = {steps:.3f}.",
        ],
        why=f"{steps:.3f} is nearest to {found['code']:.0f}; half a step is the largest error.",
    )
    return Drawing(asked, (Mistake(wrong, "Round to nearest.", "truncated"),))


def converted(channels: list[int], *, at_each: bool) -> GraphView:
    """Make 1×1 convolutions in int8, converted at the ends or at each layer."""
    layers: list[Any] = []
    for number, (before, after) in enumerate(pairwise(channels), start=1):
        if at_each or number == 1:
            layers.append(ops.Cast("int8", f"to_int8_{number}"))
        layers.append(ops.Conv2D(before, after, [1, 1], name=f"conv_{number}"))
        if at_each or number == len(channels) - 1:
            layers.append(ops.Cast("float32", f"to_float_{number}"))
    view = sequential(layers)
    view.forward_dims([[1, channels[0], 8, 8]])
    return view


def where_to_convert(seed: int) -> Drawing | None:
    """Ask for the peak with conversions at the ends, and at each layer."""
    random = Random(seed)
    channels = [random.choice([2, 4]), *random.choices([4, 8, 16], k=random.randint(1, 3))]
    channels.append(random.choice([1, 2]))
    sizes = [64 * count for count in channels]

    def right() -> dict[str, float]:
        return {
            "at the ends": plan_memory(converted(channels, at_each=False)).peak,
            "at each layer": plan_memory(converted(channels, at_each=True)).peak,
        }

    floats = max(4 * (one + other) for one, other in pairwise(sizes))
    wrong = dict.fromkeys(right(), floats / 4)
    if right() == wrong or right()["at the ends"] >= right()["at each layer"]:
        return None
    listed = ", ".join(f"{size}" for size in sizes)
    asked = ValuesQuestion(
        f"{len(sizes) - 1} convolutions in int8; the maps before, between and behind them have "
        f"{listed} numbers. Float takes 4 bytes a number, int8 one. The input of the chain is "
        "float and lies elsewhere, its result is float. What is the peak if numbers are converted "
        "at both ends of the chain only, and what if before and after each convolution?",
        right,
        hints=[
            "Which results are float?",
            "A conversion reads one map and writes another: both are alive.",
            f"The last conversion holds {sizes[-1]} + 4 · {sizes[-1]} bytes. Who holds most?",
        ],
        why="At each layer, a map lies there as float and as int8 at once: five times its numbers.",
    )
    says = "Which result is float again?"
    return Drawing(asked, (Mistake(wrong, says, "quarter always"),))
