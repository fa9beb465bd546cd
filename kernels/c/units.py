"""Units of C code: what their headers declare, and how much stack their functions take.

A header is the one declaration of a kernel's configuration: :func:`struct_of` makes the ctypes
structure from it. It may use plain fields and arrays of them, whose lengths are numbers or names
that a header defines::

    typedef struct nb_example_config {
        int32_t count;             /* elements */
        int32_t dims[NB_MAX_RANK]; /* row-major */
    } nb_example_config;

The stack was measured: for each function, ``stack.csv`` has the most that was made of it, with all
that it calls: by GCC and by Clang on the host, from ``-O0`` to ``-O3``, without and with vectors of
256 and 512 bits, tuned for the processors that ``tests/kernels/c/stack_usage.py`` lists and for
the one at which it was measured; by GCC on the Cortex-M3, M4, M7 and M55. ``python -m
tests.kernels.c.stack_usage`` writes it, and tests hold it against the compilers.
"""

from __future__ import annotations

import csv
import ctypes
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import ExportError

if TYPE_CHECKING:
    from aidge_nb.kernels.c.calls import CCall

_HERE = Path(__file__).resolve().parent
_TYPES: dict[str, type[Any]] = {
    "int8_t": ctypes.c_int8,
    "uint8_t": ctypes.c_uint8,
    "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_STRUCT = re.compile(r"typedef\s+struct\s+(\w+)\s*\{(.*?)\}\s*(\w+)\s*;", re.DOTALL)
_FIELD = re.compile(r"(\w+)\s+(\w+)\s*(?:\[\s*(\w+)\s*\])?\s*")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?(\d+)\)?[ \t]*$", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"(\w+)\.h"', re.MULTILINE)
_ASIDE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\btypedef\b[^;]*;", re.MULTILINE)
_BODY = re.compile(r"(\)?)\s*\{[^{}]*\}")
_DECLARED = re.compile(r"\s*(?!static\b)\w[^(\[=]*[\s*](\w+)\s*(?:[(\[=]|$)")
_FUNCTION = re.compile(r"\bvoid\s+(nb_\w+|\w+)\s*\(([^()]*)\)\s*;")


