"""Every operator has a kernel, or stands on the list of those that have none for a reason."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from aidge_nb.core.errors import GraphError
from aidge_nb.graph import GenericOperator
from aidge_nb.graph.spec import SPECS, InputSpec, OpSpec
from aidge_nb.kernels import find_kernel, kernel
from aidge_nb.kernels.registry import can_skip_outputs
from tests.kernels.case import Array
from tests.kernels.tables.every import CASES

WITHOUT_KERNEL = {
    "Producer": "has its data already",
    "Memorize": "keeps state: aidge_nb.runtime",
    "Pop": "keeps state: aidge_nb.runtime",
    "Stack": "keeps state: aidge_nb.runtime",
}


def _spec(nb_inputs: int = 1, **more: Any) -> OpSpec:
    inputs = tuple(InputSpec(f"x{index}") for index in range(nb_inputs))
    return OpSpec("Mine", inputs, lambda context: [context.dim(0)], **more)


def test_every_operator_has_a_kernel_or_a_reason() -> None:
    missing = {name for name, spec in SPECS.items() if find_kernel(spec) is None}
    assert missing == set(WITHOUT_KERNEL)


def test_every_kernel_has_two_cases_at_least() -> None:
    count = Counter(case.type for case in CASES)
    few = {name for name in SPECS if count[name] < 2} - set(WITHOUT_KERNEL)
    assert not few


def test_kernels_are_found_by_declaration_not_by_name() -> None:
    node = GenericOperator("ReLU", 1, 0, 1)
    assert find_kernel(node.get_operator().spec) is None
    assert find_kernel(SPECS["ReLU"]) is not None


def test_unknown_backend_has_no_kernel() -> None:
    assert find_kernel(SPECS["ReLU"], "gpu") is None


def test_a_kernel_is_bound_to_its_backend_alone() -> None:
    spec = _spec()

    @kernel(spec, backend="elsewhere")
    def mine(x: Array) -> Array:
        return x

    assert find_kernel(spec, "elsewhere") is mine
    assert find_kernel(spec) is None


def test_one_kernel_can_serve_several_operators() -> None:
    first, second = _spec(), _spec()

    @kernel(first, second)
    def mine(x: Array) -> Array:
        return x

    assert find_kernel(first) is mine is find_kernel(second)


def test_an_operator_has_one_kernel() -> None:
    spec = _spec()
    kernel(spec)(lambda x: x)
    with pytest.raises(GraphError, match="Mine: has a kernel on backend 'cpu' already"):
        kernel(spec)(lambda x: x)


@pytest.mark.parametrize(
    ("spec", "function", "found"),
    [
        (_spec(2), lambda x: x, r"expected positional 2, keyword-only \[\]; found positional 1"),
        (_spec(1), lambda x, y: x, "found positional 2"),
        (_spec(1, variadic=True), lambda x: x, "expected positional 0 and more"),
        (_spec(1), lambda *x: x, "found positional 0 and more"),
        (_spec(1, attrs={"axis": 0}), lambda x: x, r"keyword-only \['axis'\]"),
        (_spec(1), lambda x, *, axis: x, r"found positional 1, keyword-only \['axis'\]"),
        (_spec(1), lambda x, *, axis=0: x, r"found positional 1, keyword-only \['axis'\]"),
        (_spec(1), lambda x, *, optional_outputs: x, "optional_outputs"),
        (_spec(1), lambda x, **attrs: x, "a plain function without"),
        (_spec(1), abs, "a plain function without"),
    ],
)
def test_signatures_are_checked(spec: OpSpec, function: Any, found: str) -> None:
    with pytest.raises(GraphError, match=f"kernel of Mine: .*{found.replace(';', ',')}"):
        kernel(spec)(function)
    assert find_kernel(spec) is None


def test_a_keyword_with_a_default_may_be_missing_in_some_operators() -> None:
    with_axis, without = _spec(1, attrs={"axis": 0}), _spec(1)

    def shared(x: Any, *, axis: int = 1) -> Any:
        return x

    kernel(with_axis, without)(shared)
    assert find_kernel(with_axis) is find_kernel(without) is shared


def test_some_kernels_can_skip_optional_outputs() -> None:
    able = {
        name for name, spec in SPECS.items() if (f := find_kernel(spec)) and can_skip_outputs(f)
    }
    assert able == {"Dropout", "MaxPooling1D", "MaxPooling2D", "MaxPooling3D"}
