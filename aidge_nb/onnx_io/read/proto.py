"""Decode ONNX files, and explain why a file cannot be read."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aidge_nb.core.errors import OnnxError, explain
from aidge_nb.onnx_io.ir import default_domain
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.wire.message import Message

NEWEST_IR_VERSION = 14
"""Newest version of the file format that the reader was tried on."""

NEWEST_OPSET = 28
"""Newest version of the standard operators that the converters were tried on."""

_LARGEST_VERSION = 1000
_FIRST_BYTE = 0x08
"""What a model begins with: the key of its IR version."""


def read_onnx(source: Any) -> OnnxModel:
    """Read an ONNX model.

    Parameters
    ----------
    source
        Path of a ``.onnx`` file, its bytes, an open binary file, an ``onnx.ModelProto``, or an
        :class:`OnnxModel` (given back as it is).

    Returns
    -------
    OnnxModel
        With every node under a name of its own, in an order in which they can run.

    Raises
    ------
    OnnxError
        When the file is missing, is not ONNX, is truncated, lacks its external data, or holds a
        invalid graph: an undefined value, two definitions of one, a cycle.

    Warns
    -----
    UserWarning
        When nodes had to be renamed or reordered, or the model is newer than this library.

    Examples
    --------
    >>> from aidge_nb import zoo
    >>> read_onnx(zoo.build("lenet").to_bytes())
    OnnxModel('lenet', 12 nodes, 10 initializers, 61706 parameters, opset 13)
    """
    from aidge_nb.onnx_io.element_types import with_types

    return read_prepared(source, with_types)


def read_prepared(source: Any, prepare: Callable[[Message], Message]) -> OnnxModel:
    """Read a model after ``prepare`` has changed its message."""
    from aidge_nb.onnx_io.read.check import check_model

    if isinstance(source, OnnxModel):
        return check_model(source)
    from aidge_nb.onnx_io.read.build import build_model
    from aidge_nb.onnx_io.read.source import ExternalData

    proto, name, folder = _read_proto(source)
    return check_model(build_model(prepare(proto), name, ExternalData(folder, name)))


def _read_proto(source: Any) -> tuple[Message, str, Path | None]:
    """Decode a model without keeping its bytes."""
    from aidge_nb.onnx_io.read.declared import check_declared
    from aidge_nb.onnx_io.read.expansion import check_expansion
    from aidge_nb.onnx_io.wire.decode import DecodeError, decode

    content, name, folder = _open(source)
    try:
        proto = decode(content, "ModelProto", own=not content.readonly)
    except DecodeError as error:
        raise OnnxError(_unreadable(content, name, str(error))) from None
    _check_identity(proto, content, name)
    check_expansion(proto, name)
    check_declared(proto, name)
    return proto, name, folder


def _open(source: Any) -> tuple[memoryview, str, Path | None]:
    """Return the bytes of a model, its name for messages, its folder."""
    from aidge_nb.onnx_io.read.source import read_bytes

    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return read_bytes(path), str(path), path.parent
    if type(source).__name__ == "ModelProto":
        return memoryview(bytearray(source.SerializeToString())), "ModelProto", None
    name, folder = "", None
    if hasattr(source, "read"):
        name = str(getattr(source, "name", "open file"))
        folder = Path(name).parent if hasattr(source, "name") else None
        source = source.read()
    if isinstance(source, (bytes, bytearray, memoryview)):
        content = memoryview(source).cast("B").toreadonly()
        return content, name or f"{len(content)} bytes in memory", folder
    raise OnnxError.at(
        "model",
        "cannot be read",
        expected="a path, bytes, a binary file, an onnx.ModelProto or an OnnxModel",
        found=type(source).__name__,
    )


def _unreadable(content: memoryview, name: str, why: str) -> str:
    """Return why the bytes are not a model."""
    from aidge_nb.onnx_io.read.source import recognise

    meaning = recognise(content)
    if meaning:
        return explain(name, "this is not an ONNX model", found=meaning)
    if _is_tensor(content):
        return explain(name, "this is not an ONNX model", found="a single tensor")
    if content[0] == _FIRST_BYTE:
        return explain(
            name,
            "the file is truncated or damaged",
            found=f"{len(content)} bytes; {why}",
            cure="Download or export it again, and compare the sizes.",
        )
    return explain(name, "this is not an ONNX model", found="bytes of an unknown kind")


def _is_tensor(content: memoryview) -> bool:
    """Return whether the bytes are a ``TensorProto``, as test data of ONNX models are."""
    from aidge_nb.onnx_io.wire.decode import DecodeError, decode

    try:
        return bool(decode(content, "TensorProto").data_type)
    except DecodeError:
        return False


def _check_identity(proto: Message, content: memoryview, name: str) -> None:
    """Check that this is a model of a version that can be read."""
    if not proto.has("graph"):
        from aidge_nb.onnx_io.read.source import recognise

        found = recognise(content) or "no graph inside"
        cure = "Check that the file is a model and not a single tensor or a configuration."
        raise OnnxError.at(name, "this is not an ONNX model", found=found, cure=cure)
    ir_version = proto.ir_version
    versions = {
        "ai.onnx" if default_domain(entry.domain) else entry.domain: entry.version
        for entry in proto.opset_import
    }
    for domain, version in {"IR": ir_version, **versions}.items():
        if not 0 < version <= _LARGEST_VERSION:
            raise OnnxError.at(
                name,
                f"the {domain} version is invalid",
                expected=f"1 to {NEWEST_IR_VERSION if domain == 'IR' else NEWEST_OPSET}",
                found=version,
                cure="The file is damaged; export the model again.",
            )
    newest = {"IR": NEWEST_IR_VERSION, "ai.onnx": NEWEST_OPSET}
    for domain, version in {"IR": ir_version, **versions}.items():
        if version > newest.get(domain, version):
            warnings.warn(
                f"{name}: {domain} version {version} is newer than this library knows "
                f"({newest[domain]}); operators that have changed since are read as before. "
                "Export with an older opset, or update aidge_nb",
                stacklevel=3,
            )
