// The live view in a notebook: traits in, traits out.

import { mount } from "./index.ts";
import { element } from "./panel.ts";
import type { Meta } from "./payload.ts";
import type { Found } from "./store.ts";
import type { ThemeName } from "./theme.ts";
import type { Outside, Workbench } from "./workbench.ts";

interface Traits {
  _meta: Meta;
  _columns: DataView;
  panels: string[];
  selected: string | null;
  hovered: string | null;
  query: string;
  theme: ThemeName;
  time_range: [number, number] | null;
  step: number | null;
  /** Only views whose kernel answers graph queries have it. */
  _found?: Found | null;
}

interface AnyModel {
  get<Key extends keyof Traits>(key: Key): Traits[Key];
  set<Key extends keyof Traits>(key: Key, value: Traits[Key]): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

const NAMES: [outside: keyof Outside, trait: keyof Traits][] = [
  ["selected", "selected"],
  ["hovered", "hovered"],
  ["query", "query"],
  ["theme", "theme"],
  ["timeRange", "time_range"],
  ["step", "step"],
];
const ANSWER = "change:_found";

/** Milliseconds in which changes are gathered, so that hovering does not flood the kernel. */
const PATIENCE = 60;

export function render({ model, el }: { model: AnyModel; el: HTMLElement }): () => void {
  let bench: Workbench | null = null;
  let isSending = false;
  let saving = 0;

  const send = (change: Partial<Outside>) => {
    isSending = true;
    for (const [outside, trait] of NAMES) {
      if (outside in change) model.set(trait, change[outside] as never);
    }
    isSending = false;
    saving ||= window.setTimeout(save, PATIENCE);
  };
  const save = () => {
    saving = 0;
    model.save_changes();
  };
  const receive = () => {
    if (isSending || !bench) return;
    bench.set({
      selected: model.get("selected"),
      hovered: model.get("hovered"),
      query: model.get("query"),
      theme: model.get("theme"),
      timeRange: model.get("time_range"),
      step: model.get("step") ?? null,
      found: model.get("_found") ?? null,
    });
  };
  const draw = () => {
    const before = bench?.store.model ?? null;
    bench?.destroy();
    bench = null;
    const payload = { meta: model.get("_meta"), bytes: model.get("_columns") };
    const options = {
      panels: model.get("panels"),
      theme: model.get("theme"),
      changed: send,
      before,
    };
    try {
      bench = mount(el, payload, options);
    } catch (error) {
      el.replaceChildren(element("p", { role: "alert" }, `This view cannot be drawn: ${error}`));
      return;
    }
    receive();
  };

  const redrawn = ["change:_meta", "change:_columns", "change:panels"];
  const received = [...NAMES.map(([, trait]) => `change:${trait}`), ANSWER];
  // Data come as two traits of one message: draw once, when both are there.
  let pending = 0;
  const redraw = () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(draw);
  };
  for (const event of redrawn) model.on(event, redraw);
  for (const event of received) model.on(event, receive);
  draw();
  return () => {
    cancelAnimationFrame(pending);
    if (saving) {
      clearTimeout(saving);
      save();
    }
    for (const event of redrawn) model.off(event, redraw);
    for (const event of received) model.off(event, receive);
    bench?.destroy();
  };
}
