"""How plans and packages show themselves."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from aidge_nb.export import export, plan_export
from aidge_nb.export.write.show import file_tree
from tests.export.models import diamond, sequence


class Text(HTMLParser):
    """Collects the text of a page, and the tags that are still open."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_plan_shows_memory_and_the_forward_function() -> None:
    plan = plan_export(diamond())
    bundle = plan._repr_mimebundle_()
    page = Text(bundle["text/html"])
    assert page.open == []
    assert "diamond_arena" in page.text
    assert "nb_add_f32(&join_config, AT_FORK, AT_LEFT, AT_JOIN);" in page.text
    assert bundle["text/plain"] == repr(plan)
    assert "<script" not in bundle["text/html"]


def test_loops_are_shown_once() -> None:
    page = Text(plan_export(sequence(500))._repr_mimebundle_()["text/html"])
    assert "500 ×" in page.text
    assert page.text.count("lstm_cellUpdatedAct") == 1


def test_a_package_shows_its_files(tmp_path: Path) -> None:
    package = export(diamond(), tmp_path / "diamond")
    page = Text(package._repr_mimebundle_()["text/html"])
    size = package.files["src/diamond.c"]
    assert f"diamond.c  {size:,}" in page.text
    assert str(tmp_path) not in page.text


def test_the_tree_adds_up_what_is_inside() -> None:
    assert list(file_tree({"a/b/c": 1, "a/d": 2, "e": 3})) == [
        "├── e  3",
        "└── a/  3",
        "    ├── d  2",
        "    └── b/  1",
        "        └── c  1",
    ]
