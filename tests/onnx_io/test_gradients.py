"""Gradients of loaded operators whose defaults changed with their version."""

from __future__ import annotations

import numpy as np
import pytest

from aidge_nb.onnx_io import load_onnx
from tests.onnx_io.variants import one_node
from tests.runtime.gradients import check_graph


@pytest.mark.parametrize("opset", [10, 16])
def test_regions_are_where_the_version_puts_them(opset: int) -> None:
    data = {"x": np.random.default_rng(0).standard_normal((1, 2, 6, 6))}
    regions = {"r": np.array([[0.3, 1.2, 4.1, 5.3], [2, 2, 2.4, 2.3]]), "b": np.array([0, 0])}
    cells = {"output_height": 2, "output_width": 3}
    view = load_onnx(one_node("RoiAlign", opset, data, regions, ["x", "r", "b"], 1, cells))
    view.set_backend("cpu")
    check_graph(view, list(data.values()))


@pytest.mark.parametrize("opset", [17, 20])
def test_spectra_are_along_the_axis_of_the_version(opset: int) -> None:
    """It is axis 1 before opset 20, and the last but one since."""
    data = {"x": np.random.default_rng(0).standard_normal((2, 3, 4, 2))}
    view = load_onnx(one_node("DFT", opset, data, {}, ["x"], 1, {}))
    view.set_backend("cpu")
    check_graph(view, list(data.values()))
