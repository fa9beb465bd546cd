"""Writes down the public names of aidge_core 0.10.1, by area.

    python tests/compat/record_aidge_names.py > aidge_nb/compat/aidge_0_10_1.txt

Run it where aidge_core, aidge_onnx, aidge_backend_cpu, aidge_export_cpp and aidge_learning are
installed. Names
of Python's own modules that happen to be visible, and those that only register operators, are left
out.
"""

import inspect
from importlib import import_module
from types import ModuleType
from typing import Any

AREAS = {
    "scheduler": (
        "Scheduler SequentialScheduler ParallelScheduler SchedulingPolicy SchedulingElement "
        "StaticSchedulingElement ExecTime NodeExecTime"
    ),
    "C-P model": "ProdConso Elts_t OperatorImpl PopProdConso StackProdConso MemorizeProdConso "
    "IdentityProdConso",
    "graph": "GraphView Node Operator Port Connector InputCategory sequential parallel residual "
    "get_connected_graph_view meta_operator GenericOperator Producer producers",
    "tensor": "Tensor dtype dformat",
    "memory": "MemoryManager MemorySpace MemoryPlane OptimizeStrategy Memory "
    "generate_optimized_memory_info compute_default_mem_info log_meminfo log_meminfo_text",
    "tiling": "get_conv_horizontal_tiling matMul_tiling matMul_blocking",
    "matching": "SinglePassGraphMatching MatchingResult fuse_to_metaop fuse_to_metaops "
    "expand_metaop expand_metaops",
    "log": "Log Level",
}
EXPORT = ("ExportConfig", "ExportLib", "ExportNode", "ExportNodeCpp", "export", "scheduler_export")
SKIPPED = ("get_key", "register_", "TensorImpl", "test_", "inject_", "fibnlr", "get_git_hash")


def main() -> None:
    """Print the names."""
    core = import_module("aidge_core")
    listed = {name: area for area, names in AREAS.items() for name in names.split()}
    lines: dict[str, list[str]] = {
        area: [] for area in [*AREAS, "operators", "recipes", "export", "other packages"]
    }
    for name in sorted(vars(core)):
        found = getattr(core, name)
        if name.startswith(("_", *SKIPPED)) or not _is_its_own(found, "aidge_core"):
            continue
        if name in listed:
            lines[listed[name]] += _with_members("aidge_core", name, found)
        elif name[0].isupper() and not inspect.isclass(found) and callable(found):
            lines["operators"].append(f"aidge_core.{name}")
        elif name in dir(core.recipes) and callable(found) and not inspect.isclass(found):
            lines["recipes"].append(f"aidge_core.{name}")
    lines["export"] = [f"aidge_core.export_utils.{name}" for name in EXPORT]
    for package in ("aidge_onnx", "aidge_export_cpp"):
        module = import_module(package)
        lines["other packages"] += [
            f"{package}.{name}"
            for name in sorted(vars(module))
            if not name.startswith(("_", *SKIPPED))
            and inspect.isfunction(getattr(module, name))
            and _is_its_own(getattr(module, name), package)
        ]
    learning = import_module("aidge_learning")
    lines["learning"] = _learning("aidge_learning", learning)
    for part in ("loss", "metrics"):
        lines["learning"] += _learning(f"aidge_learning.{part}", getattr(learning, part))
    for area, names in lines.items():
        print(f"[{area}]", *names, "", sep="\n")


def _learning(package: str, module: ModuleType) -> list[str]:
    """List what a module of aidge_learning offers, with the members of its classes."""
    lines: list[str] = []
    for name, found in sorted(vars(module).items()):
        is_open = not name.startswith(("_", *SKIPPED)) and callable(found)
        if is_open and _is_its_own(found, "aidge_learning"):
            lines += _with_members(package, name, found)
    return lines


def _is_its_own(found: Any, package: str) -> bool:
    home = getattr(found, "__module__", None) or package
    return not isinstance(found, ModuleType) and str(home).partition(".")[0] in (
        package,
        "builtins",
    )


def _with_members(module: str, name: str, found: Any) -> list[str]:
    names = [f"{module}.{name}"]
    if inspect.isclass(found):
        inherited = {each for base in found.__mro__[1:] for each in vars(base)}
        own = {each for each in dir(found) if each not in inherited or not each.startswith("_")}
        names += [f"{module}.{name}.{each}" for each in sorted(own) if not each.startswith("_")]
    return names


if __name__ == "__main__":
    main()
