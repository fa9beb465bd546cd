"""The package: the same bytes on every run, every layer compared, and damage found."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from aidge_nb.export import export, plan_export
from aidge_nb.export.write.sources import program_sources
from tests.export.models import check_package, diamond, two_relus, zoo_small


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "build" not in path.parts
    }


def test_two_exports_have_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "other"):
        export(diamond(), tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_the_sources_are_as_they_were(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    export(diamond(), tmp_path / "diamond")
    files = contents(tmp_path / "diamond")
    own = [name for name in files if not name.startswith(("kernels/", "data/"))]
    texts = [f"===== {name}\n{files[name].decode()}" for name in own if name != "manifest.json"]
    golden("diamond.txt", "\n".join(texts))


def test_the_manifest_has_the_hash_of_every_file(tmp_path: Path) -> None:
    export(diamond(), tmp_path / "diamond")
    files = contents(tmp_path / "diamond")
    manifest = json.loads(files.pop("manifest.json"))
    assert manifest["files"] == {name: sha256(data).hexdigest() for name, data in files.items()}
    assert manifest["bytes"]["arena"] == plan_export(diamond()).arena_bytes


@pytest.mark.parametrize("name", ["lenet", "mobilenet_v2", "lstm_classifier"])
def test_a_package_has_the_sources_that_are_called(name: str) -> None:
    """The plain kernels beside those that do what follows are not compiled in vain."""
    plan = plan_export(zoo_small(name))
    files = {path: data.decode() for path, data in program_sources(plan).items()}
    sources = {path: text for path, text in files.items() if path.endswith(".c")}
    kernels = [path for path in sources if path.startswith("kernels/")]
    assert len(kernels) >= 3
    for path in kernels:
        declared = re.findall(r"\bvoid (nb_\w+)\(const", files[f"{path[:-1]}h"])
        others = " ".join(text for other, text in sources.items() if other != path)
        assert any(re.search(rf"\b{function}\(", others) for function in declared), path
    assert {f"kernels/{name}.h" for name in plan.units} <= set(files)


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.slow)])
def test_every_layer_and_the_outputs_have_the_same_bits(
    tmp_path: Path, need_tools: Callable[..., None], compiler: str
) -> None:
    need_tools("make", compiler)
    package = check_package(diamond(), tmp_path / "diamond", compiler=compiler)
    result = package.run(compiler=compiler, opt="-O1")
    assert result.is_equal
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(1, 3, 4)
    result = package.run([x], compiler=compiler, opt="-O1")
    assert result.is_equal
    assert np.array_equal(result.outputs[0], 2 * np.maximum(x, 0))


def test_the_first_layer_that_differs_is_named(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("make")
    package = export(diamond(), tmp_path / "diamond")
    source = tmp_path / "diamond" / "src" / "diamond.c"
    text = source.read_text()
    broken = "nb_relu_f32(&left_config, AT_FORK, AT_LEFT);"
    assert broken in text
    source.write_text(text.replace(broken, "(void)memset(AT_LEFT, 1, 48u);"))
    check = package.check_layers()
    assert not check.passed
    assert check.first.startswith("left (ReLU): 48 of 48 bytes, from byte 0")
    assert (check.layers, check.equal) == (3, 1)
    assert not package.run().is_equal


def test_a_kernel_that_writes_beyond_its_output_is_caught(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("make")
    package = export(two_relus(), tmp_path / "two")
    layer = tmp_path / "two" / "src" / "layers" / "first.h"
    text = layer.read_text()
    assert ".count = 24" in text
    layer.write_text(text.replace(".count = 24", ".count = 33"))
    check = package.check_layers()
    assert "nb_relu_f32 (as in first): 0 bytes differ, 36 bytes written outside" in check.text


def test_checksums_of_layers_find_what_bytes_find(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("make")
    package = check_package(zoo_small("lenet"), tmp_path / "lenet", name="lenet", layers="sums")
    whole = export(zoo_small("lenet"), tmp_path / "whole", name="lenet")
    assert package.files["data/layers.bin"] == 4 * 7  # all but the view and what is done by others
    assert package.files["data/layers.bin"] < whole.files["data/layers.bin"] / 100
    source = tmp_path / "lenet" / "src" / "lenet.c"
    broken = "nb_max_pool_f32(&pool2_config, AT_RELU2, AT_POOL2);"
    assert broken in source.read_text()
    source.write_text(source.read_text().replace(broken, "*AT_POOL2 = 0.5f;"))
    check = package.check_layers(opt="-O1")
    assert not check.passed
    assert check.first == "pool2 (MaxPooling2D): in its 1600 bytes"


@pytest.mark.slow
def test_parameters_as_c_are_the_same_program(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("make")
    package = check_package(diamond(), tmp_path / "diamond", parameters="c")
    assert not any(name.endswith((".S", "_parameters.bin")) for name in package.files)


@pytest.mark.slow
def test_cmake_builds_and_tests_it_too(tmp_path: Path, need_tools: Callable[..., None]) -> None:
    need_tools("cmake", "make")
    export(diamond(), tmp_path / "diamond")
    folder = tmp_path / "diamond"
    for command in (
        ["cmake", "-B", "build/cmake"],
        ["cmake", "--build", "build/cmake", "-j2"],
        ["ctest", "--test-dir", "build/cmake"],
    ):
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
def test_make_run_prints_the_outputs(tmp_path: Path, need_tools: Callable[..., None]) -> None:
    need_tools("make")
    export(diamond(), tmp_path / "diamond")
    ran = subprocess.run(
        ["make", "-s", "run", "test"], cwd=tmp_path / "diamond", capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("join: ")
    assert "3 of 3 layer outputs are as expected" in ran.stdout


def test_the_arena_is_the_peak_of_the_plan(tmp_path: Path, need_tools: Callable[..., None]) -> None:
    need_tools("make", "nm")
    package = export(diamond(), tmp_path / "diamond")
    library = package.build() / "libdiamond.a"
    listed = subprocess.run(["nm", "-S", str(library)], capture_output=True, text=True, check=True)
    (row,) = (line for line in listed.stdout.splitlines() if line.endswith(" diamond_arena"))
    assert int(row.split()[1], 16) == package.plan.memory.peak == 96
