"""An exported program is the same whatever its names are, and no code of a name is ever run."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

import aidge_nb
from aidge_nb.export import ExportedPackage, export
from tests.hostile.c_tokens import shape
from tests.hostile.models import Name, model
from tests.hostile.names import MARKER, WORST

X = np.linspace(-1, 1, 50, dtype=np.float32).reshape(1, 2, 5, 5)
C_FILES = (".c", ".h", ".S")


def plain(name: str) -> str:
    return name


def around(payload: str) -> Name:
    """Return names with a payload on both sides, whose identifiers end as the plain ones do."""
    tail = re.sub("[0-9a-z]", "", payload, flags=re.IGNORECASE)
    return lambda name: f"{payload} {name}{tail}"


def exported(name: Name, folder: Path, parameters: str = "incbin") -> ExportedPackage:
    path = folder.with_suffix(".onnx")
    try:
        onnx.save(model(name), path)
    except UnicodeEncodeError:
        pytest.skip("no file can hold this name")
    view = aidge_nb.load_onnx(path)
    return export(view, folder, inputs=[X], name=name("net"), parameters=parameters)


def shapes(package: ExportedPackage) -> list[list[str]]:
    files = sorted(path for path in package.folder.rglob("*") if path.suffix in C_FILES)
    texts = [path.read_text() for path in files if path.parent.name != "kernels"]
    assert all(text.isascii() for text in texts)
    return sorted(map(shape, texts))


@pytest.fixture(scope="module")
def plain_shapes(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    return shapes(exported(plain, tmp_path_factory.mktemp("plain") / "net"))


NAMES = ("x", "weight", "a", "conv", "b", "relu", "c", "tanh", "y", "add", "graph", "net")


def mixed(seed: int) -> Name:
    """Return names with another payload each."""
    payloads = random.Random(seed).sample(sorted(WORST.values()), len(NAMES))
    every = {name: around(payload) for name, payload in zip(NAMES, payloads, strict=True)}
    return lambda name: every[name](name)


def check_tokens(package: ExportedPackage, wanted: list[list[str]]) -> None:
    assert shapes(package) == wanted
    for path in package.folder.rglob("*"):  # build files hold identifiers alone
        if path.name in ("Makefile", "CMakeLists.txt"):
            assert MARKER not in path.read_text().replace(package.plan.name, "")


@pytest.mark.parametrize("seed", range(3))
def test_the_tokens_are_those_of_plain_names(
    seed: int, plain_shapes: list[list[str]], tmp_path: Path
) -> None:
    check_tokens(exported(mixed(seed), tmp_path / "net"), plain_shapes)


@pytest.mark.parametrize("payload", WORST.values(), ids=WORST)
def test_the_tokens_are_those_of_plain_names_for_each(
    payload: str, plain_shapes: list[list[str]], tmp_path: Path
) -> None:
    check_tokens(exported(around(payload), tmp_path / "net"), plain_shapes)


@pytest.mark.parametrize(("compiler", "parameters"), [("gcc", "incbin"), ("clang", "c")])
def test_a_program_of_the_worst_names_is_built_and_runs_no_code_of_them(
    compiler: str, parameters: str, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools(compiler, "make")
    package = exported(mixed(5), tmp_path / "net", parameters=parameters)
    usual = exported(plain, tmp_path / "usual", parameters=parameters)
    found = package.run(compiler=compiler, opt="-O1")
    wanted = usual.run(compiler=compiler, opt="-O1")
    assert found.is_equal
    assert found.outputs[0].tobytes() == wanted.outputs[0].tobytes()
    assert package.check_layers(compiler=compiler, opt="-O1").passed
    assert not list(tmp_path.rglob(MARKER))


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("payload", WORST.values(), ids=WORST)
def test_each_of_the_worst_names_is_built(
    payload: str, compiler: str, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools(compiler, "make")
    package = exported(around(payload), tmp_path / "net")
    assert package.run(compiler=compiler).is_equal
    assert package.check_layers(compiler=compiler).passed
    assert not list(tmp_path.rglob(MARKER))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if number else ())
        for number, name in enumerate(
            ("memcpy", "size_t", "i", "uint8_t", "string", "forward", "arena", "class", "NULL")
        )
    ],
)
def test_names_of_c_itself_are_avoided(
    name: str, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    view = aidge_nb.sequential([aidge_nb.FC(4, 3, name=name), aidge_nb.ReLU(name=f"{name} ")])
    view.compile("cpu", aidge_nb.dtype.float32, dims=[[1, 4]])
    aidge_nb.init_weights(view)
    view.annotations["input_names"] = (name,)
    view.annotations["output_names"] = (name,)
    package = export(view, tmp_path / "net", name=name)
    assert package.run(opt="-O0").is_equal
