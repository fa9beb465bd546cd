"""The C sources of a package, filled into templates: API, memory, layers, parameters, kernels.

In a template ``@name@`` stands for a value. A name that has a line to itself stands for any number
of lines: they are indented as the name was, and none at all if the value is empty. Templates lie in
``kernels/c/templates``, or come from the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ExportError
from aidge_nb.core.text import c_comment
from aidge_nb.export.boards.targets import find_target
from aidge_nb.export.plan.parts import KernelCall, Parameter, ProgramTensor
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.export.write.code import Code, config_of, pointer_name
from aidge_nb.export.write.literals import c_type, literal
from aidge_nb.kernels.c import find_unit
from aidge_nb.kernels.c.units import units_named

_NAME = re.compile(
    r"^(?P<indent>[ \t]*)@(?P<line>[a-z][a-z0-9_]*)@[ \t]*\n|@(?P<word>[a-z][a-z0-9_]*)@",
    re.MULTILINE,
)


@cache
def template(name: str) -> str:
    """Read a template by name; raise ExportError for an unknown name."""
    found = files("aidge_nb.kernels") / "c" / "templates" / name
    if not found.is_file():
        raise ExportError.at("templates", "there is no such template", found=name)
    return found.read_text(encoding="utf-8")


def fill(text: str, values: Mapping[str, object], name: str = "template") -> str:
    r"""Put values in their places.

    Raise ExportError when a name has no value.

    Examples
    --------
    >>> text = "int @name@[] = {\n    @rows@\n};\n@nothing@\n"
    >>> fill(text, {"name": "x", "rows": "1,\n2", "nothing": ""})
    'int x[] = {\n    1,\n    2\n};\n'
    """

    def value_of(key: str) -> str:
        if key not in values:
            raise ExportError.at(
                name, f"nothing is known of @{key}@", expected=", ".join(sorted(values))
            )
        return str(values[key])

    def filled(match: re.Match[str]) -> str:
        if match["word"]:
            return value_of(match["word"])
        rows = value_of(match["line"]).splitlines()
        return "".join(f"{match['indent']}{row}\n" if row else "\n" for row in rows)

    return _NAME.sub(filled, text)


Files = dict[str, bytes]
"""What a package is made of: the content of each file, by path."""

Array = NDArray[Any]
ALIGNMENT = 16
"""Operands of tests begin at multiples of it, in bytes; on boards arenas and parameters do, too."""
CACHE_LINE = 64
"""On the host arenas and parameters begin at multiples of it: wide vectors then cross no line."""


def alignment_of(plan: ExportPlan) -> int:
    """Return what arenas and parameters of a program begin at multiples of, in bytes."""
    return CACHE_LINE if find_target(plan.target).is_host else ALIGNMENT


def api_values(plan: ExportPlan) -> dict[str, str]:
    """Return what templates may say of a program as a whole."""
    takes = [f"const {element_of(v)} {v.symbol}[{count_of(plan, v)}]" for v in plan.inputs]
    gives = [f"{element_of(v)} {v.symbol}[{count_of(plan, v)}]" for v in plan.outputs]
    return {
        "name": plan.name,
        "upper": plan.name.upper(),
        "title": f"{sum(1 for _ in plan.walk())} entries, made by aidge_nb",
        "target": plan.target,
        "arguments": ", ".join([*takes, *gives]) or "void",
    }


def element_of(value: ProgramTensor) -> str:
    """Return the C type of the elements of a tensor."""
    return c_type(value.dtype, value.name)


def count_of(plan: ExportPlan, value: ProgramTensor) -> str:
    """Name the macro that says how many elements an input or output has."""
    return f"{plan.name.upper()}_{value.symbol.upper()}_ELEMENTS"


def program_sources(plan: ExportPlan) -> Files:
    """Write the API header, the forward function, the memory header, and the kernels."""
    values = api_values(plan)
    upper = values["upper"]
    values["memory"] = "\n".join(_sizes(plan, upper))
    both = (*plan.inputs, *plan.outputs)
    values["elements"] = "\n".join(f"#define {count_of(plan, v)} {v.size}u" for v in both)
    values["parameters"] = "\n".join(
        f" * {'reads' if value in plan.inputs else 'writes'} {value.symbol}: {value.text}"
        for value in both
    )
    symbols = dict.fromkeys(step.symbol for step in plan.walk() if step.calls)
    values["includes"] = "\n".join(f'#include "layers/{symbol}.h"' for symbol in symbols)
    values["arenas"] = "\n".join(
        f"static {upper}_IN_{arena.symbol.upper()} _Alignas({alignment_of(plan)}) uint8_t "
        f"{plan.name}_{arena.symbol}[{arena.size}];"
        for arena in plan.arenas
    )
    values["placement"] = "\n".join(_placement(plan, upper))
    values["buffers"] = "\n".join(_buffers(plan))
    values["body"] = "\n".join(Code(plan).body())
    files = {
        f"include/{plan.name}.h": fill(template("api.h.in"), values),
        f"src/{plan.name}.c": fill(template("forward.c.in"), values),
        f"src/{plan.name}_memory.h": fill(template("memory.h.in"), values),
    }
    for unit in units_named(call.unit for call in plan.calls):
        files[f"kernels/{unit.name}.h"] = unit.header
        if unit.source is not None:
            files[f"kernels/{unit.name}.c"] = unit.source
    return {path: text.encode() for path, text in files.items()}


def _sizes(plan: ExportPlan, upper: str) -> Iterator[str]:
    """Write macros of sizes; what compilers make of the stack is not the same."""
    yield f"#define {upper}_ARENA_BYTES {plan.arena_bytes}u"
    stack = dict(plan.stack_by)
    if stack.get("clang", stack["gcc"]) == stack["gcc"]:
        yield f"#define {upper}_STACK_BYTES {stack['gcc']}u"
    else:
        yield "#if defined(__clang__)"
        yield f"#define {upper}_STACK_BYTES {stack['clang']}u"
        yield "#else"
        yield f"#define {upper}_STACK_BYTES {stack['gcc']}u"
        yield "#endif"
    yield f"#define {upper}_PARAMETER_BYTES {plan.parameter_bytes}u"


def _placement(plan: ExportPlan, upper: str) -> Iterator[str]:
    for arena in plan.arenas:
        macro = f"{upper}_IN_{arena.symbol.upper()}"
        yield from (f"#ifndef {macro}", f"#define {macro}", "#endif")


def _buffers(plan: ExportPlan) -> Iterator[str]:
    """Write a macro per buffer: a pointer, and when it is in use."""
    for buffer in plan.buffers:
        where = f"{plan.name}_{buffer.arena}"
        kind = c_type(buffer.value.dtype, buffer.node)
        yield (
            f"#define {pointer_name(buffer.symbol)} (({kind} *)(void *)&{where}[{buffer.offset}]) "
            f"/* {buffer.value.nbytes} bytes */"
        )


def layer_sources(plan: ExportPlan) -> Files:
    """Write the configurations: one header per node that kernels compute."""
    files: Files = {}
    of_node: dict[str, dict[str, KernelCall]] = {}  # executions may differ in theirs
    for step in plan.walk():
        of_node.setdefault(step.symbol, {}).update({call.symbol: call for call in step.calls})
    for step in plan.walk():
        path = f"src/layers/{step.symbol}.h"
        calls = list(of_node[step.symbol].values())
        if not calls or path in files:
            continue
        values = {
            "label": c_comment(f"{step.node} ({step.type})"),
            "reads": ", ".join(step.reads) or "nothing",
            "writes": ", ".join(operand.value.text for operand in step.writes) or "nothing",
            "guard": f"{plan.name}_{step.symbol}_h".upper(),
            "includes": "\n".join(
                f'#include "{name}.h"' for name in dict.fromkeys(call.unit for call in calls)
            ),
            "configs": "\n\n".join(config_of(call) for call in calls),
        }
        text = fill(find_unit(calls[0].unit).template or template("config.h.in"), values)
        if "INFINITY" in values["configs"] or "NAN" in values["configs"]:
            text = text.replace(
                "\n#include", "\n#include <math.h> /* INFINITY, NAN */\n#include", 1
            )
        files[path] = text.encode()
    return files


# --- parameters -----------------------------------------------------------------------------


def parameter_sources(plan: ExportPlan, arrays: Mapping[str, Array], form: str) -> Files:
    """Write the parameters: as bytes that the assembler includes, or as C.

    ``form`` is ``incbin`` or ``c``; arrays come by symbol.
    """
    source = f"{plan.name}_parameters.{'S' if form == 'incbin' else 'c'}"
    values = {
        "name": plan.name,
        "upper": plan.name.upper(),
        "bytes": plan.parameter_bytes,
        "source": source,
        "declarations": "\n".join(_declared(plan, each) for each in plan.parameters)
        or "/* none */",
    }
    files = {f"src/{plan.name}_parameters.h": fill(template("parameters.h.in"), values).encode()}
    if not plan.parameters:
        return files
    if form == "c":
        values["includes"] = "#include <math.h> /* INFINITY, NAN */" if _odd(arrays) else ""
        values["parameters"] = "\n\n".join(
            _definition(plan, each, arrays[each.symbol]) for each in plan.parameters
        )
        files[f"src/{source}"] = fill(template("parameters.c.in"), values).encode()
        return files
    blob, rows = _blob(plan, arrays)
    values["parameters"] = "\n".join(rows)
    files[f"src/{source}"] = fill(template("parameters.S.in"), values).encode()
    files[f"src/{plan.name}_parameters.bin"] = blob
    return files


def _declared(plan: ExportPlan, each: Parameter) -> str:
    kind = c_type(each.dtype, each.name)
    return f"extern const {kind} {plan.name}_{each.symbol}[{each.size}]; /* {each.text} */"


def _blob(plan: ExportPlan, arrays: Mapping[str, Array]) -> tuple[bytes, list[str]]:
    """Return all parameters one after the other, and the lines that name the parts."""
    parts, rows, offset = [], [], 0
    for each in plan.parameters:
        name = f"{plan.name}_{each.symbol}"
        rows += [
            f"    .balign {alignment_of(plan)}",
            f"    .globl SYMBOL({name})",
            f"    TYPE({name})",
            f"SYMBOL({name}):",
            f'    .incbin "{plan.name}_parameters.bin", {offset}, {each.nbytes}',
            f"    SIZE({name}, {each.nbytes})",
            "",
        ]
        parts.append(arrays[each.symbol].tobytes())
        offset += each.nbytes
    return b"".join(parts), rows[:-1]


def _odd(arrays: Mapping[str, Array]) -> bool:
    """Tell whether some parameter holds what has no digits: infinity, or not a number."""
    return any(a.dtype.kind == "f" and not np.isfinite(a).all() for a in arrays.values())


def _definition(plan: ExportPlan, each: Parameter, array: Array) -> str:
    kind = c_type(each.dtype, each.name)
    flat = array.view(np.uint16) if array.dtype == np.float16 else array
    ctype = np.ctypeslib.as_ctypes_type(flat.dtype if flat.dtype != np.bool_ else np.uint8)
    texts = [literal(ctype, value) for value in flat.ravel().tolist()]
    lines = [", ".join(texts[row * 8 : row * 8 + 8]) for row in range(ceil(len(texts) / 8))]
    body = ",\n".join(f"    {line}" for line in lines)
    where = f"_Alignas({CACHE_LINE}) " if find_target(plan.target).is_host else ""
    return f"{where}const {kind} {plan.name}_{each.symbol}[{each.size}] = {{\n{body}\n}};"
