"""The subject of a report: a file, a model of the zoo, a model in memory or a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from aidge_nb.core.errors import OnnxError, ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.inputs import input_slots
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io import load_onnx
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.read.inputs import InputDims, resolve_dims
from aidge_nb.quantization.kinds import is_quantized
from aidge_nb.report.readers import reader_of
from aidge_nb.tflite_io.load import notes_of

GivenDims = Mapping[str | int, Sequence[int]]

ZOO = "zoo:"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded graph.

    Attributes
    ----------
    view, title
        The graph and its title.
    dims
        Dimensions of its inputs in order, None where they stay open.
    assumed
        Assumptions about dimensions that were not passed, and what was changed on loading.
    unknown
        Why dimensions stay open, one message per input.
    """

    view: GraphView
    title: str
    dims: tuple[Sequence[int] | None, ...]
    assumed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def load_source(
    source: Any,
    dims: GivenDims,
    symbols: Mapping[str, int],
    constants: Mapping[str, Any],
    *,
    open_dims: bool = False,
    integer: bool = True,
) -> Loaded:
    """Load the subject of a report, and find the dimensions of its inputs.

    Parameters
    ----------
    source, dims, symbols, constants, open_dims, integer
        As :func:`aidge_nb.report.study` takes them.

    Raises
    ------
    OnnxError
        When the file cannot be read, or an input dimension contradicts it or is unknown.
    """
    if isinstance(source, Loaded):
        return source
    if isinstance(source, GraphView):
        places = range(len(input_slots(source)))
        return Loaded(source, source.name() or "graph", tuple(dims.get(i) for i in places))
    if isinstance(source, str) and source.startswith(ZOO):
        from aidge_nb import zoo

        title = source.removeprefix(ZOO)
        name, options = parse_zoo(title)
        model = zoo.build(name, **options)
        try:
            return _load(model, title, dims, symbols, constants, open_dims, integer)
        except OnnxError as error:
            if not dims:
                raise
            raise OnnxError(f"{error}. {_how_to_resize(name)}") from None
    model = reader_of(source).read(source)
    is_path = isinstance(source, (str, PathLike))
    if isinstance(model, GraphView):
        title = Path(fspath(source)).stem if is_path else model.name()
        resolved = resolve_dims(model.annotations["onnx"], dims, symbols, allow_unknown=open_dims)
        return _loaded(model, title, resolved, integer)
    title = Path(fspath(source)).stem if is_path else model.name
    return _load(model, title, dims, symbols, constants, open_dims, integer)


def _load(
    model: OnnxModel,
    title: str,
    dims: GivenDims,
    symbols: Mapping[str, int],
    constants: Mapping[str, Any],
    open_dims: bool,
    integer: bool,
) -> Loaded:
    open_inputs = tuple(v for v in model.signature.inputs if v.name not in constants)
    signature = replace(model.signature, inputs=open_inputs)
    resolved = resolve_dims(signature, dims, symbols, allow_unknown=open_dims)
    by_name = {v.name: each for v, each in zip(open_inputs, resolved.dims, strict=True)}
    known = {name: each for name, each in by_name.items() if each is not None}
    view = load_onnx(model, dims=known, constants=constants)
    loaded = _loaded(view, title, resolved, integer)
    return replace(loaded, assumed=loaded.assumed + notes_of(model))


def _loaded(view: GraphView, title: str, resolved: InputDims, integer: bool) -> Loaded:
    notes = resolved.assumed + (_on_integers(view, resolved.dims) if integer else ())
    return Loaded(view, title or "model", resolved.dims, notes, resolved.unknown)


def _on_integers(view: GraphView, dims: Sequence[Sequence[int] | None]) -> tuple[str, ...]:
    """Let a quantized graph compute on integers; say so in one line."""
    if not is_quantized(view):
        return ()
    with suppress(ShapeError):  # said later, with the graph as it is
        propagate_dims(view, list(dims), allow_data_dependency=True)
    from aidge_nb.quantization import to_integer  # slow to import

    report = to_integer(view)
    return (f"{report} (--float or integer=False: as the file computes it)",) if report else ()


def parse_zoo(text: str) -> tuple[str, dict[str, int | float]]:
    """Read ``NAME``, ``NAME@SIZE`` or ``NAME@OPTION=VALUE,...``: a model of the zoo.

    Raises
    ------
    OnnxError
        When the subject has none of these types.

    Examples
    --------
    >>> parse_zoo("mobilenet_v2@96"), parse_zoo("resnet18@size=64,width=0.5")
    (('mobilenet_v2', {'size': 96}), ('resnet18', {'size': 64, 'width': 0.5}))
    """
    name, at, settings = text.partition("@")
    options: dict[str, int | float] = {}
    for setting in settings.split(",") if at else ():
        option, _, value = setting.strip().rpartition("=")
        try:
            options[option or "size"] = float(value) if "." in value else int(value)
        except ValueError:
            raise OnnxError.at(
                f"{ZOO}{text}",
                "not an option of a model",
                expected=f"say {ZOO}{name}@96 or {ZOO}{name}@size=96,batch=4",
                found=repr(setting),
            ) from None
    return name, options


def _how_to_resize(name: str) -> str:
    from inspect import signature  # slow to import

    from aidge_nb import zoo

    names = [o for o in signature(zoo.MODELS[name]).parameters if o != "seed"]
    size = 96 if "size" in names else f"{names[0]}=..."
    return f"Build it so: {ZOO}{name}@{size} (options: {', '.join(names)})"
