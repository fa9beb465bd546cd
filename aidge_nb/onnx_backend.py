"""The standard interface for running ONNX models: that of ``onnx.backend.base``.

Use the module itself as the backend:

>>> from aidge_nb import onnx_backend, zoo
>>> prepared = onnx_backend.prepare(zoo.build("mlp").to_proto())
>>> [output.shape for output in prepared.run([np.zeros((1, 784), np.float32)])]
[(1, 10)]

A model is loaded with :func:`~aidge_nb.load_onnx` and run by the sequential scheduler: what runs
is the graph that can be looked at, in :attr:`PreparedModel.graph`.

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
from aidge_nb.graph.view import GraphView
from aidge_nb.kernels.formats import holder
from aidge_nb.onnx_io.exotic import narrowed, widened
from aidge_nb.onnx_io.ir import OnnxValue
from aidge_nb.onnx_io.load import load_onnx
from aidge_nb.onnx_io.model import OnnxSignature, need_onnx
from aidge_nb.runtime.arena.prepared_cache import PreparedRuns
from aidge_nb.runtime.passes import as_array

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
"""A tensor, a sequence, or an optional value that is not there."""


class PreparedModel:
    """A model that is ready to run.

    Attributes
    ----------
    graph
        The graph that runs.
    """

    def __init__(self, graph: GraphView) -> None:
        self.graph = graph
        self._declared: OnnxSignature = graph.annotations["onnx.declared"]
        self._used: OnnxSignature = graph.annotations["onnx"]
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
            Other options of the interface; none has a meaning here.

        Returns
        -------
        tuple
            The outputs in the order of the model; a sequence is a list, a missing optional None.

        Raises
        ------
        OnnxError
            When an input is missing, or there is one too many.
        ShapeError
            When an input is not of the element type or dimensions declared, or nothing can be
            computed from it.
        """
        return self._run(inputs, self._runs.run)

    def run_once(self, inputs: Any) -> tuple[Value, ...]:
        """Run the model as :meth:`run` does, without making anything ready for another time."""
        return self._run(inputs, self._runs.run_once)

    def prepared(self, inputs: Any) -> PreparedRun | None:
        """Return the run that was prepared for inputs of these dims: its plan, and its memory.

        It is None before the first run, and where the sequential scheduler runs the model.
        """
        given = self._by_name(inputs)
        return self._runs.prepared([given[value.name] for value in self._used.inputs])

    def _run(self, inputs: Any, run: Callable[[list[NDArray[Any]]], Any]) -> tuple[Value, ...]:
        given = self._by_name(inputs)
        try:
            results = run([given[value.name] for value in self._used.inputs])
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
        Other options of the interface; none has a meaning here.

    Raises
    ------
    OnnxError
        When the model cannot be read or run; the message names the operators that are missing. It
        is also a ``BackendIsNotSupposedToImplementIt``, so that test runners skip it.
    """
    if not supports_device(device):
        raise OnnxError.at("device", "is not there", expected="CPU", found=device)
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
    """Fuse operators that run faster as one; results change by rounding only.

    What normalizes, or is a Gelu, and is written out, becomes one operator; a batch normalization
    goes into the weights in front of it.
    """
    from aidge_nb.recipes import fuse_batchnorm, fuse_gelu, fuse_layernorm

    fuse_batchnorm(graph)
    fuse_gelu(graph)
    dims = [value.dims for value in graph.annotations["onnx"].inputs]
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
        Its inputs, in order; those with an empty name are left out.
    device
        ``"CPU"``.
    outputs_info
        Element type and dims of each output; not needed here.
    kwargs
        ``opset_version``: that of the operator; the newest that ``onnx`` knows by default.

    Raises
    ------
    OnnxError
        As :func:`prepare`; when there are more or fewer inputs than the node names; for what is
        no node.

    Examples
    --------
    >>> import onnx
    >>> node = onnx.helper.make_node("Relu", ["x"], ["y"])
    >>> run_node(node, [np.float32([-1, 2])])
    (array([0., 2.], dtype=float32),)
    """
    need_onnx()
    from onnx import NodeProto, defs, helper

    if not isinstance(node, NodeProto):
        expected, cure = "an onnx.NodeProto", "Models are run by run_model."
        found = type(node).__name__
        raise OnnxError.at("run_node", "no node", expected=expected, found=found, cure=cure)
    names = [name for name in node.input if name]
    given = _listed(inputs, names)
    if len(given) != len(names):
        raise _not_the_inputs(f"node {node.name or node.op_type}", names, f"{len(given)} arrays")
    arrays = [as_array(value, f"input {name!r}") for name, value in zip(names, given, strict=True)]
    types = [helper.np_dtype_to_tensor_dtype(array.dtype) for array in arrays]
    version = kwargs.get("opset_version", defs.onnx_opset_version())
    if not isinstance(version, int):
        found = repr(version)
        raise OnnxError.at("opset_version", "is a whole number", found=found)
    graph = helper.make_graph(
        [node],
        node.name or node.op_type,
        [
            helper.make_tensor_value_info(name, kind, array.shape)
            for name, kind, array in zip(names, types, arrays, strict=True)
        ],
        [onnx_value(name) for name in node.output if name],
    )
    opsets = [helper.make_opsetid("", version)]
    if node.domain:
        opsets.append(helper.make_opsetid(node.domain, 1))
    return run_model(helper.make_model(graph, opset_imports=opsets), arrays, device)


