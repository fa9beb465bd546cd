"""Every case of the kernels' tables: C and NumPy agree in every bit."""

from __future__ import annotations

import numpy as np
import pytest

from aidge_nb.core.errors import ExportError, ShapeError
from aidge_nb.graph.spec import InputCategory
from aidge_nb.kernels.c import find_c_kernel
from tests.kernels.c.machine import compiled, differing, exact
from tests.kernels.case import Case
from tests.kernels.tables.every import CASES, IDS

DIMS_DEPEND_ON_DATA = {"NonZero", "Compress"}

REFUSED = {
    "Add": "element types",  # int64 and float32 together
    "AvgPooling1D": "element types",  # integers
    "BatchNorm2D": "training",
    "Cast": "float16",
    "Clip": "element types",  # integers
    "ConstantOfShape": "must be known",
    "Conv2D": "element types",  # integers
    "Dropout": "at random",
    "Erf": "element types",  # float64
    "Exp": "element types",  # float16
    "GlobalAveragePooling": "element types",  # integers
    "MatMul": "element types",  # integers, float16
    "MaxPooling1D": "indices of integers",
    "Pow": "element types|must be known",  # integers
    "ReduceMax": "element types",  # truth values
    "ReduceMean": "element types",  # integers
    "ReduceMin": "element types",
    "Scatter": "combines updates",
    "ScatterND": "combines updates",
    "Select": "element types",
}
"""What C has no kernel for in some case, and what the message says; each gap is a decision."""


def known_inputs(case: Case, *, every: bool) -> set[int]:
    """Name the inputs whose values the program may know: all, or those that are attributes."""
    attributes = (InputCategory.Attr, InputCategory.OptionalAttr)
    return {
        index
        for index in range(len(case.arrays))
        if every or case.spec.input_spec(index).category in attributes
    }


@pytest.mark.parametrize("every", [True, False], ids=["all-known", "data-unknown"])
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_bits(case: Case, every: bool) -> None:
    if case.type in DIMS_DEPEND_ON_DATA:
        assert find_c_kernel(case.spec) is None
        return
    try:
        expected = exact(case.type, *case.arrays, **case.attrs)
    except ShapeError as error:
        assert "exact arithmetic" in str(error)  # noqa: PT017  # not all cases have one
        return
    known = known_inputs(case, every=every)
    try:
        found = compiled(case.type, case.arrays, expected, known, **case.attrs)
    except ExportError as error:
        pattern = REFUSED.get(case.type, "nothing")
        assert any(word in str(error) for word in pattern.split("|")), error  # noqa: PT017
        return
    for ours, theirs in zip(found, expected, strict=True):
        assert differing(ours, np.asarray(theirs)) == 0


def test_every_gap_is_one() -> None:
    """No operator is listed that C computes in all cases."""
    gaps = set()
    for case in CASES:
        if case.type not in REFUSED:
            continue
        try:
            expected = exact(case.type, *case.arrays, **case.attrs)
            compiled(
                case.type, case.arrays, expected, known_inputs(case, every=False), **case.attrs
            )
        except (ExportError, ShapeError):
            gaps.add(case.type)
    assert gaps == set(REFUSED)
