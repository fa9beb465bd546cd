"""Dimensions and constant values of a model's inputs, as declared and as the caller passes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.dims import check_dims
from aidge_nb.core.dtype import as_dtype
from aidge_nb.core.errors import OnnxError, explain
from aidge_nb.core.values import dataclass
from aidge_nb.onnx_io.model import OnnxModel

if TYPE_CHECKING:
    from aidge_nb.onnx_io.ir import OnnxValue
    from aidge_nb.onnx_io.model import OnnxSignature


@dataclass(frozen=True, slots=True)
class InputDims:
    """Dimensions of each graph input, assumptions made, and inputs left unknown.

    Dimensions are None only where unknown ones were allowed; ``unknown`` then says why.
    """

    dims: tuple[tuple[int, ...] | None, ...]
    assumed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def resolve_dims(
    signature: OnnxSignature,
    given: Mapping[str | int, Sequence[int]] | None = None,
    symbols: Mapping[str, int] | None = None,
    *,
    allow_unknown: bool = False,
) -> InputDims:
    """Find the dimensions of all inputs of an ONNX model.

    Raise OnnxError when a dimension stays unknown and may not, or contradicts what is declared:
    the message says what to pass. An unknown first dimension is taken for 1.

    ``signature`` is ``model.signature``, or ``view.annotations["onnx"]`` of a graph. ``given``
    holds dimensions by the name or the position of an input, ``symbols`` the values of symbolic
    dimensions, such as ``{"N": 1}``; others follow from ``given``.

    Examples
    --------
    >>> from aidge_nb import zoo
    >>> resolve_dims(zoo.build("mlp", batch="N").signature, symbols={"N": 8}).dims
    ((8, 784),)
    """
    inputs = tuple(_without_anonymous(value) for value in signature.inputs)
    given = dict(given or {})
    symbols = dict(symbols or {})
    _check_names(inputs, given, symbols)
    chosen: dict[str, tuple[int, ...]] = {}
    for position, value in enumerate(inputs):
        wanted = given.get(value.name, given.get(position))
        if wanted is not None:
            chosen[value.name] = _chosen(value, wanted, symbols)
    assumed: list[str] = []
    unknown: list[str] = []
    found: list[tuple[int, ...] | None] = []
    for value in inputs:
        why = "" if value.name in chosen else _unknown(value, symbols)
        if why and not allow_unknown:
            raise OnnxError(why)
        if why:
            unknown.append(why)
        found.append(None if why else chosen.get(value.name) or _declared(value, symbols, assumed))
    return InputDims(tuple(found), tuple(assumed), tuple(unknown))


def _check_names(
    inputs: Sequence[OnnxValue],
    given: Mapping[str | int, Sequence[int]],
    symbols: Mapping[str, int],
) -> None:
    names = [value.name for value in inputs]
    for key in given:
        if not 0 <= key < len(names) if isinstance(key, int) else key not in names:
            found = f"dimensions of input#{key}" if isinstance(key, int) else key
            raise OnnxError.at("inputs", "the model has no such input", expected=names, found=found)
        if isinstance(key, int) and names[key] in given:
            raise OnnxError.at(f"input {names[key]}", "has dimensions twice: by name and by place")
    known = {dim for value in inputs for dim in value.dims or () if isinstance(dim, str)}
    for symbol in symbols:
        if symbol not in known:
            raise OnnxError.at(
                "inputs",
                "the model has no such symbolic dimension",
                expected=sorted(known) or "none",
                found=symbol,
            )


def _chosen(value: OnnxValue, wanted: Sequence[int], symbols: dict[str, int]) -> tuple[int, ...]:
    """Check the caller's dimensions, and record what symbols stand for."""
    dims = check_dims(wanted, f"input {value.name}")
    declared = value.dims
    fits = declared is None or (
        len(dims) == len(declared)
        and all(
            not isinstance(fixed, int) or fixed == dim
            for dim, fixed in zip(dims, declared, strict=True)
        )
    )
    if not fits:
        raise OnnxError.at(
            f"input {value.name}",
            "dimensions contradict those that the file declares",
            expected=_shown(value),
            found=list(dims),
        )
    for dim, symbol in zip(dims, declared or (), strict=False):
        if isinstance(symbol, str) and symbols.setdefault(symbol, dim) != dim:
            raise OnnxError.at(
                f"input {value.name}",
                f"symbolic dimension {symbol} has two values",
                expected=symbols[symbol],
                found=dim,
            )
    return tuple(dims)


