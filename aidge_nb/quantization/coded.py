"""Find coded values in a graph of QuantizeLinear and DequantizeLinear nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node, Port
from aidge_nb.recipes.edit import Edit

EIGHT_BITS = (np.dtype(np.int8), np.dtype(np.uint8))
SIXTEEN_BITS = (np.dtype(np.int16), np.dtype(np.uint16))
CODES = (*EIGHT_BITS, *SIXTEEN_BITS)
"""Types of codes that layers compute on."""

CODES_OF = "quantization.codes"
"""Annotation of a node that computes on codes: the QuantizeLinear whose codes it gives."""
CODING = "quantization.coding"
"""Annotation of such a node: scale and zero point of its result, as numbers."""


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
    def ends(self) -> tuple[int, int]:
        """The least and the largest code."""
        limits = np.iinfo(self.kind.name)
        return int(limits.min), int(limits.max)

    @property
    def is_wide(self) -> bool:
        """True for codes of 16 bits."""
        return self.kind in SIXTEEN_BITS

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

    Scales by blocks are not known here, nor zero points of another type than the codes. Weights of
    4 bits are codes of 8 bits that use a part of them.
    """
    scale, zero = edit.constant(node, 1), edit.constant(node, 2)
    attributes = node.get_operator().attr.dict()
    if scale is None or scale.dtype != np.float32 or attributes.get("block_size"):
        return None
    is_exotic = getattr(node.get_operator(), "has_exotic_types", False)
    if is_exotic and _codes_of_four_bits(edit, node) is None:
        return None
    if node.get_nb_inputs() > 2 and node.get_operator().get_input(2) is not None and zero is None:
        return None
    if zero is None:
        zero = np.zeros(scale.shape, _kind_without_zero(edit, node))
    codes = node.get_operator().get_input(0)
    if node.type() == "DequantizeLinear" and codes is not None and not codes.undefined():
        if codes.dtype.numpy != zero.dtype:
            return None
    good = bool(np.all(np.isfinite(scale) & (scale > 0)))
    return Coded(node, scale, zero, int(attributes.get("axis", 1))) if good else None


def _kind_without_zero(edit: Edit, node: Node) -> np.dtype[np.generic]:
    """Return the type of codes that have no zero point: uint8, or that of the codes."""
    codes = edit.constant(node, 0) if node.type() == "DequantizeLinear" else None
    return np.dtype(np.uint8) if codes is None else codes.dtype


def _codes_of_four_bits(edit: Edit, node: Node) -> NDArray[np.generic] | None:
    """Return known codes of a type that NumPy holds in 8 bits; None for numbers, or unknown ones.

    What quantizes to 4 bits keeps within them; codes that are known do so already.
    """
    codes = edit.constant(node, 0) if node.type() == "DequantizeLinear" else None
    return codes if codes is not None and codes.dtype in EIGHT_BITS else None


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


def coded_output(edit: Edit, port: Port) -> CodedOutput | str:
    """Return how a result is quantized, or why it is not known: something else reads it, too."""
    between: list[Node] = []
    while True:
        reader = edit.only_reader(port)
        if reader is not None and reader.index == 0:
            if reader.node.type() == "QuantizeLinear":
                coded = parameters_of(edit, reader.node)
                if coded is None or not coded.is_whole or coded.kind not in CODES:
                    return "its result is not quantized to codes of 8 or 16 bits with one scale"
                return CodedOutput(tuple(between), coded)
            if reader.node.type() in _ABSORBED:
                between.append(reader.node)
                port = Port(reader.node, 0)
                continue
        return "its result is not quantized, or read as numbers, too"
