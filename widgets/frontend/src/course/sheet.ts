// The sheet: question, place for the answer, buttons, and what is said about it.

import { bars } from "./bars.ts";
import { button, make } from "./dom.ts";
import type { Asked, Entry } from "./entry.ts";
import { order } from "./order.ts";
import { rows } from "./rows.ts";
import { number, options, text } from "./simple.ts";
import { offerPicture } from "../picture/save.ts";

/** What is said about an answer. */
export interface Said {
  correct: boolean;
  right: string[];
  text: string;
  hint: string;
  why: string;
  percent: number;
  tries: number;
  /** Bytes alive at each tick, where they are counted. */
  bars?: number[];
}

export interface Solution {
  value: unknown;
  text: string;
  reason: string;
}

export interface Request {
  do: "check" | "hint" | "show";
  answer?: unknown;
}

export class Sheet {
  readonly root = make("section", { class: "anc", "aria-label": "Question" });
  private readonly entry: Entry;
  private readonly said = make("div", { class: "anc-said", role: "status" });
  private readonly live = make("div", { class: "anc-live", "aria-live": "polite" });
  private readonly hints = make("ol", { class: "anc-hints", "aria-label": "hints", role: "list" });
  private readonly shown = make("div", { class: "anc-shown", role: "status" });
  private readonly showButton = button("show me", () => this.ask({ do: "show" }));
  private readonly hintButton = button("hint", () => this.ask({ do: "hint" }));

  constructor(
    private readonly asked: Asked,
    private readonly ask: (request: Request) => void,
  ) {
    this.entry = this.makeEntry();
    const check = button("check", () => this.check(), { class: "anc-check" });
    const buttons = make("div", { class: "anc-buttons" }, check, this.hintButton, this.showButton);
    const question = make("p", { class: "anc-question" }, asked.text);
    const { said, hints, shown, live } = this;
    this.root.append(question, this.entry.element, buttons, said, hints, shown, live);
    offerPicture(this.root, buttons, asked.text);
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.showButton.hidden = true;
  }

  private makeEntry(): Entry {
    const { asked } = this;
    const changed = (words: string) => (this.live.textContent = words);
    if (asked.kind === "number") return number(asked);
    if (asked.kind === "text") return text(asked);
    if (asked.kind === "choose") return options(asked);
    if (asked.kind === "order") return order(asked, changed);
    if (asked.kind === "rows") return rows(asked, changed);
    return bars(asked, changed);
  }

  private onKey(event: KeyboardEvent): void {
    // What is typed here is not meant for the notebook.
    event.stopPropagation();
    const { target } = event;
    const isPressed = target instanceof HTMLButtonElement && !target.classList.contains("anc-chip");
    const isTyped = target instanceof HTMLInputElement && target.type === "text";
    if (event.key === "Enter" && !isPressed) this.check();
    else if (event.key === "?" && !isTyped) this.ask({ do: "hint" });
    else if (event.key === "Escape") this.entry.reset();
    else return;
    event.preventDefault();
  }

  private check(): void {
    const answer = this.entry.read();
    if (answer === null) this.say("wrong", "→", "There is no answer yet.");
    else this.ask({ do: "check", answer });
  }

  private say(kind: string, mark: string, ...lines: (Node | string)[]): void {
    const paragraphs = lines.map((line) => make("p", {}, line));
    paragraphs[0]?.prepend(make("b", {}, `${mark} `));
    this.said.replaceChildren(...paragraphs);
    this.said.dataset.kind = kind;
  }

  /** Shows an answer that was given before, or by Python. */
  write(answer: unknown): void {
    if (answer !== null && answer !== undefined) this.entry.write(answer);
  }

  feedback(said: Partial<Said>): void {
    if (said.text === undefined) return;
    const right = said.right?.length && !said.correct ? [`Right: ${said.right.join(", ")}.`] : [];
    const lines: (Node | string)[] = [...right, said.text];
    if (said.hint) lines.push(said.hint);
    if (said.why) lines.push(said.why);
    const kind = said.correct ? "right" : said.percent ? "half" : "wrong";
    this.say(kind, said.correct ? "✓" : "→", ...lines);
    if (said.bars) this.said.append(chart(said.bars, this.entry.read() as string[]));
    this.showButton.hidden = said.correct || !said.tries;
    this.hintButton.hidden = Boolean(said.correct) || this.asked.hints === 0;
  }

  hint(hints: string[]): void {
    this.hints.replaceChildren(...hints.map((each) => make("li", {}, each)));
    this.hintButton.hidden = this.asked.hints <= hints.length;
  }

  solution(found: Partial<Solution>): void {
    const { text, reason } = found;
    if (!text) return;
    this.shown.replaceChildren(make("p", {}, make("b", {}, text)), make("p", {}, reason ?? ""));
    if (found.value !== null && found.value !== undefined) {
      const again = button("set it", () => this.entry.write(found.value));
      this.shown.append(again);
    }
  }
}

/** Bytes alive at each tick as bars, with their numbers. */
function chart(bytes: number[], names: string[]): HTMLElement {
  const most = Math.max(...bytes);
  const items = bytes.map((count, tick) => {
    const bar = make("span", { class: "anc-bar", "aria-hidden": "true" });
    bar.style.height = `${Math.round((60 * count) / most)}px`;
    const item = make(
      "li",
      {},
      make("span", {}, count.toLocaleString("en")),
      bar,
      names[tick] ?? "",
    );
    item.toggleAttribute("data-peak", count === most);
    return item;
  });
  return make("ol", { class: "anc-chart", "aria-label": "bytes alive at each tick" }, ...items);
}
