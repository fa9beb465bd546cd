// A question about the view: its bar with the answer, and the curtain that hides the panels until then.

import { button, element, type Host } from "../panel/canvasPanel.ts";
import { NONE } from "../model/search.ts";
import type { Change } from "../model/store.ts";
import { elide } from "../core/text.ts";

/** Of many picked nodes, this many are named; the others are counted. */
const NAMED = 6;

/** What the outside says about a question. */
export interface Asked {
  /** What is asked; empty for nothing. */
  question: string;
  /** What is said about the last answer; empty for nothing. */
  feedback: string;
  /** Whether each pick is a mark, because several are asked for. */
  many: boolean;
  covered: boolean;
  /** The last answer, and how many were given. */
  answer: string[] | null;
  answers: number;
}

export class Asking {
  readonly bar = element("div", { class: "anb-question", role: "group", "aria-label": "Question" });
  readonly curtain = element("div", {
    class: "anb-curtain",
    role: "group",
    "aria-label": "Covered",
  });
  isCovered = false;
  private question = "";
  private feedback = "";
  private answers = 0;
  private readonly text = element("p", { class: "anb-asked" });
  private readonly picks = element("p", { class: "anb-picks", role: "status" });
  private readonly said = element("p", { class: "anb-feedback", role: "status" });

  private readonly checkButton = button("check", "Check the answer (Enter)", () => this.check());

  constructor(
    private readonly host: Host,
    /** What must not be read before the answer. */
    private readonly hidden: readonly HTMLElement[],
    private readonly search: HTMLInputElement,
    private readonly tell: (news: Partial<Asked>) => void,
  ) {
    this.bar.append(this.text, this.picks, this.checkButton, this.said);
    const show = button("show me", "Uncover the view", () => this.uncover());
    this.curtain.append(element("p", {}, "Give your answer first"), show);
    this.show();
  }

  get isAsking(): boolean {
    return this.question !== "" && !this.isCovered;
  }

  set({ question, feedback, many, covered, answers }: Partial<Asked>): void {
    if (question !== undefined) this.question = question ?? "";
    if (feedback !== undefined) this.feedback = feedback ?? "";
    if (answers !== undefined) this.answers = answers ?? 0;
    if (many !== undefined) this.host.store.set({ many: many ?? false }, "outside");
    if (covered !== undefined) this.cover(covered ?? false);
    this.show();
  }

  changed({ selected, picked, many }: Change): void {
    if ([selected, picked, many].some((each) => each !== undefined)) this.show();
  }

  /** Nodes that are the answer: those marked or, without marks, the selected one. */
  private get nodes(): readonly number[] {
    const { picked, selected, many } = this.host.store.state;
    return picked.length || many || selected === NONE ? picked : [selected];
  }

  /** Tells the outside what is picked; false where nothing is. */
  check(): boolean {
    const { nodes } = this;
    if (this.isCovered || nodes.length === 0) return this.isAsking;
    const { name } = this.host.store.model;
    this.answers++;
    this.tell({ answer: nodes.map((node) => name[node]), answers: this.answers });
    this.said.textContent = this.feedback || "answer given";
    return true;
  }

  private uncover(): void {
    this.cover(false);
    this.show();
    this.tell({ covered: false });
    this.host.root.querySelector<HTMLElement>(".anb-panels canvas")?.focus({ preventScroll: true });
  }

  /** Hides everything that says something about the model from eyes, ears, search and keys. */
  private cover(isCovered: boolean): void {
    this.isCovered = isCovered;
    this.host.root.toggleAttribute("data-covered", isCovered);
    this.curtain.hidden = !isCovered;
    this.search.disabled = isCovered;
    for (const each of this.hidden) {
      each.inert = isCovered;
      each.classList.toggle("anb-covered", isCovered);
    }
  }

  private show(): void {
    this.bar.hidden = this.question === "";
    this.curtain.hidden = !this.isCovered;
    this.checkButton.hidden = this.picks.hidden = this.isCovered;
    this.text.textContent = elide(this.question, 1000);
    this.said.textContent = elide(this.feedback, 1000);
    const { name, names } = this.host.store.model;
    const { nodes } = this;
    const called = nodes.slice(0, NAMED).map((node) => names.short(name[node], 28));
    const more = nodes.length - called.length;
    const list = called.join(", ") + (more > 0 ? ` and ${more} more` : "");
    const count = nodes.length > 1 ? `${nodes.length} picked: ` : "picked: ";
    const words = nodes.length ? count + list : "nothing picked yet";
    this.picks.textContent = words;
  }
}
