"""Every kernel, on the cases of the tables: values, dimensions, types, and untouched inputs."""

from __future__ import annotations

import numpy as np
import pytest

from aidge_nb.core.dtype import as_dtype
from tests.kernels.case import Case, check_close, declared, run
from tests.kernels.tables.every import CASES, IDS


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_values(case: Case) -> None:
    found = run(case.type, *case.arrays, **case.attrs)
    expected = case.oracle(*case.arrays)
    if not isinstance(expected, list) or not isinstance(expected[0], np.ndarray):
        expected = [expected]
    for ours, theirs in zip(found, expected, strict=True):
        check_close(ours, theirs, case.tolerance)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_dimensions_and_types_are_the_declared_ones(case: Case) -> None:
    found = run(case.type, *case.arrays, **case.attrs)
    assert all(isinstance(array, np.ndarray) for array in found)
    dims, dtypes = declared(case, len(found))
    assert [array.shape for array in found] == dims
    assert [as_dtype(array.dtype) for array in found] == dtypes


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_inputs_are_read_only(case: Case) -> None:
    arrays = [None if array is None else array.copy() for array in case.arrays]
    for array in arrays:
        if array is not None:
            array.flags.writeable = False
    found = run(case.type, *arrays, **case.attrs)
    for given, before in zip(arrays, case.arrays, strict=True):
        np.testing.assert_array_equal(given, before)
    if case.spec.is_view:
        return
    for output in found:
        assert output.flags.writeable
        assert not any(np.shares_memory(output, given) for given in arrays if given is not None)
