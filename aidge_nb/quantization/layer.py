"""Layers between codes, and the integer nodes that are made for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
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
    CODES,
    EIGHT_BITS,
    Coded,
    CodedOutput,
    coded_constant,
    coded_input,
)
from aidge_nb.quantization.functions import bounds_of, table_of
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
        """Return how a data input is coded; raise NotInteger where it has none."""
        found = coded_input(self.edit, self.node, index)
        if found is None or not found.is_whole or found.kind not in CODES:
            raise NotInteger(f"input#{index} is not made of codes of 8 or 16 bits with one scale")
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
        if self.is_wide:
            return _without_zero(found, codes)
        return found, codes

    @property
    def is_wide(self) -> bool:
        """True where codes of the first input or of the result have 16 bits."""
        return self.result.is_wide or self.data(0).is_wide

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

    def only_codes(self, source: Coded | Port) -> Builder:
        """Add the codes that a DequantizeLinear reads, or those of a port."""
        edit = self._layer.edit

        def feed(node: Node, index: int) -> None:
            if isinstance(source, Coded):
                edit.feed_like(node, index, source.node, 0)
            else:
                edit.feed(node, index, source)

        self._sources.append((InputCategory.Data, feed))
        return self

    def codes(self, coded: Coded, source: Port | None = None) -> Builder:
        """Add the codes that a DequantizeLinear reads, or a port has, and how they are coded."""
        return self.only_codes(source or coded).coding(coded)

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

    def build(self, *, name: str = "", **attributes: Any) -> Node:
        """Make the node and connect it."""
        while self._sources and self._sources[-1][1] is None:
            self._sources.pop()
        categories = [category for category, _ in self._sources]
        name = name or self._layer.node.name()
        node = onnx_node(self._op_type, categories, attributes, name=name, domain=self._domain)
        self._layer.edit.add(node, self._layer.node)
        for index, (_, feed) in enumerate(self._sources):
            if feed is not None:
                feed(node, index)
        return node


def _without_zero(coded: Coded, codes: NDArray[Any]) -> tuple[Coded, NDArray[Any]]:
    """Return weights as int8 that stand for themselves; raise NotInteger where some do not fit."""
    zeros = coded.zero.astype(np.int32)
    if zeros.size > 1:
        if not -codes.ndim <= coded.axis < codes.ndim or zeros.size != codes.shape[coded.axis]:
            raise NotInteger("its weights have zero points that do not fit them")
        axis = coded.axis % codes.ndim
        zeros = zeros.reshape([-1 if i == axis else 1 for i in range(codes.ndim)])
    wide = codes.astype(np.int32) - (zeros if zeros.size > 1 else zeros.reshape(()))
    narrow = wide.astype(np.int8)
    if not np.array_equal(narrow, wide):
        raise NotInteger("its weights less their zero point are more than int8 holds")
    return replace(coded, zero=np.zeros(coded.zero.shape, np.int8)), narrow


def converted(
    layer: QuantizedLayer,
    given: Coded,
    wanted: Coded,
    between: Sequence[Node] = (),
    source: Port | None = None,
    name: str = "",
    at: int = 0,
) -> Port:
    """Make codes of others, or of ``source``, that are coded as ``given``.

    Nodes in between are functions of one number, which the first has at input ``at``. Codes of 8
    bits are looked up. For those of 16 bits ReLU, LeakyReLU and Clip are arithmetic; raise
    NotInteger for any other function, whose table would have 65,536 codes, and where nothing is
    known of it.
    """
    if not given.is_wide:
        table = table_of(between, given, wanted, at)
        if table is None:
            raise NotInteger("its table cannot be computed")
        return looked_up(layer, source or given, table, name)
    ends = bounds_of(between, wanted)
    if ends is None:
        types = ", ".join(node.type() for node in between)
        raise NotInteger(f"a table of {types} would have 65,536 codes of 16 bits")
    least, most, alpha = ends
    builder = Builder(layer, "Rescale", OURS).codes(given, source).coding(wanted)
    attributes: dict[str, Any] = {"least": least, "most": most, "alpha": alpha}
    return Port(builder.build(name=name, **attributes), 0)


def looked_up(
    layer: QuantizedLayer, source: Coded | Port, table: NDArray[Any], name: str = ""
) -> Port:
    """Make a LookUp of the codes that a DequantizeLinear reads, or that a port gives."""
    name = name or layer.node.name()
    builder = Builder(layer, "LookUp", OURS).only_codes(source)
    return Port(builder.constant(table, f"{name}_table").build(name=name), 0)
