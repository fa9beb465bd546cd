"""Kernels are found by family when they are asked for, and not before."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from aidge_nb import kernels, zoo
from aidge_nb.graph.spec import SPECS
from aidge_nb.kernels import registry, standard
from aidge_nb.kernels.fixed import FIXED
from aidge_nb.kernels.gradients import GRADIENTS
from aidge_nb.kernels.registry import _KERNELS, find_kernel, standard_operators

BUILT_IN = {"Producer", "Memorize", "Pop", "Stack"}
"""Operators that the runtime computes itself."""

LOADED = """
import sys
import aidge_nb
aidge_nb.load_onnx(sys.argv[1])
rooms = tuple(f"aidge_nb.kernels.{room}." for room in ("cpu", "exact", "c"))
print(*(name for name in sys.modules if name.startswith(rooms)))
"""


@pytest.mark.parametrize("name", ["lenet", "mobilenet_v2", "dinov2_like"])
def test_loading_a_model_imports_no_kernel(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.onnx"
    zoo.build(name).save(path)
    command = [sys.executable, "-c", LOADED, str(path)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


def test_an_operator_imports_its_family_alone() -> None:
    code = (
        "import sys; from aidge_nb.graph.spec import SPECS; from aidge_nb.kernels import *; "
        "find_kernel(SPECS['MaxPooling2D']); "
        "print(*{n.split('.')[3] for n in sys.modules if n.startswith('aidge_nb.kernels.cpu.')})"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) == {"common", "pooling"}


@pytest.mark.parametrize("backend", ["cpu", "exact"])
def test_every_declared_operator_is_in_a_family_that_computes_it(backend: str) -> None:
    without = {name for name, spec in SPECS.items() if find_kernel(spec, backend) is None}
    assert without == BUILT_IN


@pytest.mark.parametrize("module", sorted(set(standard_operators().values())))
def test_the_table_names_what_each_module_computes(module: str) -> None:
    name = f"aidge_nb.kernels.cpu.{module}"
    import_module(name)
    bound = {key for key, found in standard._KERNELS.items() if found.function.__module__ == name}
    assert bound == {key for key, where in standard_operators().items() if where == module}


def _modules(room: str) -> list[str]:
    paths = sorted(Path(kernels.__path__[0], room).rglob("*.py"))
    root = Path(kernels.__path__[0])
    return [".".join(path.relative_to(root).with_suffix("").parts) for path in paths]


def test_what_belongs_to_an_operator_is_bound_in_its_family() -> None:
    """Otherwise it is found or not, by what other operators were asked for before."""
    for module in (*_modules("cpu"), *_modules("exact")):
        import_module(f"aidge_nb.kernels.{module.removesuffix('.__init__')}")
    of_kernels = {key: found.__module__ for key, found in _KERNELS.items()}
    of_gradients = {spec: found.function.__module__ for (spec, _), found in GRADIENTS.items()}
    of_fixed = {spec: found.__module__ for spec, found in FIXED.items()}
    for name, spec in SPECS.items():
        family = registry._family_of(spec)
        if family is None or name in BUILT_IN:
            continue
        room = f"aidge_nb.kernels.cpu.{family}"
        exact = f"aidge_nb.kernels.exact.{family}"
        assert of_kernels[spec, "cpu"] == f"{room}.forward"
        assert of_kernels.get((spec, "exact"), exact) == exact
        assert of_gradients.get(spec, f"{room}.gradient") == f"{room}.gradient"
        assert of_fixed.get(spec, f"{room}.fixed") == f"{room}.fixed"
