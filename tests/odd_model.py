"""A model with an operator that nobody knows."""

from __future__ import annotations

from pathlib import Path

import onnx.helper as helper


def write_odd_model(folder: Path) -> None:
    """Write ``odd.onnx``: one operator of a domain of its own, whose output has no dimensions."""
    graph = helper.make_graph(
        [helper.make_node("Warp", ["x"], ["y"], "warp", domain="my.own")],
        "g",
        [helper.make_tensor_value_info("x", 1, [1, 4])],
        [helper.make_tensor_value_info("y", 1, None)],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("my.own", 1)]
    model = helper.make_model(graph, opset_imports=imports)
    (folder / "odd.onnx").write_bytes(model.SerializeToString())
