"""Recurrent layers of ONNX: C gives the bits of the exact kernels, which stay near the fast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import aidge_nb
from aidge_nb.core.errors import ExportError
from aidge_nb.kernels.c import c_calls
from tests.kernels.c.machine import differing
from tests.kernels.c.test_quantized import Array, run
from tests.kernels.tables.data import normal
from tests.onnx_io.convert.test_contrib import model_of

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def layer(op_type: str, direction: str, *, plain: bool, outputs: int, **attrs: Any) -> Any:
    """Make a model of one layer; a plain one has neither biases nor states nor peepholes."""
    gates, hidden, batch = GATES[op_type], 5, 3
    turns = 2 if direction == "bidirectional" else 1
    given = {"w": normal(turns, gates * hidden, 7), "r": normal(turns, gates * hidden, hidden)}
    names = ["x", "w", "r"]
    if not plain:
        given |= {"b": normal(turns, 2 * gates * hidden), "h": normal(turns, batch, hidden)}
        names += ["b", "", "h"]
        if op_type == "LSTM":
            given |= {"c": normal(turns, batch, hidden, salt=1), "p": normal(turns, 3 * hidden)}
            names += ["c", "p"]
    made = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op_type, names, made, hidden_size=hidden, direction=direction, **attrs)
    graph = helper.make_graph(
        [node],
        "layer",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [9, batch, 7])],
        [helper.make_empty_tensor_value_info(name) for name in made],
        [numpy_helper.from_array(array, name) for name, array in given.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])


def inputs() -> dict[str, Array]:
    return {"x": normal(9, 3, 7)}


@pytest.mark.usefixtures("no_fallback")
@pytest.mark.parametrize("plain", [True, False], ids=["plain", "whole"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(
    ("op_type", "attrs"),
    [
        ("RNN", {}),
        ("RNN", {"activations": ["Relu"]}),
        ("GRU", {"linear_before_reset": 0}),
        ("GRU", {"linear_before_reset": 1}),
        ("LSTM", {}),
    ],
)
def test_bits(op_type: str, attrs: dict[str, Any], direction: str, plain: bool) -> None:
    if "activations" in attrs and direction == "bidirectional":
        attrs = {"activations": attrs["activations"] * 2}
    for outputs in (1, 3 if op_type == "LSTM" else 2):
        model = layer(op_type, direction, plain=plain, outputs=outputs, **attrs)
        exact, compiled, fast = (run(model, inputs(), name) for name in ("exact", "c", "cpu"))
        for defined, found, near in zip(exact, compiled, fast, strict=True):
            assert differing(found, defined) == 0
            np.testing.assert_allclose(defined, near, rtol=0, atol=1e-5 * np.abs(near).max())


def test_rare_variants_are_refused() -> None:
    model = layer("LSTM", "forward", plain=False, outputs=1, clip=0.5)
    view = aidge_nb.load_onnx(model)
    view.forward_dims([[9, 3, 7]])
    node = next(each for each in view.get_nodes() if each.type() == "LSTM")
    with pytest.raises(ExportError, match="no C kernel follows such sequences"):
        c_calls(node)


@pytest.mark.usefixtures("no_fallback")
@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(("plain", "per_column"), [(True, False), (False, True), (False, False)])
def test_weights_of_8_bits(kind: Any, direction: str, plain: bool, per_column: bool) -> None:
    turns, batch, size, hidden = 1 + (direction == "bidirectional"), 3, 7, 5
    random, limits = np.random.default_rng(0), np.iinfo(kind)

    def codes(*dims: int) -> Array:
        return random.integers(limits.min, limits.max + 1, dims).astype(kind)

    dims = (turns, 4 * hidden) if per_column else (turns,)
    scale = np.linspace(0.003, 0.02, int(np.prod(dims)), dtype=np.float32).reshape(dims)
    values: list[Array | None] = [
        *(normal(9, batch, size), codes(turns, size, 4 * hidden), codes(turns, hidden, 4 * hidden)),
        *(normal(turns, 8 * hidden), None, normal(turns, batch, hidden)),
        *(normal(turns, batch, hidden, salt=1), normal(turns, 3 * hidden)),
        *(scale, codes(*dims), scale * np.float32(1.5), codes(*dims)),
    ]
    if plain:
        values[3:8] = [None] * 5
    attributes = {"hidden_size": hidden, "direction": direction}
    for outputs in (1, 3):
        model, fed = model_of("DynamicQuantizeLSTM", values, attributes, nb_outputs=outputs)
        found = {}
        for backend in ("exact", "c", "cpu"):
            view = aidge_nb.load_onnx(model.to_bytes())
            view.set_backend(backend)
            data = [aidge_nb.Tensor(array) for array in fed.values()]
            found[backend] = aidge_nb.SequentialScheduler(view).forward(data=data)
        for defined, compiled, near in zip(*found.values(), strict=True):
            assert differing(compiled.array, defined.array) == 0
            np.testing.assert_allclose(defined.array, near.array, rtol=0, atol=1e-5)
