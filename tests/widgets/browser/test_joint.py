"""The strip between steps and memory: where each tick is, below the step that it is in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from aidge_nb import order_for_memory, plan_memory, static_schedule, zoo
from aidge_nb.memory.values.plan import Buffer, MemoryPlan
from aidge_nb.scheduling.schedule.nest import Actor, Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import Scene, build_scene
from tests.widgets.browser.bench import Bench

ENDS = """() => {
  const { column, store, panels } = document.querySelector(".aidge-nb").workbench;
  const { joint } = column;
  const memory = panels.find(({ name }) => name === "memory");
  const map = column.ruler.map;
  const { order } = store.clock;
  return Array.from(order.step, (step, tick) => {
    const places = joint.places(tick);
    return [places.step - map.x(step + 0.5), places.tick - memory.x(tick + 0.5)];
  });
}"""
"""How far both ends of each curve are from the ruler above and the memory below, in pixels."""


def scene(*, is_by_step: bool) -> Scene:
    graph = zoo.load("inception_like")
    graph.forward_dims([[1, 3, 32, 32]], allow_data_dependency=True)
    schedule = static_schedule(graph)
    order = schedule if is_by_step else order_for_memory(graph)
    return build_scene(graph.snapshot(), schedule, plan_memory(graph, order))


def shown(bench: Bench) -> dict[str, Any]:
    found: dict[str, Any] = bench.page.evaluate(
        """() => {
          const { element } = document.querySelector(".aidge-nb").workbench.column.joint;
          return { hidden: element.hidden, height: element.clientHeight };
        }"""
    )
    return found


@pytest.mark.parametrize("is_by_step", [True, False])
def test_both_ends_of_a_curve_are_where_they_say(
    browser: Browser, tmp_path: Path, artifacts: Path, is_by_step: bool
) -> None:
    bench = Bench(browser, viewport={"width": 1440, "height": 900})
    bench.open(scene(is_by_step=is_by_step), tmp_path)
    assert shown(bench)["hidden"], "ticks need no strip"
    bench.page.locator("[data-panel=timeline] canvas").first.focus()
    bench.press("c")
    strip = shown(bench)
    assert not strip["hidden"]
    assert (strip["height"] > 40) != is_by_step, "curves, where ticks have an axis of their own"
    ends = bench.page.evaluate(ENDS)
    assert len(ends) == 33
    assert max(abs(apart) for pair in ends for apart in pair) <= 0.5
    bench.press("+", "+")
    ends = bench.page.evaluate(ENDS)
    assert max(abs(apart) for pair in ends for apart in pair) <= 0.5
    bench.page.screenshot(path=artifacts / f"{'steps' if is_by_step else 'curves'}.png")
    bench.press("c")
    assert shown(bench)["hidden"]
    assert bench.complaints == []
    bench.page.close()


def test_the_picked_firing_has_a_curve_of_its_own(browser: Browser, tmp_path: Path) -> None:
    bench = Bench(browser, viewport={"width": 1440, "height": 900})
    bench.open(scene(is_by_step=False), tmp_path)
    bench.page.locator("[data-panel=timeline] canvas").first.focus()
    bench.press("c")
    image = "document.querySelector('.anb-joint canvas').toDataURL()"
    before = bench.page.evaluate(image)
    bench.page.evaluate("document.querySelector('.aidge-nb').workbench.store.goToTick(6)")
    bench.settle()
    assert bench.page.evaluate(image) != before
    bench.page.close()


def test_numbers_of_many_ticks_are_measured_as_often_as_there_are_pixels(
    browser: Browser, tmp_path: Path
) -> None:
    count, rows = 40_000, 10
    actors = tuple(Actor(f"op{row}", "ReLU", False, f"op{row}", row) for row in range(rows))
    firings = [Firing(at % rows, at // rows, at // 2, at // 2) for at in range(count)]
    order = tuple(f"op{at % rows}" for at in range(count))
    plan = MemoryPlan(order, (Buffer("op0[0]", "op0", 0, 64, 0, 9, 0),), 64, 64)
    bench = Bench(browser, viewport={"width": 1440, "height": 900})
    bench.open(build_scene(schedule=StaticSchedule(actors, tuple(firings)), plan=plan), tmp_path)
    bench.page.locator("[data-panel=timeline] canvas").first.focus()
    bench.press("c", "0")
    measured, numbers = bench.page.evaluate(
        """() => {
          const { column } = document.querySelector(".aidge-nb").workbench;
          const { canvas } = column.joint.sheet;
          const found = [0, []];
          const own = canvas.getContext("2d");
          const pen = new Proxy(own, {
            get: (_, name) => {
              if (name === "measureText") found[0]++;
              if (name === "fillText") return (text, x, y) => {
                found[1].push(text);
                own.fillText(text, x, y);
              };
              return typeof own[name] === "function" ? own[name].bind(own) : own[name];
            },
            set: (_, name, value) => Reflect.set(own, name, value),
          });
          column.joint.paint(pen);
          return found;
        }"""
    )
    assert 10 < len(numbers) < 100
    assert measured < 2000
    bench.page.close()
