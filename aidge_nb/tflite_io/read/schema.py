"""The part of TensorFlow Lite's schema that is read: codes, options, element types.

Source: https://github.com/tensorflow/tflite-micro
(tensorflow/compiler/mlir/lite/schema/schema.fbs)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

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
    fields: Mapping[str, OptionField] = field(default_factory=dict)
    needed: bool = True


def _field(word: str) -> tuple[str, OptionField]:
    """Read an option, such as ``stride_w@1`` or ``dilation_w@4:i=1``."""
    name, _, rest = word.partition("@")
    rest, _, default = rest.partition("=")
    slot, _, code = rest.partition(":")
    return name, OptionField(int(slot), code or "i", int(default or 0))


def _operator(name: str, union: str = "0", *options: str) -> KnownOperator:
    fields = dict(map(_field, options))
    return KnownOperator(name, int(union.rstrip("?")), fields, not union.endswith("?"))


CUSTOM = 32
_LINES = [
    line.split()
    for line in Path(__file__).with_name("operators.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
OPERATORS = {int(code): _operator(*rest) for code, *rest in _LINES if rest[1:] != ["generic"]}
"""The operators that are converted, by code."""
OTHERS = {int(code): rest[0] for code, *rest in _LINES if rest[1:] == ["generic"]}
"""Names of operators that become generic ones."""
