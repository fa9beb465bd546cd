"""Steps on arrays that stay where they are: the bits of the kernels, and no memory besides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from aidge_nb.graph.spec import SPECS
from aidge_nb.kernels.fixed import Bound
from aidge_nb.kernels.registry import find_fixed
from aidge_nb.kernels.steps import make_step
from aidge_nb.kernels.workspace import Workspace
from tests.kernels.case import Array, Case, run
from tests.kernels.tables.every import CASES, IDS


def bind(
    case: Case, arrays: list[Array | None], outputs: list[Array | None], workspace: Workspace
) -> Bound:
    attrs: Mapping[str, Any] = case.spec.make_attributes(**case.attrs)
    missing = len(case.spec.inputs) - len(arrays) if not case.spec.variadic else 0
    constants = frozenset(index for index in range(1, len(arrays)) if is_constant(arrays[index]))
    given = (*arrays, *[None] * missing)
    return Bound(case.spec, attrs, given, tuple(outputs), workspace, constants)


def is_constant(array: Array | None) -> bool:
    """Whether an input may decide on dimensions: numbers of a model, not what flows through it."""
    return array is None or array.dtype.kind != "f" or array.size < 2


def change(case: Case, arrays: list[Array | None]) -> None:
    """Write other data where the arrays are."""
    for index, array in enumerate(arrays):
        decides = case.type in ("Upsample", "Resize") and index
        if array is not None and array.dtype.kind == "f" and not decides:
            if index == 0 or not is_constant(array):
                array[...] = np.flip(array) * array.dtype.type(0.75)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_steps_compute_the_bits_of_kernels_run_after_run(case: Case) -> None:
    arrays = [None if array is None else array.copy() for array in case.arrays]
    with np.errstate(all="ignore"):
        first = run(case.type, *arrays, **case.attrs)
    outputs: list[Array | None] = [np.empty_like(array) for array in first]
    measured = Workspace()
    assert make_step(bind(case, arrays, outputs, measured)) is not None
    workspace = Workspace(measured.needed)
    step = make_step(bind(case, arrays, outputs, workspace))
    assert step is not None
    assert workspace.needed == measured.needed
    for _ in range(2):
        expected = run(case.type, *arrays, **case.attrs)
        with np.errstate(all="ignore"):
            step()
        for found, right in zip(outputs, expected, strict=True):
            assert found is not None
            np.testing.assert_array_equal(found, right)
            assert found.dtype == right.dtype
        change(case, arrays)


OF_MODELS = """
    Add BatchNorm2D Conv2D ConvDepthWise2D AvgPooling2D MaxPooling2D GlobalAveragePooling Concat
    Div Erf FC Flatten Gather LeakyReLU MatMul Mul Pow ReLU ReduceMean Reshape Softmax Split
    Sqrt Sub Transpose Gelu LayerNorm Sigmoid Clip Swish
"""


@pytest.mark.parametrize("name", OF_MODELS.split())
def test_operators_of_models_have_steps(name: str) -> None:
    assert find_fixed(SPECS[name])
