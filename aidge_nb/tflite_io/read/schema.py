"""The part of TensorFlow Lite's schema that is read: codes, options, element types.

Source: https://github.com/tensorflow/tflite-micro
(tensorflow/compiler/mlir/lite/schema/schema.fbs)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TYPES = {
    0: "float32",
    1: "float16",
    2: "int32",
    3: "uint8",
    4: "int64",
    6: "bool",
    7: "int16",
    9: "int8",
    10: "float64",
    12: "uint64",
    15: "uint32",
    16: "uint16",
    17: "int4",
}
"""Element types by number."""

UNREAD_TYPES = {5: "string", 8: "complex64", 11: "complex128", 13: "resource", 14: "variant"}
"""Element types whose tensors have a place in the graph and no data here."""

PADDINGS = {0: "SAME", 1: "VALID"}
ACTIVATIONS = {0: "NONE", 1: "RELU", 2: "RELU_N1_TO_1", 3: "RELU6", 4: "TANH", 5: "SIGN_BIT"}


@dataclass(frozen=True)
class OptionField:
    """A field of a table of options.

    Attributes
    ----------
    slot
        Its number.
    code
        Its type, as :mod:`struct` calls it; ``p`` and ``a`` are paddings and activations,
        ``v`` a vector of int32.
    default
        Its value where the file leaves it out.
    """

    slot: int
    code: str = "i"
    default: float = 0


@dataclass(frozen=True)
class KnownOperator:
    """An operator that the schema declares.

    Attributes
    ----------
    name
        Its name.
    union
        The type of its options; 0 when it has none that matter.
    fields
        Its options by name.
    needed
        Whether it means nothing without them.
    """

    name: str
    union: int = 0
    fields: Mapping[str, OptionField] | None = None
    needed: bool = True


def _activation(slot: int) -> dict[str, OptionField]:
    return {"activation": OptionField(slot, "a")}


_STRIDES = {
    "padding": OptionField(0, "p"),
    "stride_w": OptionField(1),
    "stride_h": OptionField(2),
}
_POOL = {
    **_STRIDES,
    "filter_w": OptionField(3),
    "filter_h": OptionField(4),
    **_activation(5),
}
_REDUCER = {"keep_dims": OptionField(0, "?")}

OPERATORS: Mapping[int, KnownOperator] = {
    0: KnownOperator("ADD", 11, _activation(0)),
    1: KnownOperator("AVERAGE_POOL_2D", 5, _POOL),
    2: KnownOperator("CONCATENATION", 10, {"axis": OptionField(0), **_activation(1)}),
    3: KnownOperator(
        "CONV_2D",
        1,
        {
            **_STRIDES,
            **_activation(3),
            "dilation_w": OptionField(4, default=1),
            "dilation_h": OptionField(5, default=1),
            "bias_type": OptionField(6, "b"),
        },
    ),
    4: KnownOperator(
        "DEPTHWISE_CONV_2D",
        2,
        {
            **_STRIDES,
            "multiplier": OptionField(3),
            **_activation(4),
            "dilation_w": OptionField(5, default=1),
            "dilation_h": OptionField(6, default=1),
        },
    ),
    5: KnownOperator("DEPTH_TO_SPACE", 94, {"block_size": OptionField(0)}),
    6: KnownOperator("DEQUANTIZE"),
    9: KnownOperator(
        "FULLY_CONNECTED",
        8,
        {
            **_activation(0),
            "weights_format": OptionField(1, "b"),
            "keep_num_dims": OptionField(2, "?"),
            "bias_type": OptionField(4, "b"),
        },
    ),
    8: KnownOperator("FLOOR"),
    14: KnownOperator("LOGISTIC"),
    17: KnownOperator("MAX_POOL_2D", 5, _POOL),
    18: KnownOperator("MUL", 21, _activation(0)),
    19: KnownOperator("RELU"),
    20: KnownOperator("RELU_N1_TO_1"),
    21: KnownOperator("RELU6"),
    22: KnownOperator("RESHAPE", 17, {"shape": OptionField(0, "v")}, needed=False),
    23: KnownOperator(
        "RESIZE_BILINEAR",
        15,
        {"align_corners": OptionField(2, "?"), "half_pixel": OptionField(3, "?")},
    ),
    25: KnownOperator("SOFTMAX", 9, {"beta": OptionField(0, "f")}),
    26: KnownOperator("SPACE_TO_DEPTH", 19, {"block_size": OptionField(0)}),
    28: KnownOperator("TANH"),
    34: KnownOperator("PAD"),
    36: KnownOperator("GATHER", 23, {"axis": OptionField(0), "batch_dims": OptionField(1)}),
    37: KnownOperator("BATCH_TO_SPACE_ND"),
    38: KnownOperator("SPACE_TO_BATCH_ND"),
    39: KnownOperator("TRANSPOSE"),
    40: KnownOperator("MEAN", 27, _REDUCER),
    41: KnownOperator("SUB", 28, _activation(0)),
    42: KnownOperator("DIV", 29, _activation(0)),
    43: KnownOperator("SQUEEZE", 30, {"dims": OptionField(0, "v")}, needed=False),
    44: KnownOperator(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        71,
        {
            **_activation(0),
            "cell_clip": OptionField(1, "f"),
            "projection_clip": OptionField(2, "f"),
            "time_major": OptionField(3, "?"),
        },
    ),
    45: KnownOperator(
        "STRIDED_SLICE",
        32,
        {
            name: OptionField(slot)
            for slot, name in enumerate(("begin", "end", "ellipsis", "new_axis", "shrink"))
        },
    ),
    47: KnownOperator("EXP"),
    49: KnownOperator("SPLIT", 35, {"count": OptionField(0)}),
    50: KnownOperator("LOG_SOFTMAX"),
    53: KnownOperator("CAST", needed=False),
    54: KnownOperator("PRELU"),
    55: KnownOperator("MAXIMUM"),
    56: KnownOperator("ARG_MAX", needed=False),
    57: KnownOperator("MINIMUM"),
    58: KnownOperator("LESS"),
    59: KnownOperator("NEG"),
    60: KnownOperator("PADV2"),
    61: KnownOperator("GREATER"),
    62: KnownOperator("GREATER_EQUAL"),
    63: KnownOperator("LESS_EQUAL"),
    65: KnownOperator("SLICE"),
    66: KnownOperator("SIN"),
    67: KnownOperator("TRANSPOSE_CONV", 49, {**_STRIDES, **_activation(3)}),
    70: KnownOperator("EXPAND_DIMS"),
    71: KnownOperator("EQUAL"),
    72: KnownOperator("NOT_EQUAL"),
    73: KnownOperator("LOG"),
    74: KnownOperator("SUM", 27, _REDUCER),
    75: KnownOperator("SQRT"),
    76: KnownOperator("RSQRT"),
    77: KnownOperator("SHAPE"),
    78: KnownOperator("POW"),
    79: KnownOperator("ARG_MIN", needed=False),
    82: KnownOperator("REDUCE_MAX", 27, _REDUCER),
    83: KnownOperator("PACK", 59, {"count": OptionField(0), "axis": OptionField(1)}),
    84: KnownOperator("LOGICAL_OR"),
    86: KnownOperator("LOGICAL_AND"),
    87: KnownOperator("LOGICAL_NOT"),
    88: KnownOperator("UNPACK", 64, {"count": OptionField(0), "axis": OptionField(1)}),
    89: KnownOperator("REDUCE_MIN", 27, _REDUCER),
    92: KnownOperator("SQUARE"),
    97: KnownOperator(
        "RESIZE_NEAREST_NEIGHBOR",
        74,
        {"align_corners": OptionField(0, "?"), "half_pixel": OptionField(1, "?")},
    ),
    98: KnownOperator("LEAKY_RELU", 75, {"alpha": OptionField(0, "f")}),
    99: KnownOperator("SQUARED_DIFFERENCE"),
    100: KnownOperator("MIRROR_PAD", 77, {"mode": OptionField(0, "b")}),
    101: KnownOperator("ABS"),
    102: KnownOperator("SPLIT_V", 79, {"count": OptionField(0)}),
    104: KnownOperator("CEIL"),
    106: KnownOperator("ADD_N"),
    107: KnownOperator("GATHER_ND"),
    108: KnownOperator("COS"),
    111: KnownOperator("ELU"),
    114: KnownOperator("QUANTIZE"),
    116: KnownOperator("ROUND"),
    117: KnownOperator("HARD_SWISH"),
    123: KnownOperator("SELECT_V2"),
    126: KnownOperator(
        "BATCH_MATMUL", 101, {"adj_x": OptionField(0, "?"), "adj_y": OptionField(1, "?")}
    ),
    128: KnownOperator(
        "CUMSUM", 102, {"exclusive": OptionField(0, "?"), "reverse": OptionField(1, "?")}
    ),
}
"""The operators that are converted, by code."""

CUSTOM = 32
OTHERS = {
    7: "EMBEDDING_LOOKUP",
    11: "L2_NORMALIZATION",
    12: "L2_POOL_2D",
    16: "LSTM",
    13: "LOCAL_RESPONSE_NORMALIZATION",
    27: "SVDF",
    35: "UNIDIRECTIONAL_SEQUENCE_RNN",
    48: "TOPK_V2",
    69: "TILE",
    81: "REDUCE_PROD",
    85: "ONE_HOT",
    90: "FLOOR_DIV",
    91: "REDUCE_ANY",
    93: "ZEROS_LIKE",
    94: "FILL",
    95: "FLOOR_MOD",
    96: "RANGE",
    105: "REVERSE_V2",
    118: "IF",
    119: "WHILE",
    129: "CALL_ONCE",
    130: "BROADCAST_TO",
    140: "REDUCE_ALL",
    142: "VAR_HANDLE",
    143: "READ_VARIABLE",
    144: "ASSIGN_VARIABLE",
    150: "GELU",
}
"""Names of operators that become generic ones."""
