"""LayerNorm as exporters write it out, and what only looks like it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import fuse_layernorm
from tests.recipes.graphs import check, prepared, producer, tensor

DIMS = (2, 3, 8)


def _norm(
    *,
    axes: Sequence[int] = (-1,),
    second_axes: Sequence[int] | None = None,
    keep_dims: bool = True,
    power: float | None = 2.0,
    scale: Any = None,
    bias: Any = None,
    other_data: bool = False,
    left: bool = True,
) -> tuple[GraphView, dict[str, Node]]:
    start = aidge_nb.Tanh(name="start")
    inner = [DIMS[axis] for axis in sorted(axis % 3 for axis in axes)]
    nodes: dict[str, Node] = {
        "mean": aidge_nb.ReduceMean(list(axes), keep_dims=True, name="mean"),
        "sub": aidge_nb.Sub(name="sub"),
        "square": aidge_nb.Pow(name="square") if power else aidge_nb.Mul(name="square"),
        "variance": aidge_nb.ReduceMean(
            list(axes if second_axes is None else second_axes), keep_dims=keep_dims, name="variance"
        ),
        "epsilon": aidge_nb.Add(name="epsilon"),
        "root": aidge_nb.Sqrt(name="root"),
        "div": aidge_nb.Div(name="div"),
        "mul": aidge_nb.Mul(name="mul"),
        "last": aidge_nb.Add(name="last"),
    }
    data: Node = aidge_nb.Neg() if other_data else start
    if other_data:
        start.add_child(data)
    edges: list[tuple[Node, str, int]] = [(start, "mean", 0), (data, "sub", 0)]
    edges += [(nodes["mean"], "sub", 1), (nodes["sub"], "square", 0)]
    edges += [(producer(power) if power else nodes["sub"], "square", 1)]
    edges += [(nodes["square"], "variance", 0), (nodes["variance"], "epsilon", 0)]
    edges += [(producer(1e-5), "epsilon", 1), (nodes["epsilon"], "root", 0)]
    edges += [(nodes["sub"], "div", 0), (nodes["root"], "div", 1)]
    edges += [(nodes["div"], "mul", int(not left)), (nodes["mul"], "last", int(not left))]
    edges += [(producer(tensor(inner) if scale is None else scale), "mul", int(left))]
    edges += [(producer(tensor(inner, 1) if bias is None else bias), "last", int(left))]
    for parent, name, index in edges:
        parent.add_child(nodes[name], 0, index)
    return prepared(aidge_nb.get_connected_graph_view(start), DIMS), nodes


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("power", [2.0, None])
@pytest.mark.parametrize("axes", [[-1], [2], [1, 2], [-1, -2]], ids=str)
def test_forms(axes: list[int], power: float | None, left: bool) -> None:
    view, _ = _norm(axes=axes, power=power, left=left)
    assert check(view, fuse_layernorm, exact=False) == (1, ["Tanh", "LayerNorm"])
    assert view.in_view("last")
    assert len(view) == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"axes": [1]},
        {"second_axes": [1]},
        {"axes": [1, 2], "second_axes": [-1]},
        {"power": 3.0},
        {"scale": 2.0},
        {"bias": np.ones((3, 8))},
        {"other_data": True},
    ],
    ids=str,
)
def test_what_only_looks_like_it(wrong: dict[str, Any]) -> None:
    if wrong == {"axes": [1]}:
        wrong = {**wrong, "scale": np.ones(8), "bias": np.ones(8)}
    view, _ = _norm(**wrong)
    assert check(view, fuse_layernorm)[0] == 0


@pytest.mark.parametrize("name", ["mean", "sub", "square", "variance", "root", "div", "mul"])
def test_what_is_an_output_stays(name: str) -> None:
    view, nodes = _norm()
    view.set_ordered_outputs([Port(nodes["last"], 0), Port(nodes[name], 0)])
    check(view, fuse_layernorm, exact=False)
    assert view.in_view(name)


def test_unknown_dimensions_stay() -> None:
    view = aidge_nb.load_onnx(aidge_nb.zoo.dinov2_like(size=28, dim=16, heads=2, depth=1))
    assert fuse_layernorm(view) == 0


def test_shared_parameters() -> None:
    model = aidge_nb.zoo.dinov2_like(size=28, dim=16, heads=2, depth=1)
    view = prepared(aidge_nb.load_onnx(model), [1, 3, 28, 28])
    assert check(view, fuse_layernorm, exact=False)[0] == 3
