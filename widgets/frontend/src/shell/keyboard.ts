// Bind every action to a key.

import { NONE } from "../core/search.ts";
import type { Workbench } from "./workbench.ts";

const ARROWS: Record<string, [dx: number, dy: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Pixels that an arrow key with Shift moves what is drawn. */
const PAN = 60;

/** Listens for what is pressed in a view, or anywhere on its page; gives back what stops it. */
export function keyboard(bench: Workbench, isPage: boolean): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isInside = event.target instanceof Node && bench.root.contains(event.target);
    if (!isPage && !isInside) return;
    if (!act(bench, event)) return;
    bench.tooltip(null);
    event.preventDefault();
    event.stopPropagation();
  };
  // Before anybody else: some notebooks take arrow keys for themselves wherever they are pressed.
  window.addEventListener("keydown", pressed, true);
  return () => window.removeEventListener("keydown", pressed, true);
}

function act(bench: Workbench, event: KeyboardEvent): boolean {
  const { key } = event;
  const isSearch = event.target === bench.header.search;
  if (key === "Escape") return escape(bench, isSearch);
  if (isSearch) return key === "Enter" && pickMatch(bench, event.shiftKey ? -1 : 1);
  if (key === "/") {
    bench.header.enter();
    return true;
  }
  if (key === "," || key === ".") {
    bench.player.by(key === "," ? -1 : 1);
    return true;
  }
  if (key === "?") {
    bench.help.toggle();
    return true;
  }
  if (isControl(event.target)) return false;
  if (key === " ") {
    bench.player.toggle();
    return true;
  }
  const panel = bench.active;
  if (!panel) return false;
  if (key === "Enter") return panel.enter();
  if (key === "+" || key === "=" || key === "-") {
    panel.zoomCentre(key === "-" ? 1.4 : 1 / 1.4);
    return true;
  }
  if (key === "[" || key === "]") {
    if ("canvas" in panel) panel.zoomCentre(key === "[" ? 1.4 : 1 / 1.4, false);
    return true;
  }
  if (key === "0") {
    panel.fit();
    panel.redraw();
    return true;
  }
  const arrow = ARROWS[key];
  if (!arrow) return false;
  if (event.shiftKey && "canvas" in panel) {
    panel.panBy(-PAN * arrow[0], -PAN * arrow[1]);
    return true;
  }
  const next = panel.neighbour(bench.state.selected, ...arrow);
  if (next !== NONE) {
    bench.store.set({ selected: next }, "keyboard");
  }
  return true;
}

/** Whether an element needs keys of its own: a button, a list, a slider. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, select, input, option") !== null;
}

/** Picks the next node that the query finds, and so brings it into view everywhere. */
function pickMatch(bench: Workbench, step: 1 | -1): boolean {
  const node = bench.store.nextMatch(step);
  if (node !== NONE) bench.store.set({ selected: node }, "keyboard");
  return true;
}

/** Leaves the search first, then the help, then the selection. */
function escape(bench: Workbench, isSearch: boolean): boolean {
  const { query, selected, step, playing } = bench.state;
  if (isSearch) bench.header.leave(bench.focusable);
  else if (bench.help.isShown) bench.help.toggle();
  else if (query !== "") bench.store.set({ query: "" });
  else if (playing) bench.player.stop();
  else if (selected !== NONE) bench.store.set({ selected: NONE });
  else if (step !== null) bench.store.set({ step: null });
  else return false;
  return true;
}
