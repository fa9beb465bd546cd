"""One layer between codes, as rules see it, and the integer node that they make of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import InputCategory
from aidge_nb.kernels.cpu.quantization.standard import dequantized
from aidge_nb.kernels.standard import OURS
from aidge_nb.onnx_io.convert.operator import onnx_node
from aidge_nb.quantization.coded import (
    EIGHT_BITS,
    Coded,
    CodedOutput,
    coded_constant,
    coded_input,
)
from aidge_nb.recipes.edit import Edit


@dataclass(frozen=True, eq=False)
class QuantizedLayer:
    """A layer between codes, as rules see it."""

    edit: Edit
    node: Node
    output: CodedOutput

    @property
    def result(self) -> Coded:
        """Coding of the result."""
        return self.output.coded

    def data(self, index: int) -> Coded:
        """Return how a data input is coded; raise NotInteger where it has no 8-bit codes."""
        found = coded_input(self.edit, self.node, index)
        if found is None or not found.is_whole or found.kind not in EIGHT_BITS:
            raise NotInteger(f"input#{index} is not made of 8-bit codes with one scale")
        return found

    def all_data(self) -> list[Coded]:
        """Return how all inputs are coded."""
        return [self.data(index) for index in range(self.node.get_nb_inputs())]

    def parameter(self, index: int) -> tuple[Coded, NDArray[Any]]:
        """Return how weights are coded, and their codes."""
        found = coded_input(self.edit, self.node, index)
        codes = coded_constant(self.edit, found)
        if found is None or codes is None or codes.dtype not in EIGHT_BITS:
            raise NotInteger(f"input#{index} has no 8-bit codes that are known")
        return found, codes

    def known(self, index: int) -> NDArray[Any]:
        """Return the numbers of a parameter, coded or not; raise NotInteger where not known."""
        coded = coded_input(self.edit, self.node, index)
        codes = coded_constant(self.edit, coded)
        if coded is not None and codes is not None and coded.is_whole:
            return dequantized(codes, coded.scale.reshape(()), coded.zero.reshape(()))
        values = self.edit.constant(self.node, index)
        if values is None:
            raise NotInteger(f"input#{index} is not known")
        return values

    def bias(self, index: int, step: NDArray[np.float32]) -> NDArray[np.int32] | None:
        """Return a bias in steps of the sums; None without one."""
        port = self.node.source(index)
        if port is None:
            return None
        coded = coded_input(self.edit, self.node, index)
        codes = coded_constant(self.edit, coded)
        if coded is not None and codes is not None:
            wide = codes.astype(np.float64) - coded.zero.astype(np.float64)
            values = wide * coded.scale.astype(np.float64)
        else:
            known = self.edit.constant(self.node, index)
            if known is None:
                raise NotInteger(f"input#{index}, a bias, is not known")
            values = known.astype(np.float64)
        whole = np.rint(values.reshape(-1) / step.astype(np.float64))
        if np.abs(whole).max(initial=0) >= 2**31:
            raise NotInteger(f"input#{index}, a bias, does not fit into int32")
        return whole.astype(np.int32)


class NotInteger(Exception):  # noqa: N818  # a reason, which the report says
    """Why a layer stays in floating point."""


class Builder:
    """Makes one integer node: data inputs like those of the layer, parameters as Producers."""

    def __init__(self, layer: QuantizedLayer, op_type: str, domain: str = "") -> None:
        self._layer, self._op_type, self._domain = layer, op_type, domain
        self._sources: list[tuple[InputCategory, Callable[[Node, int], None] | None]] = []

    def only_codes(self, coded: Coded) -> Builder:
        """Add the codes that a DequantizeLinear reads."""
        edit = self._layer.edit
        self._sources.append(
            (InputCategory.Data, lambda node, index: edit.feed_like(node, index, coded.node, 0))
        )
        return self

    def codes(self, coded: Coded) -> Builder:
        """Add the codes that a DequantizeLinear reads, with their scale and zero point."""
        return self.only_codes(coded).coding(coded)

    def coding(self, coded: Coded) -> Builder:
        """Add a scale and a zero point."""
        name = self._layer.node.name() or self._op_type
        suffix = len(self._sources)
        self.constant(coded.scale, f"{name}_scale_{suffix}")
        return self.constant(coded.zero, f"{name}_zero_{suffix}")

    def constant(self, values: NDArray[Any] | None, name: str) -> Builder:
        """Add a constant; None for an optional input that is not there."""
        if values is None:
            self._sources.append((InputCategory.OptionalData, None))
            return self
        edit, like = self._layer.edit, self._layer.node

        def feed(node: Node, index: int) -> None:
            edit.feed(node, index, edit.add_producer(values, name, like, constant=True))

        category = InputCategory.Param if values.ndim else InputCategory.Data
        self._sources.append((category, feed))
        return self

    def build(self, **attributes: Any) -> Node:
        """Make the node and connect it."""
        while self._sources and self._sources[-1][1] is None:
            self._sources.pop()
        categories = [category for category, _ in self._sources]
        name = self._layer.node.name()
        node = onnx_node(self._op_type, categories, attributes, name=name, domain=self._domain)
        self._layer.edit.add(node, self._layer.node)
        for index, (_, feed) in enumerate(self._sources):
            if feed is not None:
                feed(node, index)
        return node


def looked_up(
    layer: QuantizedLayer, source: Coded | Port, table: NDArray[Any], name: str = ""
) -> Port:
    """Make a LookUp of the codes that a DequantizeLinear reads, or that a port gives."""
    edit, name = layer.edit, name or layer.node.name()
    categories = [InputCategory.Data, InputCategory.Param]
    node = edit.add(onnx_node("LookUp", categories, name=name, domain=OURS), layer.node)
    if isinstance(source, Coded):
        edit.feed_like(node, 0, source.node, 0)
    else:
        edit.feed(node, 0, source)
    edit.feed(node, 1, edit.add_producer(table, f"{name}_table", layer.node, constant=True))
    return Port(node, 0)
