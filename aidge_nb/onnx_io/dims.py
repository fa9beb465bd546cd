"""Dimensions of a loaded graph's inputs, from what the file declares and the caller says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aidge_nb.errors import OnnxError, explain
from aidge_nb.tensor import check_dims

if TYPE_CHECKING:
    from aidge_nb.onnx_io.ir import OnnxValue
    from aidge_nb.onnx_io.model import OnnxSignature

__all__ = ["InputDims", "resolve_dims"]


@dataclass(frozen=True, slots=True)
class InputDims:
    """Dimensions of each graph input in order, and what was assumed to get them."""

    dims: tuple[tuple[int, ...], ...]
    assumed: tuple[str, ...] = ()


def resolve_dims(
    signature: OnnxSignature,
    given: Mapping[str | int, Sequence[int]] | None = None,
    symbols: Mapping[str, int] | None = None,
) -> InputDims:
    """Find the dimensions of all inputs of an ONNX model.

    Parameters
    ----------
    signature
        What the model declares: ``model.signature``, or ``view.annotations["onnx"]`` of a graph.
    given
        Dimensions by the name or the position of an input.
    symbols
        Values of symbolic dimensions, such as ``{"N": 1}``; others follow from ``given``.

    Raises
    ------
    OnnxError
        When a dimension stays unknown, or contradicts what is declared; says what to pass. An
        unknown first dimension is taken for a batch of 1.

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
    found = (chosen.get(v.name) or _declared(v, symbols, assumed) for v in inputs)
    return InputDims(tuple(found), tuple(assumed))


def _check_names(
    inputs: Sequence[OnnxValue],
    given: Mapping[str | int, Sequence[int]],
    symbols: Mapping[str, int],
) -> None:
    names = [value.name for value in inputs]
    for key in given:
        if (key not in names) if isinstance(key, str) else not 0 <= key < len(names):
            raise OnnxError(
                explain("inputs", "the model has no such input", expected=names, found=key)
            )
    known = {dim for value in inputs for dim in value.dims or () if isinstance(dim, str)}
    for symbol in symbols:
        if symbol not in known:
            raise OnnxError(
                explain(
                    "inputs",
                    "the model has no such symbolic dimension",
                    expected=sorted(known) or "none",
                    found=symbol,
                )
            )


def _chosen(value: OnnxValue, wanted: Sequence[int], symbols: dict[str, int]) -> tuple[int, ...]:
    """Check dimensions that the caller gives, and learn from them what the symbols stand for."""
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
        raise OnnxError(
            explain(
                f"input {value.name}",
                "dimensions contradict those that the file declares",
                expected=_shown(value),
                found=list(dims),
            )
        )
    for dim, symbol in zip(dims, declared or (), strict=False):
        if isinstance(symbol, str) and symbols.setdefault(symbol, dim) != dim:
            raise OnnxError(
                explain(
                    f"input {value.name}",
                    f"symbolic dimension {symbol} has two values",
                    expected=symbols[symbol],
                    found=dim,
                )
            )
    return tuple(dims)


def _declared(value: OnnxValue, symbols: dict[str, int], assumed: list[str]) -> tuple[int, ...]:
    if value.dims is None:
        raise OnnxError(_unknown(value, "all dimensions"))
    dims = []
    for axis, dim in enumerate(value.dims):
        if isinstance(dim, int):
            dims.append(dim)
        elif dim is not None and dim in symbols:
            dims.append(symbols[dim])
        elif axis == 0:
            assumed.append(f"input {value.name}: batch size 1 assumed for {dim or 'dimension 0'}")
            dims.append(symbols.setdefault(dim, 1) if dim is not None else 1)
        else:
            raise OnnxError(_unknown(value, f"dimension {axis}"))
    return tuple(check_dims(dims, f"input {value.name}"))


def _unknown(value: OnnxValue, what: str) -> str:
    example = "1,3,224,224"
    if value.dims is not None:
        example = ",".join("..." if not isinstance(d, int) else str(d) for d in value.dims)
    symbols = [f"--dim {d}=..." for d in value.dims or () if isinstance(d, str)]
    cure = f"Pass its dimensions: --dims {value.name}={example} (dims= in Python)"
    if symbols and None not in (value.dims or ()):
        cure += f", or a value for each symbol: {' '.join(symbols)}"
    return explain(f"input {value.name}", f"{what} unknown", found=_shown(value), cure=cure)


def _shown(value: OnnxValue) -> str:
    if value.dims is None:
        return "dims not declared"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in value.dims) + "]"


def _without_anonymous(value: OnnxValue) -> OnnxValue:
    """Take ``?`` for what it is, an unknown dimension: several of them need not be equal."""
    if value.dims is None or "?" not in value.dims:
        return value
    return replace(value, dims=tuple(None if dim == "?" else dim for dim in value.dims))
