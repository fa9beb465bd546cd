"""Where the bytes of a model come from: a file, memory, or files beside the model.

Large files are mapped into memory, so that a weight is read from the disk when it is used.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aidge_nb.core.errors import OnnxError, explain

_MAP_FROM = 16 * 1024 * 1024
"""Bytes from which a file is mapped and not read."""

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"<", "a web page or XML text; a download may have gone wrong"),
    (
        0,
        b"version https://git-lfs",
        "a Git LFS pointer; run  git lfs pull  to get the model itself",
    ),
    (0, b"{", "JSON text"),
    (0, b"PK\x03\x04", "a zip archive; a PyTorch checkpoint, or a model still to be unpacked"),
    (0, b"\x80\x02", "a Python pickle; export the model with torch.onnx.export"),
    (0, b"\x80\x03", "a Python pickle; export the model with torch.onnx.export"),
    (0, b"\x80\x04", "a Python pickle; export the model with torch.onnx.export"),
    (0, b"\x80\x05", "a Python pickle; export the model with torch.onnx.export"),
    (0, b"\x89HDF", "an HDF5 file; convert the Keras model with tf2onnx"),
    (4, b"TFL3", "a TensorFlow Lite model; convert it with tf2onnx --tflite"),
    (4, b"ORTM", "an ONNX Runtime (.ort) model; use the .onnx file it was made of"),
    (0, b"GGUF", "a GGUF model; ONNX is needed"),
    (0, b"\x93NUMPY", "a NumPy array"),
    (0, b"\x89PNG", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"%PDF", "a PDF document"),
    (0, b"\x1f\x8b", "a gzip archive; unpack it first"),
    (0, b"\x7fELF", "a program"),
)


def read_bytes(path: Path) -> memoryview:
    """Give the content of a model file, writable without changing the file.

    Raises
    ------
    OnnxError
        When there is no such file, or nothing in it.
    """
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "no regular file"
        cure = "Name the .onnx file itself."
        raise OnnxError(explain(str(path), f"this is {kind}", cure=cure))
    content = _content(path, str(path), "Check the path.")
    if not len(content):
        raise OnnxError(
            explain(str(path), "the file is empty", cure="Download or export it again.")
        )
    return content


def _content(path: Path, where: str, cure: str) -> memoryview:
    """Read or map a file."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if size >= _MAP_FROM:
                import mmap

                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
            return memoryview(bytearray(file.read()))
    except FileNotFoundError:
        raise OnnxError(explain(where, f"there is no file {path}", cure=cure)) from None
    except OSError as error:
        raise OnnxError(explain(where, f"{path} cannot be read: {error.strerror}")) from error


def recognise(content: memoryview) -> str:
    """Say what the content is, when it is something that is often taken for a model.

    Examples
    --------
    >>> recognise(memoryview(b"%PDF-1.7"))
    'a PDF document'
    """
    head = bytes(content[:64])
    for offset, magic, meaning in _MAGIC:
        if head[offset:].lstrip(b"\n\r\t \xef\xbb\xbf" if offset == 0 else b"").startswith(magic):
            return meaning
    text = head.decode("utf-8", "replace")
    whole = "\ufffd" not in text[:-1]
    if text and whole and all(char.isprintable() or char in "\r\n\t" for char in text):
        return "plain text"
    return ""


class ExternalData:
    """Fetches tensors that a model keeps in files beside it; each file is mapped once.

    Parameters
    ----------
    folder
        The model's folder, which the files must not lie outside of; None for a model without one.
    source
        The model's name, for messages.
    """

    def __init__(self, folder: Path | None, source: str) -> None:
        self.folder = folder
        self.source = source
        self._files: dict[str, memoryview] = {}

    def __call__(self, name: str, entries: Mapping[str, str]) -> memoryview:
        """Give the bytes of tensor ``name``.

        Raises
        ------
        OnnxError
            When the file is missing, too short, or not in the model's folder.
        """
        where = f"{self.source}, tensor {name!r}"
        location = entries.get("location", "")
        if self.folder is None:
            raise OnnxError(
                explain(
                    where,
                    f"its data lie in another file, {location!r}",
                    cure="Give the path of the model instead of its bytes.",
                )
            )
        content = self._file(self.folder, location, where)
        offset = _number(entries, "offset", 0, where)
        size = _number(entries, "length", len(content) - offset, where)
        if offset + size > len(content) or size < 0:
            raise OnnxError(
                explain(
                    where,
                    f"the external file {location!r} is too short",
                    expected=f"{offset + size} bytes",
                    found=len(content),
                    cure="It is truncated or of another model; copy it again.",
                )
            )
        return content[offset : offset + size]

    def _file(self, folder: Path, location: str, where: str) -> memoryview:
        if location not in self._files:
            # Compared as text: a hub's cache keeps the files of a model as links to another folder.
            beside = Path(os.path.normpath(location))
            if not location or beside.is_absolute() or beside.parts[:1] == (os.pardir,):
                raise OnnxError(
                    explain(
                        where,
                        f"the external file {location!r} is not in the folder of the model",
                        expected=f"a file in {folder}",
                        found=location or "no location",
                        cure="Copy the file beside the model and save the model again.",
                    )
                )
            cure = "Copy it there from where the model was exported to: the weights are in it."
            self._files[location] = _content(folder / beside, where, cure)
        return self._files[location]


def _number(entries: Mapping[str, str], key: str, default: int, where: str) -> int:
    text: Any = entries.get(key, default)
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0 and key in entries:
        raise OnnxError(
            explain(where, f"the {key} of its external data is no number", found=repr(text))
        )
    return number
