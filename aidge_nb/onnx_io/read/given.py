"""Normalise what a caller says about a model's inputs: dimensions and constant values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.dtype import as_dtype
from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io.model import OnnxModel

Dimension = int | str | None


def with_constants(model: OnnxModel, values: Mapping[str, ArrayLike] | None) -> OnnxModel:
    """Make constants of some inputs.

    Raises
    ------
    OnnxError
        When the model has no such input, or a value is no array of its type.
    """
    values = _by_name("constants", values, "{'name': value}")
    inputs = {value.name: value for value in model.inputs}
    _need_inputs(model, values, "Name the inputs that are to be constant as the model does.")
    constants = {
        name: _array(name, value, inputs[name].dtype or "float32") for name, value in values.items()
    }
    graph = replace(
        model.graph,
        inputs=tuple(value for value in model.inputs if value.name not in values),
        initializers={**model.initializers, **constants},
    )
    return replace(model, graph=graph)


def given_dims(
    model: OnnxModel, dims: Mapping[str, Sequence[int]] | None
) -> dict[str, tuple[Dimension, ...]]:
    """Return dimensions as plain numbers; open ones stay a name or None.

    Raises
    ------
    OnnxError
        When the model has no such input, or something is no dimension.
    """
    given = _by_name("dims", dims, "{'name': [1, 3, 224, 224]}")
    _need_inputs(model, given, "Name the inputs as the model does.")
    return {name: _dims(name, value) for name, value in given.items()}


def _by_name(what: str, given: Any, usual: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        cure = f"Write {what}={usual}."
        raise OnnxError.at(
            what, "are given by the name of the input", found=_kind(given), cure=cure
        )
    return given


def _need_inputs(model: OnnxModel, names: Iterable[str], cure: str) -> None:
    inputs = [value.name for value in model.inputs]
    unknown = [repr(name) for name in names if name not in inputs]
    if unknown:
        problem = f"there is no input {', '.join(sorted(unknown))}"
        where, expected = model.source or model.name, ", ".join(inputs)
        raise OnnxError.at(where, problem, expected=expected, cure=cure)


def _dims(name: str, given: Any) -> tuple[Dimension, ...]:
    is_list = isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes))
    if not is_list or not all(map(_is_dimension, given)):
        found = given if is_list else _kind(given)
        expected = "a list of numbers from 0"
        raise OnnxError.at(f"dims of {name!r}", "are none", expected=expected, found=found)
    return tuple(int(each) if isinstance(each, np.integer) else each for each in given)


def _is_dimension(value: Any) -> bool:
    if isinstance(value, (int, np.integer)):
        return not isinstance(value, bool) and bool(value >= 0)
    return value is None or isinstance(value, str)


def _array(name: str, value: ArrayLike, dtype: str) -> NDArray[Any]:
    try:
        return np.asarray(value, as_dtype(dtype).numpy)
    except (TypeError, ValueError, OverflowError) as error:
        where = f"constant of input {name!r}"
        raise OnnxError.at(
            where, f"is no array: {error}", expected=dtype, found=_kind(value)
        ) from error


def _kind(value: object) -> str:
    return type(value).__name__