@dataclass(frozen=True)
class Unit:
    """A header and, unless everything is in it, a source: ``<name>.h`` and ``<name>.c``."""

    name: str
    header: str
    source: str | None
    template: str | None = None  # for the header of each node that calls it

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the units whose headers are included."""
        return tuple(dict.fromkeys(_INCLUDE.findall(self.header + (self.source or "")))) or ()

    @cached_property
    def declares(self) -> frozenset[str]:
        """Names of the functions and variables that the header declares for its source."""
        text = _COMMENT.sub("", self.header)
        while (less := _BODY.sub(lambda match: match[1] and ");", text)) != text:
            text = less
        statements = _ASIDE.sub("", text).split(";")
        return frozenset(match[1] for part in statements if (match := _DECLARED.match(part)))

    def __repr__(self) -> str:
        return f"Unit({self.name})"


_UNITS: dict[str, Unit] = {}


def add_unit(
    name: str, header: str, source: str | None = None, template: str | None = None
) -> Unit:
    """Make a unit of one's own known, to be used by calls.

    Raise ExportError when there is another unit of this name.

    Examples
    --------
    >>> add_unit("twice", "typedef struct twice_config { int32_t n; } twice_config;")
    Unit(twice)
    """
    unit = Unit(name, header, source, template)
    known = _UNITS.get(name) or _read(name)
    if known is not None and known != unit:
        raise ExportError.at(f"unit {name}", "there is another one of this name")
    _UNITS[name] = unit
    return unit


def _read(name: str) -> Unit | None:
    header, source = _HERE / "include" / f"{name}.h", _HERE / "src" / f"{name}.c"
    if not header.is_file():
        return None
    code = source.read_text(encoding="utf-8") if source.is_file() else None
    return Unit(name, header.read_text(encoding="utf-8"), code)


def find_unit(name: str) -> Unit:
    """Find a unit by name.

    Raise ExportError when there is none.

    Examples
    --------
    >>> find_unit("nb_unary").needs
    ('nb_common', 'nb_unary', 'nb_vec_float')
    """
    if name not in _UNITS:
        unit = _read(name)
        if unit is None:
            raise ExportError.at(f"unit {name}", "no header has this name")
        _UNITS[name] = unit
    return _UNITS[name]


def all_units() -> tuple[Unit, ...]:
    """Return every unit that comes with the library, by name."""
    return tuple(find_unit(path.stem) for path in sorted((_HERE / "include").glob("*.h")))


def units_of(calls: Iterable[CCall]) -> tuple[Unit, ...]:
    """Return the units that calls need, and those that these need, as :func:`units_named` does."""
    return units_named(call.unit for call in calls)


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", _COMMENT.sub("", text)))


def units_named(names: Iterable[str]) -> tuple[Unit, ...]:
    """Return units and those that they need, by name; without source where the header serves.

    Raise ExportError when one of them is missing.

    Examples
    --------
    >>> for unit in units_named(["nb_where"]):
    ...     print(unit, unit.source is not None)
    Unit(nb_common) False
    Unit(nb_walk) False
    Unit(nb_where) True
    """
    pending = list(dict.fromkeys(names))
    called = set(pending)
    found = {unit.name: unit for name in pending for unit in _closure(find_unit(name))}
    while pending:
        user = find_unit(pending.pop())
        texts = {other.name: other.header for other in _closure(user)}
        texts["source"] = user.source or ""
        for name in texts.keys() & found.keys() - called:
            others = (text for other, text in texts.items() if other != name)
            if any(found[name].declares & _words(text) for text in others):
                called.add(name)
                pending.append(name)
    return tuple(
        found[name] if name in called else replace(found[name], source=None)
        for name in sorted(found)
    )


def struct_of(unit: str, config: str) -> type[ctypes.Structure]:
    """Make the ctypes structure of a configuration from the header of its unit.

    Raise ExportError when the header does not declare it, or uses a type that is not a plain
    number.

    Examples
    --------
    >>> [name for name, _ in struct_of("nb_unary", "nb_unary_config")._fields_]
    ['count']
    """
    return _struct(find_unit(unit), config)


@cache
def _struct(unit: Unit, config: str) -> type[ctypes.Structure]:
    for owner in _closure(unit):
        text = _COMMENT.sub("", owner.header)
        for tag, body, name in _STRUCT.findall(text):
            if config in (tag, name):
                fields = [_field(unit, config, part) for part in body.split(";") if part.strip()]
                return type(config, (ctypes.Structure,), {"_fields_": fields})
    raise ExportError.at(f"{unit.name}.h", "declares no such struct", found=config)


def _field(unit: Unit, config: str, text: str) -> tuple[str, Any]:
    match = _FIELD.fullmatch(text.strip())
    kind = _TYPES.get(match[1]) if match else None
    if match is None or kind is None:
        raise ExportError.at(
            f"{unit.name}.h, {config}",
            "cannot read a field",
            expected=f"one of {', '.join(_TYPES)}, a name, perhaps a length",
            found=text.strip(),
        )
    return match[2], kind * _length(unit, match[3]) if match[3] else kind


def _length(unit: Unit, text: str) -> int:
    if text.isdigit():
        return int(text)
    for owner in _closure(unit):
        for name, value in _DEFINE.findall(_COMMENT.sub("", owner.header)):
            if name == text:
                return int(value)
    raise ExportError.at(f"{unit.name}.h", "the length of an array is not defined", found=text)


def _closure(unit: Unit) -> Iterator[Unit]:
    """Return a unit and those whose headers it includes, itself first."""
    seen, pending = set(), [unit]
    while pending:
        current = pending.pop(0)
        if current.name not in seen:
            seen.add(current.name)
            yield current
            pending += [find_unit(name) for name in current.needs if name != current.name]


def parameters_of(unit: str, function: str) -> tuple[str, ...]:
    """Return the parameters of a function as its header spells them, the configuration first.

    Raise ExportError when the header does not declare it.

    Examples
    --------
    >>> parameters_of("nb_unary", "nb_relu_f32")
    ('const nb_unary_config *config', 'const float *x', 'float *y')
    """
    for name, parameters in _FUNCTION.findall(_COMMENT.sub("", find_unit(unit).header)):
        if name == function:
            return tuple(" ".join(part.split()) for part in parameters.split(","))
    raise ExportError.at(f"{unit}.h", "declares no such function", found=function)


OWN = 1024
"""Bytes that a kernel of the user's own is taken to need, for nobody has measured it."""

COLUMNS = ("gcc", "clang", "cortex_m")


@dataclass(frozen=True, slots=True)
class StackUsage:
    """Bytes of stack that a call takes at most: on the host, and on a microcontroller."""

    gcc: int
    clang: int
    cortex_m: int

    @property
    def host(self) -> int:
        """Stack that a call takes on the host with either compiler."""
        return max(self.gcc, self.clang)


@cache
def stack_table() -> Mapping[str, StackUsage]:
    """Return the whole table, by function."""
    path = Path(__file__).with_name("stack.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["function"]: StackUsage(*(int(row[name]) for name in COLUMNS))
            for row in csv.DictReader(file)
        }


def stack_of(function: str) -> StackUsage:
    """Return the stack of one function; :data:`OWN` for one that is not in the table.

    Examples
    --------
    >>> stack_of("nb_relu_f32").host < 1024
    True
    >>> stack_of("mine")
    StackUsage(gcc=1024, clang=1024, cortex_m=1024)
    """
    return stack_table().get(function, StackUsage(OWN, OWN, OWN))
