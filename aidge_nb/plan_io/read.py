"""The formats of plans that can be read: one table."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.files import naming
from aidge_nb.core.limits import current_limits
from aidge_nb.memory.values.plan import MemoryPlan


@dataclass(frozen=True, slots=True)
class PlanFormat:
    """A format of plans.

    Attributes
    ----------
    name
        What it is called in messages.
    module, function
        What reads the file: its text or bytes, and its name for messages.
    is_of
        Whether a file, given as bytes, is of this format.
    is_text
        Whether the function takes text.
    has_arenas
        Whether the function takes the name of an arena: there may be several.
    """

    name: str
    module: str
    function: str
    is_of: Callable[[bytes], bool]
    is_text: bool = True
    has_arenas: bool = False

    def read(self, content: bytes, where: str, arena: str | None = None) -> MemoryPlan:
        """Read the content of a file, or one arena of it."""
        if arena is not None and not self.has_arenas:
            problem, cure = f"a {self.name} holds one arena", "Leave out its name."
            raise MemoryPlanError.at(where, problem, found=repr(arena), cure=cure)
        given: Any = text_of(content, where) if self.is_text else content
        more = {"arena": arena} if self.has_arenas else {}
        read = getattr(import_module(self.module), self.function)
        found: MemoryPlan = read(given, where, **more)
        return found


_OF_VELA = (b"Allocation Peak Tensor Size:", b"Start Time -")

FORMATS = (
    PlanFormat(
        "plan in a .tflite",
        "aidge_nb.plan_io.tflm",
        "read_offline",
        lambda content: content[4:8] == b"TFL3",
        is_text=False,
    ),
    PlanFormat(
        "program of ExecuTorch",
        "aidge_nb.plan_io.executorch",
        "read_program",
        lambda content: content[4:6] == b"ET" and content[6:8].isdigit(),
        is_text=False,
        has_arenas=True,
    ),
    PlanFormat(
        "snapshot of PyTorch",
        "aidge_nb.plan_io.torch_events",
        "read_snapshot",
        lambda content: content[:1] == b"\x80" and content[1:2] <= b"\x05",
        is_text=False,
        has_arenas=True,
    ),
    PlanFormat(
        "log of TensorFlow Lite Micro",
        "aidge_nb.plan_io.tflm",
        "read_log",
        lambda content: b"[RecordingMicroAllocator]" in content,
    ),
    PlanFormat(
        "plan that TensorFlow Lite Micro prints",
        "aidge_nb.plan_io.tflm",
        "read_printed",
        lambda content: b"(id=" in content and b"first_used=" in content,
    ),
    PlanFormat(
        "allocation of Vela",
        "aidge_nb.plan_io.vela",
        "read_allocation",
        lambda content: any(mark in content for mark in _OF_VELA),
    ),
    PlanFormat(
        "command stream of Vela",
        "aidge_nb.plan_io.vela_stream",
        "read_stream",
        lambda content: b"High level NPU operations:" in content,
    ),
    PlanFormat(
        "page of PyTorch's viewer",
        "aidge_nb.plan_io.torch_events",
        "read_page",
        lambda content: b"MemoryViz.js" in content and b"<script" in content,
        has_arenas=True,
    ),
    PlanFormat(
        "profile of PyTorch",
        "aidge_nb.plan_io.torch_events",
        "read_json",
        lambda content: content.lstrip()[:1] in (b"{", b"["),
        has_arenas=True,
    ),
    PlanFormat("CSV", "aidge_nb.plan_io.table", "read_csv_plan", lambda content: True),
)
"""All formats; the first whose mark a file has reads it. The last one takes what is left."""


def read_plan(source: str | os.PathLike[str] | bytes, *, arena: str | None = None) -> MemoryPlan:
    r"""Read the memory plan that another tool made, or :meth:`MemoryPlan.to_csv`.

    The content says which format it is, not the name. Every plan is checked: buffers that live at
    the same time and share bytes are an error.

    Parameters
    ----------
    source
        Path or bytes of a file.
    arena
        Which one to read, where a file holds several: a method or a memory of a program of
        ExecuTorch (``"forward"``, ``"forward, memory 2"``), or a device of PyTorch (``"CPU"``,
        ``"CUDA 0"``). By default the memories of the first method, one after the other, or the
        device with most bytes or events. An unknown name is an error that lists those there are.

    Returns
    -------
    MemoryPlan
        The buffers with the lower bound of their peak. Ticks are those of the file, or numbered
        anew where they are large. A file that has no addresses is placed by our planner.

    Raises
    ------
    MemoryPlanError
        Quoting what is not understood, or listing the arenas.
    OSError
        When the file cannot be read.

    Examples
    --------
    >>> read_plan(b"id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,16\n")
    MemoryPlan(2 buffers, 3 ticks, peak 24 bytes, lower bound 16 bytes)
    """
    content, where = content_of(source)
    return format_of(content).read(content, where, arena)


def content_of(source: Any) -> tuple[bytes, str]:
    """Return the bytes of a file and its name for messages."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), "bytes"
    with naming(source), Path(source).open("rb") as file:
        most = current_limits().constant_bytes
        content = file.read(most + 1)
    if len(content) > most:
        raise MemoryPlanError.at(str(source), "is too large", expected=f"at most {most} bytes")
    return content, str(source)


def format_of(content: bytes) -> PlanFormat:
    """Return the format of a file."""
    return next(each for each in FORMATS if each.is_of(content))


def text_of(content: bytes, where: str) -> str:
    """Return the text of a file; raise MemoryPlanError when it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem, found = "is not text", str(error.reason)
        raise MemoryPlanError.at(where, problem, expected="UTF-8", found=found) from error
