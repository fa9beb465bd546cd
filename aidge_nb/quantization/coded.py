"""Find coded values in a graph of QuantizeLinear and DequantizeLinear nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node, Port
from aidge_nb.recipes.edit import Edit

EIGHT_BITS = (np.dtype(np.int8), np.dtype(np.uint8))


@dataclass(frozen=True, eq=False)
class Coded:
    """A tensor of codes: ``code`` stands for ``scale · (code - zero)``.

    Attributes
    ----------
    node
        The node that quantizes to the codes or makes numbers of them.
    scale
        One float32 number, or one per index of ``axis``.
    zero
        The zero point, of the type of the codes.
    axis
        The axis along which scales differ; it has no meaning for a single one.
    """

    node: Node
    scale: NDArray[np.float32]
    zero: NDArray[np.generic]
    axis: int

    @property
    def is_whole(self) -> bool:
        """True when one scale serves the whole tensor."""
        return self.scale.size == 1 and self.zero.size == 1

    @property
    def kind(self) -> np.dtype[np.generic]:
        """Type of the codes."""
        return self.zero.dtype

    def is_like(self, other: Coded) -> bool:
        """Return whether the same code stands for the same number."""
        return (
            self.kind == other.kind
            and np.array_equal(self.scale.reshape(-1), other.scale.reshape(-1))
            and np.array_equal(self.zero.reshape(-1), other.zero.reshape(-1))
        )


def parameters_of(edit: Edit, node: Node) -> Coded | None:
    """Return how a QuantizeLinear or DequantizeLinear codes; None when that is not known.

    Codes of other types than 8 bits are not known here, nor are scales by blocks.
    """
    scale, zero = edit.constant(node, 1), edit.constant(node, 2)
    attributes = node.get_operator().attr.dict()
    if scale is None or scale.dtype != np.float32 or attributes.get("block_size"):
        return None
    if getattr(node.get_operator(), "has_exotic_types", False):
        return None
    if node.get_nb_inputs() > 2 and node.get_operator().get_input(2) is not None and zero is None:
        return None
    if zero is None:
        zero = np.zeros(scale.shape, _kind_without_zero(edit, node))
    good = bool(np.all(np.isfinite(scale) & (scale > 0)))
    return Coded(node, scale, zero, int(attributes.get("axis", 1))) if good else None


def _kind_without_zero(edit: Edit, node: Node) -> np.dtype[np.generic]:
    """Return the type of codes that have no zero point: uint8, or that of the codes."""
    codes = edit.constant(node, 0) if node.type() == "DequantizeLinear" else None
    return np.dtype(np.uint8) if codes is None else codes.dtype


def coded_input(edit: Edit, node: Node, index: int) -> Coded | None:
    """Return how the codes are read that an input is made of; None when it is made of no codes."""
    port = node.source(index)
    if port is None or port.node.type() != "DequantizeLinear" or port.node not in edit.view:
        return None
    return parameters_of(edit, port.node)


def coded_constant(edit: Edit, found: Coded | None) -> NDArray[np.generic] | None:
    """Return the codes of a parameter, None when they are not known."""
    return None if found is None else edit.constant(found.node, 0)


@dataclass(frozen=True, eq=False)
class CodedOutput:
    """Readers of a result: perhaps ReLU or Clip, then one QuantizeLinear and nothing else."""

    between: tuple[Node, ...]
    coded: Coded


_ABSORBED = ("ReLU", "Clip")


def coded_output(edit: Edit, port: Port) -> CodedOutput | None:
    """Return how a result is quantized; None when something else reads it, too."""
    between: list[Node] = []
    while True:
        reader = edit.only_reader(port)
        if reader is None or reader.index != 0:
            return None
        if reader.node.type() == "QuantizeLinear":
            coded = parameters_of(edit, reader.node)
            fits = coded is not None and coded.is_whole and coded.kind in EIGHT_BITS
            return CodedOutput(tuple(between), coded) if coded is not None and fits else None
        if reader.node.type() not in _ABSORBED:
            return None
        between.append(reader.node)
        port = Port(reader.node, 0)
