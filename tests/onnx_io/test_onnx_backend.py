"""The standard backend interface, and the tests that the ``onnx`` package brings for it.

What does not pass is in :data:`KNOWN`, with the reason. The list may only get shorter: a case that
starts to pass has to leave it, and one that stops to pass is an error. The kinds, counts and
tolerances are those of the package's own test runner.
"""

from __future__ import annotations

import logging
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from aidge_nb import onnx_backend
from aidge_nb.core.errors import OnnxError, ShapeError

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")

_TRAINING = "training is not done through ONNX here"
_IMAGES = "needs a codec library for this kind of image file"
_RANDOM = "expects the random numbers of NumPy's old generator, without giving a seed"
_RESIZE = "the file says 3.14 where ONNX Runtime, and we, map the last pixel to the last: 4"

KNOWN: dict[str, str] = {
    "test_adagrad": _TRAINING,
    "test_adagrad_multiple": _TRAINING,
    "test_adam": _TRAINING,
    "test_adam_multiple": _TRAINING,
    "test_momentum": _TRAINING,
    "test_momentum_multiple": _TRAINING,
    "test_nesterov_momentum": _TRAINING,
    "test_gradient_of_add": _TRAINING,
    "test_gradient_of_add_and_mul": _TRAINING,
    "test_image_decoder_decode_jpeg2k_rgb": _IMAGES,
    "test_image_decoder_decode_jpeg_bgr": _IMAGES,
    "test_image_decoder_decode_jpeg_grayscale": _IMAGES,
    "test_image_decoder_decode_jpeg_rgb": _IMAGES,
    "test_image_decoder_decode_tiff_rgb": _IMAGES,
    "test_image_decoder_decode_webp_rgb": _IMAGES,
    "test_bernoulli": _RANDOM,
    "test_bernoulli_double": _RANDOM,
    "test_bernoulli_seed": _RANDOM,
    "test_bernoulli_expanded": _RANDOM,
    "test_bernoulli_double_expanded": _RANDOM,
    "test_bernoulli_seed_expanded": _RANDOM,
    "test_resize_downsample_scales_cubic_align_corners": _RESIZE,
    "test_resize_downsample_scales_linear_align_corners": _RESIZE,
    "test_loop16_seq_none": "the runner cannot compare sequences with numbers in them",
}


def cases() -> Iterator[Any]:
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in KINDS:
            yield from load_model_tests(kind=kind)


def data_sets(case: Any, model: onnx.ModelProto) -> Iterator[tuple[list[Any], list[Any]]]:
    from onnx.backend.test.runner import Runner, _normalize_tensor

    if case.data_sets is not None:
        for given, wanted in case.data_sets:
            yield [*map(_normalize_tensor, given)], [*map(_normalize_tensor, wanted)]
        return
    reader = Runner.__new__(Runner)
    for folder in sorted(Path(case.model_dir).glob("test_data_set*")):
        values: list[list[Any]] = [[], []]
        for kind, declared, into in zip(
            ("input", "output"), (model.graph.input, model.graph.output), values, strict=True
        ):
            for index in range(len(list(folder.glob(f"{kind}_*.pb")))):
                reader._load_proto(str(folder / f"{kind}_{index}.pb"), into, declared[index].type)
        yield values[0], values[1]


def problem(case: Any) -> str:
    """Say what is wrong with a case; nothing when it passes."""
    from onnx.backend.test.runner import Runner

    model = case.model or onnx.load(Path(case.model_dir, "model.onnx"))
    try:
        prepared = onnx_backend.prepare(model)
        for given, wanted in data_sets(case, model):
            found = prepared.run(given)
            Runner.assert_similar_outputs(wanted, list(found), case.rtol, case.atol)
    except (OnnxError, ShapeError, AssertionError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_suite_of_the_onnx_package_passes_but_for_known_cases(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL, logger="aidge_nb")
    found = {case.name: problem(case) for case in cases()}
    failed = {name: why for name, why in found.items() if why}
    assert {name: why for name, why in failed.items() if name not in KNOWN} == {}
    assert {name for name in KNOWN if name in found} - set(failed) == set()
    if onnx.__version__.startswith("1.23."):
        assert Counter(not why for why in found.values())[True] == len(found) - len(KNOWN)


def relu(dims: list[Any]) -> onnx.ModelProto:
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, dims)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_inputs_come_as_a_list_a_mapping_or_one_array() -> None:
    prepared = onnx_backend.prepare(relu(["N"]))
    x = np.array([-1, 2], np.float32)
    for inputs in ([x], {"x": x}, x):
        (y,) = prepared.run(inputs)
        assert isinstance(y, np.ndarray)
        assert y.tolist() == [0, 2]


def test_dims_may_change_between_runs() -> None:
    prepared = onnx_backend.prepare(relu(["N", 2]))
    for count in (3, 1, 0, 5):
        (y,) = prepared.run([np.full((count, 2), -1, np.float32)])
        assert isinstance(y, np.ndarray)
        assert y.shape == (count, 2)


