"""Ports, attributes and parameters of our operators, compared with those of aidge_core 0.10.1.

``aidge_operators.jsonl`` holds what it answered: per line a call of a factory, and the type,
ports, categories, attributes and Producers of the node that it made.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aidge_nb import dtype, ops
from aidge_nb.graph import Node

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent / "aidge_operators.jsonl").read_text("utf-8").splitlines()
]

MISSING = {
    "NonMaxSuppression": "object detection heads, in no model of ours so far",
    "PaddedConvTranspose2D": "pads its input, unlike ONNX: ours cut with attribute pads",
}
"""Operators of aidge_core that this library lacks, and why."""

OURS = {
    "group": "grouped convolutions; Aidge slices and concatenates",
    "output_padding": "transposed convolutions as in ONNX",
    "pads": "transposed convolutions as in ONNX",
    "flatten": "Softmax below opset 13",
    "nb_outputs": "the kernel of Split cannot see the number",
    "scales": "Resize: Aidge has it as an input alone",
    "sizes": "Resize: Aidge has it as an input alone",
}
"""Attributes that aidge_core lacks, and why we have them."""

OTHER_DEFAULTS = {
    ("Clip", "min"): "no bound, and not the lowest float32, so that other types fit",
    ("Clip", "max"): "no bound, and not the highest float32, so that other types fit",
    ("Pad", "axes"): "empty means the last axes",
    ("Pad", "constant_value"): "a number and not a Tensor",
    ("OneHot", "values"): "an array and not a Tensor",
    ("ConstantOfShape", "value"): "an array and not a Tensor",
    ("Cast", "target_type"): "our own enumeration",
}
"""Attribute values that differ, and why."""

LACKING = {("BitShift", "rounding"): "spiking networks are out of scope"}
"""Attributes that aidge_core has and we lack, and why."""

NAMES_TOO_MANY = ("Hardmax", "Heaviside")
"""Operators of which Aidge names an input that they lack, and the output otherwise than ours."""

HAVE = [record for record in RECORDED if record["type"] not in MISSING]
ATOMIC = [record for record in HAVE if not record.get("meta")]
"""Those that are no meta-operators there: ports of meta-operators have no names."""


def make(record: dict[str, Any]) -> Node:
    names = {name: getattr(ops, name) for name in dir(ops)}
    node = eval(record["call"], {**names, "dtype": dtype})
    assert isinstance(node, Node)
    return node


@pytest.mark.parametrize("record", HAVE, ids=lambda record: record["call"])
def test_type_and_number_of_ports(record: dict[str, Any]) -> None:
    node = make(record)
    assert node.type() == record["type"]
    assert node.get_nb_outputs() == record["nb_outputs"]
    assert node.get_nb_inputs() == len(record["categories"])


@pytest.mark.parametrize("record", ATOMIC, ids=lambda record: record["call"])
def test_port_names(record: dict[str, Any]) -> None:
    spec = make(record).get_operator().spec
    named = [port.name for port in spec.inputs]
    if spec.variadic:
        assert len(spec.inputs) <= len(record["inputs"])
    elif record["type"] in NAMES_TOO_MANY:
        assert named == record["inputs"][:1], "Aidge names an input that the operator lacks"
    else:
        assert named == record["inputs"]
    if record["type"] not in NAMES_TOO_MANY:
        assert list(spec.outputs) == record["outputs"]


@pytest.mark.parametrize("record", HAVE, ids=lambda record: record["call"])
def test_categories_and_back_edges(record: dict[str, Any]) -> None:
    node = make(record)
    indices = range(node.get_nb_inputs())
    if record["type"] != "LayerNorm":  # made of Mul and Add there, so its parameters are Data
        assert [node.input_category(index).name for index in indices] == record["categories"]
    assert [i for i in indices if node.parent_is_back_edge(i)] == record["back_edges"]


@pytest.mark.parametrize("record", ATOMIC, ids=lambda record: record["call"])
def test_attributes_and_defaults(record: dict[str, Any]) -> None:
    attributes = make(record).get_operator().attr.dict()
    for name, value in record["attributes"].items():
        if (record["type"], name) in LACKING:
            continue
        assert name in attributes
        if (record["type"], name) in OTHER_DEFAULTS:
            continue
        found = attributes[name]
        found = list(found) if isinstance(found, tuple) else found
        expected = pytest.approx(value, rel=1e-6) if isinstance(value, float) else value
        assert found == expected, name
    assert set(attributes) - set(record["attributes"]) <= set(OURS)


@pytest.mark.parametrize("record", HAVE, ids=lambda record: record["call"])
def test_producers_of_parameters(record: dict[str, Any]) -> None:
    if record["type"] == "Gemm":  # a FC there, whose weights are transposed
        record = {**record, "producers": [None, ["g_w", [3, 4]], ["g_b", [4]]]}
    found = [
        None if parent is None else [parent.name(), list(parent.get_operator().get_output(0).dims)]
        for parent in make(record).get_parents()
    ]
    assert found == record["producers"]


def test_the_list_of_missing_operators_is_up_to_date() -> None:
    recorded = {record["type"] for record in RECORDED}
    assert set(MISSING) <= recorded
    assert {name for name in MISSING if hasattr(ops, name)} == set()
