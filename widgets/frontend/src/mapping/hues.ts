// What the colours of a mapping stand for: the type of a work, the work itself, or its block.

import { inTurn } from "../../../shared/colours.json";
import { button, element } from "../panel/canvasPanel.ts";
import type { Model } from "../model/model.ts";
import { NONE } from "../model/search.ts";
import type { Hue, Store } from "../model/store.ts";

const MEANING: Record<Hue, string> = {
  type: "Give works of one type one colour",
  work: "Give each work a colour that its neighbours do not have",
  block: "Give the works of a block one colour",
};

/** Gives each node its colour: of its type, or in turn by its work or block. */
export function paint(model: Model, hue: Hue): void {
  const { parts, meta } = model;
  const number = (node: number) => (hue === "work" ? node : Math.max(0, parts.of(node)));
  model.family = meta.nodes.family.map((family, node) =>
    hue === "type" ? family : inTurn[number(node) % inTurn.length],
  );
}

/** Whether colours stand for types: those of tiles, and of buffers of no graph, only differ. */
export function isTyped({ meta, type }: Model): boolean {
  const known = new Map<string, number>();
  return meta.nodes.family.every((family, node) => {
    const first = known.get(type[node]) ?? family;
    known.set(type[node], first);
    return first === family && (type[node] !== "?" || meta.families[family][0] === "other");
  });
}

/** The buttons that choose; null where there is nothing to choose. */
export function hueSwitch(store: Store): HTMLElement | null {
  const { model, state } = store;
  if (!isTyped(model) || model.devices?.machine?.source == null) return null;
  const hues = (Object.keys(MEANING) as Hue[]).filter(
    (hue) => hue !== "block" || (model.parts.count > 1 && model.parts.of(0) !== NONE),
  );
  const made = element("div", { class: "anb-switch", role: "group", "aria-label": "Colour by" });
  for (const hue of hues) {
    const own = button(
      hue,
      MEANING[hue],
      () => {
        store.set({ hue });
        for (const each of made.children) each.setAttribute("aria-pressed", String(each === own));
      },
      hue === state.hue,
    );
    made.append(own);
  }
  return made;
}
