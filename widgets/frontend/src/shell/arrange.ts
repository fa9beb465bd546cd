// The arrangement of the panels: where each stands, and which one is enlarged.

import { button, element } from "../panel/canvasPanel.ts";
import type { Column } from "./column.ts";
import type { Panel } from "./panels.ts";

/** What stands on the grid: a panel, or the time column with several of them. */
interface Item {
  name: string;
  element: HTMLElement;
}

/** Panels of the bottom row. */
const BOTTOM = ["alive", "table", "details"];

/** Puts panels on a grid; `used` is told which one was pointed at or focused last. */
export function arrange(
  panels: readonly Panel[],
  column: Column,
  used: (panel: Panel) => void,
): HTMLElement {
  const grid = element("div", { class: "anb-panels" });
  const bottom = element("div", { class: "anb-bottom" });
  const items: Item[] = [];
  for (const panel of panels) {
    panel.section.addEventListener("pointerdown", () => used(panel));
    panel.section.addEventListener("focusin", () => used(panel));
    if (panels.length > 1) head(panel).append(expander(panel, grid, column));
    if (BOTTOM.includes(panel.name)) bottom.append(panel.section);
    else if (!column.panels.includes(panel))
      items.push({ name: panel.name, element: panel.section });
    else if (panel === column.panels[0]) items.push({ name: "column", element: column.element });
  }
  if (bottom.childElementCount) items.push({ name: "bottom", element: bottom });
  // The stages of the scheduler come before the schedule that they make.
  const at = (name: string) => items.findIndex((item) => item.name === name);
  if (at("algorithm") > at("column") && at("column") >= 0)
    items.splice(at("column"), 0, ...items.splice(at("algorithm"), 1));
  grid.append(...items.map((item) => item.element));
  if (panels.length === 0) {
    grid.append(element("p", { class: "anb-empty" }, "There is nothing to show yet."));
  }
  place(grid, items);
  const named = (name: string) => panels.find((panel) => panel.name === name);
  const [alive, table, graph] = [named("alive"), named("table"), named("graph")];
  if (alive && table) {
    alternate([alive, "alive"], [table, "all nodes"], (shown) => {
      alive.section.hidden = shown !== alive;
      table.section.hidden = shown !== table;
    });
  }
  const [first] = column.panels;
  if (graph && first && grid.dataset.split === graph.name) {
    const show = (shown: Panel) => (grid.dataset.tab = shown === graph ? "graph" : "column");
    alternate([first, "schedule"], [graph, "graph"], show).forEach((tabs) =>
      tabs.classList.add("anb-narrow"),
    );
  }
  return grid;
}

/** Where there is room: what stands for the whole at the left, the bottom row below, all else between. */
function place(grid: HTMLElement, items: readonly Item[]): void {
  const [first, ...others] = items;
  if (first?.name === "counts") grid.dataset.split = first.name; // arranged by its style sheet
  // A mapping has what is picked at its right: the column is as high as its rows and memories.
  if (first?.element.classList.contains("anb-machine") && others.length === 1) {
    if (others[0].name === "bottom") grid.dataset.split = "machine";
    return;
  }
  const bottom = others.at(-1)?.name === "bottom" ? others.pop() : undefined;
  if (!first || others.length === 0 || !["graph", "tiling"].includes(first.name)) return;
  const areas = others.map(({ name }) => `"${first.name} ${name}"`);
  const isTraced = others[0].name === "algorithm" && !bottom;
  grid.toggleAttribute("data-traced", isTraced);
  const rows = others.map(({ name, element }) => {
    if (element.classList.contains("anb-machine")) return "minmax(var(--anb-column), auto)";
    if (isTraced) return `minmax(0, ${name === "column" ? 2 : 1}fr)`;
    return `var(--anb-${name === "column" ? "column" : "row"})`;
  });
  if (bottom) {
    areas.push('"bottom bottom"');
    rows.push("var(--anb-last)");
  }
  for (const { element, name } of items) element.style.setProperty("--anb-area", name);
  grid.dataset.split = first.name;
  grid.style.setProperty("--anb-areas", areas.join(" "));
  grid.style.setProperty("--anb-rows", rows.join(" "));
}

const head = (panel: Panel): Element => panel.section.querySelector(".anb-head")!;

/** Two panels in one place: each has a switch that shows it or the other; the first one is shown. */
function alternate(
  first: [panel: Panel, label: string],
  second: [panel: Panel, label: string],
  show: (panel: Panel) => void,
): HTMLElement[] {
  show(first[0]);
  return [first, second].map(([place]) => {
    const tabs = element("div", { class: "anb-switch", role: "group", "aria-label": "Show" });
    for (const [panel, label] of [first, second]) {
      const chosen = () => {
        show(panel);
        panel.redraw();
        head(panel).querySelector<HTMLElement>(".anb-switch [aria-pressed=true]")?.focus();
      };
      tabs.append(button(label, `Show ${label}`, chosen, panel === place));
    }
    head(place).append(tabs);
    return tabs;
  });
}

function expander(panel: Panel, grid: HTMLElement, column: Column): HTMLButtonElement {
  const title = `Enlarge the ${panel.section.getAttribute("aria-label")?.toLowerCase()} view`;
  const made = button(
    "⤢",
    title,
    () => {
      const isLarge = panel.section.classList.toggle("anb-large");
      made.setAttribute("aria-pressed", String(isLarge));
      grid.classList.toggle("anb-one", isLarge);
      column.enlarged(isLarge ? panel : null);
    },
    false,
  );
  return made;
}
