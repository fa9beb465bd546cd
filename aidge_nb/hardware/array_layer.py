"""A layer as a nest of loops around one multiply-accumulate, and what its operands need of them.

``K`` and ``C`` stand for channels that are computed and that are read, ``OY`` and ``OX`` for rows
and columns of the result, ``FY`` and ``FX`` for those of the kernel, ``B`` for the batch and ``G``
for groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd, prod
from typing import TYPE_CHECKING

from aidge_nb.core.errors import HardwareError, explain
from aidge_nb.core.tensor import Dims

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node

Index = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor that a layer reads or writes.

    Attributes
    ----------
    name
        ``W``, ``I`` and ``O`` in layers made here.
    indices
        For each of its axes the loops, each with its step, that are added up to the place along it:
        ``(("OY", 2), ("FY", 1))`` for the rows that a convolution of stride 2 reads.
    bits
        Bits of an element.
    limits
        How many places there are along each axis, without padding; nothing for no limit.
    """

    name: str
    indices: tuple[Index, ...]
    bits: int
    limits: tuple[int, ...] = ()

    @property
    def loops(self) -> frozenset[str]:
        """The loops that it depends on."""
        return frozenset(loop for index in self.indices for loop, _ in index)

    def elements(self, turns: Mapping[str, float]) -> float:
        """Count its elements in some turns of the loops; 1 turn of those that are not named.

        Examples
        --------
        >>> rows = Operand("I", ((("OY", 2), ("FY", 1)),), 8)
        >>> [rows.elements({"OY": outs, "FY": 3}) for outs in (1, 2, 8)]
        [3, 5, 17]
        """
        limits = self.limits or (0,) * len(self.indices)
        return prod(
            min(_places(index, turns), limit or float("inf"))
            for index, limit in zip(self.indices, limits, strict=True)
        )


