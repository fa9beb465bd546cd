"""Sums along axes have the same bits in a part as in the whole, however narrow the part."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import aidge_nb
from aidge_nb.kernels.cpu.common.arrays import added_up
from aidge_nb.runtime import PreparedRun

AXES = [axes for count in (1, 2, 3) for axes in combinations(range(4), count)]


@pytest.mark.parametrize("axes", AXES)
def test_parts_are_added_up_as_the_whole_is(axes: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal((3, 19, 18, 17)).astype(np.float32)
    whole = added_up(x, axes)
    for axis in set(range(4)) - set(axes):
        for start, stop in ((0, 1), (2, 3), (0, 2)):
            part = tuple(slice(start, stop) if at == axis else slice(None) for at in range(4))
            assert np.array_equal(added_up(x[part], axes), whole[part])
            assert np.array_equal(added_up(x[part].copy(), axes), whole[part])


@pytest.mark.parametrize(
    "kind", ["Softmax", "LogSoftmax", "ReduceMean", "ReduceSum", "LpNormalization"]
)
@pytest.mark.parametrize("prepared", [False, True])
def test_one_column_has_the_bits_of_the_whole(kind: str, prepared: bool) -> None:
    data = np.random.default_rng(0).standard_normal((1, 24, 3, 5)).astype(np.float32)

    def run(x: np.ndarray) -> np.ndarray:
        node = {
            "Softmax": lambda: aidge_nb.Softmax(1, "n"),
            "LogSoftmax": lambda: aidge_nb.LogSoftmax(1, "n"),
            "ReduceMean": lambda: aidge_nb.ReduceMean([1], True, name="n"),
            "ReduceSum": lambda: aidge_nb.ReduceSum([1], True, name="n"),
            "LpNormalization": lambda: aidge_nb.LpNormalization(1, 2, "n"),
        }[kind]()
        view = aidge_nb.sequential([node])
        view.set_backend("cpu")
        view.forward_dims([list(x.shape)])
        if not prepared:
            tensor = aidge_nb.Tensor(x.copy())
            return np.array(aidge_nb.SequentialScheduler(view).forward(data=[tensor])[0])
        plan = aidge_nb.plan_memory(view, view.topological_order())
        return np.array(PreparedRun(view, plan).run([x.copy()])[0])

    whole = run(data)
    for row in range(3):
        for column in range(5):
            place = (..., slice(row, row + 1), slice(column, column + 1))
            assert np.array_equal(run(data[place]), whole[place])
