"""Compare a quantized model with the float model that it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.inputs import input_slots
from aidge_nb.graph.view import GraphView
from aidge_nb.quantization import LayerError, errors_by_layer
from aidge_nb.quantization.kinds import is_quantized
from aidge_nb.report.run import random_input
from aidge_nb.report.source import GivenDims, load_source

RUNS = 8


def errors_beside(
    view: GraphView,
    twin: Any,
    dims: GivenDims,
    symbols: Mapping[str, int],
    constants: Mapping[str, Any],
) -> tuple[LayerError, ...]:
    """Return the error of each layer on seeded random input.

    Raises
    ------
    GraphError
        When the twin is quantized itself, has other inputs, or layers of other names.
    OnnxError
        When it cannot be read.
    """
    loaded = load_source(twin, dims, symbols, constants)
    if is_quantized(loaded.view):
        raise GraphError.at(loaded.title, "is quantized itself", cure="Give the float model.")
    propagate_dims(loaded.view, loaded.dims, allow_data_dependency=True)
    loaded.view.set_backend("cpu")
    slots = input_slots(view)
    runs = [[random_input(slot, turn) for slot in slots] for turn in range(RUNS)]
    theirs = [None if s.tensor is None else tuple(s.tensor.dims) for s in input_slots(loaded.view)]
    ours = [tuple(each.dims) for each in runs[0]]
    if ours != theirs:
        raise GraphError.at(loaded.title, "has other inputs", expected=ours, found=theirs)
    return errors_by_layer(
        view, loaded.view, [[np.asarray(each.array) for each in run] for run in runs]
    )
