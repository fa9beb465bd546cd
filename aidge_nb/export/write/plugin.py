"""Kernels of one's own: C code for an operator, for all targets or for one.

The code is given as text. What calls it is a function from a site (one node with its dimensions) to
the fields of the kernel's configuration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import ExportError
from aidge_nb.graph.spec import find_spec
from aidge_nb.kernels.c import CCall, In, Out, add_unit, c_kernel

if TYPE_CHECKING:
    from aidge_nb.graph.spec import OpSpec
    from aidge_nb.kernels.c import Site

Fields = Mapping[str, Any]
Calls = CCall | tuple[CCall, ...]
Adapter = Callable[["Site"], Fields | Calls]

_FUNCTION = re.compile(r"\bvoid\s+(\w+)\s*\(\s*const\s+(\w+)\s*\*\s*\w+([^)]*)\)\s*;")
_OWN: dict[tuple[OpSpec | str, str | None], Callable[[Site], Calls]] = {}


@dataclass(frozen=True, slots=True)
class _Function:
    """The function that a header declares: its name, its configuration, and its operands."""

    name: str
    config: str
    inputs: int
    outputs: int


def add_kernel(
    operator: OpSpec | str,
    *,
    header: str,
    source: str = "",
    target: str | None = None,
    template: str | None = None,
) -> Callable[[Adapter], Adapter]:
    """Bind a C kernel of your own to an operator.

    Parameters
    ----------
    operator
        The operator: its declaration, or its type.
    header
        C text that declares a ``struct`` for the configuration and a function
        ``void f(const config *, inputs..., outputs...)``, inputs as pointers to ``const``.
    source
        C text that defines the function.
    target
        The target that it is for; all of them by default. One of a target goes first.
    template
        Text of the header that is written for each node, with ``@configs@`` and what else
        ``kernels/c/templates/config.h.in`` uses.

    Returns
    -------
    callable
        To decorate a function from a site to the fields of the configuration. It may also give
        calls (:class:`aidge_nb.kernels.c.CCall`), for other operands than all inputs and outputs.

    Raises
    ------
    ExportError
        When the header declares no such function.

    Examples
    --------
    >>> from aidge_nb import export
    >>> @export.add_kernel("Softplus", target="robot", header='''
    ... typedef struct my_softplus_config { int32_t count; } my_softplus_config;
    ... void my_softplus(const my_softplus_config *config, const float *x, float *y);
    ... ''')
    ... def my_softplus(site):
    ...     return {"count": site.outputs[0].size}
    """
    spec = find_spec(operator) if isinstance(operator, str) else operator
    function = _declared(header)

    def bind(adapter: Adapter) -> Adapter:
        unit = _own_unit(function.name, header, source, template)
        key: OpSpec | str = operator if spec is None else spec

        def calls(site: Site) -> Calls:
            found = adapter(site)
            if isinstance(found, (CCall, tuple)):
                return found
            inputs = [In(i) for i in range(len(site.inputs)) if site.has(i)][: function.inputs]
            outputs = [Out(index) for index in range(function.outputs)]
            return CCall(function.name, unit, function.config, found, (*inputs, *outputs))

        if (key, target) not in _OWN:
            c_kernel(key, target=target)(lambda site: _OWN[key, target](site))
        _OWN[key, target] = calls  # a cell of a notebook can be run again
        return adapter

    return bind


def _own_unit(name: str, header: str, source: str, template: str | None) -> str:
    """Make a unit of the user's text, and return the name that it got."""
    for number in count(1):
        unit = name if number == 1 else f"{name}_{number}"
        guard = f"{unit}_h".upper()
        lines = (f"#ifndef {guard}", f"#define {guard}", "", '#include "nb_common.h"', "")
        text = "\n".join([*lines, header.strip(), "", "#endif", ""])
        code = f'#include "{unit}.h"\n\n{source.strip()}\n' if source else None
        try:
            add_unit(unit, text, code, template)
        except ExportError:  # an earlier version of it
            continue
        break
    return unit


def _declared(header: str) -> _Function:
    match = _FUNCTION.search(header)
    if match is None:
        raise ExportError.at(
            "header of a kernel",
            "declares no kernel",
            expected="void f(const f_config *config, const float *x, float *y);",
            found=" ".join(header.split())[:80],
        )
    operands = [part.strip() for part in match[3].split(",") if part.strip()]
    inputs = sum(operand.startswith("const") for operand in operands)
    return _Function(match[1], match[2], inputs, len(operands) - inputs)
