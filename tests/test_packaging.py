"""What is installed: the wheel, the source distribution, the extras and the version."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest

import aidge_nb

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

INSTALLED_UNDER = {
    "aidge_nb": "aidge_nb",
    "kernels": "aidge_nb/kernels",
    "widgets": "aidge_nb/widgets",
    "notebooks": "aidge_nb/notebooks",
}
"""Each folder of the checkout that is installed, and where."""

NEVER_INSTALLED = {
    "node_modules",
    "frontend",
    "labextension",
    ".ipynb_checkpoints",
    "__pycache__",
    "tests",
}
EXTENSION = f"aidge_nb-{aidge_nb.__version__}.data/data/share/jupyter/labextensions/aidge-nb/"
"""Where JupyterLab and Notebook find our extension, below the environment."""


def hatch(target: str, source: Path, into: Path) -> Path:
    """Build a wheel or an sdist offline, with the hatchling of this environment."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target]
    built = subprocess.run(
        [*command, "--directory", str(into)], cwd=source, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    return next(into.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hatch("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hatch("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


def packaged(wheel: Path) -> list[str]:
    """Return the files that a wheel puts under ``aidge_nb/``."""
    with zipfile.ZipFile(wheel) as archive:
        return [name for name in archive.namelist() if name.startswith("aidge_nb/")]


def expected_files(source_files: list[PurePosixPath]) -> Iterator[str]:
    """Yield what the wheel must hold, found without the help of the build tool."""
    for path in source_files:
        folder, *rest = path.parts
        if path.parts[:3] == ("notebooks", "course", "source"):
            continue  # solutions
        if folder in INSTALLED_UNDER and not NEVER_INSTALLED.intersection(rest):
            if not (ROOT / path).is_symlink():
                yield "/".join([INSTALLED_UNDER[folder], *rest])


def test_the_wheel_holds_the_package_and_nothing_else(
    wheel: Path, source_files: list[PurePosixPath]
) -> None:
    files, expected = packaged(wheel), set(expected_files(source_files))
    assert len(files) == len(set(files)), "a file is in the wheel twice"
    assert not expected - set(files), f"not in the wheel: {sorted(expected - set(files))}"
    assert not set(files) - expected, f"should not be there: {sorted(set(files) - expected)}"


@pytest.mark.parametrize(
    "pattern",
    [
        r"aidge_nb/py\.typed",
        r"aidge_nb/cli\.py|aidge_nb/cli/__init__\.py",
        r"aidge_nb/widgets/__init__\.py",
        r"aidge_nb/widgets/static/.+\.js",
        r"aidge_nb/kernels/cpu/.+\.py",
        r"aidge_nb/kernels/exact/.+\.py",
        r"aidge_nb/kernels/c/include/nb_conv\.h",
        r"aidge_nb/kernels/c/src/nb_conv\.c",
        r"aidge_nb/notebooks/01.*\.ipynb",
    ],
)
def test_the_wheel_holds(pattern: str, wheel: Path) -> None:
    assert any(re.fullmatch(pattern, name) for name in packaged(wheel)), f"no {pattern}"


def test_the_wheel_holds_no_link_and_nothing_outside_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        links = [i.filename for i in archive.infolist() if (i.external_attr >> 28) == 0xA]
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert not links
    outside = {top for top in tops if not top.endswith(".dist-info")} - {"aidge_nb"}
    assert outside == {EXTENSION.split("/")[0]}


def test_the_wheel_holds_the_extension_of_jupyterlab_and_no_other_data(
    wheel: Path, source_files: list[PurePosixPath]
) -> None:
    source = PurePosixPath("widgets/labextension")
    expected = {path.relative_to(source) for path in source_files if path.is_relative_to(source)}
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".data/" in name]
        package = json.loads(archive.read(f"{EXTENSION}package.json"))
    assert {PurePosixPath(name) for name in names} == {EXTENSION / path for path in expected}
    assert package["version"] == aidge_nb.__version__
    assert f"{EXTENSION}{package['jupyterlab']['_build']['load']}" in names


def test_a_wheel_made_from_the_sdist_is_the_same(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    source = next((tmp_path / "unpacked").iterdir())
    again = hatch("wheel", source, tmp_path / "again")
    assert set(packaged(again)) == set(packaged(wheel))


def test_the_sdist_holds_what_a_developer_needs(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {PurePosixPath(*PurePosixPath(name).parts[1:]) for name in archive.getnames()}
    for needed in ("tests/conftest.py", ".ci/test.py", "package.json", "LICENSE", "CHANGELOG.md"):
        assert PurePosixPath(needed) in names
    assert any(name.parts[:2] == ("widgets", "frontend") for name in names)
    assert not any("node_modules" in name.parts for name in names)


def test_the_installed_wheel_works_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(place), str(wheel)], check=True)
    code = (
        "import aidge_nb, aidge_nb.cli, aidge_nb.kernels.cpu, aidge_nb.widgets, sys\n"
        "print(aidge_nb.__file__)\n"
        "sys.exit(aidge_nb.cli.main(['--version']))"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(str(place))
    assert aidge_nb.__version__ in ran.stdout


def test_solutions_are_not_installed(wheel: Path) -> None:
    course = [name for name in packaged(wheel) if "/course/" in name and name.endswith(".ipynb")]
    assert len(course) == 5
    assert all("/release/" in name for name in course)


def test_the_version_is_one() -> None:
    assert "version" not in PROJECT  # it is read from aidge_nb/version.py
    assert aidge_nb.__version__ == metadata.version("aidge_nb")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert "\nversion:" not in citation
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{aidge_nb.__version__}]" in changelog


def test_an_index_would_take_it(wheel: Path, sdist: Path) -> None:
    command = [sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_citation_says_what_the_project_says() -> None:
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    entries = dict(line.split(": ", 1) for line in lines if re.match(r"[a-z-]+: ", line))
    assert entries["title"].strip('"').startswith("aidge_nb")
    assert entries["license"] == PROJECT["license"]
    assert entries["abstract"].strip('"') == PROJECT["description"]


def test_numpy_is_the_only_dependency() -> None:
    assert [re.match(r"\w+", line)[0] for line in PROJECT["dependencies"]] == ["numpy"]  # type: ignore[index]  # all match


def test_the_extra_all_is_all_extras_but_the_large_ones() -> None:
    names = ",".join(name for name in EXTRAS if name not in ("all", "solver", "aidge"))
    assert EXTRAS["all"] == [f"aidge_nb[{names}]"]


def named_extras() -> list[tuple[str, str, str]]:
    """Return (place, package, extra) for each MissingExtraError that the library raises."""
    found = []
    for folder in INSTALLED_UNDER:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                    "MissingExtraError"
                ):
                    values = [*node.args, *(keyword.value for keyword in node.keywords)]
                    words = [ast.literal_eval(value) for value in values]
                    found.append((f"{path.relative_to(ROOT)}:{node.lineno}", *words))
    return found


def test_errors_name_extras_that_exist_and_bring_the_package() -> None:
    for place, package, extra in named_extras():
        assert extra in EXTRAS, f"{place}: there is no extra {extra!r}; there are {list(EXTRAS)}"
        brought = " ".join(EXTRAS[extra]).lower()
        assert package.lower() in brought, f"{place}: aidge_nb[{extra}] does not bring {package}"
