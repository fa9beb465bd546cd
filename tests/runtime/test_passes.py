"""Data that a graph cannot take: clear errors, and a graph that works afterwards."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import onnx_backend, ops
from aidge_nb.core.errors import AidgeError, MemoryPlanError, SchedulingError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Operator
from aidge_nb.kernels.registry import find_standard_kernel
from aidge_nb.kernels.standard import NodeContext
from aidge_nb.runtime import CpuImpl, run_in_arena
from tests.kernels.case import Case
from tests.kernels.tables.every import CASES, IDS

Array = NDArray[Any]

GOOD = np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype(np.float32)
SCHEDULERS = [aidge_nb.SequentialScheduler, aidge_nb.ParallelScheduler]


def _network() -> GraphView:
    view = aidge_nb.sequential(
        [
            ops.Conv2D(3, 4, [3, 3], name="conv"),
            ops.ReLU(name="relu"),
            ops.MaxPooling2D([2, 2], stride_dims=[2, 2], name="pool"),
            ops.Flatten(name="flat"),
            ops.FC(36, 5, name="fc"),
        ]
    )
    aidge_nb.init_weights(view, seed=0)
    view.set_backend("cpu")
    return view


BAD: dict[str, tuple[Any, str]] = {
    "channels": (GOOD[:, :2], r"conv \(Conv2D\), input#0: .*channels \(expected 3.*found 2"),
    "too few dims": (GOOD[0], r"conv \(Conv2D\), input#0: .*dimensions \(expected 4, found"),
    "a number": (3.0, r"conv \(Conv2D\), input#0: .*expected 4, found \[\]"),
    "features": (
        np.zeros((2, 3, 10, 10), np.float32),
        r"fc \(FC\), input#0: .*expected .*36",
    ),
    "too small": (GOOD[..., :2], r"conv \(Conv2D\), input#0: the kernel is larger than the input"),
    "empty": (GOOD[..., :0], r"conv \(Conv2D\), input#0: .*expected a kernel \[3, 3\].*found"),
    "no image": (np.zeros(0, np.float32), r"conv \(Conv2D\), input#0: .*expected 4, found"),
    "int64": (
        GOOD.astype(np.int64),
        r"conv \(Conv2D\), input#0: .*expected float32, found int",
    ),
    "uint8": (
        GOOD.astype(np.uint8),
        r"expected float32, found uint8\)\. Convert the data",
    ),
    "bool": (GOOD > 0, r"conv \(Conv2D\), input#0: .*expected float32, found bool"),
    "complex": (GOOD.astype(np.complex64), "expected float32, found complex64"),
    "text": (np.full(GOOD.shape, "a"), r"conv \(Conv2D\), input#0: .*expected float32, found str"),
    "objects": (np.full(GOOD.shape, None), "expected float32, found object"),
    "ragged": ([[1.0, 2.0], [3.0]], r"data\[0\]: is not an array \(found list\)\. Its rows differ"),
    "a dict": (
        {"x": 1},
        r"data\[0\]: is not an array \(found dict\)\. Pass an array, a tensor, or",
    ),
    "nothing": (None, r"conv \(Conv2D\), input#0: has no data .*forward\(data=\[\.\.\.\]\)"),
}


@pytest.mark.parametrize("kind", SCHEDULERS)
@pytest.mark.parametrize("what", list(BAD))
def test_bad_data(what: str, kind: type[aidge_nb.SequentialScheduler]) -> None:
    data, message = BAD[what]
    scheduler = kind(_network())
    (y,) = scheduler.forward(data=[GOOD])
    before = y.array.copy()
    with pytest.raises(AidgeError, match=message):
        scheduler.forward(data=[data])
    for again in ([GOOD], []):  # also the data of before are there again
        (y,) = scheduler.forward(data=again)
        assert np.array_equal(y.array, before)


@pytest.mark.parametrize("what", list(BAD))
def test_bad_data_in_the_first_pass(what: str) -> None:
    data, message = BAD[what]
    scheduler = aidge_nb.SequentialScheduler(_network())
    with pytest.raises(AidgeError, match=message):
        scheduler.forward(data=[data])
    with pytest.raises(ShapeError, match=r"conv \(Conv2D\), input#0: has no data"):
        scheduler.forward()
    (expected,) = aidge_nb.SequentialScheduler(_network()).forward(data=[GOOD])
    (y,) = scheduler.forward(data=[GOOD])
    assert np.array_equal(y.array, expected.array)


def test_other_floating_point_numbers_are_fine() -> None:
    (expected,) = aidge_nb.SequentialScheduler(_network()).forward(data=[GOOD])
    for kind in (np.float64, np.float16):
        (y,) = aidge_nb.SequentialScheduler(_network()).forward(data=[GOOD.astype(kind)])
        np.testing.assert_allclose(y.array, expected.array, atol=2e-2)


def test_a_batch_of_none() -> None:
    (y,) = aidge_nb.SequentialScheduler(_network()).forward(data=[GOOD[:0]])
    assert y.dims == [0, 5]


@pytest.mark.parametrize("kind", SCHEDULERS)
def test_missing_and_extra(kind: type[aidge_nb.SequentialScheduler]) -> None:
    view = aidge_nb.sequential([ops.Add(name="sum")])
    view.set_backend("cpu")
    scheduler = kind(view)
    with pytest.raises(ShapeError, match=r"sum \(Add\), input#1: has no data"):
        scheduler.forward(data=[[1.0]])
    with pytest.raises(SchedulingError, match=r"too many of them .expected 2: sum .*, found 3"):
        scheduler.forward(data=[[1.0], [2.0], [3.0]])
    (y,) = scheduler.forward(data=[[1.0], [2.0]])
    assert y.array.tolist() == [3]


def test_surplus_data_of_optional_inputs_are_told() -> None:
    """The second array would be the pads of the padding."""
    conv = ops.PaddedConv2D(3, 4, [3, 3], name="conv", padding_dims=[1, 1, 1, 1])
    view = aidge_nb.sequential([conv])
    aidge_nb.init_weights(view, seed=0)
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    (y,) = scheduler.forward(data=[GOOD])
    before = y.array.copy()
    with pytest.raises(AidgeError, match="pads") as refusal:
        scheduler.forward(data=[GOOD, GOOD])
    (note,) = refusal.value.__notes__
    assert note.startswith("data[1] is for an optional input, conv")
    assert np.array_equal(scheduler.forward()[0].array, before)
    with pytest.raises(ShapeError, match=r"conv_pad \(Pad\), input#0: has fewer dimensions than"):
        scheduler.forward(data=[[1.0, 2.0]])


class TestInTheArena:
    @staticmethod
    def _planned() -> tuple[GraphView, Any]:
        view = _network()
        view.forward_dims([GOOD.shape])
        order = [node for node in view.topological_order() if node.type() != "Producer"]
        return view, aidge_nb.plan_memory(view, order)

    @pytest.mark.parametrize(
        ("inputs", "message"),
        [
            (
                [GOOD[:1]],
                r"conv \(Conv2D\), input#0: .*expected \[2, 3, 8, 8\], found \[1, 3",
            ),
            ([GOOD.astype(np.complex64)], "expected float32, found complex64.*astype"),
            ([np.full(GOOD.shape, "1")], r"input#0: .*element type \(expected float32, found str"),
            ([[[1.0], [2.0, 3.0]]], r"input#0: is not an array \(found list\)"),
            ([], r"too few of them: conv \(Conv2D\), input#0"),
            ([GOOD, GOOD], r"too many of them \(expected 1: conv .*, found 2\)"),
        ],
        ids=["dims", "complex", "text", "ragged", "missing", "extra"],
    )
    def test_refusals(self, inputs: Any, message: str) -> None:
        view, plan = self._planned()
        expected = run_in_arena(view, plan, [GOOD]).outputs[0]
        with pytest.raises((MemoryPlanError, ShapeError), match=message):
            run_in_arena(view, plan, inputs)
        assert np.array_equal(run_in_arena(view, plan, [GOOD]).outputs[0], expected)


def _small(case: Case) -> bool:
    return all(array is None or array.size <= 10_000 for array in case.arrays)


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if _small(case)],
    ids=[name for case, name in zip(CASES, IDS, strict=True) if _small(case)],
)
def test_dimensions_of_size_0(case: Case) -> None:
    """Each dimension of each input in turn: a result, or an error that names the node."""
    spec = case.spec
    count = len(case.arrays) if spec.variadic else len(spec.inputs)
    arrays = [*case.arrays, *[None] * (count - len(case.arrays))]
    operator = Operator(spec, spec.make_attributes(**case.attrs), nb_inputs=count)
    operator.label = f"node ({case.type})"
    impl = CpuImpl(operator)
    messages = []
    for index, array in enumerate(arrays):
        for axis in range(0 if array is None else array.ndim):
            assert array is not None
            given = list(arrays)
            given[index] = np.take(array, [], axis=axis)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("error")
                try:
                    impl.run(given)
                except AidgeError as error:
                    messages.append(str(error))
    assert all(f"node ({case.type})" in message for message in messages)


class TestQuantization:
    @staticmethod
    def _run(op_type: str, *arrays: Array) -> Array:
        kernel = find_standard_kernel(op_type)
        assert kernel is not None
        return kernel(list(arrays), {}, NodeContext(21))[0]

    LARGEST = 33_025  # products of 255 by 255 that fit into int32

    @pytest.mark.parametrize("op_type", ["MatMulInteger", "ConvInteger"])
    def test_sums_that_overflow(self, op_type: str) -> None:
        def both(count: int) -> list[Array]:
            full = np.full(count, 255, np.uint8)
            if op_type == "ConvInteger":
                return [full.reshape(1, 1, count), full.reshape(1, 1, count)]
            return [full.reshape(1, count), full.reshape(count, 1)]

        assert self._run(op_type, *both(self.LARGEST)).item() == self.LARGEST * 255**2
        with pytest.raises(ShapeError) as refusal:
            self._run(op_type, *both(self.LARGEST + 1))
        assert str(refusal.value).startswith(
            "output#0: a sum of products overflows int32 (expected -2147483648 to 2147483647, "
            f"found {(self.LARGEST + 1) * 255**2})"
        )

    def test_long_sums_that_do_not(self) -> None:
        rng = np.random.default_rng(0)
        a, b = (rng.integers(0, 20, dims).astype(np.uint8) for dims in ((2, 40_000), (40_000, 3)))
        exact = a.astype(np.int64) @ b.astype(np.int64)
        assert np.array_equal(self._run("MatMulInteger", a, b), exact)

    def test_a_bias_that_overflows(self) -> None:
        one, zero = np.array(1, np.float32), np.array(0, np.uint8)
        x = w = np.full((1, 1, 4), 255, np.uint8)
        kernel = find_standard_kernel("QLinearConv")
        assert kernel is not None
        for bias, fits in ((2**31 - 1 - 4 * 255**2, True), (2**31 - 4 * 255**2, False)):
            arrays: list[Any] = [x, one, zero, w, one, zero, one, zero, np.array([bias], np.int32)]
            if fits:
                assert kernel(arrays, {}, NodeContext(21))[0].item() == 255
                continue
            with pytest.raises(ShapeError, match="overflows int32"):
                kernel(arrays, {}, NodeContext(21))

    def test_numbers_out_of_range_saturate(self) -> None:
        x = np.array([1e30, -1e30, np.inf, -np.inf, 2.5], np.float32)
        found = self._run("QuantizeLinear", x, np.array(1, np.float32), np.array(3, np.uint8))
        assert found.tolist() == [255, 0, 255, 0, 5]

    @pytest.mark.parametrize("bad", [0.0, -0.5, np.nan, np.inf])
    def test_scales_that_nothing_can_be_divided_by(self, bad: float) -> None:
        one, zero = np.array(1, np.float32), np.array(0, np.uint8)
        scale, x = np.array(bad, np.float32), np.full((1, 1), 2, np.uint8)
        message = rf"by this scale \(expected positive, finite numbers, found {bad}\)"
        with pytest.raises(ShapeError, match="input#1: cannot quantize " + message):
            self._run("QuantizeLinear", x.astype(np.float32), scale, zero)
        with pytest.raises(ShapeError, match=message):
            self._run("QLinearMatMul", x, one, zero, x, one, zero, scale, zero)

    def test_a_scale_of_many_that_is_bad(self) -> None:
        x = np.ones((2, 3), np.float32)
        with pytest.raises(ShapeError, match=r"input#1: cannot quantize by .*found 0.0"):
            self._run("QuantizeLinear", x, np.array([1, 0, 2], np.float32), np.zeros(3, np.int8))

    @pytest.mark.parametrize("bad", [np.inf, np.nan])
    def test_data_without_a_range(self, bad: float) -> None:
        with pytest.raises(ShapeError, match="input#0: has no range to quantize"):
            self._run("DynamicQuantizeLinear", np.array([1, bad], np.float32))

    def test_a_bad_scale_names_the_node_and_the_model_stays_usable(self) -> None:
        graph = onnx.parser.parse_graph(
            "g (float[N] x, float s, uint8 z) => (uint8[N] y) { y = QuantizeLinear (x, s, z) }"
        )
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)])
        prepared = onnx_backend.prepare(model)
        x, zero = np.array([4, 8], np.float32), np.array(1, np.uint8)
        for _ in range(2):
            with pytest.raises(
                ShapeError, match=r"y \(QuantizeLinear\): input#1: cannot quantize by"
            ):
                prepared.run([x, np.array(0, np.float32), zero])
            (y,) = prepared.run([x, np.array(2, np.float32), zero])
            assert np.asarray(y).tolist() == [3, 5]


@pytest.mark.parametrize("make", [lambda: Tensor(np.array([1, 2])), lambda: [1, 2]], ids=["t", "l"])
def test_whole_numbers_are_fine_where_there_are_no_parameters(make: Callable[[], Any]) -> None:
    view = aidge_nb.sequential([ops.ReLU(name="r")])
    view.set_backend("cpu")
    (y,) = aidge_nb.SequentialScheduler(view).forward(data=[make()])
    assert y.array.tolist() == [1, 2]
