"""Writes which operator can do what, from the registries: nothing here is a list to keep up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from aidge_nb import ops
from aidge_nb.graph import SPECS, OpSpec

__all__ = ["COLUMNS", "concerns", "operators", "quantized_of"]

COLUMNS = {
    "NumPy": "runs, in the fast arithmetic; `built in`: without a kernel, by the runtime itself",
    "exact": "runs in the arithmetic that the exported program has, bit for bit",
    "gradient": "can be trained through; `–` where there is none in mathematics",
    "C": "exported as C",
    "in": "made from an operator of an ONNX model",
    "out": "written to an ONNX model as one operator; others as what they are made of",
    "tiles": "can be cut into parts that are computed one by one",
    "in place": "may overwrite an input: element by element, or row by row",
    "quantized": "the operator of ONNX that does the same to 8-bit integers, which runs, too",
}
"""The concerns, and what a mark in the column says."""

_INTRODUCTION = """# Operators

Made from the registries when this site is built: an operator is declared once, and everything
hangs on that.

"""

_STANDARD = """
## Operators that ONNX alone declares

These run, and their dimensions are found by trying; they have no declaration of their own, hence
no factory and no rule for tiles. Those of other domains have its name in front.

"""

_QUANTIZED = re.compile(r"(?:QLinear|Q(?=[A-Z]))(?P<of>\w+)|(?P<of_integers>\w+)Integer")
_FAMILIES = {
    "Conv": ("Conv1D", "Conv2D", "Conv3D", "ConvDepthWise"),
    "AveragePool": ("AvgPooling",),
    "Gemm": ("FC",),
}
"""ONNX operators of which we have one for each number of dimensions, or under another name."""


def operators() -> str:
    """Write the page: the matrix, what its columns say, and what else runs."""
    columns = concerns()
    lines = [f"- **{name}**: {text}" for name, text in COLUMNS.items()] + [""]
    lines += _table(
        ("operator", *columns),
        (
            (_linked(name), *(of(spec) for of in columns.values()))
            for name, spec in sorted(SPECS.items())
        ),
    )
    rows = ((name, *marks) for name, marks in standard_operators())
    return (
        _INTRODUCTION
        + "\n".join(lines)
        + "\n"
        + _STANDARD
        + "\n".join(_table(("operator", "gradient", "C"), rows))
        + "\n"
    )


def concerns() -> dict[str, Callable[[OpSpec], str]]:
    """Give, for each column, the function that writes the cell of an operator."""
    from aidge_nb.kernels import find_kernel
    from aidge_nb.kernels.c import find_c_kernel
    from aidge_nb.tiling.rules import can_tile

    def built_in(spec: OpSpec) -> str:
        return "" if find_kernel(spec) else "built in"

    written = _written()
    quantized = quantized_of()
    functions: dict[str, Callable[[OpSpec], str]] = {
        "NumPy": lambda spec: _mark(find_kernel(spec)) or built_in(spec),
        "exact": lambda spec: _mark(find_kernel(spec, "exact")) or built_in(spec),
        "gradient": lambda spec: _gradient(spec) or built_in(spec),
        "C": lambda spec: _mark(find_c_kernel(spec)) or built_in(spec),
        "in": lambda spec: _mark(spec.type in written),
        "out": lambda spec: _mark(spec.type in written),
        "tiles": lambda spec: _mark(can_tile(_node(spec))),
        "in place": lambda spec: _mark(spec.in_place or spec.is_view),
        "quantized": lambda spec: ", ".join(f"`{name}`" for name in quantized.get(spec.type, ())),
    }
    return {name: functions[name] for name in COLUMNS}


def quantized_of() -> dict[str, list[str]]:
    """Find, for our operators, those of ONNX that do the same to quantized numbers."""
    from aidge_nb.onnx_io.convert.rename import renamings

    renamed = {op_type: (ours,) for op_type, (ours, _) in renamings().items()}
    found: dict[str, list[str]] = {}
    for domain, op_type in sorted(_standard()):
        match = _QUANTIZED.fullmatch(op_type)
        if match is None or domain == "tflite":
            continue
        base = match["of"] or match["of_integers"]
        for spec in SPECS.values():
            is_same = base in (spec.type, *spec.onnx) or spec.type in renamed.get(base, ())
            if is_same or spec.type.startswith(_FAMILIES.get(base, ())):
                found.setdefault(spec.type, []).append(op_type)
    return found


def standard_operators() -> Iterable[tuple[str, tuple[str, str]]]:
    """List the operators that only a standard declares, with their gradients and C kernels."""
    from aidge_nb.kernels.c import find_c_kernel
    from aidge_nb.kernels.registry import find_standard_gradient

    for domain, op_type in sorted(_standard()):
        name = f"{domain}.{op_type}" if domain else op_type
        marks = find_standard_gradient(op_type, domain), find_c_kernel(name)
        yield name, (_mark(marks[0]), _mark(marks[1]))


def _standard() -> Iterable[tuple[str, str]]:
    """List domain and type of every operator of the standard that has a function."""
    from aidge_nb.kernels.registry import standard_operators

    return standard_operators()


def _written() -> set[str]:
    """List the operators that are one in ONNX; what is written is read again (tests/onnx_io)."""
    import_module("aidge_nb.onnx_io.save.graph")  # which fills the registry of writers
    from aidge_nb.onnx_io.save.schema import onnx_types
    from aidge_nb.onnx_io.save.site import WRITERS

    return {*WRITERS, *onnx_types()}


def _gradient(spec: OpSpec) -> str:
    from aidge_nb.kernels.registry import find_gradient, why_no_gradient

    return _mark(find_gradient(spec)) or ("–" if why_no_gradient(spec) else "")


def _node(spec: OpSpec) -> Any:
    """Make what a rule asks of a node: its type and its declaration."""
    operator = SimpleNamespace(spec=spec)
    return SimpleNamespace(type=lambda: spec.type, get_operator=lambda: operator)


def _linked(name: str) -> str:
    """Link an operator to its place in the reference."""
    return f"[{name}](reference/aidge_nb.ops.md#{name.lower()})" if name in ops.__all__ else name


def _mark(has: object) -> str:
    return "✓" if has else ""


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Write a table in Markdown, which `static/tables.css` makes narrow."""
    cells = [head, ("---",) * len(head), *rows]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return [":::{container} matrix", "", *lines, "", ":::"]
