// "Fit it in 16 KB" in a notebook, or alone on a page that holds all states.

import { keepKeys } from "../course/dom.ts";
import { follow, themed } from "../course/dress.ts";
import css from "./fit.css";
import type { Facts, State } from "./game.ts";
import { Screen, type Source } from "./view.ts";

type States = Record<string, State>;
type Runs = Record<string, string>;

interface Traits {
  _facts: Facts;
  _states: States;
  _runs: Runs;
  _asked: { do: "state" | "run"; key: string; n: number };
  played: { key: string; level: number; moves: number; foreseen: number };
}

interface AnyModel {
  get<Key extends keyof Traits>(key: Key): Traits[Key];
  set<Key extends keyof Traits>(key: Key, value: Traits[Key]): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

/** Shows a screen in an element; returns it, and what ends it. */
function show(el: HTMLElement, facts: Facts, source: Source): [Screen, () => void] {
  const style = document.createElement("style");
  style.textContent = themed("anf") + css;
  const screen = new Screen(facts, source);
  el.append(style, screen.root);
  const leave = follow(screen.root);
  const leaveKeys = keepKeys(screen.root);
  const watcher = new MutationObserver(() => screen.update());
  watcher.observe(screen.root, { attributes: true, attributeFilter: ["data-dark"] });
  screen.update();
  return [
    screen,
    () => {
      leave();
      leaveKeys();
      watcher.disconnect();
      screen.leave();
    },
  ];
}

let asks = 0;

function render({ model, el }: { model: AnyModel; el: HTMLElement }): () => void {
  const asked = new Set<string>();
  const ask = (what: "state" | "run", key: string) => {
    if (asked.has(what + key)) return;
    asked.add(what + key);
    model.set("_asked", { do: what, key, n: ++asks });
    model.save_changes();
  };
  const find = <Value>(what: "state" | "run", known: Record<string, Value>, key: string) => {
    if (!(key in known)) ask(what, key);
    return known[key] as Value | undefined;
  };
  const [screen, leave] = show(el, model.get("_facts"), {
    state: (key) => find("state", model.get("_states"), key),
    run: (key) => find("run", model.get("_runs"), key),
    moved: (key, level, moves, foreseen) => {
      model.set("played", { key, level, moves, foreseen });
      model.save_changes();
    },
  });
  const update = () => screen.update();
  model.on("change:_states", update);
  model.on("change:_runs", update);
  return () => {
    model.off("change:_states", update);
    model.off("change:_runs", update);
    leave();
  };
}

const data = document.getElementById("aidge-nb-fit-data");
if (data !== null) {
  const { facts, states, runs } = JSON.parse(data.textContent ?? "{}") as {
    facts: Facts;
    states: States;
    runs: Runs;
  };
  show(document.getElementById("aidge-nb-fit")!, facts, {
    state: (key) => states[key],
    run: (key) => runs[key] ?? "There is no recorded run of this one.",
    moved: () => {},
  });
}

export default { render };
