// The live view in a notebook: reads traits, writes traits.

import { element } from "../panel/canvasPanel.ts";
import type { Unit } from "../model/clock.ts";
import type { Meta, Payload } from "../model/payload.ts";
import type { Found } from "../model/store.ts";
import type { ThemeName } from "../core/theme.ts";
import { mount } from "./mount.ts";
import { fetchData, type Sender, withNulls } from "./data.ts";
import { watchKernel, type Manager } from "./kernel.ts";
import { holdStill, sizesOf } from "./steady.ts";
import type { Halo } from "../model/stripes.ts";
import type { Outside } from "./outside.ts";
import type { Workbench } from "./workbench.ts";

interface Traits {
  _meta: Meta;
  _columns: DataView;
  /** Both of them, compressed, where they are large. */
  _packed?: DataView<ArrayBuffer>;
  /** Counts the data that are too large to be saved, and have to be asked for; 0 for others. */
  _apart?: number;
  panels: string[];
  selected: string | null;
  picked: string[];
  hovered: string | null;
  query: string;
  theme: ThemeName;
  clock: Unit | null;
  time_range: [number, number] | null;
  tick: number | null;
  step: number | null;
  stripes: number | null;
  halo: Halo | null;
  question: string;
  feedback: string;
  many: boolean;
  covered: boolean;
  answer: string[] | null;
  answers: number;
  /** Whether all stays where it is while the data change: there are controls above the view. */
  _steady?: boolean;
  /** Only views whose kernel answers graph queries have it. */
  _found?: Found | null;
}

interface AnyModel extends Sender {
  get<Key extends keyof Traits>(key: Key): Traits[Key];
  set<Key extends keyof Traits>(key: Key, value: Traits[Key]): void;
  save_changes(): void;
  on(event: string, listener: (...values: never[]) => void): void;
  off(event: string, listener: (...values: never[]) => void): void;
  widget_manager?: Manager;
}

const NAMES: [outside: keyof Outside, trait: keyof Traits][] = [
  ["selected", "selected"],
  ["picked", "picked"],
  ["hovered", "hovered"],
  ["query", "query"],
  ["theme", "theme"],
  ["clock", "clock"],
  ["timeRange", "time_range"],
  ["tick", "tick"],
  ["step", "step"],
  ["stripes", "stripes"],
  ["halo", "halo"],
  ["question", "question"],
  ["feedback", "feedback"],
  ["many", "many"],
  ["covered", "covered"],
  ["answer", "answer"],
  ["answers", "answers"],
];
const ANSWER = "change:_found";

const NO_KERNEL =
  "The kernel has stopped. The view works on without it; run its cell again to bring it back.";

const NO_DATA = "The data are too large to be saved. Run the cell to see them.";

/** Milliseconds in which changes are gathered, so that hovering does not flood the kernel. */
const PATIENCE = 60;

export function render({ model, el }: { model: AnyModel; el: HTMLElement }): () => void {
  let bench: Workbench | null = null;
  let isSending = false;
  let saving = 0;
  let isGone = false;
  /** Lets parts of the view be as large as they like again. */
  let release = () => {};

  /** What was changed here and not sent yet: older news from the kernel do not undo it. */
  const unsent = new Map<keyof Traits, unknown>();
  /** What both sides know: only what the kernel has changed since is news. */
  const known = new Map<keyof Traits, unknown>();
  const put = (trait: keyof Traits, value: unknown) => {
    isSending = true;
    known.set(trait, value);
    model.set(trait, value as never);
    isSending = false;
  };
  const send = (change: Partial<Outside>) => {
    for (const [outside, trait] of NAMES) {
      if (!(outside in change)) continue;
      unsent.set(trait, change[outside]);
      put(trait, change[outside]);
    }
    saving ||= window.setTimeout(save, PATIENCE);
  };
  const save = () => {
    saving = 0;
    unsent.clear();
    model.save_changes();
  };
  const receive = () => {
    if (isSending || !bench) return;
    const news: Partial<Outside> = { found: model.get("_found") ?? null };
    for (const [outside, trait] of NAMES) {
      const value = model.get(trait) ?? null;
      if (unsent.has(trait)) put(trait, unsent.get(trait));
      else if (!known.has(trait) || known.get(trait) !== value) {
        known.set(trait, value);
        Object.assign(news, { [outside]: value });
      }
    }
    bench.set(news);
  };
  const draw = (payload: Payload) => {
    const before = bench?.store.model ?? null;
    const choices = bench?.choices;
    const sizes = bench && model.get("_steady") ? sizesOf(bench) : null;
    release();
    bench?.destroy();
    bench = null;
    known.clear();
    const options = {
      panels: model.get("panels"),
      theme: model.get("theme"),
      changed: send,
      before,
      choices,
      steady: model.get("_steady") ?? false,
    };
    try {
      bench = mount(el, payload, options);
    } catch (error) {
      el.replaceChildren(element("p", { role: "alert" }, `This view cannot be drawn: ${error}`));
      return;
    }
    if (sizes) release = holdStill(bench, sizes);
    receive();
    if (isGone) bench.header.note(NO_KERNEL);
  };
  const forget = watchKernel(model.widget_manager, () => {
    isGone = true;
    bench?.header.note(NO_KERNEL);
  });

  let stopAsking = () => {};
  /** Draws what is there; gets what is packed or apart first. */
  const show = () => {
    stopAsking();
    const packed = model.get("_packed");
    const isApart = Boolean(model.get("_apart"));
    if (isApart || packed?.byteLength) {
      if (isApart && !bench) el.replaceChildren(element("p", {}, NO_DATA));
      stopAsking = fetchData(model, isApart ? null : packed!, (payload) => draw(payload));
    } else draw({ meta: withNulls(model.get("_meta")), bytes: model.get("_columns") });
  };
  const redrawn = ["_meta", "_columns", "_packed", "_apart", "panels"].map(
    (name) => `change:${name}`,
  );
  const received = [...NAMES.map(([, trait]) => `change:${trait}`), ANSWER];
  // Data come as two traits of one message: draw once, when both are there.
  let pending = 0;
  const redraw = () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(show);
  };
  for (const event of redrawn) model.on(event, redraw);
  for (const event of received) model.on(event, receive);
  show();
  return () => {
    forget();
    stopAsking();
    cancelAnimationFrame(pending);
    if (saving) {
      clearTimeout(saving);
      save();
    }
    for (const event of redrawn) model.off(event, redraw);
    for (const event of received) model.off(event, receive);
    release();
    bench?.destroy();
  };
}
