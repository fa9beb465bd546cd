"""The README's badges: drawn from pyproject.toml, and leading where they say."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = spec_from_file_location("binder_badges", ROOT / "binder" / "badges.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_shows_them_below_its_title(script: ModuleType) -> None:
    shown = script.of_this_project()
    readme = (ROOT / "README.md").read_text("utf-8")
    assert readme.split("\n\n")[1] == script.line(shown), "run python binder/badges.py"
    for badge in shown:
        drawn = (ROOT / badge.picture).read_text("utf-8")
        assert drawn == script.draw(badge), "run python binder/badges.py"
        assert "".join(ET.fromstring(drawn).itertext()).split() == [
            *badge.label.split(),
            *badge.text.split(),
        ]
        assert badge.target.startswith("https://") or (ROOT / badge.target).is_file()


@pytest.mark.parametrize(
    ("repository", "place"),
    [
        ("https://github.com/owner/name", "gh/owner/name"),
        ("https://github.com/owner/name.git", "gh/owner/name"),
        ("https://git.example.org/a/b", "git/https%3A%2F%2Fgit.example.org%2Fa%2Fb"),
    ],
)
def test_binder_opens_the_first_tutorial(script: ModuleType, repository: str, place: str) -> None:
    project = {
        "requires-python": ">=3.11",
        "license": "MIT",
        "urls": {"Repository": repository},
    }
    target = script.badges(project)[0].target
    address, _, notebook = target.partition("?urlpath=lab/tree/")
    assert address == f"https://mybinder.org/v2/{place}/HEAD"
    assert (ROOT / notebook).is_file()


def test_without_an_address_it_leads_to_how_to_launch(script: ModuleType) -> None:
    target = script.launch(None)
    assert "mybinder.org" in (ROOT / target).read_text("utf-8")
