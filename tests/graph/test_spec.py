"""Declarations: ports, attributes, what shape functions see, the registry."""

from __future__ import annotations

import numpy as np
import pytest

from aidge_nb.core.dims import Dims
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import DataDependencyError, GraphError, ShapeError
from aidge_nb.graph import (
    REQUIRED,
    SPECS,
    Attributes,
    InputCategory,
    InputSpec,
    OpSpec,
    ShapeContext,
    find_spec,
    register,
)


def _spec(**options: object) -> OpSpec:
    inputs = (InputSpec("data"), InputSpec("extra", InputCategory.OptionalData))
    return OpSpec("Probe", inputs, lambda context: [context.dim(0)], **options)  # type: ignore[arg-type]  # any option


class TestCategories:
    @pytest.mark.parametrize("category", list(InputCategory))
    def test_names_say_what_they_are(self, category: InputCategory) -> None:
        assert category.is_optional == category.name.startswith("Optional")
        assert category.is_data == category.name.endswith("Data")


class TestInputs:
    def test_plain(self) -> None:
        assert _spec().input_spec(1).name == "extra"
        with pytest.raises(GraphError, match=r"Probe: no such input \(expected 0 to 1, found 2\)"):
            _spec().input_spec(2)

    def test_the_last_input_of_a_variadic_repeats(self) -> None:
        spec = _spec(variadic=True)
        assert [spec.input_spec(i).name for i in range(4)] == [
            "data",
            "extra_0",
            "extra_1",
            "extra_2",
        ]
        assert spec.input_spec(3).category is InputCategory.OptionalData


class TestAttributes:
    def test_defaults_and_given(self) -> None:
        spec = _spec(attrs={"axis": 1, "keep": True})
        assert spec.make_attributes(axis=2).dict() == {"axis": 2, "keep": True}
        assert spec.make_attributes().dict() == {"axis": 1, "keep": True}

    def test_unknown(self) -> None:
        message = r"Probe: unknown attribute \(expected \['axis'\], found \['axes', 'b'\]\)"
        with pytest.raises(GraphError, match=message):
            _spec(attrs={"axis": 1}).make_attributes(b=1, axes=1)

    def test_missing(self) -> None:
        with pytest.raises(GraphError, match="Probe: attribute missing: axis, size"):
            _spec(attrs={"size": REQUIRED, "axis": REQUIRED}).make_attributes()


class TestContext:
    def test_what_is_there(self) -> None:
        context = ShapeContext(
            "n (Probe)", [Dims((2, 3)), None], [DType.int8, None], Attributes({})
        )
        assert context.present(0)
        assert not context.present(1)
        assert not context.present(2)
        assert context.dim(0) == [2, 3]
        with pytest.raises(GraphError, match=r"n \(Probe\), input#1: is not connected"):
            context.dim(1)

    def test_values(self) -> None:
        known = np.array([1, 2])
        context = ShapeContext(
            "n (Probe)", [], [], Attributes({}), lambda i: known if i == 0 else None
        )
        assert context.value(0) is known
        with pytest.raises(DataDependencyError) as refusal:
            context.value(1)
        assert "n (Probe): output dims are data dependent on input#1" in str(refusal.value)
        assert "allow_data_dependency=True" in str(refusal.value)
        assert isinstance(refusal.value, ShapeError)


def test_a_type_is_registered_once() -> None:
    spec = OpSpec("ProbeOfTheRegistry", (), lambda context: [])
    try:
        assert register(spec) is spec
        assert find_spec("ProbeOfTheRegistry") is spec
        with pytest.raises(GraphError, match="ProbeOfTheRegistry: an operator of this type is"):
            register(spec)
    finally:
        SPECS.pop("ProbeOfTheRegistry", None)
    assert find_spec("ProbeOfTheRegistry") is None


def test_specs_are_equal_by_identity() -> None:
    assert _spec() != _spec()
    assert repr(_spec()) == "OpSpec(Probe)"
