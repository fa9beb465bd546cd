"""The table and the layouts of MLPerf Tiny are those that the benchmark recorded."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import aidge_nb

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def tiny() -> ModuleType:
    """Import the script that makes the page."""
    spec = spec_from_file_location("docs_tiny", DOCS / "tiny.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_guide_has_the_recorded_table(tiny: ModuleType) -> None:
    text = tiny.GUIDE.read_text("utf-8")
    assert tiny.with_table(text) == text
    assert text.count("\n| ") == 1 + len(tiny.tasks()) == 5


def test_recorded_figures_are_those_of_the_recorded_plans(tiny: ModuleType) -> None:
    for task in tiny.tasks():
        figures = task["figures"]
        for name in ("ours", "rows"):
            plan = aidge_nb.MemoryPlan.from_dict(task["plans"][name])
            assert plan.peak == figures[name]
        assert figures["ours"] == figures["arena"]


def test_the_page_has_two_layouts_of_each_task(tiny: ModuleType, tmp_path: Path) -> None:
    page = tiny.page(tmp_path / "mlperf_tiny")
    pictures = sorted(path.name for path in (tmp_path / "mlperf_tiny").iterdir())
    assert len(pictures) == 8
    assert all(f'src="mlperf_tiny/{name}"' in page for name in pictures)
    assert "By rows: 33,280 bytes." in page
    assert (tmp_path / "mlperf_tiny" / pictures[0]).read_text().startswith("<svg")
