// Buttons of the folded schedule: over the titles of frames and chips, and beside the title.

import { folded as sizes } from "../../../shared/panels.json";
import { button, element } from "../panel/canvasPanel.ts";
import { grouped } from "../core/text.ts";
import type { FoldedPanel } from "./folded.ts";
import { everyText, mainFrames } from "../model/frames.ts";

export class FoldedControls {
  readonly elements: HTMLElement[];
  private readonly opener: HTMLButtonElement;
  private readonly fewer: HTMLButtonElement;
  private readonly more: HTMLButtonElement;
  private readonly shown = element("output", { "aria-live": "polite" });
  private readonly from: HTMLInputElement;
  private readonly turns: HTMLElement;
  private readonly folded: HTMLButtonElement;
  private readonly unfolded: HTMLButtonElement;
  private readonly overlay = element("div", { class: "anb-overlay" });
  /** The frame that the controls are about: the one that was opened last. */
  private frame: number;

  constructor(
    private readonly panel: FoldedPanel,
    stage: HTMLElement,
  ) {
    const { frames, steps } = panel.data;
    this.frame = mainFrames(frames, -1)[0] ?? -1;
    this.opener = button("▸ open 2 turns", "Show two turns of the loop", () =>
      panel.open(this.frame, 2),
    );
    this.fewer = button("−", "Fewer turns", () => this.change(-1));
    this.more = button("+", "More turns", () => this.change(1));
    this.from = element("input", { type: "number", min: "1", "aria-label": "first turn shown" });
    this.from.addEventListener("change", () => this.jump());
    this.turns = element(
      "span",
      { class: "anb-turns", role: "group", "aria-label": "turns shown" },
      "turns shown",
      this.fewer,
      this.shown,
      this.more,
      element("label", {}, "from turn ", this.from),
    );
    this.folded = button("folded", "Show each loop once", () => panel.setFolded(true), true);
    this.unfolded = button("unfolded", "Show every step", () => panel.setFolded(false), false);
    if (steps > sizes.unfolded) {
      this.unfolded.disabled = true;
      this.unfolded.title = `${grouped(steps)} steps are too many to draw one by one: at most ${grouped(sizes.unfolded)}`;
    }
    const modes = element("span", { class: "anb-modes", role: "group", "aria-label": "loops" });
    modes.append(this.folded, this.unfolded);
    this.elements = [this.opener, this.turns, modes];
    stage.append(this.overlay);
  }

  /** The next smaller or larger number of turns; fewer than one closes the frame. */
  private change(by: 1 | -1): void {
    const { panel, frame } = this;
    const now = panel.opening(frame)?.count ?? 0;
    const choices = [0, ...sizes.turns].filter((count) => count <= panel.data.frames[frame].count);
    const next =
      by > 0 ? choices.find((count) => count > now) : choices.findLast((count) => count < now);
    if (next !== undefined) panel.open(frame, next);
  }

  private jump(): void {
    const { panel, frame } = this;
    const open = panel.opening(frame);
    if (open) panel.open(frame, open.count, Math.round(Number(this.from.value)) || 1);
  }

  /** Shows what is open, and puts a button over each title and chip. */
  update(): void {
    const { panel, frame } = this;
    const open = frame < 0 ? null : panel.opening(frame);
    const isFolded = panel.folds;
    this.opener.hidden = open !== null || !isFolded || frame < 0;
    this.turns.hidden = open === null || !isFolded;
    this.folded.setAttribute("aria-pressed", String(isFolded));
    this.unfolded.setAttribute("aria-pressed", String(!isFolded));
    if (open) {
      this.shown.textContent = String(open.count);
      this.from.value = String(open.from);
      this.from.max = panel.countText(frame).replaceAll(",", "");
      const next = sizes.turns.find((count) => count > open.count);
      this.more.disabled =
        next === undefined || next > panel.data.frames[frame].count || !panel.hasRoom(frame, next);
    }
    this.cover();
  }

  /** A button lies over each title and chip, so that Tab reaches it; it keeps the focus it had. */
  private cover(): void {
    const { panel, overlay } = this;
    const { bands, pieces, map } = panel.folding;
    const focused = (document.activeElement as HTMLElement | null)?.dataset?.fold;
    const made: HTMLButtonElement[] = [];
    const add = (id: string, label: string, click: () => void, isOpen: boolean, box: number[]) => {
      const own = button("", label, click);
      own.dataset.fold = id;
      own.setAttribute("aria-expanded", String(isOpen));
      const [left, top, width, height] = box.map((pixels) => `${Math.max(0, pixels)}px`);
      Object.assign(own.style, { left, top, width, height });
      made.push(own);
    };
    for (const { id, depth, t0, t1, turn, title, detail } of bands) {
      const box = [map.x(t0), 4 + depth * sizes.band, map.end(t1) - map.x(t0), sizes.band - 2];
      if (turn) {
        const isOpen = panel.opening(turn.frame) !== null;
        const label = `${everyText(panel.data.frames[turn.frame])}, ${detail}: ${isOpen ? "close" : "open 2 turns"}`;
        const click = () => {
          this.frame = turn.frame;
          panel.toggle(turn.frame);
        };
        add(`${id} ${turn.turn}`, label, click, isOpen, box);
      } else if (panel.isOpened(id)) {
        add(id, `${title}, ${detail}: close`, () => panel.toggleStretch(id), true, box);
      }
    }
    pieces.forEach(({ kind, id, title, detail }, index) => {
      if (kind !== "chip") return;
      const { x0, x1 } = map.segments[index];
      const box = [x0, panel.top - sizes.ruler, x1 - x0, panel.bottom - panel.top + sizes.ruler];
      add(id, `${title}, ${detail}: open`, () => panel.toggleStretch(id), false, box);
    });
    overlay.replaceChildren(...made);
    if (focused) made.find((own) => own.dataset.fold === focused)?.focus();
  }

  destroy(): void {
    this.overlay.remove();
  }
}
