"""The registry of functions for operators that are not declared."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import defs

from aidge_nb.core.errors import GraphError
from aidge_nb.kernels import standard as registry
from aidge_nb.kernels.registry import find_standard_kernel
from aidge_nb.kernels.standard import NodeContext, standard
from tests.kernels.case import Array

NOT_ATTRIBUTES = {"stash_type"}  # says how precisely to add up; we always add precisely


def test_a_function_takes_missing_inputs_as_none() -> None:
    @standard("OnlyHere", domain="tests", decided_by=(1,))
    def only_here(x: Array, y: Array | None, *, factor: int = 2, site: NodeContext) -> Array:
        return x * factor + site.opset + (0 if y is None else y)

    try:
        kernel = find_standard_kernel("OnlyHere", "tests")
        assert kernel is not None
        assert (kernel.nb_inputs, set(kernel.attributes), kernel.decided_by) == (
            2,
            {"factor"},
            (1,),
        )
        (found,) = kernel([np.array([1])], {"factor": 3}, NodeContext(opset=4))
        assert found.tolist() == [7]
        with pytest.raises(GraphError, match="OnlyHere: has a function already"):
            standard("OnlyHere", domain="tests")(only_here)
    finally:
        del registry._KERNELS["tests", "OnlyHere"]
    assert find_standard_kernel("OnlyHere", "tests") is None


OLD = {"Resize"}
"""Functions for an old version alone: what came later, declared operators do."""


def test_functions_take_all_inputs_and_attributes_of_the_standard() -> None:
    problems = []
    for schema in defs.get_all_schemas():
        kernel = find_standard_kernel(schema.name, schema.domain)
        if kernel is None or schema.deprecated or schema.name in OLD:
            continue
        missing = set(schema.attributes) - kernel.attributes - NOT_ATTRIBUTES
        few = len(schema.inputs) > kernel.nb_inputs and not kernel.variadic
        if missing or few:
            problems.append((schema.name, missing))
    assert not problems
