"""Published times of the four MLPerf Tiny tasks on boards, and the rank of estimates beside them.

Other programs were measured there, on models of the same layers: a ratio of cycles says as much
about the programs as about the estimate. What an estimate must get right is which task takes longer
than which, and that is what the rank says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose, sqrt

TASKS = ("anomaly_detection", "image_classification", "keyword_spotting", "visual_wake_words")
_RESULTS = "github.com/mlcommons/tiny_results_v1.0, closed/{}/performance/results.txt"


@dataclass(frozen=True)
class Published:
    """Milliseconds of an inference of each task, as somebody published them for a board."""

    board: str
    core: str
    megahertz: float
    software: str
    source: str
    milliseconds: Mapping[str, float]
    target: str  # the export target whose estimates stand beside it
    is_accelerated: bool = False  # then the core's cycles are not what the time is made of

    def megacycles(self, task: str) -> float:
        """Return the cycles of the core that an inference took, in millions."""
        return self.milliseconds[task] * self.megahertz / 1000


def _per_second(*found: float) -> dict[str, float]:
    """Return milliseconds from inferences per second in the order of the tasks."""
    return {task: 1000 / each for task, each in zip(TASKS, found, strict=True)}


PUBLISHED = (
    Published(
        "NUCLEO-L4R5ZI",
        "Cortex-M4",
        120,
        "microTVM and CMSIS-NN",
        _RESULTS.format("OctoML/results/microtvm_cmsis_nn/NUCLEO_L4R5ZI/*"),
        _per_second(116.212, 2.567, 10.019, 3.320),
        "cortex-m4",
    ),
    Published(
        "NUCLEO-L4R5ZI",
        "Cortex-M4",
        120,
        "X-CUBE-AI 7.3.0",
        _RESULTS.format("STMicroelectronics/results/NUCLEO_L4R5ZI/*"),
        _per_second(131.950, 4.407, 13.323, 4.339),
        "cortex-m4",
    ),
    Published(
        "NUCLEO-H7A3ZI-Q",
        "Cortex-M7",
        280,
        "X-CUBE-AI 7.3.0",
        _RESULTS.format("STMicroelectronics/results/NUCLEO-H7A3ZI-Q/*"),
        _per_second(547.705, 18.401, 59.667, 19.722),
        "cortex-m7",
    ),
    Published(
        "EFR32xG24",
        "Cortex-M33",
        78,
        "TensorFlow Lite Micro on the MVP",
        "silabs-mltk 0.20.0, docstrings of mltk/models/tinyml/*.py",
        dict(zip(TASKS, (6.9, 118.9, 36.5, 123.2), strict=True)),
        "cortex-m4",
        is_accelerated=True,
    ),
)
"""Medians of the closed division of MLPerf Tiny v1.0, and what the maker of the models measured."""


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1; equal values share the mean of theirs.

    Examples
    --------
    >>> ranks([30, 10, 20, 20])
    [4.0, 1.0, 2.5, 2.5]
    """
    lower = [sum(other < each for other in values) for each in values]
    equal = [sum(other == each for other in values) for each in values]
    return [below + (same + 1) / 2 for below, same in zip(lower, equal, strict=True)]


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return how well two rows of numbers agree in their order, from -1 to 1.

    Raises
    ------
    ValueError
        When the rows differ in length, have less than two numbers, or one has no order.

    Examples
    --------
    >>> spearman([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    """
    if len(first) != len(second) or len(first) < 2:
        raise ValueError(f"ranks need two rows of the same length, found {first} and {second}")
    mean = (len(first) + 1) / 2
    left, right = ([rank - mean for rank in ranks(row)] for row in (first, second))
    spread = sum(x * x for x in left) * sum(y * y for y in right)
    if isclose(spread, 0):
        raise ValueError(f"all numbers of a row are equal: {first} and {second} have no order")
    return sum(x * y for x, y in zip(left, right, strict=True)) / sqrt(spread)


def compared(estimated: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return lines that set estimated millions of cycles, by target and task, beside PUBLISHED."""
    lines, ours, theirs = [], [], []
    for each in PUBLISHED:
        row = estimated[each.target]
        lines.append(f"{each.board}, {each.core}, {each.megahertz:g} MHz, {each.software}")
        for task in TASKS:
            found, published = row[task], each.megacycles(task)
            taken = f"{each.milliseconds[task]:.1f} ms" + (
                "" if each.is_accelerated else f" = {published:.2f} M cycles"
            )
            lines.append(f"  {task:<22}{found:>8.2f} M estimated   {taken} published")
            if not each.is_accelerated:
                ours.append(found)
                theirs.append(published)
        agreed = spearman([row[t] for t in TASKS], [each.milliseconds[t] for t in TASKS])
        lines += [f"  rank {agreed:.2f}   from {each.source}"]
    lines.append(f"all {len(ours)} without accelerator: rank {spearman(ours, theirs):.2f}")
    return lines
