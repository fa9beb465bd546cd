"""Write meta-operators as functions of the model, one per distinct body.

A body cannot hold constants of its own, so the parameters inside a meta-operator become further
inputs of its function; that way blocks that differ in their weights alone share one.

Reference: https://onnx.ai/onnx/repo-docs/IR.html#functions
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from aidge_nb.onnx_io.ir import OnnxFunction, OnnxGraph, OnnxNode

DOMAIN = "aidge_nb"
"""The domain of functions that are written."""


class Library:
    """The functions of a model that is being written."""

    def __init__(self) -> None:
        self._by_key: dict[object, OnnxFunction] = {}

    @property
    def functions(self) -> tuple[OnnxFunction, ...]:
        """All functions; each comes after the functions that it calls."""
        return tuple(self._by_key.values())

    def add(self, wanted: str, body: OnnxGraph, opsets: Mapping[str, int]) -> OnnxFunction:
        """Return the function with this body; its last inputs are its constants.

        A number is added to the ``wanted`` name when another body has it. Names inside are made
        anew, so that equal bodies are equal. ``opsets`` are the versions of operators by domain.
        """
        names = {value.name: f"in{index}" for index, value in enumerate(body.inputs)}
        names |= {name: f"parameter{index}" for index, name in enumerate(body.initializers)}
        inputs = tuple(names.values())
        outputs = tuple(f"out{index}" for index in range(len(body.outputs)))
        given = {}  # what comes in and goes out as it is
        for value, output in zip(body.outputs, outputs, strict=True):
            if value.name in names:
                given[output] = names[value.name]
            else:
                names[value.name] = output
        nodes = (
            *_renamed(body, names),
            *(OnnxNode("Identity", (was,), (now,), now) for now, was in given.items()),
        )
        key = wanted, inputs, outputs, tuple(map(_key, nodes))
        if key not in self._by_key:
            alike = sum(
                1 for other in self._by_key if isinstance(other, tuple) and other[0] == wanted
            )
            name = f"{wanted}_{alike + 1}" if alike else wanted
            self._by_key[key] = OnnxFunction(name, DOMAIN, inputs, outputs, {}, nodes, dict(opsets))
        return self._by_key[key]


def _renamed(body: OnnxGraph, names: dict[str, str]) -> list[OnnxNode]:
    """Name values and nodes by their position."""
    names[""] = ""
    counts: dict[str, int] = {}
    written = []
    for number, node in enumerate(body.nodes):
        for index, output in enumerate(node.outputs):
            names.setdefault(output, f"value{number}_{index}")
        count = counts[node.op_type] = counts.get(node.op_type, 0) + 1
        written.append(
            replace(
                node,
                name=node.op_type if count == 1 else f"{node.op_type}_{count}",
                inputs=tuple(names[value] for value in node.inputs),
                outputs=tuple(names[value] for value in node.outputs),
            )
        )
    return written


def _key(node: OnnxNode) -> object:
    attributes = sorted((name, _plain(value)) for name, value in node.attributes.items())
    return node.op_type, node.domain, node.inputs, node.outputs, repr(attributes)


def _plain(value: Any) -> object:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return value