@pytest.mark.parametrize("inputs", [[], {"z": np.ones(1, np.float32)}, [np.ones(1)] * 2])
def test_wrong_inputs_are_named(inputs: Any) -> None:
    prepared = onnx_backend.prepare(relu(["N"]))
    with pytest.raises(OnnxError, match=r"the inputs do not match \(expected x, found "):
        prepared.run(inputs)
    assert prepared.run([np.ones(1, np.float32)])[0] == [1]


def test_no_inputs_at_all() -> None:
    nothing: Any
    for nothing in (None, 3.0):
        with pytest.raises(OnnxError, match=r"the inputs do not match \(expected x, found "):
            onnx_backend.prepare(relu(["N"])).run(nothing)
        with pytest.raises(OnnxError, match=r"the inputs do not match \(expected x, found "):
            onnx_backend.run_node(helper.make_node("Relu", ["x"], ["y"]), nothing)


def test_inputs_of_one_node() -> None:
    node = helper.make_node("Add", ["x", "z"], ["y"])
    one = np.ones(1, np.float32)
    for inputs in ([], [one], [one] * 3):
        with pytest.raises(OnnxError, match=rf"node Add: .*expected x, z, found {len(inputs)} arr"):
            onnx_backend.run_node(node, inputs)
    with pytest.raises(ShapeError, match=r"input 'z': is not an array .*rows differ in length"):
        onnx_backend.run_node(node, [one, [[1.0], [2.0, 3.0]]])


def test_a_wrong_rank_is_refused_and_the_model_stays_usable() -> None:
    prepared = onnx_backend.prepare(relu(["N", 2]))
    with pytest.raises(ShapeError, match=r"input 'x': wrong dimensions"):
        prepared.run([np.ones(3, np.float32)])
    assert prepared.run([np.ones((1, 2), np.float32)])[0].tolist() == [[1, 1]]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.ones((1, 2)), r"wrong element type \(expected float32, found float64\)\. Convert it"),
        ([[1.0], [2.0, 3.0]], r"is not an array \(found list\). Its rows differ in length"),
        (np.ones((1, 3), np.float32), r"wrong dimensions \(expected \['N', 2\], found \[1, 3\]\)"),
    ],
)
def test_what_is_not_as_declared_is_refused(x: Any, message: str) -> None:
    with pytest.raises(ShapeError, match="input 'x': " + message):
        onnx_backend.prepare(relu(["N", 2])).run([x])


def test_an_output_that_is_too_large_is_refused() -> None:
    graph = onnx.parser.parse_graph(
        "g (int64[3] n) => (float[A,B,C] y) { y = ConstantOfShape (n) }"
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    prepared = onnx_backend.prepare(model)
    with pytest.raises(ShapeError, match=r"^y \(ConstantOfShape\): .*: Unable to alloc"):
        prepared.run([np.full(3, 10**6)])
    assert prepared.run([np.array([1, 2, 0])])[0].shape == (1, 2, 0)  # type: ignore[union-attr]


def test_an_operator_that_is_missing_is_named() -> None:
    from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

    model = relu(["N"])
    model.graph.node[0].op_type = "Odd"
    for kind in (OnnxError, BackendIsNotSupposedToImplementIt):
        with pytest.raises(kind, match=r"node y \(Odd\): cannot run: no such operator"):
            onnx_backend.prepare(model)
    assert not onnx_backend.is_compatible(model)
    assert onnx_backend.is_compatible(relu(["N"]))


def test_there_is_no_other_device_than_the_processor() -> None:
    assert not onnx_backend.supports_device("CUDA")
    with pytest.raises(OnnxError, match=r"device: is not supported \(expected CPU, found CUDA:0\)"):
        onnx_backend.prepare(relu(["N"]), "CUDA:0")


@pytest.mark.parametrize("device", [None, 3])
def test_a_device_is_a_name(device: Any) -> None:
    for call in (onnx_backend.supports_device, lambda each: onnx_backend.prepare(b"", each)):
        with pytest.raises(OnnxError, match=r"device: is not a name .expected such as CPU, found"):
            call(device)


@pytest.mark.parametrize("given", [None, 3, relu(["N"])])
def test_what_is_no_node_is_refused(given: Any) -> None:
    with pytest.raises(OnnxError, match=r"run_node: cannot run this value .expected an onnx.NodeP"):
        onnx_backend.run_node(given, [])


def test_a_version_is_a_number() -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    with pytest.raises(OnnxError, match=r"opset_version: is not an integer .found 'new'"):
        onnx_backend.run_node(node, [np.ones(2)], opset_version="new")


def test_one_node_with_an_optional_input_left_out() -> None:
    node = helper.make_node("Clip", ["x", "", "most"], ["y"])
    given = [np.array([1, 5], np.float32), np.float32(3)]
    (y,) = onnx_backend.run_node(node, given)
    assert isinstance(y, np.ndarray)
    assert y.tolist() == [1, 3]