def _places(index: Index, turns: Mapping[str, float]) -> float:
    """Count the different sums of steps.

    Of two loops a x b, turns (i, j) and (i + q, j - p) of steps p and q without common divisor meet
    in one place: all that have such a partner within the loops are counted once too often.
    """
    if len(index) == 1:
        return turns.get(index[0][0], 1)
    (one, step), (other, stride) = index
    divisor = gcd(step, stride)
    a, b = turns.get(one, 1), turns.get(other, 1)
    return a * b - max(0, a - stride // divisor) * max(0, b - step // divisor)


@dataclass(frozen=True, slots=True)
class ArrayLayer:
    """A nest of loops with a multiply-accumulate inside.

    Attributes
    ----------
    name
        What it is called.
    sizes
        Turns of each loop.
    inputs, output
        Its operands.
    partial_bits
        Bits of a sum that is not complete.
    """

    name: str
    sizes: dict[str, int]
    inputs: tuple[Operand, ...]
    output: Operand
    partial_bits: int = 32

    def __post_init__(self) -> None:
        for problem in self._mistakes():
            expected = f"loops are {', '.join(self.sizes)}"
            raise HardwareError(
                explain(self.name, problem, expected=expected, cure="Mend its sizes and operands.")
            )

    def _mistakes(self) -> Iterator[str]:
        for loop, turns in self.sizes.items():
            if turns < 1:
                yield f"loop {loop} has {turns} turns"
        for operand in self.operands:
            for loop in operand.loops - set(self.sizes):
                yield f"{operand.name} depends on {loop}, which is no loop"
            if any(not 1 <= len(index) <= 2 for index in operand.indices):
                yield f"an index of {operand.name} is no sum of one loop or two"

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The output, and the inputs."""
        return self.output, *self.inputs

    @property
    def macs(self) -> int:
        """Multiply-accumulates."""
        return prod(self.sizes.values())


def array_layer(node: Node, bits: int = 8, partial_bits: int = 32) -> ArrayLayer:
    """Describe a convolution or a product of matrices, with known dimensions, as loops.

    Parameters
    ----------
    node
        Conv2D or ConvDepthWise2D (padded or not), FC, Gemm, or MatMul.
    bits, partial_bits
        Bits of an element, and of a sum that is not complete.

    Raises
    ------
    HardwareError
        For other nodes, and for unknown dimensions.

    Examples
    --------
    >>> import aidge_nb
    >>> conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv", stride_dims=[2, 2])
    >>> view = aidge_nb.sequential([conv])
    >>> view.forward_dims([[1, 3, 65, 65]])
    True
    >>> layer = array_layer(conv)
    >>> layer.sizes["OY"], layer.inputs[1].indices[-2], layer.macs
    (32, (('OY', 2), ('FY', 1)), 884736)
    """
    kind = node.type().removeprefix("Padded")
    if kind in ("Conv2D", "ConvDepthWise2D"):
        nest = _convolution(node, *_known_dims(node))
    elif kind in ("FC", "Gemm", "MatMul"):
        nest = _product(node, *_known_dims(node))
    else:
        expected = "Conv2D, ConvDepthWise2D, FC, Gemm or MatMul"
        problem = "is no nest of loops around one multiply-accumulate"
        raise HardwareError(
            explain(
                node.label,
                problem,
                expected=expected,
                found=node.type(),
                cure="Describe its loops with ArrayLayer.",
            )
        )
    weight, source = Operand("W", nest.weight, bits), Operand("I", nest.source, bits, nest.limits)
    result = Operand("O", nest.result, bits)
    return ArrayLayer(node.name(), nest.sizes, (weight, source), result, partial_bits)


@dataclass(frozen=True, slots=True)
class _Nest:
    """The loops of an operator, and the indices of its operands; ``limits`` are of what is read."""

    sizes: dict[str, int]
    source: tuple[Index, ...]
    weight: tuple[Index, ...]
    result: tuple[Index, ...]
    limits: tuple[int, ...] = ()


def _known_dims(node: Node) -> tuple[Dims, Dims, Dims]:
    """Give the dimensions of what is read, of the weight, and of the result."""
    operator = node.get_operator()
    source, weight, out = operator.get_input(0), operator.get_input(1), operator.get_output(0)
    if source is None or weight is None or any(t.undefined for t in (source, weight, out)):
        raise HardwareError(
            explain(node.label, "dimensions are unknown", cure="Call forward_dims.")
        )
    return source.dims, weight.dims, out.dims


def _convolution(node: Node, source: Dims, weight: Dims, out: Dims) -> _Nest:
    attr = node.get_operator().attr
    (rows, columns), (down, across) = attr.stride_dims, attr.dilation_dims
    groups = source[1] // weight[1]
    sizes = {"B": out[0], "G": groups, "K": out[1] // groups, "C": weight[1]}
    sizes |= {"OY": out[2], "OX": out[3], "FY": weight[2], "FX": weight[3]}
    window = ((("OY", rows), ("FY", down)), (("OX", columns), ("FX", across)))
    return _Nest(
        sizes,
        source=(*_plain("B", "G", "C"), *window),
        weight=_plain("G", "K", "C", "FY", "FX"),
        result=_plain("B", "G", "K", "OY", "OX"),
        limits=(0, 0, 0, *source[2:]),
    )


def _product(node: Node, source: Dims, weight: Dims, out: Dims) -> _Nest:
    """Loops of a product; matrices that several share are parameters, others one for each."""
    if node.type() == "FC":
        shared, terms, width = True, weight[1], weight[0]
    else:
        turned = node.type() == "Gemm" and bool(node.get_operator().attr.transA)
        shared, terms, width = len(weight) < 3, source[0 if turned else -1], out[-1]
    height = prod(out) // width
    many = 1 if shared else prod(out[:-2])
    sizes = {"G": many, "B": height // many, "K": width, "C": terms}
    return _Nest(sizes, _plain("G", "B", "C"), _plain("G", "K", "C"), _plain("G", "B", "K"))


def _plain(*loops: str) -> tuple[Index, ...]:
    return tuple(((loop, 1),) for loop in loops)