def _declared(value: OnnxValue, symbols: dict[str, int], assumed: list[str]) -> tuple[int, ...]:
    """Return the declared dimensions if all but perhaps the first are known."""
    dims = []
    for dim in value.dims or ():
        if isinstance(dim, int):
            dims.append(dim)
        elif dim is not None and dim in symbols:
            dims.append(symbols[dim])
        else:
            called = "dimension 0" if dim is None else f"{dim} (another value: --dim {dim}=...)"
            assumed.append(f"input {value.name}: size 1 assumed for {called}")
            dims.append(symbols.setdefault(dim, 1) if dim is not None else 1)
    return tuple(check_dims(dims, f"input {value.name}"))


def _unknown(value: OnnxValue, symbols: Mapping[str, int]) -> str:
    """Return which dimension of an input is unknown, and how to give it; empty when none is."""
    if value.dims is None:
        return _ask_for(value, "all dimensions", symbols)
    # The first dimension is taken for 1, and so is its name wherever it comes again.
    known = {value.dims[0], *symbols} if value.dims else set(symbols)
    axes = {
        axis: dim
        for axis, dim in enumerate(value.dims)
        if axis and not isinstance(dim, int) and (dim is None or dim not in known)
    }
    if not axes:
        return ""
    called = [f"{axis} ({dim})" if dim else str(axis) for axis, dim in axes.items()]
    return _ask_for(value, f"dimension{'s' if len(axes) > 1 else ''} {', '.join(called)}", symbols)


def _ask_for(value: OnnxValue, what: str, symbols: Mapping[str, int]) -> str:
    example = "1,3,224,224"
    if value.dims is not None:
        example = ",".join("..." if not isinstance(d, int) else str(d) for d in value.dims)
    open_names = dict.fromkeys(d for d in value.dims or () if isinstance(d, str))
    names = [f"--dim {name}=..." for name in open_names if name not in symbols]
    cure = f"Pass its dimensions: --dims {value.name}={example} (dims= in Python)"
    if names and None not in (value.dims or ()):
        cure += f", or a value for each symbol: {' '.join(names)}"
    return explain(f"input {value.name}", f"{what} unknown", found=_shown(value), cure=cure)


def _shown(value: OnnxValue) -> str:
    if value.dims is None:
        return "dims not declared"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in value.dims) + "]"


def _without_anonymous(value: OnnxValue) -> OnnxValue:
    """Rename each ``?`` to a symbol of its own: unknown dimensions need not be equal."""
    if value.dims is None or "?" not in value.dims:
        return value
    return replace(value, dims=tuple(None if dim == "?" else dim for dim in value.dims))


Dimension = int | str | None


def with_constants(model: OnnxModel, values: Mapping[str, ArrayLike] | None) -> OnnxModel:
    """Make constants of some inputs.

    Raise OnnxError for an unknown input, or a value that is not an array of its type.
    """
    values = _by_name(model, "constants", values, "{'name': value}")
    inputs = {value.name: value for value in model.inputs}
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

    Raise OnnxError for an unknown input, or anything that is not a dimension.
    """
    given = _by_name(model, "dims", dims, "{'name': [1, 3, 224, 224]}")
    return {name: _dims(name, value) for name, value in given.items()}


def _by_name(model: OnnxModel, what: str, given: Any, usual: str) -> Mapping[str, Any]:
    """Check that what is given is by the names of inputs of the model."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        cure = f"Write {what}={usual}."
        raise OnnxError.at(
            what, "are given by the name of the input", found=type(given).__name__, cure=cure
        )
    inputs = [value.name for value in model.inputs]
    unknown = [repr(name) for name in given if name not in inputs]
    if unknown:
        problem = f"unknown input {', '.join(sorted(unknown))}"
        where, expected = model.source or model.name, ", ".join(inputs)
        cure = "Name the inputs as the model does."
        raise OnnxError.at(where, problem, expected=expected, cure=cure)
    return given


def _dims(name: str, given: Any) -> tuple[Dimension, ...]:
    is_list = isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes))
    if not is_list or not all(map(_is_dimension, given)):
        found = given if is_list else type(given).__name__
        expected = "a list of numbers from 0 on, names or None"
        raise OnnxError.at(f"input {name!r}", "these are not dims", expected=expected, found=found)
    return tuple(int(each) if isinstance(each, np.integer) else each for each in given)


def _is_dimension(value: Any) -> bool:
    if isinstance(value, (int, np.integer)):
        return not isinstance(value, bool) and bool(value >= 0)
    return value is None or isinstance(value, str)


def _array(name: str, value: ArrayLike, dtype: str) -> NDArray[Any]:
    try:
        return np.asarray(value, as_dtype(dtype).numpy)
    except (TypeError, ValueError, OverflowError) as error:
        where, problem = f"constant of input {name!r}", f"cannot be made an array: {error}"
        raise OnnxError.at(where, problem, expected=dtype, found=type(value).__name__) from error
