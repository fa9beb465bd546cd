// The board in a notebook: traits in, traits out.

import { board } from "../../../shared/colours.json";
import css from "./board.css";
import { drawBoard } from "./board.ts";
import { keepKeys } from "../course/dom.ts";
import { offerPicture } from "../picture/save.ts";
import type { Block, Offsets } from "./layout.ts";

interface Traits {
  _blocks: Block[];
  _best: number;
  _fast?: number;
  offsets: Offsets;
}

interface AnyModel {
  get<Key extends keyof Traits>(key: Key): Traits[Key];
  set<Key extends keyof Traits>(key: Key, value: Traits[Key]): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

const colours = Object.entries(board)
  .map(([name, colour]) => `--anb-${name}:${colour};`)
  .join("");

/** Milliseconds in which moves are gathered before the kernel is told. */
const PATIENCE = 60;

function render({ model, el }: { model: AnyModel; el: HTMLElement }): () => void {
  const style = document.createElement("style");
  style.textContent = `.anb-board{${colours}}${css}`;
  el.append(style);
  let saving = 0;
  const save = () => {
    saving = 0;
    model.save_changes();
  };
  const whole = document.createElement("div");
  whole.className = "anb-whole";
  el.append(whole);
  const board = drawBoard(
    whole,
    model.get("_blocks"),
    model.get("offsets"),
    model.get("_best"),
    (offsets) => {
      model.set("offsets", offsets);
      saving ||= window.setTimeout(save, PATIENCE);
    },
    model.get("_fast"),
  );
  offerPicture(whole, whole.lastElementChild as HTMLElement, "Blocks of memory");
  const leaveKeys = keepKeys(whole);
  const follow = () => board.update(model.get("offsets"));
  model.on("change:offsets", follow);
  return () => {
    model.off("change:offsets", follow);
    leaveKeys();
    if (saving) {
      window.clearTimeout(saving);
      save();
    }
  };
}

export default { render };
