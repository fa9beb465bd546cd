// Bind every action to a key.

import { NONE } from "../model/search.ts";
import { peakTick } from "../memory/usage.ts";
import { blockRuns } from "../timeline/blockRow.ts";
import type { Workbench } from "./workbench.ts";

const ARROWS: Record<string, [dx: number, dy: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

const SUPPRESS = "data-lm-suppress-shortcuts";

/** Pixels that an arrow key with Shift moves what is drawn. */
const PAN = 60;

/** Listens for what is pressed in a view, or anywhere on its page; gives back what stops it. */
export function keyboard(bench: Workbench, isPage: boolean): () => void {
  const pressed = (event: KeyboardEvent) => {
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
    // JupyterLab leaves all keys to what has this attribute; saving and the like stay with it.
    if (isShortcut) bench.root.removeAttribute(SUPPRESS);
    else bench.root.setAttribute(SUPPRESS, "true");
    if (isShortcut) return;
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
  // What is covered cannot be walked through, either.
  if (bench.asking.isCovered) return false;
  const isSearch = event.target === bench.header.search;
  if (key === "Escape") return !inMenu(event.target) && escape(bench, isSearch);
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
  const { picked, selected } = bench.state;
  if (key === "m" || (key === " " && (bench.asking.isAsking || picked.length > 0))) {
    bench.store.mark(selected, "keyboard");
    return true;
  }
  if (key === " ") {
    bench.player.toggle();
    return true;
  }
  if (key === "Enter" && bench.asking.isAsking) return bench.asking.check();
  if (onColumn(bench, event)) return true;
  const panel = bench.active;
  if (!panel) return false;
  if (key === "Enter") return panel.enter() || bench.asking.check();
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

/** Keys of the ruler, the overview, and of the clock that all panels share. */
function onColumn(bench: Workbench, { key, target }: KeyboardEvent): boolean {
  const { store, column } = bench;
  const { ruler, overview } = column;
  const arrow = ARROWS[key]?.[0];
  if (ruler && target === ruler.canvas) {
    if (key === "Enter") return ruler.enter();
    if (arrow === 1 || arrow === -1) {
      bench.player.by(arrow);
      return true;
    }
    if (key === "Home" || key === "End") {
      const { begin, end } = store.clock;
      store.goTo(key === "Home" ? begin : end - 1);
      return true;
    }
  }
  if (overview && target === overview.canvas && (arrow === 1 || arrow === -1)) {
    overview.page(arrow / 4);
    return true;
  }
  if (key === "c")
    store.setClock(
      nextOf(
        store.clocks.map(({ unit }) => unit),
        store.clock.unit,
      ),
    );
  else if (key === "l") store.set({ layout: isLanes(bench) ? "rows" : "lanes" });
  else if (key === "p" && store.model.memory) store.goToTick(peakTick(store.model.memory));
  else if (key === "n" || key === "N") toBlock(bench, key === "n" ? 1 : -1);
  else return false;
  return true;
}

const nextOf = <Item>(all: readonly Item[], now: Item) => all[(all.indexOf(now) + 1) % all.length];

function isLanes(bench: Workbench): boolean {
  return bench.panels.some((panel) => "isLanes" in panel && panel.isLanes === true);
}

/** Goes to the first tick of the next block, or of the one before. */
function toBlock({ store }: Workbench, by: 1 | -1): void {
  const starts = blockRuns(store.model, store.clock.order).first;
  const now = store.state.tick ?? -1;
  const next = by > 0 ? starts.find((tick) => tick > now) : starts.findLast((tick) => tick < now);
  if (next !== undefined) store.goToTick(next);
}

/** Whether a menu that Escape closes has the focus. */
const inMenu = (target: EventTarget | null) =>
  target instanceof Element && target.closest(".anb-picture") !== null;

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
  const { query, selected, picked, brush, playing } = bench.state;
  if (isSearch) bench.header.leave(bench.focusable);
  else if (bench.help.isShown) bench.help.toggle();
  else if (query !== "") bench.store.set({ query: "" });
  else if (playing) bench.player.stop();
  else if (brush) bench.store.set({ brush: null });
  else if (picked.length) bench.store.set({ picked: [] });
  else if (selected !== NONE) bench.store.set({ selected: NONE });
  else if (bench.store.now !== null) bench.store.set({ tick: null, step: null });
  else return false;
  return true;
}
