"""Operators on codes, and their twins: the declared operators that do the same to numbers.

What reads what, what can be cut, and what may be overwritten does not depend on whether elements
are numbers or codes. Whoever plans asks the twin; bytes are those of the operator itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any
from weakref import WeakKeyDictionary

from aidge_nb.core.errors import AidgeError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.inference import infer_dims_of
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import SPECS
from aidge_nb.ops.build import make_node
from aidge_nb.ops.padded import padded
from aidge_nb.ops.rules import same_pads


@dataclass(frozen=True, slots=True)
class Twin:
    """The declared operator that does to numbers what another does to codes.

    Attributes
    ----------
    node
        Its node, not connected, with the dimensions of the other.
    inputs
        For each of its inputs, the number of the input of the other.
    along
        Inputs of the other with a scale or zero point per index of an axis of the result, and that
        axis.
    """

    node: Node
    inputs: tuple[int, ...]
    along: Mapping[int, int] = field(default_factory=dict)


WEIGHTS: Mapping[str, tuple[int, ...]] = {
    "QLinearConv": (3, 8),
    "QLinearConvTranspose": (3, 8),
    "QLinearMatMul": (3,),
    "QGemm": (3, 6),
    "ConvInteger": (1,),
    **dict.fromkeys(("MatMulInteger", "MatMulIntegerToFloat", "DynamicQuantizeMatMul"), (1,)),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), (0,)),
    **dict.fromkeys(("LookUp", "Rescale", "ResizeCodes"), ()),
}
"""Inputs with weights and biases of operators on codes; what else they read are scales."""


def twin_of(node: Node) -> Twin | None:
    """Return the twin of an operator on codes with known dimensions; None for any other.

    Examples
    --------
    >>> import aidge_nb
    >>> twin_of(aidge_nb.ReLU("relu")) is None
    True
    """
    maker = _MAKERS.get(node.type())
    if maker is None:
        return None
    operator = node.get_operator()
    given = [operator.get_input(index) for index in range(operator.nb_inputs)]
    result = operator.get_output(0)
    dims = tuple(None if each is None or each.undefined() else each.dims for each in given)
    key = (dims, None if result.undefined() else result.dims, str(operator.attr.dict()))
    known = _KNOWN.get(node)
    if known is None or known[0] != key:
        known = (key, None if result.undefined() else _made(maker, operator))
        _KNOWN[node] = known
    return known[1]


def as_numbers(node: Node) -> Node:
    """Return the twin of an operator on codes; other nodes are returned as they are.

    Examples
    --------
    >>> import aidge_nb
    >>> as_numbers(aidge_nb.ReLU("relu"))
    Node(relu, ReLU)
    """
    twin = twin_of(node)
    return node if twin is None else twin.node


def kind_of(node: Node) -> str:
    """Return the type of a node, or that of its twin where it does the very same.

    Examples
    --------
    >>> import aidge_nb
    >>> kind_of(aidge_nb.ReLU("relu"))
    'ReLU'
    """
    return node.type() if node.type() in _ANY_FUNCTION else as_numbers(node).type()


_KNOWN: WeakKeyDictionary[Node, tuple[object, Twin | None]] = WeakKeyDictionary()


def _made(maker: Callable[[Operator], Twin | None], operator: Operator) -> Twin | None:
    """Make a twin, with dimensions; None where these do not come out the same."""
    try:
        twin = maker(operator)
        if twin is None:
            return None
        for index, source in enumerate(twin.inputs):
            tensor = operator.get_input(source)
            if tensor is not None:
                twin.node.get_operator().set_input(index, tensor)
        infer_dims_of([twin.node])
    except (AidgeError, ValueError, IndexError):
        return None
    found = twin.node.get_operator().get_output(0)
    same = not found.undefined() and found.shape == operator.get_output(0).shape
    return twin if same else None


def _dims(operator: Operator, index: int) -> tuple[int, ...]:
    tensor = operator.get_input(index) if index < operator.nb_inputs else None
    return () if tensor is None else tensor.shape


def _size(operator: Operator, index: int) -> int:
    tensor = operator.get_input(index) if index < operator.nb_inputs else None
    return 0 if tensor is None else tensor.size


def _along(operator: Operator, axis: int, *indices: int) -> dict[int, int]:
    return {index: axis for index in indices if _size(operator, index) > 1}


def _window(operator: Operator, kernel: tuple[int, ...], sizes: tuple[int, ...]) -> dict[str, Any]:
    """Return the attributes of a window as declared operators name them, and its pads."""
    attr, rank = operator.attr.dict(), len(kernel)
    strides = tuple(attr.get("strides") or (1,) * rank)
    dilations = tuple(attr.get("dilations") or (1,) * rank)
    pads = tuple(attr.get("pads") or (0,) * (2 * rank))
    automatic = attr.get("auto_pad", "NOTSET")
    if automatic in ("SAME_UPPER", "SAME_LOWER"):
        reach = [(size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True)]
        pads = same_pads(sizes, reach, strides, upper=automatic == "SAME_UPPER")
    elif automatic == "VALID":
        pads = (0,) * (2 * rank)
    return {"kernel": kernel, "stride_dims": strides, "dilations": dilations, "pads": pads}


def _window_node(
    kind: str, suffix: str, window: dict[str, Any], dilations: str, **attributes: Any
) -> Node:
    spec, kernel, pads = SPECS[kind], window["kernel"], window["pads"]
    attributes |= {"stride_dims": window["stride_dims"], dilations: window["dilations"]}
    if any(pads):
        return padded(spec, "", suffix, kernel, pads, **attributes)
    return make_node(spec, kernel_dims=kernel, **attributes)


def _weighted(operator: Operator, node: Node, bias: int) -> Twin:
    """Make the twin of an operator with weights at input 3, and perhaps a bias."""
    inputs = (0, 3, bias) if _size(operator, bias) else (0, 3)
    return Twin(node, inputs, _along(operator, 1, 4, 5))


def _convolution(operator: Operator) -> Twin | None:
    data, weights = _dims(operator, 0), _dims(operator, 3)
    window = _window(operator, weights[2:], data[2:])
    group, rank = int(operator.attr.dict().get("group", 1)), len(weights) - 2
    if 1 < group == data[1] == weights[0]:
        node = _window_node(f"ConvDepthWise{rank}D", "conv_depth_wise", window, "dilation_dims")
    else:
        node = _window_node(f"Conv{rank}D", "conv", window, "dilation_dims", group=group)
    return _weighted(operator, node, 8)


def _spreading(operator: Operator) -> Twin | None:
    attr, weights = operator.attr.dict(), _dims(operator, 3)
    window, rank = _window(operator, weights[2:], ()), len(weights) - 2
    node = make_node(
        SPECS[f"ConvTranspose{rank}D"],
        kernel_dims=window["kernel"],
        stride_dims=window["stride_dims"],
        dilation_dims=window["dilations"],
        pads=window["pads"],
        output_padding=tuple(attr.get("output_padding") or (0,) * rank),
        group=int(attr.get("group", 1)),
    )
    return _weighted(operator, node, 8)


def _resize(operator: Operator) -> Twin | None:
    attr = {name: value for name, value in operator.attr.dict().items() if name != "zero"}
    return Twin(make_node(SPECS["Resize"], interpolation_mode="linear", **attr), (0,))


def _average_pool(operator: Operator) -> Twin | None:
    attr, data = operator.attr.dict(), _dims(operator, 0)
    window = _window(operator, tuple(attr["kernel_shape"]), data[2:])
    counted, rounded = bool(attr.get("count_include_pad")), bool(attr.get("ceil_mode"))
    if attr.get("channels_last") or (rounded and any(window["pads"])):
        return None
    ignored = (0,) * len(window["pads"]) if counted else window["pads"]
    options = {"ceil_mode": rounded, "ignore_pads": ignored}
    kind = f"AvgPooling{len(window['kernel'])}D"
    return Twin(_window_node(kind, "avgpooling", window, "dilations", **options), (0,))


def _global_average_pool(operator: Operator) -> Twin | None:
    if operator.attr.dict().get("channels_last"):
        return None
    return Twin(make_node(SPECS["GlobalAveragePooling"]), (0,))


def _gemm(operator: Operator) -> Twin | None:
    attr = operator.attr.dict()
    turned: dict[str, Any] = {name: bool(attr.get(name, 0)) for name in ("transA", "transB")}
    if turned["transA"] or not turned["transB"] or len(_dims(operator, 6)) > 1:
        return _weighted(operator, make_node(SPECS["Gemm"], **turned), 6)
    return _weighted(operator, make_node(SPECS["FC"]), 6)


def _product(operator: Operator) -> Twin | None:
    rank = operator.get_output(0).ndim
    along = {**_along(operator, rank - 2, 1, 2), **_along(operator, rank - 1, 4, 5)}
    return Twin(make_node(SPECS["MatMul"]), (0, 3), along)


def _like(kind: str, *inputs: int) -> Callable[[Operator], Twin | None]:
    return lambda operator: Twin(make_node(SPECS[kind]), inputs)


def _concat(operator: Operator) -> Twin | None:
    inputs = tuple(range(2, operator.nb_inputs, 3))
    axis = int(operator.attr.dict()["axis"])
    return Twin(make_node(SPECS["Concat"], nb_inputs=len(inputs), axis=axis), inputs)


def _softmax(operator: Operator) -> Twin | None:
    attr = operator.attr.dict()
    if attr.get("opset", 13) < 13:
        return None
    return Twin(make_node(SPECS["Softmax"], axis=int(attr.get("axis", -1))), (0,))


def _coder(operator: Operator) -> Twin | None:
    attr = operator.attr.dict()
    if attr.get("block_size"):
        return None
    axis = int(attr.get("axis", 1)) % max(1, operator.get_output(0).ndim)
    return Twin(make_node(SPECS["ReLU"]), (0,), _along(operator, axis, 1, 2))


_MAKERS: Mapping[str, Callable[[Operator], Twin | None]] = {
    "QLinearConv": _convolution,
    "QLinearConvTranspose": _spreading,
    "ResizeCodes": _resize,
    "QLinearMatMul": _product,
    "QGemm": _gemm,
    "QLinearAdd": _like("Add", 0, 3),
    "QLinearMul": _like("Mul", 0, 3),
    "QLinearConcat": _concat,
    "QLinearAveragePool": _average_pool,
    "QLinearGlobalAveragePool": _global_average_pool,
    "QLinearSoftmax": _softmax,
    "QLinearLeakyRelu": _like("LeakyReLU", 0),
    "QLinearSigmoid": _like("Sigmoid", 0),
    **dict.fromkeys(("LookUp", "Rescale"), _like("ReLU", 0)),
    **dict.fromkeys(("QuantizeLinear", "DequantizeLinear"), _coder),
}
_ANY_FUNCTION = ("LookUp", "Rescale", "QuantizeLinear", "DequantizeLinear")
"""Operators that ReLU stands for as one that works element by element."""
