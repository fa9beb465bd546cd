"""Stands in for ``aidge_core``: the same names, served by :mod:`aidge_nb`."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from aidge_nb.compat.served import (
    analysis,
    data,
    export_utils,
    faults,
    graphs,
    impl_specs,
    making,
    mem_info,
    tensors,
    type_facts,
    utils,
)
from aidge_nb.compat.served.families import family_member, family_names
from aidge_nb.compat.served.unserved import not_served, served_names, submodule
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.recipes.fillers import VarianceNorm
from aidge_nb.scheduling.order.policies import SchedulingPolicy

__all__ = ["SUBMODULES"]

_ROOMS = (
    "ops",
    "graph",
    "scheduling",
    "memory",
    "advice",
    "runtime",
    "recipes",
    "tiling",
    "export",
    "compat.operators",
)
_LIBRARY = sys.modules["aidge_nb"]
_ENUMS = (
    SchedulingPolicy,
    OptimizeStrategy,
    VarianceNorm,
    *(type_facts.ENUMERATIONS[name] for name in type_facts.OPEN),
)
"""Their members are names of the module too."""

_TYPES = (
    "ArrayNamespaceInfo Interpolation aidge_to_numpy_dtype batch_idx "
    "channel_idx depth_idx dformat dtype dtype_bit_width finfo format_as get_datatype_range "
    "get_permutation_mapping get_range get_transposed_data_format get_underlying_type "
    "height_idx iinfo is_floating_point is_integer is_packed is_unsigned "
    "numpy_to_aidge_dtype width_idx"
)
_OWN: dict[str, Any] = {
    "serialize_to_cpp": export_utils.serialize_to_cpp,
    **type_facts.ENUMERATIONS,
    **{name: getattr(type_facts, name) for name in _TYPES.split()},
    **{
        name: getattr(module, name)
        for module in (tensors, data, analysis, graphs, mem_info, making, impl_specs, faults)
        for name in served_names(module)
    },
}
"""Names of Aidge that differ from those of this library, or that it lacks."""

_ALIASES = {"Data": "Tensor", "OperatorTensor": "Operator"}
"""Base classes there that are the class itself here."""

_ELSEWHERE = {
    "Attributes": "graph.attributes",
    "Connector": "graph.ports",
    "DynamicAttributes": "graph.attributes",
    "IdentityProdConso": "scheduling.model.prod_conso",
    "MemorizeProdConso": "scheduling.model.prod_conso",
    "PopProdConso": "scheduling.model.prod_conso",
    "StackProdConso": "scheduling.model.prod_conso",
    "get_project_version": "compat.served.aidge_backend_cpu",
    "show_version": "compat.served.aidge_backend_cpu",
}
"""Names by the modules that have them."""


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    found = _find(name)
    if found is None:
        raise AttributeError(not_served("aidge_core", name, __dir__()))
    return found


def __dir__() -> list[str]:
    names = {name for name in dir(_LIBRARY) if not name.startswith("_")}
    names.update(_OWN, _ELSEWHERE, _ALIASES, SUBMODULES, family_names())
    names.update(member for kind in _ENUMS for member in kind.__members__)
    return sorted(names.union(*(_public(room) for room in _ROOMS)))


def _find(name: str) -> Any:
    if name.startswith("_"):
        return None
    for table in (SUBMODULES, _OWN):
        if name in table:
            return table[name]
    name = _ALIASES.get(name, name)
    if name in _ELSEWHERE:
        return getattr(import_module(f"aidge_nb.{_ELSEWHERE[name]}"), name)
    found = family_member(name)
    if found is not None:
        return found
    for kind in _ENUMS:
        if name in kind.__members__:
            return kind[name]
    found = getattr(_LIBRARY, name, None)
    if found is not None:
        return found
    for room in _ROOMS:
        if name in _public(room):
            return getattr(import_module(f"aidge_nb.{room}"), name)
    return None


def _public(room: str) -> list[str]:
    return list(getattr(import_module(f"aidge_nb.{room}"), "__all__", ()))


SUBMODULES = {
    "aidge_core": sys.modules[__name__],
    "export_utils": export_utils,
    "mem_info": mem_info,
    "recipes": submodule("aidge_core.recipes", "recipes"),
    "show_graphview": graphs,
    "static_analysis": analysis,
    "utils": utils,
}
"""What ``import aidge_core.NAME`` finds besides; ``aidge_core.NAME`` is the same."""
