"""The tutorials are one course: each opens, ends and leads on in the same way."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
TUTORIALS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
NAMES = [path.stem for path in TUTORIALS]
LARGEST = 480_000  # bytes: some pictures, each as SVG and as PNG with two pixels a unit

tutorials = pytest.mark.parametrize("path", TUTORIALS, ids=NAMES)


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


COURSE = sorted((ROOT / "notebooks/course").glob("*/*/*.ipynb"))


@pytest.mark.parametrize(
    "path", [*TUTORIALS, *COURSE], ids=lambda path: f"{path.parent.parent.name}-{path.stem}"
)
def test_a_saved_view_is_its_picture(path: Path) -> None:
    """Hosts prefer live views to pictures, and a view without its kernel is an error message."""
    for cell in read(path)["cells"]:
        for output in cell.get("outputs", ()):
            kinds = set(output.get("data", ()))
            if any("jupyter.widget-view" in kind for kind in kinds):
                assert not any(kind.startswith("image/") for kind in kinds)


def words(path: Path) -> str:
    """Give what is written between the code, all of it."""
    cells = [cell for cell in read(path)["cells"] if cell["cell_type"] == "markdown"]
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def section(text: str, title: str) -> str:
    """Give what is written under a heading."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"there is no section {title}"
    return found[1]


def points(text: str) -> list[int]:
    """Give the numbers of a numbered list."""
    return [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]


def test_they_are_numbered_without_a_gap() -> None:
    numbers = [int(name[:2]) for name in NAMES]
    assert sorted(set(numbers)) == list(range(1, numbers[-1] + 1))
    assert [name[2] for name in NAMES if numbers.count(int(name[:2])) > 1] == ["_", "b"]
    assert len(NAMES) >= 10


@tutorials
def test_it_opens_with_what_you_will_see(path: Path) -> None:
    first = "".join(read(path)["cells"][0]["source"])
    assert re.match(rf"# {path.stem.partition('_')[0]} · \w", first)
    goals = points(first.partition("In this notebook you will\n")[2])
    assert goals == list(range(1, len(goals) + 1))
    assert len(goals) >= 4


@tutorials
def test_it_ends_with_exercises_and_links(path: Path) -> None:
    headings = re.findall(r"^## (.*)$", words(path), re.MULTILINE)
    assert headings[-2:] == ["Exercises", "Read on"]
    exercises = points(section(words(path), "Exercises"))
    assert exercises == list(range(1, len(exercises) + 1))
    assert len(exercises) >= 3
    assert section(words(path), "Read on").count("\n* ") >= 2


@tutorials
def test_it_leads_on_to_the_next(path: Path) -> None:
    following = {**dict(pairwise(NAMES)), NAMES[-1]: "course/README"}
    suffix = ".ipynb" if path != TUTORIALS[-1] else ".md"
    assert f"]({following[path.stem]}{suffix})" in section(words(path), "Read on")


@tutorials
def test_its_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", words(path)):
        assert target.startswith("https://") or (path.parent / target).is_file(), target


@tutorials
def test_it_is_small_and_holds_what_came_out(path: Path) -> None:
    assert path.stat().st_size <= LARGEST
    notebook = read(path)
    assert "widgets" not in notebook["metadata"]
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    counts = [cell["execution_count"] for cell in code if "".join(cell["source"]).strip()]
    assert counts == list(range(1, len(counts) + 1)), "run it from its start to its end"


def test_the_readme_lists_them_in_order() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    listed = [
        (number, name)
        for number, line in re.findall(r"^(\d+)\. (\[.*)$", text, re.MULTILINE)
        for name in re.findall(r"\]\(notebooks/(\w+)\.ipynb\)", line)
    ]
    assert listed == [(str(int(name[:2])), name) for name in NAMES]
