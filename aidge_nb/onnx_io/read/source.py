"""The bytes of a model: from a file, from memory, or from files beside the model.

Files are read and never mapped: a file that is cut short or written anew while a model is in use
neither ends the process nor changes the weights that were loaded.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from aidge_nb.core.errors import OnnxError
from aidge_nb.core.limits import current_limits

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Open a FIFO without waiting for a writer."""

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
    (4, b"TFL3", "a TensorFlow Lite model; read it with load_tflite"),
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
    """Return the content of a model file.

    Raise OnnxError when the file does not exist or is empty.
    """
    content = _read(path, str(path), "Check the path.")
    if not len(content):
        raise OnnxError.at(str(path), "the file is empty", cure="Download or export it again.")
    return content


def _read(
    path: Path, where: str, cure: str, offset: int = 0, size: int | None = None
) -> memoryview:
    """Read a part of a regular file, all that follows ``offset`` when ``size`` is None."""
    try:
        handle = os.open(path, _FLAGS | _NO_WAITING)
    except FileNotFoundError:
        raise OnnxError.at(where, f"the file {path} does not exist", cure=cure) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        why = getattr(error, "strerror", None) or error
        raise OnnxError.at(where, f"{str(path)!r} cannot be read: {why}") from error
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            kind = "a folder" if stat.S_ISDIR(about.st_mode) else "not a regular file"
            raise OnnxError.at(where, f"{path.name!r} is {kind}", cure="Name the file itself.")
        size = max(about.st_size - offset, 0) if size is None else size
        if offset + size > about.st_size:
            raise OnnxError.at(
                where,
                f"the file {path.name!r} is too short",
                expected=f"{offset + size} bytes",
                found=about.st_size,
                cure="It is truncated or of another model; copy it again.",
            )
        with os.fdopen(handle, "rb", closefd=False) as file:
            file.seek(offset)
            content = memoryview(bytearray(size))
            return content[: file.readinto(content)]
    finally:
        os.close(handle)


def recognise(content: memoryview) -> str:
    """Return the kind of a file that is often mistaken for a model; empty if unknown.

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
    """Read the tensors that a model keeps in files beside it, each once.

    A location must lead to a file in the folder of the model. A symbolic link must stay there, too,
    or lead into the cache of a model hub, where every file of ``snapshots/REVISION/`` is a link
    into ``blobs/`` beside it; ``Limits.outside_links`` permits all others.

    A model without a folder has no such files; ``source`` names the model in messages.
    """

    def __init__(self, folder: Path | None, source: str) -> None:
        self.folder = folder
        self.source = source
        self._read: dict[tuple[str, int, int | None], memoryview] = {}

    def __call__(self, name: str, entries: Mapping[str, str]) -> memoryview:
        """Return the bytes of tensor ``name``.

        Raise OnnxError when the file is missing, too short, or not in the folder of the model.
        """
        where = f"{self.source}, tensor {name!r}"
        location = entries.get("location", "")
        if self.folder is None:
            raise OnnxError.at(
                where,
                f"its data lie in another file, {location!r}",
                cure="Give the path of the model instead of its bytes.",
            )
        offset = _number(entries, "offset", where) or 0
        key = (location, offset, _number(entries, "length", where))
        if key not in self._read:
            cure = "Copy it there from where the model was exported to: the weights are in it."
            path = _beside(self.folder, location, where)
            self._read[key] = _read(path, where, cure, *key[1:])
        return self._read[key]


def _beside(folder: Path, location: str, where: str) -> Path:
    """Return the path of a file that belongs to a model, with all links followed."""
    try:
        relative = PurePath(os.path.normpath(location))
        outside = not location or relative.is_absolute() or relative.parts[:1] == (os.pardir,)
        path = (folder / relative).resolve()
        outside = outside or not _belongs(path, folder)
    except (OSError, ValueError, RuntimeError):  # a zero byte; links in a circle
        outside = True
    if outside:
        raise OnnxError.at(
            where,
            f"the external file {location!r} is not in the folder of the model",
            expected=f"a file in {folder}",
            found=repr(location) if location else "no location",
            cure="Copy the file beside the model and save the model again; the limit "
            "outside_links permits links that leave the folder.",
        )
    return path


def _belongs(path: Path, folder: Path) -> bool:
    """Return whether a file lies in the folder of a model, or in the blobs of its hub's cache."""
    if current_limits().outside_links or path.is_relative_to(folder.resolve()):
        return True
    above = [parent for parent in folder.absolute().parents if parent.name == "snapshots"]
    return any(path.parent == (each.parent / "blobs").resolve() for each in above)


def _number(entries: Mapping[str, str], key: str, where: str) -> int | None:
    """Return the number of an entry; None without the entry."""
    text: Any = entries.get(key)
    if text is None:
        return None
    try:
        number = int(text) if len(text) < 20 else -1
    except ValueError:
        number = -1
    if number < 0:
        problem = f"the {key} of its external data is not a number"
        raise OnnxError.at(where, problem, expected="0 or more", found=repr(text[:40]))
    return number
