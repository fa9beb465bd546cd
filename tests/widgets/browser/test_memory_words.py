"""What is written in the rectangles of the memory panel, and what their colours stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import pytest
from playwright.sync_api import Browser

from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.widgets import Scene, build_scene
from aidge_nb.widgets.palette import FAMILIES, family_of
from tests.widgets.browser.bench import Bench
from tests.widgets.models import plan_of, residual, schedule_of, snapshot

# The texts of a fresh painting of the memory panel, and where its rectangles are.
WRITTEN = """() => {
  const panel = document.querySelector(".aidge-nb").workbench.panels
    .find(({name}) => name === "memory");
  const {data} = panel, texts = [], write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const ratio = this.canvas.width / panel.width, {a, b, c, d, e, f} = this.getTransform();
    const wide = this.measureText(text).width;
    texts.push([text, (a * x + c * y + e) / ratio, (b * x + d * y + f) / ratio, wide, b !== 0]);
    write.call(this, text, x, y);
  };
  panel.draw();
  CanvasRenderingContext2D.prototype.fillText = write;
  return [texts, data.names.map((name, at) => [name, panel.x(data.lower[at]),
    panel.y(data.offset[at] + data.size[at]), panel.x(data.upper[at]), panel.y(data.offset[at])])];
}"""


class Text(NamedTuple):
    """A text, the middle of its line, its width, and whether it stands upright."""

    text: str
    x: float
    y: float
    wide: float
    upright: bool


class Box(NamedTuple):
    """The rectangle of a buffer, in pixels."""

    name: str
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, text: Text) -> bool:
        return self.left < text.x < self.right and self.top < text.y < self.bottom


def buffers(*sizes: int) -> Scene:
    """Make a plan of buffers one after the other, each of a tick and of a size."""
    names = [f"n{at}" for at in range(len(sizes))]
    found = tuple(
        Buffer(names[at], names[at], 0, size, at, at + 1, 0) for at, size in enumerate(sizes)
    )
    edges = [(at, at + 1) for at in range(len(sizes) - 1)]
    schedule = schedule_of(names, [(at, at) for at in range(len(sizes))])
    return build_scene(
        snapshot(names, edges), schedule, MemoryPlan(tuple(names), found, max(sizes), max(sizes))
    )


def written(bench: Bench) -> dict[str, tuple[Box, list[Text]]]:
    """Return the rectangle of each buffer, and what stands in it, from top to bottom."""
    texts, boxes = bench.page.evaluate(WRITTEN)
    said = sorted((Text(*each) for each in texts), key=lambda text: text.y)
    found = [Box(*each) for each in boxes]
    return {box.name: (box, [text for text in said if box.holds(text)]) for box in found}


def test_the_size_stands_below_the_name_where_both_have_room(
    browser: Browser, tmp_path: Path
) -> None:
    bench = Bench(browser, viewport={"width": 1000, "height": 900})
    bench.open(buffers(4096, 150, 400, 6000), tmp_path)
    found = written(bench)
    for name, size in (("n0", "4 KiB"), ("n3", "5.86 KiB")):
        box, (first, second) = found[name]
        assert (first.text, second.text) == (name, size)
        assert first.x == pytest.approx(second.x, abs=1), "both in the middle"
        assert 11 <= second.y - first.y <= 20, "a line apart"
        for text in (first, second):
            assert not text.upright
            assert box.left <= text.x - text.wide / 2
            assert text.x + text.wide / 2 <= box.right
        assert first.y - 6 >= box.top
        assert second.y + 6 <= box.bottom
        assert (first.y + second.y) / 2 == pytest.approx((box.top + box.bottom) / 2, abs=1.5)
    # The third is one line high, the second less than that.
    box, texts = found["n2"]
    assert 14 <= box.bottom - box.top < 30
    assert [text.text for text in texts] == ["n2"]
    assert found["n1"][1] == []
    assert bench.complaints == []
    bench.page.close()


def test_a_name_that_stands_upright_has_no_size(browser: Browser, tmp_path: Path) -> None:
    bench = Bench(browser, viewport={"width": 1000, "height": 900})
    bench.open(buffers(*[4096] * 36), tmp_path)
    found = written(bench)
    inside = [text for _, texts in found.values() for text in texts]
    names = [text for text in inside if text.text.split()[-1] in found]
    assert len(names) > 20
    assert all(text.upright for text in names)
    assert [text.text for text in inside if text.text == "4 KiB"] == []
    bench.page.close()


LEGEND = """() => [...document.querySelectorAll(".anb-transport .anb-legend span")].map(each => [
  each.textContent, getComputedStyle(each.firstElementChild).backgroundColor])"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_legend_beside_the_playhead_says_the_families_that_occur(
    browser: Browser, tmp_path: Path, theme: Literal["light", "dark"]
) -> None:
    bench = Bench(browser, viewport={"width": 1280, "height": 900}, color_scheme=theme)
    bench.open(build_scene(*residual(1)), tmp_path)
    wanted = {}
    for kind in ("Conv2D", "ReLU", "Add", "FC"):
        family = FAMILIES[family_of(kind)]
        colour = getattr(family, theme)
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        wanted[family.name] = f"rgb({red}, {green}, {blue})"
    assert len(wanted) == 4
    assert dict(bench.page.evaluate(LEGEND)) == wanted
    legend = bench.page.locator(".anb-transport .anb-legend")
    where = legend.bounding_box()
    bench.press(".", ".")
    assert legend.bounding_box() == where, "what is said of a tick does not move it"
    bench.page.close()


def test_one_family_alone_needs_no_legend_of_types_that_are_not_there(
    browser: Browser, tmp_path: Path
) -> None:
    names = ["a", "b"]
    graph = snapshot(names, [(0, 1)], kinds=("Conv2D",))
    scene = build_scene(graph, schedule_of(names, [(0, 0), (1, 1)], kinds=("Conv2D",)))
    bench = Bench(browser, viewport={"width": 1280, "height": 900}).open(scene, tmp_path)
    assert [label for label, _ in bench.page.evaluate(LEGEND)] == ["convolution"]
    bench.page.close()


@pytest.mark.parametrize("count", [1, 3])
def test_buffers_of_no_graph_have_no_types_to_be_listed(
    browser: Browser, tmp_path: Path, count: int
) -> None:
    """Their colours only tell them apart."""
    found = plan_of([f"part{number}" for number in range(count)])
    bench = Bench(browser, viewport={"width": 1280, "height": 900})
    bench.open(build_scene(plan=found), tmp_path)
    assert bench.page.evaluate(LEGEND) == []
    bench.page.close()
