"""Aidge's leniency: off natively, on where code written for Aidge runs, and never silent."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import aidge_nb
from aidge_nb.compat import install, uninstall
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.leniency import allows, is_lenient, refuses, set_lenient, strictly
from aidge_nb.recipes import matmul_to_fc, remove_flatten, simplify


@pytest.fixture
def lenient() -> Iterator[None]:
    """Switch it on for a test."""
    set_lenient(True)
    yield
    set_lenient(False)


def _product(*before: aidge_nb.Node) -> aidge_nb.GraphView:
    product = aidge_nb.MatMul(name="mm")
    aidge_nb.Producer(np.ones((4, 2), np.float32), name="w").add_child(product, 0, 1)
    return aidge_nb.sequential([*before, product])


def test_natively_it_is_off_and_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (is_lenient(), allows("a"), refuses("b")) == (False, False, False)


@pytest.mark.usefixtures("lenient")
def test_what_goes_on_and_what_does_not_is_warned_about() -> None:
    with pytest.warns(UserWarning, match="^as Aidge does: a$"):
        assert allows("a")
    with pytest.warns(UserWarning, match="^not as Aidge does: b$"):
        assert not refuses("b")
    with strictly():
        assert not allows("a")
    assert is_lenient()


def test_serving_aidges_names_switches_it() -> None:
    install(force=True)
    assert is_lenient()
    uninstall()
    assert not is_lenient()


def _layer() -> aidge_nb.GraphView:
    model = aidge_nb.sequential([aidge_nb.FC(3, 2, name="fc")])
    model.compile("cpu", aidge_nb.dtype.float32, dims=[[1, 3]])
    return model


def test_parameters_that_were_never_filled_are_an_error_natively() -> None:
    with pytest.raises(ShapeError, match=r"fc_w .Producer.: has dimensions but no values.*Fill it"):
        aidge_nb.SequentialScheduler(_layer()).forward(data=[np.ones((1, 3), np.float32)])


@pytest.mark.usefixtures("lenient")
def test_parameters_that_were_never_filled_are_0_with_a_warning() -> None:
    scheduler = aidge_nb.SequentialScheduler(_layer())
    with pytest.warns(UserWarning, match=r"as Aidge does: fc_[wb] .* was never filled: it is 0"):
        (result,) = scheduler.forward(data=[np.ones((1, 3), np.float32)])
    assert list(result) == [0, 0]


@pytest.mark.usefixtures("lenient")
def test_tensors_own_their_data_there() -> None:
    array = np.zeros(2, np.float32)
    tensor = aidge_nb.Tensor(array)
    array[0] = 7
    assert tensor[0] == 0
    assert aidge_nb.Tensor.holding(array).array is array


@pytest.mark.usefixtures("lenient")
def test_products_of_unknown_dimensions_become_layers() -> None:
    with pytest.warns(UserWarning, match="mm .MatMul. becomes FC, though its data may have more"):
        assert matmul_to_fc(_product()) == 1


@pytest.mark.usefixtures("lenient")
def test_products_of_other_dimensions_stay() -> None:
    model = _product()
    model.forward_dims([[2, 3, 4]])
    with pytest.warns(UserWarning, match="mm .MatMul. stays, because its data have 3 axes"):
        assert matmul_to_fc(model) == 0


@pytest.mark.usefixtures("lenient")
def test_flatten_of_unknown_dimensions_goes_before_a_product() -> None:
    with pytest.warns(UserWarning, match="f .Flatten. is removed, though the dimensions"):
        assert remove_flatten(_product(aidge_nb.Flatten(name="f"))) == 1


@pytest.mark.usefixtures("lenient")
def test_flatten_that_changes_something_stays_before_a_product() -> None:
    model = _product(aidge_nb.Flatten(name="f"))
    model.forward_dims([[1, 2, 2]])
    with pytest.warns(UserWarning, match="f .Flatten. stays, because what reads it"):
        assert remove_flatten(model) == 0


@pytest.mark.usefixtures("lenient")
def test_what_nobody_asked_for_is_safe() -> None:
    model = _product(aidge_nb.Flatten(name="f"))
    simplify(model, ["remove_flatten"])
    assert model.get_node("f").type() == "Flatten"
