"""Fillers: their distributions, their seeds, and what a whole graph gets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt

import numpy as np
import pytest

import aidge_nb
from aidge_nb import Tensor, VarianceNorm
from aidge_nb.core.errors import AidgeError, ShapeError
from aidge_nb.recipes import fillers

DIMS = (40, 20, 3, 5)
FAN = {VarianceNorm.FanIn: 300, VarianceNorm.FanOut: 600, VarianceNorm.Average: 450}
"""As Aidge 0.10.1 counts them for these dims."""


def filled(filler: Callable[..., None], *arguments: float, **options: object) -> Tensor:
    tensor = Tensor.of_dims(DIMS)
    filler(tensor, *arguments, **options)
    assert tensor.array.dtype == np.float32
    return tensor


class TestDistributions:
    """12 000 values: means within 5 standard errors, deviations within 5 %."""

    @pytest.mark.parametrize("norm", VarianceNorm)
    @pytest.mark.parametrize("scaling", [1.0, 4.0])
    @pytest.mark.parametrize(
        ("filler", "gain"),
        [
            (aidge_nb.he_filler, 2),
            (aidge_nb.xavier_normal_filler, 1),
            (aidge_nb.xavier_uniform_filler, 1),
        ],
    )
    def test_variance_follows_the_fan(
        self, filler: Callable[..., None], gain: int, norm: VarianceNorm, scaling: float
    ) -> None:
        values = filled(filler, varianceNorm=norm, scaling=scaling).array
        wanted = scaling * sqrt(gain / FAN[norm])
        assert values.std() == pytest.approx(wanted, rel=0.05)
        assert abs(values.mean()) < 5 * wanted / sqrt(values.size)

    def test_bounds(self) -> None:
        bound = sqrt(3 / 300)
        values = filled(aidge_nb.xavier_uniform_filler).array
        assert 0.99 * bound < np.abs(values).max() <= bound
        values = filled(aidge_nb.uniform_filler, -1.0, 2.0).array
        assert (values.min(), values.max()) == pytest.approx((-1, 2), abs=0.01)
        with pytest.raises(AidgeError, match=r"max is below min \(found 2 and 1"):
            filled(aidge_nb.uniform_filler, 2, 1)

    def test_mean_and_constant(self) -> None:
        assert filled(aidge_nb.he_filler, meanNorm=3.0).array.mean() == pytest.approx(3, abs=0.01)
        values = filled(aidge_nb.normal_filler, 1.0, 2.0).array
        assert (values.mean(), values.std()) == pytest.approx((1, 2), abs=0.1)
        assert (filled(aidge_nb.constant_filler, 7).array == 7).all()

    def test_seeds(self) -> None:
        one, two, other = (filled(aidge_nb.he_filler, seed=seed).array for seed in (1, 1, 2))
        assert np.array_equal(one, two)
        assert not np.array_equal(one, other)

    @pytest.mark.parametrize("dims", [[], [3], [0, 3]])
    def test_tensors_without_fan(self, dims: list[int]) -> None:
        with pytest.raises(ShapeError, match=r"has no fan \(expected weights"):
            aidge_nb.he_filler(Tensor.of_dims(dims))

    def test_tensors_without_dims(self) -> None:
        with pytest.raises(ShapeError, match="its dimensions are unknown"):
            aidge_nb.normal_filler(Tensor())

    def test_the_type_stays(self) -> None:
        tensor = Tensor.of_dims([4, 4], "float64")
        aidge_nb.he_filler(tensor)
        assert tensor.array.dtype == np.float64


class TestGraphs:
    def _model(self) -> aidge_nb.GraphView:
        return aidge_nb.sequential(
            [
                aidge_nb.PaddedConv2D(3, 8, [3, 3], name="conv", padding_dims=[1, 1, 1, 1]),
                aidge_nb.BatchNorm2D(8, name="norm"),
                aidge_nb.Conv2D(8, 8, [3, 3], name="second"),
                aidge_nb.Conv2D(8, 8, [3, 3], name="third"),
            ]
        )

    def _values(self, view: aidge_nb.GraphView, name: str) -> np.ndarray:
        return view.get_node(name).get_operator().get_output(0).array

    def test_what_was_built_runs(self) -> None:
        view = self._model()
        names = aidge_nb.init_weights(view)
        assert set(names) == {node.name() for node in view if node.type() == "Producer"}
        assert len(set(names)) == len(names)
        view.set_backend("cpu")
        data = np.random.default_rng(0).standard_normal((1, 3, 8, 8)).astype(np.float32)
        (result,) = aidge_nb.SequentialScheduler(view).forward(data=[data])
        assert 0.1 < result.array.std() < 10

    def test_each_role_has_its_first_value(self) -> None:
        view = self._model()
        aidge_nb.init_weights(view)
        inputs = view.get_node("norm").get_operator()
        firsts = [inputs.get_input(index) for index in range(1, 5)]
        assert [float(tensor.array[0]) for tensor in firsts if tensor is not None] == [1, 0, 0, 1]
        assert not self._values(view, "conv_b").any()

    def test_layers_of_equal_dims_differ_and_seeds_decide(self) -> None:
        views = [self._model() for _ in range(3)]
        for view, seed in zip(views, (0, 0, 1), strict=True):
            aidge_nb.init_weights(view, seed)
        second, again, other = (self._values(view, "second_w") for view in views)
        assert np.array_equal(second, again)
        assert not np.array_equal(second, other)
        assert not np.array_equal(second, self._values(views[0], "third_w"))

    def test_values_that_are_there_stay_unless_told(self) -> None:
        view = self._model()
        view.get_node("second_w").get_operator().set_output(
            0, Tensor(np.ones((8, 8, 3, 3), np.float32))
        )
        assert "second_w" not in aidge_nb.init_weights(view)
        assert (self._values(view, "second_w") == 1).all()
        assert "second_w" in aidge_nb.init_weights(view, overwrite=True)
        assert not (self._values(view, "second_w") == 1).all()

    def test_another_filler(self) -> None:
        view = self._model()
        aidge_nb.init_weights(view, weights=partial(aidge_nb.uniform_filler, min=2, max=3))
        assert self._values(view, "second_w").min() >= 2

    def test_constants_are_left_alone(self) -> None:
        view = aidge_nb.sequential([aidge_nb.Add(name="add")])
        producer = aidge_nb.Producer([2, 3], name="offset")
        producer.add_child(view.get_node("add"), 0, 1)
        view.add(producer)
        assert aidge_nb.init_weights(view) == ()

    def test_recurrent_layers(self) -> None:
        view = aidge_nb.sequential([aidge_nb.LSTM(4, 8, 3, name="lstm")])
        assert len(fillers.init_weights(view)) == 16
