"""What Binder does with this repository: repo2docker reads it, and what it lists is enough."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "binder" / "requirements.txt"


def test_it_lists_this_checkout_with_everything_in_it() -> None:
    assert REQUIREMENTS.read_text("utf-8").split() == [".[all]"]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, source_files: list[PurePosixPath]) -> Path:
    """Copy what git knows, as Binder clones it."""
    folder = tmp_path_factory.mktemp("binder") / "repository"
    for path in source_files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target, follow_symlinks=False)
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """Make an empty virtual environment; give its folder of commands."""
    venv.create(tmp_path / "environment", with_pip=True)
    return tmp_path / "environment" / ("Scripts" if os.name == "nt" else "bin")


def run(*command: str | Path, cwd: Path) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    clean["PIP_NO_COMPILE"] = "1"  # most of what is installed is never imported
    found = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=clean, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout[-3000:] + found.stderr[-3000:]
    return found.stdout + found.stderr


@pytest.mark.slow
def test_repo2docker_takes_the_requirements_and_the_python(
    checkout: Path, environment: Path
) -> None:
    run(environment / "pip", "install", "--quiet", "jupyter-repo2docker", cwd=checkout)
    made = run(environment / "jupyter-repo2docker", "--no-build", "--debug", ".", cwd=checkout)
    assert '/bin/pip install --no-cache-dir -r "binder/requirements.txt"' in made
    wanted = (checkout / "binder" / "runtime.txt").read_text("utf-8").strip()
    assert f"environment for python={wanted.removeprefix('python-')}" in made


@pytest.mark.slow
def test_what_it_lists_runs_the_first_notebook(checkout: Path, environment: Path) -> None:
    run(environment / "pip", "install", "--quiet", "-r", "binder/requirements.txt", cwd=checkout)
    run(
        environment / "python",
        *("-m", "nbconvert", "--to", "notebook", "--execute", "--stdout"),
        "notebooks/01_scheduling.ipynb",
        cwd=checkout,
    )
    listed = run(environment / "python", "-m", "pip", "list", cwd=checkout)
    assert "aidge_nb" in listed
    assert str(ROOT) not in listed, "the checkout is a copy"
    assert sys.executable != str(environment / "python")
