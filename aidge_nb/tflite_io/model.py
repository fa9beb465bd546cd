"""The parts of a TensorFlow Lite model as plain data: tensors, operators, the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TfliteTensor:
    """A tensor of the file.

    Attributes
    ----------
    name
        Its name; may be empty.
    dims
        Its dimensions, with 1 for a batch that the file leaves open.
    dtype
        Element type, as NumPy calls it; ``int4`` for two to a byte, held as int8.
    data
        Its value when it is constant, else None.
    scale, zero
        ``scale · (code - zero)`` is the number that a code stands for: one pair, or one per index
        of ``axis``; empty without quantization.
    axis
        The axis along which scales differ.
    """

    name: str
    dims: tuple[int, ...]
    dtype: str
    data: NDArray[Any] | None
    scale: NDArray[Any]
    zero: NDArray[Any]
    axis: int = 0

    @property
    def is_coded(self) -> bool:
        """True when codes stand for numbers."""
        return self.scale.size > 0

    def __repr__(self) -> str:
        kind = "constant " if self.data is not None else ""
        return f"TfliteTensor({self.name!r}, {kind}{self.dtype}{list(self.dims)})"


@dataclass(frozen=True, eq=False)
class TfliteOperator:
    """An operator of the file.

    Attributes
    ----------
    kind
        Its name in the schema, such as ``CONV_2D``; the name of a custom operator.
    inputs, outputs
        Numbers of tensors; -1 is an optional input that is not there.
    options
        Its options by name, those that the file leaves out with their defaults.
    label
        The operator in messages.
    is_custom
        Whether the file names an operator that no schema has.
    """

    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    is_custom: bool = False

    def __repr__(self) -> str:
        return f"TfliteOperator({self.kind!r}, {self.inputs} -> {self.outputs})"


@dataclass(frozen=True, eq=False)
class TfliteModel:
    """A whole TensorFlow Lite model.

    Attributes
    ----------
    tensors, operators
        All of the first graph, operators in the order in which they run.
    inputs, outputs
        Numbers of tensors.
    description
        Free text.
    version
        Of the format.
    metadata
        Bytes by name.
    source
        Where it was read from, for messages.
    nb_graphs
        Number of graphs in the file; those after the first belong to operators of control flow.
    """

    tensors: tuple[TfliteTensor, ...]
    operators: tuple[TfliteOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    description: str = ""
    version: int = 3
    metadata: Mapping[str, bytes] = field(default_factory=dict)
    source: str = ""
    nb_graphs: int = 1

    @property
    def parameters(self) -> int:
        """Number of elements of all constants."""
        return sum(each.data.size for each in self.tensors if each.data is not None)

    def __repr__(self) -> str:
        return (
            f"TfliteModel({self.source!r}, {len(self.operators)} operators, "
            f"{len(self.tensors)} tensors, {self.parameters} parameters)"
        )
