"""Every operator that has a kernel has a gradient that finite differences confirm, or a reason."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.spec import SPECS, InputCategory, InputSpec, OpSpec
from aidge_nb.kernels import find_kernel
from aidge_nb.kernels.gradients import Recorded, gradient, stand_in, without_gradient
from aidge_nb.kernels.registry import find_gradient, why_no_gradient
from tests.kernels.case import Array, Case, run
from tests.kernels.finite import Arrays, check_gradients, is_float
from tests.kernels.tables.gradients import CASES, IDS

NOT_DIFFERENTIABLE = {
    *("Not", "IsNaN", "IsInf", "And", "Or", "Xor"),  # truth values
    *("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"),
    "Heaviside",  # a step
    *("BitwiseNot", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"),  # whole numbers
    *("ArgMax", "ArgMin", "NonZero"),  # positions
    *("Shape", "Size", "ConstantOfShape", "EyeLike"),  # dimensions, and constants of them
}
"""Operators whose result does not change with the elements of their inputs, or has no slope."""


def _has_slope(case: Case) -> bool:
    if case.type in NOT_DIFFERENTIABLE or not any(map(is_float, case.arrays)):
        return False
    outputs = run(case.type, *case.arrays, **case.attrs)
    return any(output.dtype == np.float64 for output in outputs)  # others are too coarse


DIFFERENTIABLE = [each for each in zip(CASES, IDS, strict=True) if _has_slope(each[0])]


def _padded(case: Case) -> list[Array | None]:
    """Give all inputs, None for those that are not there."""
    missing = len(case.spec.inputs) - len(case.arrays) if not case.spec.variadic else 0
    return [*case.arrays, *[None] * missing]


def _grads_for(outputs: Arrays) -> tuple[Array | None, ...]:
    rng = np.random.default_rng(7)
    return tuple(
        np.asarray(rng.standard_normal(y.shape)) if y is not None and is_float(y) else None
        for y in outputs
    )


def _gradients(case: Case, *, poisoned: bool) -> tuple[Arrays, Arrays, Arrays, Arrays]:
    """Give inputs, outputs, gradients of outputs, and those of inputs."""
    function = find_gradient(case.spec)
    assert function is not None
    inputs, outputs = _padded(case), run(case.type, *case.arrays, **case.attrs)
    kept_inputs: Arrays = inputs
    kept_outputs: Arrays = outputs
    if poisoned:
        kept_inputs = [
            a if a is None or function.reads_input(i) else stand_in(a) for i, a in enumerate(inputs)
        ]
        kept_outputs = [
            a if function.reads_output(i) else stand_in(a) for i, a in enumerate(outputs)
        ]
    grads = _grads_for(outputs)
    every = frozenset(i for i, array in enumerate(inputs) if is_float(array))
    recorded = Recorded(tuple(kept_inputs), tuple(kept_outputs), grads, every)
    with np.errstate(all="ignore"):
        found = function(recorded, case.spec.make_attributes(**case.attrs))
    return inputs, outputs, grads, [*found, *[None] * (len(inputs) - len(found))]


def test_every_operator_has_a_gradient_or_a_reason() -> None:
    with_kernel = {name: spec for name, spec in SPECS.items() if find_kernel(spec) is not None}
    found = {name for name, spec in with_kernel.items() if find_gradient(spec) is not None}
    reasons = {name for name, spec in with_kernel.items() if why_no_gradient(spec) is not None}
    assert reasons == NOT_DIFFERENTIABLE
    assert found == set(with_kernel) - NOT_DIFFERENTIABLE


def test_every_gradient_is_checked_on_two_cases_at_least() -> None:
    count = Counter(case.type for case, _ in DIFFERENTIABLE)
    few = {name for name, spec in SPECS.items() if find_gradient(spec) and count[name] < 2}
    assert not few - {"Range"}, few
    assert count["Range"] == 2


@pytest.mark.parametrize("case", [c for c, _ in DIFFERENTIABLE], ids=[n for _, n in DIFFERENTIABLE])
def test_gradients_agree_with_finite_differences(case: Case) -> None:
    inputs, _, grads, found = _gradients(case, poisoned=False)

    def function(arrays: Arrays) -> tuple[Array, ...]:
        return run(case.type, *arrays, **case.attrs)

    check_gradients(function, inputs, grads, found)
    for index, (array, grad) in enumerate(zip(inputs, found, strict=True)):
        if is_float(array) and grad is None:
            category = case.spec.input_spec(index).category
            decides = category in (InputCategory.Attr, InputCategory.OptionalAttr)
            assert decides or (case.type, index) in NO_WAY_BACK, f"input {index} gets no gradient"


NO_WAY_BACK = {
    ("Select", 1),  # branches that were not taken
    ("Select", 2),
    ("Select", 3),
    ("CastLike", 1),  # lends its type alone
    ("Dropout", 1),  # the ratio
}


@pytest.mark.parametrize("case", [c for c, _ in DIFFERENTIABLE], ids=[n for _, n in DIFFERENTIABLE])
def test_nothing_is_read_that_was_not_asked_for(case: Case) -> None:
    """What a gradient does not say that it reads is not kept for it, and does not matter."""
    expected = _gradients(case, poisoned=False)[3]
    found = _gradients(case, poisoned=True)[3]
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.type in NOT_DIFFERENTIABLE],
    ids=[name for case, name in zip(CASES, IDS, strict=True) if case.type in NOT_DIFFERENTIABLE],
)
def test_what_has_a_reason_has_no_slope(case: Case) -> None:
    moved = [None if a is None else a + 1e-7 if a.dtype.kind == "f" else a for a in case.arrays]
    before = run(case.type, *case.arrays, **case.attrs)
    after = run(case.type, *moved, **case.attrs)
    for ours, theirs in zip(before, after, strict=True):
        assert ours.dtype.kind != "f" or np.array_equal(ours, theirs)


class TestRegistry:
    @staticmethod
    def _spec() -> OpSpec:
        return OpSpec("Mine", (InputSpec("x"),), lambda context: [context.dim(0)], attrs={"a": 1})

    def test_attributes_come_by_name(self) -> None:
        spec = self._spec()

        @gradient(spec, inputs=(0,), outputs=None)
        def mine(run: Recorded, *, a: float) -> Array:
            return np.asarray(a * run.dy)

        found = find_gradient(spec)
        assert found is not None
        assert (found.reads_input(0), found.reads_input(1), found.reads_output(5)) == (1, 0, 1)
        x = np.ones(2, np.float32)
        recorded = Recorded((x,), (None,), (np.ones(2),), frozenset((0,)))
        (result,) = found(recorded, spec.make_attributes(a=3))
        assert result is not None
        assert (result.tolist(), result.dtype) == ([3, 3], x.dtype)

    def test_an_operator_has_one(self) -> None:
        spec = self._spec()
        gradient(spec)(lambda run: run.dy)
        with pytest.raises(GraphError, match="Mine: has a gradient on backend 'cpu' already"):
            gradient(spec)(lambda run: run.dy)

    @pytest.mark.parametrize(
        "function",
        [lambda: None, lambda a, b: a, lambda run, *, b: run.dy, lambda run, **a: run.dy],
        ids=["none", "two", "unknown", "all"],
    )
    def test_signatures_are_checked(self, function: object) -> None:
        with pytest.raises(GraphError, match=r"gradient of Mine: .*keyword-only of \['a'\]"):
            gradient(self._spec())(function)  # type: ignore[type-var]  # that is the point

    def test_a_reason_is_kept(self) -> None:
        spec = self._spec()
        without_gradient(spec, reason="is only here")
        assert why_no_gradient(spec) == "is only here"
        assert find_gradient(spec) is None

    def test_what_was_not_recorded_is_named(self) -> None:
        recorded = Recorded((None,), (), (None,), frozenset())
        for name, what in (("x", "input#0"), ("y", "output#0"), ("dy", "gradient of output#0")):
            with pytest.raises(GraphError, match=f"{what}: was not recorded"):
                getattr(recorded, name)

    def test_stand_ins_take_no_memory(self) -> None:
        array = stand_in(np.ones((100, 100), np.float32))
        assert (array.shape, array.strides) == ((100, 100), (0, 0))
        assert array.dtype == np.float32
        assert np.isnan(array).all()
        assert stand_in(np.ones(3, np.int64)).tolist() == [0, 0, 0]
