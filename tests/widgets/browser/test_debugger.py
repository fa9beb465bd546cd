"""The debugger: what waits on edges, the schedule so far, and a sentence, all on one screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.graph.view import GraphView
from aidge_nb.widgets.scene.debugger import debugger_scene
from tests import oracle
from tests.widgets.browser.bench import Bench

STATE = "document.querySelector('.aidge-nb').workbench.state"
GRAPH = "document.querySelector('.aidge-nb').workbench.panels[0]"
PANELS = ["graph", "timeline", "algorithm"]

LISTEN = """() => {
  const write = CanvasRenderingContext2D.prototype.fillText;
  globalThis.written = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const panel = this.canvas.closest("[data-panel]")?.dataset.panel;
    const size = parseFloat(this.font.match(/([\\d.]+)px/)[1]);
    if (panel === "graph") written.push([text, size * this.getTransform().a / devicePixelRatio]);
    return write.apply(this, arguments);
  };
}"""


def pipeline() -> GraphView:
    return oracle.build_graph(oracle.load("pipeline_with_branch"))[0]


def line(count: int) -> GraphView:
    return aidge_nb.sequential([aidge_nb.ReLU(name=f"layer_{each}") for each in range(count)])


def forks(count: int) -> GraphView:
    """Make a graph of pairs of branches that are joined again, and a chain behind them."""
    first = last = aidge_nb.Identity(name="start")
    nodes = [first]
    while len(nodes) + 4 <= count:
        number = len(nodes)
        left, right = aidge_nb.ReLU(name=f"left_{number}"), aidge_nb.Tanh(name=f"right_{number}")
        behind, join = aidge_nb.Sqrt(name=f"behind_{number}"), aidge_nb.Add(name=f"join_{number}")
        for source, target, place in (
            (last, left, 0),
            (last, right, 0),
            (left, behind, 0),
            (behind, join, 0),
            (right, join, 1),
        ):
            source.add_child(target, 0, place)
        nodes += [left, right, behind, join]
        last = join
    while len(nodes) < count:
        last.add_child(aidge_nb.ReLU(name=f"tail_{len(nodes)}"), 0, 0)
        last = last.get_ordered_children()[0][0]
        nodes.append(last)
    return aidge_nb.get_connected_graph_view(first)


def comb(count: int) -> GraphView:
    """Make a spine, each of whose nodes has a tooth."""
    spine = [aidge_nb.ReLU(name=f"spine_{each}") for each in range(0, count, 2)]
    for number, node in enumerate(spine):
        node.add_child(aidge_nb.Tanh(name=f"tooth_{2 * number + 1}"), 0, 0)
        if number:
            spine[number - 1].add_child(node, 0, 0)
    return aidge_nb.get_connected_graph_view(spine[0])


def joined(count: int) -> GraphView:
    """Make a spine of sums, each of which takes a tooth with an input of its own."""
    last = aidge_nb.ReLU(name="spine_0")
    for each in range(1, count - 1, 2):
        tooth, total = aidge_nb.Tanh(name=f"tooth_{each}"), aidge_nb.Add(name=f"spine_{each + 1}")
        last.add_child(total, 0, 0)
        tooth.add_child(total, 0, 1)
        last = total
    return aidge_nb.get_connected_graph_view(last)


def fan(count: int) -> GraphView:
    """Make branches, side by side, between two nodes."""
    start = aidge_nb.Identity(name="start")
    join = aidge_nb.Concat(count - 2, name="join_all")
    for each in range(count - 2):
        branch = aidge_nb.ReLU(name=f"branch_{each}")
        start.add_child(branch, 0, 0)
        branch.add_child(join, 0, each)
    return aidge_nb.get_connected_graph_view(start)


def open_debugger(browser: Browser, view: GraphView, **traits: object) -> Bench:
    opened = Bench(browser, viewport={"width": 1440, "height": 900})
    opened.open_widget(debugger_scene(view, 300), panels=PANELS, **traits)
    return opened


@pytest.fixture
def bench(browser: Browser) -> Iterator[Bench]:
    opened = open_debugger(browser, pipeline())
    yield opened
    assert opened.complaints == []
    opened.page.close()


def stage(bench: Bench) -> int:
    return int(bench.page.get_attribute("[data-panel=algorithm]", "data-stage") or -1)


def sentence(bench: Bench) -> str:
    return bench.page.inner_text("[data-panel=algorithm] li[aria-current] strong")


def on(bench: Bench, times: int = 1, button: str = "On to the next stage") -> None:
    for _ in range(times):
        bench.page.get_by_role("button", name=button).click()
    bench.settle()


def edges(bench: Bench) -> list[str]:
    """Return what is written on the edges of the graph."""
    bench.page.evaluate("written.length = 0")
    bench.page.evaluate(f"{GRAPH}.redraw()")
    bench.settle()
    return [text for text, _ in bench.page.evaluate("written") if text.isdigit()]


def test_edges_show_what_waits_on_them(bench: Bench) -> None:
    bench.page.evaluate(LISTEN)
    assert edges(bench)[:2] == ["32", "32"], "the dims of input and output"
    on(bench, 2)
    assert sentence(bench) == "a runs."
    assert edges(bench)[2:] == ["4", "4"]
    on(bench, 4)
    assert sentence(bench).startswith("a and b run in parallel")
    assert edges(bench)[2:] == ["4", "8", "4"]
    on(bench, 1, "To the first stage")
    assert edges(bench) == ["32", "32"]


def test_the_schedule_grows_and_shrinks_with_the_stages(bench: Bench) -> None:
    timeline = bench.page.locator("[data-panel=timeline]")
    empty = bench.image("timeline")
    seen = []
    for _ in range(7):
        seen.append((bench.page.evaluate(f"{STATE}.reached"), timeline.get_attribute("data-drawn")))
        on(bench)
    assert seen == [
        (0, "0"),
        (0, "0"),
        (1, "1"),
        (1, "1"),
        (1, "1"),
        (1, "1"),
        (3, "3"),
    ]
    assert "of 20 firings so far" in timeline.inner_text()
    on(bench, 1, "To the first stage")
    assert bench.image("timeline") == empty


@pytest.mark.parametrize("clock", ["tick", "step"])
@pytest.mark.parametrize("layout", ["rows", "lanes"])
def test_it_grows_on_every_clock_and_in_every_layout(
    browser: Browser, clock: str, layout: str
) -> None:
    opened = open_debugger(browser, pipeline(), clock=clock)
    name = "in a row of its own" if layout == "rows" else "in as few rows"
    opened.page.get_by_role("button", name=name).click()
    on(opened, 6)
    reached = opened.page.evaluate(f"{STATE}.reached")
    assert reached == 3
    assert opened.page.get_attribute("[data-panel=timeline]", "data-drawn") == "3"
    slider = opened.page.get_by_role("slider", name="Stage")
    slider.focus()
    opened.press("End")
    with_tail = "21" if clock == "step" else "20"  # one firing can wait
    assert opened.page.get_attribute("[data-panel=timeline]", "data-drawn") == with_tail
    opened.page.close()


def test_ticks_and_stages_go_together(bench: Bench) -> None:
    on(bench, 6)
    assert bench.page.evaluate("kernel.traits.tick") == 2
    bench.page.wait_for_function("kernel.saved > 0")
    bench.page.wait_for_timeout(100)
    bench.put("tick", 0)
    assert sentence(bench) == "a runs."
    assert bench.page.evaluate(f"{STATE}.reached") == 1
    bench.page.focus("[data-panel=timeline] .anb-stage canvas")
    bench.press(".")
    assert (bench.page.evaluate(f"{STATE}.tick"), stage(bench)) == (1, 6)
    assert bench.page.evaluate(f"{STATE}.reached") == 2, "of a stage with several firings"
    bench.press(".", ".")
    assert bench.page.evaluate(f"{STATE}.tick") == 3
    bench.press(",")
    assert bench.page.evaluate(f"{STATE}.tick") == 2


def test_keys_alone_go_through_the_stages(bench: Bench) -> None:
    bench.page.focus(".anb-stages")
    bench.press("ArrowDown", "ArrowDown")
    assert stage(bench) == 2
    bench.press("ArrowUp")
    assert stage(bench) == 1
    slider = bench.page.get_by_role("slider", name="Stage")
    slider.focus()
    bench.press("ArrowRight")
    assert stage(bench) == 2
    assert "a runs." in (slider.get_attribute("aria-valuetext") or "")


@pytest.mark.parametrize("count", [1, 3, 12, 30])
def test_up_to_30_nodes_are_seen_on_one_screen(
    browser: Browser, count: int, artifacts: Path
) -> None:
    opened = open_debugger(browser, line(count))
    assert opened.page.evaluate("document.documentElement.scrollHeight") <= 900
    assert opened.width_to_scroll() <= 0
    shown = opened.page.evaluate(
        f"""() => {{
          const {{ data, scale, top, left, width, height }} = {GRAPH};
          const down = [top, top + data.depth * scale];
          const across = [left, left + data.width * scale];
          return [down[0] >= 0, down[1] <= height, across[0] >= 0, across[1] <= width];
        }}"""
    )
    assert shown == [True] * 4
    opened.page.evaluate(LISTEN)
    opened.page.evaluate(f"{GRAPH}.redraw()")
    opened.settle()
    written = opened.page.evaluate("written")
    names = {text for text, _ in written if text.startswith("layer_")}
    assert names == {f"layer_{each}" for each in range(count)}
    assert min(size for _, size in written) >= 7
    slider = opened.page.get_by_role("slider", name="Stage")
    slider.focus()
    opened.press("End")
    assert sentence(opened).startswith("The end")
    opened.page.screenshot(path=artifacts / f"debugger-{count}.png")
    assert opened.complaints == []
    opened.page.close()


@pytest.mark.parametrize("count", [5, 15, 30])
def test_branches_and_their_rows_are_seen_whole_with_names(browser: Browser, count: int) -> None:
    opened = open_debugger(browser, forks(count))
    timeline = "document.querySelector('.aidge-nb').workbench.panels[1]"
    rows, high = opened.page.evaluate(
        f"(({{rows, rowHeight, plotHeight}}) => [rows.length * rowHeight, plotHeight])({timeline})"
    )
    assert rows <= high + 1
    opened.page.evaluate(LISTEN)
    on(opened, 6)
    opened.page.evaluate("written.length = 0")
    opened.page.evaluate(f"{GRAPH}.redraw()")
    opened.settle()
    names = {text for text, size in opened.page.evaluate("written") if "_" in text and size >= 7}
    assert len(names) == count - 1, "all but the start"
    opened.page.close()


@pytest.mark.parametrize(("make", "count"), [(comb, 30), (joined, 29)])
def test_the_teeth_of_a_comb_have_names(
    browser: Browser, artifacts: Path, make: Callable[[int], GraphView], count: int
) -> None:
    opened = open_debugger(browser, make(count))
    opened.page.evaluate(LISTEN)
    opened.page.evaluate(f"{GRAPH}.redraw()")
    opened.settle()
    names = {text for text, size in opened.page.evaluate("written") if "_" in text and size >= 7}
    assert len(names) == count
    opened.page.screenshot(path=artifacts / f"debugger-{make.__name__}.png")
    opened.page.close()


def test_a_fan_is_followed_on_one_screen(browser: Browser, artifacts: Path) -> None:
    opened = open_debugger(browser, fan(30))
    opened.page.evaluate(LISTEN)
    on(opened, 4)
    assert sentence(opened).startswith("Check branch_0, branch_1")
    assert edges(opened) == ["1"] * 28, "a token waits on the edge to each branch"
    names = {text for text, size in opened.page.evaluate("written") if "_" in text and size >= 7}
    assert len(names) == 29, "all but the start"
    box = opened.page.locator("[data-panel=algorithm] li[aria-current] strong").bounding_box()
    shown = opened.page.locator("[data-panel=algorithm] .anb-stages").bounding_box()
    assert box is not None
    assert shown is not None
    assert shown["y"] <= box["y"] < box["y"] + box["height"] <= shown["y"] + shown["height"]
    for panel in PANELS:
        place = opened.page.locator(f"[data-panel={panel}]").bounding_box()
        assert place is not None
        assert place["y"] + place["height"] <= 900, panel
    opened.page.screenshot(path=artifacts / "debugger-fan.png")
    on(opened, 2)
    assert opened.page.get_attribute("[data-panel=timeline]", "data-drawn") == "29"
    assert opened.complaints == []
    opened.page.close()


def test_words_beside_low_boxes_cover_no_other_box(browser: Browser) -> None:
    opened = open_debugger(browser, forks(30))
    opened.page.evaluate(LISTEN)
    slider = opened.page.get_by_role("slider", name="Stage")
    slider.focus()
    for _ in range(4):
        opened.press("ArrowRight")
        opened.page.evaluate("written.length = 0")
        opened.page.evaluate(f"{GRAPH}.redraw()")
        opened.settle()
        words = [text for text, _ in opened.page.evaluate("written")]
        if "left_1" in opened.page.inner_text("[data-panel=algorithm] li[aria-current] strong"):
            break
    asked = opened.page.locator("[data-panel=algorithm] li[aria-current] .anb-chips button")
    assert asked.count() == 2, "both branches"
    assert words.count("next") == 1, "only the box at the right has room for its word"
    opened.page.close()


def test_a_graph_with_blocks_is_followed_box_by_box(browser: Browser) -> None:
    nodes = [aidge_nb.Identity(name="start")]
    for each in range(1, 30):
        nodes.append(aidge_nb.ReLU(name=f"op{each}"))
        nodes[each - 1 - (each - 1) % 3].add_child(nodes[each], 0, 0)
    opened = open_debugger(browser, aidge_nb.get_connected_graph_view(nodes[0]))
    assert opened.page.evaluate(f"{GRAPH}.data.nodes") == 30
    opened.page.close()


def test_what_waits_is_not_drawn_on_edges_of_blocks(browser: Browser) -> None:
    lstm = aidge_nb.LSTM(in_channels=2, hidden_channels=3, seq_length=3, name="lstm")
    view = aidge_nb.get_connected_graph_view(lstm)
    aidge_nb.expand_metaops(view)
    opened = open_debugger(browser, view)
    on(opened, 12)
    opened.page.evaluate(LISTEN)
    assert edges(opened)
    assert opened.complaints == []
    opened.page.close()


@pytest.mark.parametrize("width", [390, 1024])
def test_small_screens_have_it_all_in_one_column(browser: Browser, width: int) -> None:
    opened = Bench(browser, viewport={"width": width, "height": 844})
    opened.open_widget(debugger_scene(pipeline(), 300), panels=PANELS)
    assert opened.width_to_scroll() <= 0
    places = {
        name: opened.page.locator(f"[data-panel={name}]").bounding_box()
        for name in ("algorithm", "timeline")
    }
    assert places["algorithm"] is not None
    assert places["timeline"] is not None
    assert places["algorithm"]["y"] < places["timeline"]["y"]
    opened.page.close()


def test_odd_graphs_open(browser: Browser) -> None:
    long = "long" * 2500
    same = [aidge_nb.ReLU(name="same"), aidge_nb.ReLU(name="same")]
    for view in (
        GraphView(),
        aidge_nb.sequential(same),
        aidge_nb.sequential([aidge_nb.ReLU(long)]),
    ):
        opened = Bench(browser)
        scene = debugger_scene(view, 300)
        opened.open_widget(scene, panels=[each for each in PANELS if each in scene.panels])
        if opened.page.get_by_role("slider", name="Stage").count():
            opened.page.get_by_role("slider", name="Stage").focus()
            opened.press("End", "ArrowLeft", ".", ",", "Space", "Space")
        assert opened.complaints == []
        opened.page.close()
