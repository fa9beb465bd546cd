"""Writes down the public names of Aidge 0.10.1 and the members of its classes, by area.

    python tests/compat/record_aidge_names.py > aidge_nb/compat/aidge_0_10_1.txt

Run it where aidge_core, aidge_onnx, aidge_backend_cpu, aidge_export_cpp, aidge_learning and
aidge_quantization are installed. A line has a package, names in it, and the members that all of
these have. What Python's own modules bring is left out.
"""

import inspect
from collections import defaultdict
from importlib import import_module
from types import ModuleType
from typing import Any

AREAS = {
    "scheduler": (
        "Scheduler SequentialScheduler ParallelScheduler SchedulingPolicy SchedulingElement "
        "StaticSchedulingElement ExecTime NodeExecTime"
    ),
    "C-P model": "ProdConso Elts_t OperatorImpl PopProdConso StackProdConso MemorizeProdConso "
    "IdentityProdConso EltType ImplSpec IOSpec",
    "graph": "GraphView Node Operator OperatorTensor Port Connector InputCategory sequential "
    "parallel residual get_connected_graph_view meta_operator GenericOperator Producer producers "
    "Input Output OpArgs Attributes DynamicAttributes generate_graph check_graph_validity",
    "tensor": "Tensor Data zeros ones zeros_like ones_like asarray astype reshape equal greater "
    "all isnan isfinite approx_eq",
    "memory": "MemoryManager MemorySpace MemoryPlane OptimizeStrategy Memory "
    "generate_optimized_memory_info compute_default_mem_info log_meminfo log_meminfo_text",
    "tiling": "get_conv_horizontal_tiling matMul_tiling matMul_blocking",
    "matching": "SinglePassGraphMatching MatchingResult fuse_to_metaop fuse_to_metaops "
    "expand_metaop expand_metaops",
    "log": "Log Level",
    "data and analysis": "Database DataProvider StaticAnalysis DynamicAnalysis OperatorStats",
}
ALSO = {"aidge_export_cpp": {"StaticAnalysisProfile"}, "aidge_onnx": {"NS", "version"}}
"""Names that look like Python's own and are given on purpose."""

AREA_OF = {name: area for area, names in AREAS.items() for name in names.split()}
MODULES = {
    "aidge_core": "",
    "aidge_core.dtype": "types",
    "aidge_core.dformat": "types",
    "aidge_core.export_utils": "export",
    "aidge_core.mem_info": "memory",
    "aidge_core.show_graphview": "graph",
    "aidge_core.static_analysis": "data and analysis",
    "aidge_core.utils": "other names",
    "aidge_export_cpp": "export",
    "aidge_onnx": "ONNX",
    "aidge_backend_cpu": "other names",
    "aidge_learning": "learning",
    "aidge_learning.loss": "learning",
    "aidge_learning.metrics": "learning",
    "aidge_quantization": "quantization",
}


def main() -> None:
    """Print the names."""
    found: dict[str, dict[tuple[str, tuple[str, ...]], list[str]]] = defaultdict(dict)
    for path, area in MODULES.items():
        module: Any = import_module(path.split(".")[0])
        for part in path.split(".")[1:]:
            module = getattr(module, part, None) or import_module(path)
        for name in public_names(module, path):
            thing = getattr(module, name)
            members = tuple(each for each in dir(thing) if not each.startswith("_"))
            key = (path, members if inspect.isclass(thing) else ())
            where = area or AREA_OF.get(name) or area_of(name, thing, module)
            found[where].setdefault(key, []).append(name)
    for area, groups in found.items():
        print(f"[{area}]")
        for (path, members), names in groups.items():
            print(path, *names, end=f": {' '.join(members)}\n" if members else "\n")
        print()


def public_names(module: Any, path: str) -> list[str]:
    """List the names of a module or enumeration that are its own."""
    if inspect.isclass(module):
        members: Any = module
        return sorted(members.__members__)
    return sorted(
        name
        for name, thing in vars(module).items()
        if not name.startswith(("_", "FILE"))
        and (is_its_own(thing, path) or name in ALSO.get(path, ()))
    )


def is_its_own(thing: Any, path: str) -> bool:
    """Return whether something does not come from Python's own modules."""
    if isinstance(thing, ModuleType):
        return False
    home = getattr(thing, "__module__", None)
    kind = type(thing).__module__
    if inspect.isclass(thing) or inspect.isroutine(thing):
        return str(home).startswith("aidge") or home is None
    return kind.startswith(("aidge", "pathlib", "builtins", "collections")) or home is None


def area_of(name: str, thing: Any, core: Any) -> str:
    """Return the area of a name of aidge_core."""
    if name.startswith(("register_", "get_keys_", "get_key_value_")):
        return "registries"
    if inspect.isclass(thing) and name.endswith("Op"):
        return "operator classes"
    if name[0].isupper() and not inspect.isclass(thing) and callable(thing):
        return "operators"
    if name in dir(core.recipes) and callable(thing) and not inspect.isclass(thing):
        return "recipes"
    return "other names"


if __name__ == "__main__":
    main()
