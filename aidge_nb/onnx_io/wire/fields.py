"""The messages of ONNX files and their fields.

Fields that are not listed are skipped when a file is read: documentation, training, and how a model
is to be spread over devices.

Reference: https://onnx.ai/onnx/api/classes.html (onnx-ml.proto);
https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Mapping

from aidge_nb.core.values import dataclass

_MESSAGES = """
ModelProto: 1 ir_version int, 2 producer_name text, 3 producer_version text, 4 domain text,
    5 model_version int, 7 graph GraphProto, 8 opset_import OperatorSetIdProto*,
    14 metadata_props StringStringEntryProto*, 25 functions FunctionProto*
OperatorSetIdProto: 1 domain text, 2 version int
StringStringEntryProto: 1 key text, 2 value text
FunctionProto: 1 name text, 4 input text*, 5 output text*, 6 attribute text*, 7 node NodeProto*,
    9 opset_import OperatorSetIdProto*, 10 domain text, 11 attribute_proto AttributeProto*,
    12 value_info ValueInfoProto*, 13 overload text
GraphProto: 1 node NodeProto*, 2 name text, 5 initializer TensorProto*, 11 input ValueInfoProto*,
    12 output ValueInfoProto*, 13 value_info ValueInfoProto*,
    15 sparse_initializer SparseTensorProto*
NodeProto: 1 input text*, 2 output text*, 3 name text, 4 op_type text, 5 attribute AttributeProto*,
    7 domain text, 8 overload text
AttributeProto: 1 name text, 2 f float, 3 i int, 4 s bytes, 5 t TensorProto, 6 g GraphProto,
    7 floats float*, 8 ints int*, 9 strings bytes*, 10 tensors TensorProto*, 11 graphs GraphProto*,
    14 tp TypeProto, 15 type_protos TypeProto*, 20 type int, 21 ref_attr_name text,
    22 sparse_tensor SparseTensorProto, 23 sparse_tensors SparseTensorProto*
TensorProto: 1 dims int*, 2 data_type int, 4 float_data f4 array, 5 int32_data int array,
    6 string_data bytes*, 7 int64_data int array, 8 name text, 9 raw_data bytes,
    10 double_data f8 array, 11 uint64_data int array, 13 external_data StringStringEntryProto*,
    14 data_location int
SparseTensorProto: 1 values TensorProto, 2 indices TensorProto, 3 dims int*
ValueInfoProto: 1 name text, 2 type TypeProto
TypeProto: 1 tensor_type TypeProto.Tensor, 4 sequence_type TypeProto.Sequence,
    5 map_type TypeProto.Map, 8 sparse_tensor_type TypeProto.Tensor,
    9 optional_type TypeProto.Sequence
TypeProto.Tensor: 1 elem_type int, 2 shape TensorShapeProto
TypeProto.Sequence: 1 elem_type TypeProto
TypeProto.Map: 1 key_type int, 2 value_type TypeProto
TensorShapeProto: 1 dim TensorShapeProto.Dimension*
TensorShapeProto.Dimension: 1 dim_value int, 2 dim_param text, 3 denotation text
"""
"""Number, name and kind of each field; ``*`` marks lists, ``array`` numbers that fill an array."""

ATTRIBUTE_FIELDS = {
    **dict(enumerate(("f", "i", "s", "t", "g"), 1)),
    **dict(enumerate(("floats", "ints", "strings", "tensors", "graphs"), 6)),
    11: "sparse_tensor",
    12: "sparse_tensors",
    13: "tp",
    14: "type_protos",
}
"""The field that holds the value of an attribute, by the number of its kind."""

ATTRIBUTE_KINDS = {
    number: {"f": "FLOAT", "i": "INT", "s": "STRING", "t": "TENSOR", "g": "GRAPH"}.get(
        field, {"tp": "TYPE_PROTO"}.get(field, field.upper())
    )
    for number, field in ATTRIBUTE_FIELDS.items()
}
"""Names of the kinds of attributes."""

EXTERNAL = 1
"""``TensorProto.data_location`` of tensors in other files."""

STRING = 8
"""``TensorProto.data_type`` of text."""

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
"""How the bytes of a field are delimited."""

_WIRE = {"int": VARINT, "f8": FIXED64, "float": FIXED32, "f4": FIXED32}
_EMPTY = {"int": 0, "float": 0.0, "text": "", "bytes": b""}


@dataclass(frozen=True)
class WireField:
    """One field of a message.

    Parameters
    ----------
    number, name
        Its key in the file, and its name.
    kind
        ``int``, ``float``, ``f4``, ``f8``, ``text``, ``bytes``, or the name of a message.
    many
        Whether it is a list.
    array
        Whether its numbers fill an array: they may be many.
    """

    number: int
    name: str
    kind: str
    many: bool = False
    array: bool = False

    @property
    def wire(self) -> int:
        """How one value of it is delimited."""
        return _WIRE.get(self.kind, LENGTH)

    @property
    def default(self) -> object:
        """Return what an absent field is read as; None for a message, which is then empty."""
        return () if self.many or self.array else _EMPTY.get(self.kind)


def _parsed(text: str) -> dict[str, dict[int, WireField]]:
    messages: dict[str, dict[int, WireField]] = {}
    for line in text.replace("\n    ", " ").strip().splitlines():
        message, _, fields = line.partition(": ")
        entries = [entry.split() for entry in fields.split(", ")]
        messages[message] = {
            int(number): WireField(
                int(number), name, kind.rstrip("*"), kind.endswith("*"), bool(array)
            )
            for number, name, kind, *array in entries
        }
    return messages


FIELDS: Mapping[str, Mapping[int, WireField]] = _parsed(_MESSAGES)
"""The fields of each message, by number."""

NAMED: Mapping[str, Mapping[str, WireField]] = {
    message: {field.name: field for field in fields.values()} for message, fields in FIELDS.items()
}
"""The same by name."""