def onnx_value(name: str) -> onnx.ValueInfoProto:
    """Declare a value by its name alone."""
    from onnx import ValueInfoProto

    return ValueInfoProto(name=name)


def supports_device(device: str) -> bool:
    """Return whether there is such a device.

    Raises
    ------
    OnnxError
        For what is no name.

    Examples
    --------
    >>> supports_device("CPU"), supports_device("CUDA:1")
    (True, False)
    """
    if not isinstance(device, str):
        found = type(device).__name__
        raise OnnxError.at("device", "is a name", expected="such as CPU", found=found)
    return device.split(":")[0] == "CPU"


def is_compatible(model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
    """Return whether a model can run here."""
    try:
        prepare(model, device, **kwargs)
    except OnnxError:
        return False
    return True


@cache
def _unsupported() -> type[OnnxError]:
    """Make the exception that says both our and the standard's kind of no."""
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
    problem = "these are not its inputs"
    return OnnxError.at(where, problem, expected=expected, found=found or "none")


def _array(value: Any, declared: OnnxValue) -> NDArray[Any]:
    """Return a value the form that it has in graphs."""
    if value is None:
        return _holding(None)
    if declared.dtype is None and isinstance(value, (list, tuple)):
        return _sequence([_plain(entry, declared.name) for entry in value])
    array = _plain(value, declared.name)
    if declared.dtype is not None:
        _check(array, declared, holder(declared.dtype))
    return array


def _check(array: NDArray[Any], declared: OnnxValue, dtype: np.dtype[Any]) -> None:
    """Check an input against the model's declaration."""
    where = f"input {declared.name!r}"
    if array.dtype != dtype:
        raise ShapeError.at(
            where,
            "wrong element type",
            expected=declared.dtype,
            found=array.dtype.name,
            cure=f"Convert it with astype({dtype.name!r}).",
        )
    dims = declared.dims
    if dims is None:
        return
    if array.ndim != len(dims):
        raise ShapeError.at(
            where, "wrong number of dimensions", expected=list(dims), found=list(array.shape)
        )
    if any(isinstance(d, int) and d != size for d, size in zip(dims, array.shape, strict=True)):
        raise ShapeError.at(where, "wrong dimensions", expected=list(dims), found=list(array.shape))


def _plain(value: Any, name: str) -> NDArray[Any]:
    array = widened(as_array(value, f"input {name!r}"))
    return array.astype(object) if array.dtype.kind in "US" else array


def _holding(value: object) -> NDArray[Any]:
    array = np.empty((), object)
    array[()] = value
    return array


def _sequence(values: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(values), object)
    for index, value in enumerate(values):
        array[index] = value
    return array


def _value(array: NDArray[Any], declared: OnnxValue) -> Value:
    """Return a value the form that callers expect."""
    if declared.dtype is not None or array.dtype != object:
        return narrowed(array, declared.dtype)
    if array.ndim == 0 and array[()] is None:
        return None
    if array.ndim == 1 and all(isinstance(entry, np.ndarray) for entry in array):
        return list(array)
    return array
