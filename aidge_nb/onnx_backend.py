"""Run ONNX models through the standard interface ``onnx.backend.base``.

This module is the backend:

>>> from aidge_nb import onnx_backend, zoo
>>> prepared = onnx_backend.prepare(zoo.build("mlp").to_proto())
>>> [output.shape for output in prepared.run([np.zeros((1, 784), np.float32)])]
[(1, 10)]

A model is loaded with :func:`~aidge_nb.load_onnx`; :attr:`PreparedModel.graph` is the graph that
runs, as a prepared run where possible and by the sequential scheduler otherwise.

Reference: https://onnx.ai/onnx/repo-docs/ImplementingAnOnnxBackend.html
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import OnnxError, ShapeError, explain
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.inputs import as_array
from aidge_nb.graph.view import GraphView
from aidge_nb.kernels.formats import holder
from aidge_nb.onnx_io.element_types import narrowed, widened
from aidge_nb.onnx_io.ir import OnnxValue
from aidge_nb.onnx_io.load import load_onnx
from aidge_nb.onnx_io.model import OnnxSignature, need_onnx
from aidge_nb.runtime.arena.prepared_cache import PreparedRuns

if TYPE_CHECKING:
    import onnx

    from aidge_nb.runtime.arena.prepared import PreparedRun

__all__ = [
    "PreparedModel",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]

Value = NDArray[Any] | list[Any] | None
"""A tensor, a sequence, or None for a missing optional value."""


class PreparedModel:
    """A model that is ready to run.

    Attributes
    ----------
    graph
        The graph.
    """

    def __init__(self, graph: GraphView) -> None:
        self.graph = graph
        self._declared: OnnxSignature = graph.annotations["onnx.declared"]
        graph.set_backend("cpu")
        self._runs = PreparedRuns(graph)

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Value, ...]:
        """Run the model.

        Parameters
        ----------
        inputs
            The values of the inputs: a list in the order of the model, a mapping by name, or one
            array.
        kwargs
            Other options of the interface; ignored.

        Returns
        -------
        tuple
            The outputs in the order of the model; a sequence is a list, a missing optional None.

        Raises
        ------
        OnnxError
            When an input is missing or unknown.
        ShapeError
            When an input has another element type or other dimensions than declared, or the model
            cannot run on it.
        """
        return self._run(inputs, self._runs.run)

    def run_once(self, inputs: Any) -> tuple[Value, ...]:
        """Run the model as :meth:`run` does, without preparing later runs."""
        return self._run(inputs, self._runs.run_once)

    def prepared(self, inputs: Any) -> PreparedRun | None:
        """Return the run that was prepared for inputs of these dims.

        None before the first run, and where the sequential scheduler runs the model.
        """
        given = self._by_name(inputs)
        return self._runs.prepared([given[value.name] for value in self._declared.inputs])

    def _run(self, inputs: Any, run: Callable[[list[NDArray[Any]]], Any]) -> tuple[Value, ...]:
        given = self._by_name(inputs)
        try:
            results = run([given[value.name] for value in self._declared.inputs])
        except (ValueError, TypeError, OverflowError, MemoryError) as error:
            where = f"model {self.graph.name()!r}"
            raise ShapeError.at(where, f"cannot run on these inputs: {error}") from error
        return tuple(
            _value(result, declared)
            for result, declared in zip(results, self._declared.outputs, strict=True)
        )

    def _by_name(self, inputs: Any) -> dict[str, NDArray[Any]]:
        names = [value.name for value in self._declared.inputs]
        if isinstance(inputs, Mapping):
            given = dict(inputs)
        else:
            values = [inputs] if isinstance(inputs, np.ndarray) else _listed(inputs, names)
            given = dict(zip(names, values, strict=False))
            given |= {f"input {len(names) + i}": None for i in range(len(values) - len(names))}
        if set(given) != set(names):
            raise _not_the_inputs(f"model {self.graph.name()!r}", names, ", ".join(given))
        return {value.name: _array(given[value.name], value) for value in self._declared.inputs}


def prepare(
    model: onnx.ModelProto | str | bytes | os.PathLike[str], device: str = "CPU", **kwargs: Any
) -> PreparedModel:
    """Load a model and make it ready to run.

    Parameters
    ----------
    model
        Anything that :func:`~aidge_nb.onnx_io.read_onnx` takes.
    device
        ``"CPU"``.
    kwargs
        Other options of the interface; ignored.

    Raises
    ------
    OnnxError
        When the model cannot be read or run, with the operators that are missing. It is also a
        ``BackendIsNotSupposedToImplementIt``, so that test runners skip the model.
    """
    if not supports_device(device):
        raise OnnxError.at("device", "is not supported", expected="CPU", found=device)
    graph = load_onnx(model)
    missing = graph.annotations["onnx.report"].generic
    if missing:
        name, op_type, why = missing[0]
        raise _unsupported()(
            explain(
                f"model {graph.name()!r}, node {name} ({op_type})",
                f"cannot run: {why}",
                found=", ".join(sorted({kind for _, kind, _ in missing})),
            )
        )
    make_faster(graph)
    return PreparedModel(graph)


def make_faster(graph: GraphView) -> None:
    """Fuse nodes into faster operators, which changes results only by rounding.

    Normalizations and Gelus made of several nodes become one operator, and a batch normalization
    becomes part of the weights before it.
    """
    from aidge_nb.recipes import fuse_batchnorm, fuse_gelu, fuse_layernorm

    fuse_batchnorm(graph)
    fuse_gelu(graph)
    dims = [value.dims for value in graph.annotations["onnx.declared"].inputs]
    known = [
        [int(d) for d in each] for each in dims if each and all(isinstance(d, int) for d in each)
    ]
    if len(known) == len(dims):
        propagate_dims(graph, known, allow_data_dependency=True)
        fuse_layernorm(graph)


def run_model(
    model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any
) -> tuple[Value, ...]:
    """Run a model once; see :func:`prepare` and :meth:`PreparedModel.run`."""
    return prepare(model, device, **kwargs).run_once(inputs)


def run_node(
    node: onnx.NodeProto,
    inputs: Sequence[Any],
    device: str = "CPU",
    outputs_info: Sequence[tuple[Any, tuple[int, ...]]] | None = None,
    **kwargs: Any,
) -> tuple[Value, ...]:
    """Run one operator.

    Parameters
    ----------
    node
        The operator.
    inputs
        Its inputs, in order, without those that have an empty name.
    device
        ``"CPU"``.
    outputs_info
        Element type and dims of each output; ignored.
    kwargs
        ``opset_version`` of the operator; by default the newest that ``onnx`` knows.

    Raises
    ------
    OnnxError
        As :func:`prepare`; also when the number of inputs is wrong, or ``node`` is not a node.

    Examples
    --------
    >>> import onnx
    >>> node = onnx.helper.make_node("Relu", ["x"], ["y"])
    >>> run_node(node, [np.float32([-1, 2])])
    (array([0., 2.], dtype=float32),)
    """
    need_onnx()
    from onnx import NodeProto, ValueInfoProto, defs, helper

    if not isinstance(node, NodeProto):
        found, cure = type(node).__name__, "Run models with run_model()."
        problem, expected = "cannot run this value", "an onnx.NodeProto"
        raise OnnxError.at("run_node", problem, expected=expected, found=found, cure=cure)
    names = [name for name in node.input if name]
    given = _listed(inputs, names)
    if len(given) != len(names):
        raise _not_the_inputs(f"node {node.name or node.op_type}", names, f"{len(given)} arrays")
    arrays = [as_array(value, f"input {name!r}") for name, value in zip(names, given, strict=True)]
    types = [helper.np_dtype_to_tensor_dtype(array.dtype) for array in arrays]
    version = kwargs.get("opset_version", defs.onnx_opset_version())
    if not isinstance(version, int):
        raise OnnxError.at("opset_version", "is not an integer", found=repr(version))
    graph = helper.make_graph(
        [node],
        node.name or node.op_type,
        [
            helper.make_tensor_value_info(name, kind, array.shape)
            for name, kind, array in zip(names, types, arrays, strict=True)
        ],
        [ValueInfoProto(name=name) for name in node.output if name],
    )
    opsets = [helper.make_opsetid("", version)]
    if node.domain:
        opsets.append(helper.make_opsetid(node.domain, 1))
    return run_model(helper.make_model(graph, opset_imports=opsets), arrays, device)


def supports_device(device: str) -> bool:
    """Tell whether a device is supported.

    Raises
    ------
    OnnxError
        When ``device`` is not a string.

    Examples
    --------
    >>> supports_device("CPU"), supports_device("CUDA:1")
    (True, False)
    """
    if not isinstance(device, str):
        found = type(device).__name__
        raise OnnxError.at("device", "is not a name", expected="such as CPU", found=found)
    return device.split(":")[0] == "CPU"


def is_compatible(model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
    """Tell whether a model can run here."""
    try:
        prepare(model, device, **kwargs)
    except OnnxError:
        return False
    return True


@cache
def _unsupported() -> type[OnnxError]:
    """Make an exception that is an OnnxError and the one that test runners of onnx expect."""
    from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

    class UnsupportedOperatorError(OnnxError, BackendIsNotSupposedToImplementIt):
        """A model with an operator that cannot run here."""

    return UnsupportedOperatorError


def _listed(inputs: Any, names: Sequence[str]) -> list[Any]:
    """Return inputs as a list."""
    if not isinstance(inputs, Iterable):
        raise _not_the_inputs("inputs", names, type(inputs).__name__)
    return list(inputs)


def _not_the_inputs(where: str, names: Sequence[str], found: str) -> OnnxError:
    expected = ", ".join(names) or "none"
    return OnnxError.at(where, "the inputs do not match", expected=expected, found=found or "none")


def _array(value: Any, declared: OnnxValue) -> NDArray[Any]:
    """Convert a value to its form in graphs."""
    if value is None:
        return np.array(None, object)
    if declared.dtype is None and isinstance(value, (list, tuple)):
        return np.fromiter((_plain(entry, declared.name) for entry in value), object, len(value))
    array = _plain(value, declared.name)
    if declared.dtype is not None:
        _check(array, declared, holder(declared.dtype))
    return array


def _check(array: NDArray[Any], declared: OnnxValue, dtype: np.dtype[Any]) -> None:
    """Compare an input with its declaration in the model."""
    where = f"input {declared.name!r}"
    if array.dtype != dtype:
        raise ShapeError.at(
            where,
            "wrong element type",
            expected=declared.dtype,
            found=array.dtype.name,
            cure=f"Convert it with astype({dtype.name!r}).",
        )
    dims, shape = declared.dims, array.shape
    if dims is None:
        return
    fits = len(dims) == len(shape) and all(
        not isinstance(dim, int) or dim == size for dim, size in zip(dims, shape, strict=True)
    )
    if not fits:
        raise ShapeError.at(where, "wrong dimensions", expected=list(dims), found=list(shape))


def _plain(value: Any, name: str) -> NDArray[Any]:
    array = widened(as_array(value, f"input {name!r}"))
    return array.astype(object) if array.dtype.kind in "US" else array


def _value(array: NDArray[Any], declared: OnnxValue) -> Value:
    """Convert a value to the form that callers expect."""
    if declared.dtype is not None or array.dtype != object:
        return narrowed(array, declared.dtype)
    if array.ndim == 0 and array[()] is None:
        return None
    if array.ndim == 1 and all(isinstance(entry, np.ndarray) for entry in array):
        return list(array)
    return array
