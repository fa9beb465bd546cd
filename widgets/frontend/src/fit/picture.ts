// Memory over time: a rectangle for each result, and the budget as a line.

import { families } from "../../../shared/colours.json";
import type { State } from "./game.ts";

const WIDTH = 720;
const HEIGHT = 300;
const LEFT = 64;
const BOTTOM = 40;
const TOP = 14;
const FAMILY: [RegExp, string][] = [
  [/^(stem|half|wide)/, "convolution"],
  [/^relu/, "activation"],
  [/pool/, "pooling"],
];
const MOST_NAMES = 12;

function svg(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text) made.textContent = text;
  return made;
}

function colour(name: string, isDark: boolean): string {
  const kind = FAMILY.find(([pattern]) => pattern.test(name))?.[1];
  const family = families.find((each) => each.name === kind);
  return family ? (isDark ? family.dark : family.light) : isDark ? "#a0a9b6" : "#5b6470";
}

export function drawMemory(state: State, budget: number, isDark: boolean): SVGElement {
  const top = Math.max(state.peak, state.arena ?? 0, budget) * 1.04;
  const ticks = state.order.length;
  const x = (tick: number) => LEFT + ((WIDTH - LEFT - 8) * tick) / ticks;
  const y = (at: number) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * at) / top;
  const line = y(budget);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  picture.append(
    svg("rect", {
      class: "anf-peak",
      x: x(state.tick),
      y: TOP,
      width: x(1) - x(0),
      height: HEIGHT - BOTTOM - TOP,
    }),
  );
  for (const [name, lower, upper, offset, size] of state.blocks) {
    const place = { x: x(lower), y: y(offset + size) };
    const width = x(upper) - x(lower);
    const height = y(offset) - y(offset + size);
    const middle = place.y + height / 2;
    const fill = colour(name, isDark);
    const block = svg("g", { "data-name": name });
    block.append(
      svg("rect", { ...place, width, height, fill, class: "anf-block" }),
      svg("title", {}, `${name}: ${size.toLocaleString("en")} bytes, ticks ${lower}–${upper - 1}`),
    );
    if (width > 6.2 * name.length && height > 13) {
      // Beside the line of the budget, where that would run through the name.
      const isCrossed = Math.abs(middle - line) < 9 && height > 40;
      const at = { x: place.x + width / 2, y: isCrossed ? line + 15 : middle, class: "anf-label" };
      block.append(svg("text", at, name));
    }
    picture.append(block);
  }
  picture.append(
    svg("line", { class: "anf-budget", x1: LEFT, x2: WIDTH, y1: line, y2: line }),
    svg("text", { class: "anf-axis anf-limit", x: LEFT - 5, y: line }, budget.toLocaleString("en")),
    svg("text", { class: "anf-axis", x: LEFT - 5, y: y(0) }, "0 bytes"),
  );
  if (Math.abs(y(state.peak) - line) > 14) {
    const peak = state.peak.toLocaleString("en");
    picture.append(svg("text", { class: "anf-axis", x: LEFT - 5, y: y(state.peak) }, peak));
  }
  const step = Math.ceil(ticks / MOST_NAMES);
  for (let tick = 0; tick < ticks; tick += step) {
    const middle = x(tick) + (x(1) - x(0)) / 2;
    const at = { class: "anf-tick", x: middle, y: HEIGHT - BOTTOM + 13 };
    picture.append(svg("text", at, String(tick)));
    if (step > 1) continue;
    const name = { class: "anf-tick", x: middle, y: HEIGHT - BOTTOM + 28 };
    picture.append(svg("text", name, state.order[tick]));
  }
  return picture;
}
