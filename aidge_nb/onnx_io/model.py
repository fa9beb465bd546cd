"""An ONNX model as plain data, without the ``onnx`` package.

Builders (:mod:`aidge_nb.zoo`) make such models, :func:`~aidge_nb.onnx_io.read_onnx` reads them, and
:func:`~aidge_nb.onnx_io.load_onnx` turns them into a graph to schedule and run.

Reference: https://onnx.ai/onnx/repo-docs/IR.html
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import MissingExtraError, OnnxError
from aidge_nb.core.values import dataclass
from aidge_nb.onnx_io.ir import OnnxFunction, OnnxGraph, OnnxNode, OnnxValue

if TYPE_CHECKING:
    import onnx

    from aidge_nb.onnx_io.wire.message import Message

IR_VERSION = 8
"""The file format that models built here declare: initializers need not be inputs."""

LARGEST_FILE = 2**31 - 1
"""The bytes of a file at the most, as of every protobuf message."""


def need_onnx() -> None:
    """Make sure that the ``onnx`` package is there.

    Raise MissingExtraError when it is not.
    """
    try:
        import onnx  # noqa: F401  # only whether it is there
    except ImportError:
        raise MissingExtraError("onnx", "onnx") from None


@dataclass(frozen=True)
class OnnxSignature:
    """The declared inputs and outputs of a model.

    A loaded graph keeps it in ``view.annotations["onnx"]``: the dims of the graph itself are
    unknown until ``forward_dims``.

    Attributes
    ----------
    inputs, outputs
        Name, element type and dims of each, in order.

    Examples
    --------
    >>> from aidge_nb import zoo
    >>> zoo.build("mlp", batch="N").signature.inputs
    (OnnxValue(name='data', dtype='float32', dims=('N', 784)),)
    """

    inputs: tuple[OnnxValue, ...]
    outputs: tuple[OnnxValue, ...]


@dataclass(frozen=True, eq=False)
class OnnxModel:
    """A whole ONNX model.

    Parameters
    ----------
    graph
        What it computes.
    opsets
        Version of each set of operators that it uses, by domain; the standard one is ``""``.
    functions
        Operators that it defines itself.
    metadata
        Free text by key.
    ir_version
        Version of the file format.
    producer
        Program that made it.
    source
        Where it was read from, for messages.

    Examples
    --------
    >>> from aidge_nb import zoo
    >>> zoo.build("lenet")
    OnnxModel('lenet', 12 nodes, 10 initializers, 61706 parameters, opset 13)
    """

    graph: OnnxGraph
    opsets: Mapping[str, int]
    functions: tuple[OnnxFunction, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    ir_version: int = IR_VERSION
    producer: str = "aidge_nb"
    source: str = ""

    @property
    def name(self) -> str:
        """Name of the graph."""
        return self.graph.name

    @property
    def nodes(self) -> tuple[OnnxNode, ...]:
        """Operators of the graph."""
        return self.graph.nodes

    @property
    def initializers(self) -> Mapping[str, NDArray[Any]]:
        """Constants of the graph by name: arrays with the shape of the tensor."""
        return self.graph.initializers

    @property
    def inputs(self) -> tuple[OnnxValue, ...]:
        """Inputs of the graph."""
        return self.graph.inputs

    @property
    def outputs(self) -> tuple[OnnxValue, ...]:
        """Outputs of the graph."""
        return self.graph.outputs

    @property
    def signature(self) -> OnnxSignature:
        """Inputs and outputs as they are declared."""
        return OnnxSignature(self.inputs, self.outputs)

    @property
    def opset(self) -> int:
        """Version of the standard operators; 0 when the model uses none."""
        return self.opsets.get("", 0)

    def to_proto(self) -> onnx.ModelProto:
        """Return the model as an ``onnx.ModelProto``.

        Raises
        ------
        MissingExtraError
            When the ``onnx`` package is not installed.
        OnnxError
            When an attribute or a tensor is of a kind that ONNX has not.
        """
        need_onnx()
        from aidge_nb.onnx_io.wire.exchange import to_package

        return to_package(self._message())

    def _message(self) -> Message:
        from aidge_nb.onnx_io.messages import model_message

        parts = self.graph, self.opsets, self.functions, self.metadata
        return model_message(*parts, self.ir_version, self.producer)

    def to_bytes(self) -> bytes:
        """Return the bytes of the ``.onnx`` file; equal models give equal bytes.

        Raises
        ------
        OnnxError
            As :meth:`to_proto`, or when the model takes more than 2 GB.
        """
        from aidge_nb.onnx_io.wire.encode import encode, encoded_size

        message = self._message()
        size = encoded_size(message)
        if size > LARGEST_FILE:
            raise OnnxError.at(
                f"model {self.name!r}",
                "is too large for one ONNX file",
                expected=f"at most {LARGEST_FILE} bytes",
                found=size,
                cure="Build a smaller variant of it.",
            )
        return encode(message)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the ``.onnx`` file completely or not at all.

        Raises
        ------
        OnnxError
            As :meth:`to_bytes`, or when the folder cannot be written to.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from aidge_nb import zoo
        >>> from aidge_nb.onnx_io import read_onnx
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     zoo.build("mlp").save(pathlib.Path(folder, "mlp.onnx"))
        ...     read_onnx(pathlib.Path(folder, "mlp.onnx"))
        OnnxModel('mlp', 5 nodes, 6 initializers, 25560 parameters, opset 13)
        """
        content = self.to_bytes()
        from aidge_nb.core.files import write_atomically

        try:
            write_atomically(path, content)
        except OSError as error:
            raise OnnxError.at(str(path), f"cannot be written: {error.strerror}") from error

    def __repr__(self) -> str:
        parameters = sum(
            array.size for array in self.initializers.values() if array.dtype.kind == "f"
        )
        return (
            f"OnnxModel({self.name!r}, {len(self.nodes)} nodes, "
            f"{len(self.initializers)} initializers, {parameters} parameters, opset {self.opset})"
        )
