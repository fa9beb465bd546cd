"""Models without a download: well-known networks with seeded weights, at any input size.

:func:`build` returns an ONNX model, :func:`load` the graph to schedule, plan and run. Neither needs
the ``onnx`` package. Weights are random, scaled so that activations stay of order one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.zoo.cells import densenet_like, inception_like, shufflenet_like
from aidge_nb.zoo.classic import lenet, mlp, squeezenet, tiling_model
from aidge_nb.zoo.mobilenet import mobilenet_v2
from aidge_nb.zoo.resnet import resnet18, resnet50
from aidge_nb.zoo.sequence import lstm_classifier
from aidge_nb.zoo.transformer import dinov2_like

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

__all__ = [
    "MODELS",
    "build",
    "densenet_like",
    "dinov2_like",
    "inception_like",
    "lenet",
    "load",
    "lstm_classifier",
    "mlp",
    "mobilenet_v2",
    "resnet18",
    "resnet50",
    "shufflenet_like",
    "squeezenet",
    "tiling_model",
]

MODELS: Mapping[str, Callable[..., OnnxModel]] = MappingProxyType(
    {
        builder.__name__: builder
        for builder in (
            densenet_like,
            dinov2_like,
            inception_like,
            lenet,
            lstm_classifier,
            mlp,
            mobilenet_v2,
            resnet18,
            resnet50,
            shufflenet_like,
            squeezenet,
            tiling_model,
        )
    }
)
"""The builders by name."""


def build(name: str, **options: Any) -> OnnxModel:
    """Build a model by name.

    Parameters
    ----------
    name
        One of :data:`MODELS`.
    **options
        Arguments of the builder, such as ``size=``, ``batch=``, ``width=`` or ``seed=``.

    Raises
    ------
    OnnxError
        For an unknown model or option.

    Examples
    --------
    >>> build("mobilenet_v2", size=96)
    OnnxModel('mobilenet_v2', 155 nodes, 267 initializers, 3539136 parameters, opset 7)
    """
    builder = MODELS.get(name)
    if builder is None:
        raise OnnxError.at("zoo", "unknown model", expected=", ".join(MODELS), found=repr(name))
    code: Any = getattr(builder, "__code__")  # noqa: B009  # inspect is slow to import
    known = code.co_varnames[: code.co_argcount]
    unknown = [option for option in options if option not in known]
    if unknown:
        raise OnnxError.at(
            f"zoo, model {name!r}",
            "unknown option",
            expected=", ".join(known),
            found=", ".join(unknown),
        )
    return builder(**options)


def load(name: str, **options: Any) -> GraphView:
    """Build a model by name and load it as a graph.

    Parameters and errors are those of :func:`build`.

    Examples
    --------
    >>> load("lenet").get_node("conv1").type()
    'Conv2D'
    """
    from aidge_nb.onnx_io import load_onnx

    return load_onnx(build(name, **options))
