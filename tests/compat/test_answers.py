"""What aidge_core 0.10.1 answered, this library answers too; where not, it says why."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compat.replay import agree, ask, lines_of

_GRID = (
    "run(core.GridSample({}), R(1, 1, 3, 3), "
    "np.array([[[[0, 0], [0.5, -0.5]], [[-1, 1], [1.2, 0]]]], np.float32))"
)
DIFFERENT = {
    "core.Tensor()": "an undefined tensor has no array: NumPy is told so",
    "np.asarray(core.Tensor())": "as above",
    "core.Tensor(dims=[2,3])": "zeros, which need no backend",
    "core.Tensor(dims=[])": "as above",
    "t=core.Tensor(); t.resize([2,2]); t": "as above",
    "core.Tensor(array=[1,2])": "NumPy's type of a list; there, the name array= cuts to int8",
    "core.Tensor(array=np.float32(3))": "as above",
    "core.Tensor(array=[[1.0,2]])": "as above",
    "S[()]": "a scalar has one element, without coordinates",
    "A.dims == (2,3)": "dims equal tuples, too",
    "A.stride(5)": "there, memory behind the strides is read",
    "A.extract([1])": "there, NumPy is shown the first part, whichever was taken",
    "A.extract([1,1])": "as above",
    "A.extract([0,1],[2,2])": "as above",
    "A.extract([0,1],[2,3])": "a part that does not lie inside is refused",
    "repr(A)": "short; str() has the values",
    "repr(S)": "as above",
    "repr(I)": "as above",
    "repr(core.Tensor())": "as above",
    "repr(core.Tensor(np.arange(8,dtype=np.int32).reshape(2,2,2)))": "as above",
    't=core.Tensor(np.arange(6,dtype=np.float32)); t.set_backend("cpu", 1); t.device': (
        "there is one device"
    ),
    **dict.fromkeys(
        (
            f'n=core.{cell}, name="c"); v=core.get_connected_graph_view(n); '
            "core.expand_metaops(v); parts(v)"
            for cell in (
                "RLeaky(3, 0.5, 1.0, 2",
                "RLeaky(3, 0.5, 1.0, 2.0",
                "RSynaptic(3, 0.9, 0.5, 1.0, 2",
                "RSynaptic(3, 0.9, 0.5, 1.0, 2.5",
            )
        ),
        "a spike is read from this step's potential; there, from one that may not be there yet",
    ),
    _GRID.format('"linear", "zeros", False'): "the middle of [-2, -1, 0], [1, 2, 3], … is not 1",
    _GRID.format('"linear", "border", True'): "as above, and as ONNX",
    _GRID.format('"linear", "reflection", False'): "as above",
    _GRID.format('"cubic", "zeros", False'): "as above",
}
"""Lines with other answers here, and why."""


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("code", "answer"),
    [line for name in ("tensors", "recipes", "operators", "cells") for line in lines_of(name)],
)
def test_answers(code: str, answer: Any) -> None:
    ours = ask(code)
    if isinstance(answer, dict) and "raises" in answer:
        return  # what fails there may work here
    assert agree(ours, answer) != (code in DIFFERENT), f"{code}\nhere  {ours}\nthere {answer}"


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(("code", "answer"), lines_of("unsafe"))
def test_recipes_that_change_results_refuse(code: str, answer: Any) -> None:
    assert not agree(ask(code), answer)
