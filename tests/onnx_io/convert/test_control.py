"""If, Loop and Scan that depend on data, and functions, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from aidge_nb import onnx_backend
from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue, load_onnx, to_onnx

HEAD = '<ir_version: 9, opset_import: ["" : 17, "own" : 1]>'

COUNTED = f"""{HEAD}
g (int64 n, float[M] x) => (float[M] last, float[T, M] all) {{
    yes = Constant <value = bool {{1}}> ()
    last, all = Loop (n, yes, x) <body = b (int64 i, bool go, float[M] before)
        => (bool again, float[M] after, float[M] seen) {{
        again = Identity (go)
        turn = Cast <to = 1> (i)
        step = Add (before, x)
        after = Mul (step, turn)
        seen = Neg (after)
    }}>
}}"""

WHILE = f"""{HEAD}
g (float x, float limit) => (float y, float[T] all) {{
    no = Constant <value = bool {{1}}> ()
    y, all = Loop ("", no, x) <body = b (int64 i, bool go, float before)
        => (bool again, float after, float kept) {{
        two = Constant <value = float {{2.0}}> ()
        after = Mul (before, two)
        kept = Identity (after)
        again = Less (after, limit)
    }}>
}}"""

NESTED = f"""{HEAD}
g (int64 n, float[M] x) => (float[M] y) {{
    yes = Constant <value = bool {{1}}> ()
    half = Constant <value = int64 {{2}}> ()
    y = Loop (n, yes, x) <body = b (int64 i, bool go, float[M] before)
        => (bool go_on, float[M] after) {{
        go_on = Identity (go)
        early = Less (i, half)
        after = If (early) <
            then_branch = t () => (float[M] a) {{ a = Add (before, x) }},
            else_branch = e () => (float[M] c) {{ c = Sub (before, x) }}>
    }}>
}}"""

SCANNED = f"""{HEAD}
g (float[2] start, float[2, 5] rows) => (float[2] last, float[2, 5] sums) {{
    last, sums = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1],
        scan_output_axes = [1], scan_output_directions = [1],
        body = b (float[2] before, float[2] row) => (float[2] after, float[2] out) {{
            after = Add (before, row)
            out = Identity (after)
        }}> (start, rows)
}}"""

FUNCTION = f"""{HEAD}
g (bool flag, float[M] x) => (float[M] y) {{
    y = If (flag) <
        then_branch = t () => (float[M] a) {{ a = own.twice <by = 3.0> (x) }},
        else_branch = e () => (float[M] c) {{ c = own.twice (x) }}>
}}
<domain: "own", opset_import: ["" : 17]>
twice <by: float = 2.0> (v) => (w) {{
    factor = Constant <value_float: float = @by> ()
    w = Mul (v, factor)
}}"""

X = np.array([1, -2, 3], np.float32)
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "counted": (COUNTED, {"n": np.array(4), "x": X}),
    "not at all": (COUNTED, {"n": np.array(0), "x": X}),
    "while": (WHILE, {"x": np.float32(1.5), "limit": np.float32(50)}),
    "nested": (NESTED, {"n": np.array(5), "x": X}),
    "scanned": (SCANNED, {"start": X[:2], "rows": np.arange(10).reshape(2, 5).astype("f4")}),
    "function": (FUNCTION, {"flag": np.array(True), "x": X}),
    "other branch": (FUNCTION, {"flag": np.array(False), "x": X}),
}


@pytest.mark.parametrize("name", list(CASES))
def test_bodies_compute_what_onnx_runtime_does(name: str) -> None:
    text, data = CASES[name]
    model = onnx.parser.parse_model(text)
    fed = {key: np.asarray(value) for key, value in data.items()}
    wanted = onnxruntime.InferenceSession(model.SerializeToString()).run(None, fed)
    written = to_onnx(load_onnx(model)).to_bytes()
    for source in (model, written):
        prepared = onnx_backend.prepare(source)
        for _ in range(2):  # nothing is left over from the first time
            for found, right in zip(prepared.run(fed), wanted, strict=True):
                assert np.asarray(found).shape == right.shape
                np.testing.assert_allclose(np.asarray(found), right, rtol=1e-6)


def test_a_loop_stays_one_node_that_can_be_scheduled() -> None:
    view = load_onnx(onnx.parser.parse_model(COUNTED))
    (node,) = (node for node in view.get_nodes() if node.type() == "Loop")
    assert node.get_operator().attr["body"].name == "b"
    assert view.annotations["onnx.report"].generic == ()


def test_an_operator_that_is_missing_inside_is_named() -> None:
    model = onnx.parser.parse_model(NESTED.replace("Sub (before", "Odd (before"))
    with pytest.raises(OnnxError, match=r"y \(Loop\).*body, node after \(If\).*c \(Odd\)"):
        onnx_backend.prepare(model)


def test_functions_of_the_standard_are_expanded_in_built_models() -> None:
    nodes = (OnnxNode("SwiGLU", ("a", "b"), ("y",), "glu"),)
    inputs = tuple(OnnxValue(name, "float32", (3,)) for name in "ab")
    model = OnnxModel(
        OnnxGraph("g", nodes, {}, inputs, (OnnxValue("y", "float32", (3,)),)), {"": 28}
    )
    view = load_onnx(model)
    assert view.annotations["onnx.report"].generic == ()
    assert {node.type() for node in view.get_nodes()} >= {"Swish", "Mul"}


def test_a_function_for_another_version_is_converted() -> None:
    text = """<ir_version: 9, opset_import: ["" : 17, "own" : 1]>
    g (float[2, 3] x) => (float[K] y) { y = own.total (x) }
    <domain: "own", opset_import: ["" : 12]>
    total (v) => (w) { w = ReduceSum <axes: ints = [1], keepdims: int = 0> (v) }"""
    (found,) = onnx_backend.run_model(onnx.parser.parse_model(text), [np.ones((2, 3), np.float32)])
    assert np.asarray(found).tolist() == [3, 3]
