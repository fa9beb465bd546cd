// The screen: figures, memory, moves, and a prediction before each move.

import { button, make } from "../course/dom.ts";
import { drawPicture } from "./end.ts";
import { offerPicture } from "../picture/save.ts";
import { bytes, Game, keyOf, type Facts, type Move, type Setting, type State } from "./game.ts";
import type { Way } from "./game.ts";
import { drawMemory } from "./picture.ts";

const WAYS: [Way, string, string][] = [
  ["up", "↑ up", "u"],
  ["down", "↓ down", "d"],
  ["same", "= same", "s"],
];

/** How the screen gets at what Python works out. */
export interface Source {
  /** The state of a key; undefined while it is asked for. */
  state(key: string): State | undefined;
  /** Words on a run of the network; undefined while it is asked for. */
  run(key: string): string | undefined;
  /** Notes the setting. */
  moved(key: string, level: number, moves: number, foreseen: number): void;
}

interface Wish {
  next: Setting;
  says: string;
  from: HTMLElement;
}

const nameOf = (each: HTMLElement) => each.dataset.move ?? each.textContent;

let count = 0;

export class Screen {
  readonly root = make("section", { class: "anf", "aria-label": "Fit it in 16 KB" });
  private readonly game: Game;
  private wish: Wish | null = null;
  private said: Way | null = null;
  private readonly id = `anf-${++count}`;
  private readonly levels = make("div", { class: "anf-row", role: "group", "aria-label": "level" });
  private readonly rule = make("p", { class: "anf-rule" });
  private readonly figures = make("dl", { class: "anf-figures" });
  private readonly picture = make("div", {
    class: "anf-picture",
    tabindex: 0,
    role: "group",
    "aria-label": "memory over time",
  });
  private readonly words = make("p", { class: "anf-words", id: this.id });
  private readonly status = make("div", { class: "anf-status", role: "status" });
  private readonly moves = make("div", { class: "anf-moves" });
  private readonly ask = make("div", { class: "anf-ask", role: "group" });
  private readonly end = make("div", { class: "anf-end" });
  private readonly log = make("ol");
  private readonly player = make("input", { "aria-label": "name, for the printed page" });
  private readonly signed = make("p", { class: "anf-signed" });
  private readonly over = new AbortController();
  private isShown = false;

  constructor(
    facts: Facts,
    private readonly source: Source,
  ) {
    this.game = new Game(facts);
    const intro =
      "A camera of 32×32 points must tell three kinds of bars apart. The results of all layers " +
      "share one small memory; the line is what the chip has. Say which way the peak will go, " +
      "then see.";
    const title = make("h2", {}, "Fit it in 16 KB");
    const foot = make("div", { class: "anf-row" });
    const more = make("details", {}, make("summary", {}, "In words"), this.words);
    const made = make("details", {}, make("summary", {}, "Your moves"), this.log);
    const { levels, rule, figures, picture, status, ask, moves, end } = this;
    const body = [title, make("p", {}, intro), levels, rule, moves, ask, status];
    this.root.append(this.signed, ...body, figures, picture, more, made, end, foot);
    offerPicture(this.root, foot, "Fit it in 16 KB");
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    const open = () => {
      more.open = made.open = true;
      const date = new Date().toLocaleDateString("en-CA");
      this.signed.textContent = [this.player.value.trim(), date].filter(Boolean).join(", ");
    };
    addEventListener("beforeprint", open, { signal: this.over.signal });
    this.draw();
  }

  /** Draws again, since the source has more, or since colours changed. */
  update(): void {
    const held = this.held;
    if (this.said !== null) this.settle();
    else this.draw();
    if (held && !this.held) {
      const all = this.root.querySelectorAll<HTMLElement>("button, input");
      [...all].find((each) => nameOf(each) === nameOf(held))?.focus();
    }
  }

  /** What has the focus here: it is kept when all is drawn again. */
  private get held(): HTMLElement | null {
    const { activeElement } = this.root.getRootNode() as Document;
    return this.root.contains(activeElement) ? (activeElement as HTMLElement) : null;
  }

  /** Ends what outlives the elements. */
  leave(): void {
    this.over.abort();
  }

  private get state(): State | undefined {
    return this.source.state(keyOf(this.game.setting));
  }

  private onKey(event: KeyboardEvent): void {
    // What is typed here is not meant for the notebook.
    event.stopPropagation();
    if (this.wish === null || this.said !== null) return;
    const way = WAYS.find(([, , key]) => key === event.key.toLowerCase())?.[0];
    if (way) this.foretell(way);
    else if (event.key === "Escape") this.cancel();
    else return;
    event.preventDefault();
  }

  /** Asks for a prediction. */
  private want(next: Setting | null, says: string, from: HTMLElement): void {
    if (this.said !== null) return;
    if (next === null) {
      this.status.replaceChildren(make("p", {}, says));
      return;
    }
    if (keyOf(next) === keyOf(this.game.setting)) return;
    this.wish = { next, says, from };
    const asks = make("p", {}, `${says}. Will the peak go up, down, or stay the same?`);
    const ways = WAYS.map(([way, label, key]) =>
      button(label, () => this.foretell(way), { "aria-keyshortcuts": key, "data-way": way }),
    );
    const cancel = button("cancel", () => this.cancel(), { "aria-keyshortcuts": "Escape" });
    this.ask.replaceChildren(asks, make("div", { class: "anf-row" }, ...ways, cancel));
    this.ask.hidden = false;
    ways[0].focus();
  }

  private cancel(): void {
    const name = this.wish?.from.dataset.move;
    this.wish = null;
    this.draw();
    this.focus(name);
  }

  private foretell(way: Way): void {
    this.said = way;
    this.settle();
  }

  /** Makes the wished move once its state is known. */
  private settle(): void {
    const { wish, said, state: before } = this;
    if (wish === null || said === null || before === undefined) return;
    const after = this.source.state(keyOf(wish.next));
    if (after === undefined) {
      this.ask.replaceChildren(make("p", {}, "Working it out …"));
      return;
    }
    const way = this.game.make(wish.next, said, before, after);
    this.wish = this.said = null;
    this.isShown = false;
    const verdict = way === said ? "as you said" : `you said ${said}`;
    const change = `${before.peak.toLocaleString("en")} → ${bytes(after.peak)}: ${way}, ${verdict}.`;
    this.game.log.push(`${wish.says}: ${change}`);
    this.draw();
    this.status.dataset.kind = this.game.fits(after) ? "good" : "";
    const lines = [change, after.says, this.game.verdict(after)];
    this.status.replaceChildren(...lines.map((line) => make("p", {}, line)));
    const { level, moves, foreseen, setting } = this.game;
    this.source.moved(keyOf(setting), level, moves, foreseen);
    this.focus(wish.from.dataset.move);
  }

  /** Puts the focus on what stands where the focus was before the question. */
  private focus(name: string | undefined): void {
    const found = this.moves.querySelector<HTMLElement>(`[data-move="${name}"]`);
    (found ?? this.moves.querySelector<HTMLElement>("button:not([disabled])"))?.focus();
  }

  private begin(level: number): void {
    this.game.begin(level);
    this.wish = this.said = null;
    this.isShown = false;
    this.status.replaceChildren();
    this.status.dataset.kind = "";
    this.draw();
    this.levels.querySelectorAll<HTMLElement>("button")[level]?.focus();
    this.source.moved(keyOf(this.game.setting), level, 0, 0);
  }

  // --- drawing -----------------------------------------------------------------------------------

  private draw(): void {
    const { game, state } = this;
    this.ask.hidden = this.wish === null;
    this.drawLevels();
    if (this.wish === null) this.drawMoves();
    if (state === undefined) {
      this.picture.textContent = "Working it out …";
      return;
    }
    const isDark = this.root.hasAttribute("data-dark");
    const picture = drawMemory(state, game.rules.budget, isDark);
    picture.setAttribute("aria-label", `Memory over time, peak ${bytes(state.peak)}`);
    picture.setAttribute("aria-describedby", this.id);
    this.picture.replaceChildren(picture);
    this.words.textContent = state.text;
    if (!this.status.childElementCount) {
      const lines = [state.says, game.verdict(state)];
      this.status.replaceChildren(...lines.map((line) => make("p", {}, line)));
    }
    this.drawFigures(state);
    this.log.replaceChildren(...game.log.map((each) => make("li", {}, each)));
    this.drawEnd(state);
  }

  private drawLevels(): void {
    const { game } = this;
    this.levels.replaceChildren(
      ...game.facts.levels.map(({ name, budget }, level) => {
        const won = "★".repeat(game.stars[level]);
        const label = `${name}: ${budget.toLocaleString("en")} bytes ${won}`.trim();
        const pressed = String(level === game.level);
        return button(label, () => this.begin(level), { "aria-pressed": pressed });
      }),
    );
    this.rule.textContent = game.rules.says;
  }

  private drawFigures(state: State): void {
    const { game } = this;
    const start = this.source.state(keyOf(game.first));
    const parts: [string, string][] = [["peak", bytes(state.peak)]];
    if (game.rules.program) {
      parts.push(["C program", state.arena == null ? "not exported" : bytes(state.arena)]);
    }
    parts.push(
      ["budget", bytes(game.rules.budget)],
      ["more MACs", `${(100 * state.share).toFixed(2)} %`],
      ["moves", `${game.moves}, ${game.foreseen} foreseen`],
      ["points", start ? game.points(start, state).toLocaleString("en") : "0"],
    );
    this.figures.replaceChildren(
      ...parts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
    );
  }

  private drawMoves(): void {
    const { game } = this;
    const { setting, facts } = game;
    const rows = [this.row("order", "order", this.chips())];
    const place = { ...setting, inPlace: !setting.inPlace };
    const follow = { ...setting, rows: !setting.rows };
    rows.push(
      this.row("in_place", "in place", [
        this.toggle("in_place", "results may overwrite", setting.inPlace, place),
      ]),
      this.row("rows", "row by row", [
        this.toggle("rows", "results may follow inputs", setting.rows, follow),
      ]),
      this.row(
        "stripes",
        "stripes",
        facts.stripes.map((stripes) =>
          this.option("stripes", String(stripes), setting.stripes === stripes, {
            ...setting,
            stripes,
          }),
        ),
      ),
      this.row(
        "halo",
        "halos",
        facts.halos.map((halo) =>
          this.option("halo", halo === "cache" ? "keep" : halo, setting.halo === halo, {
            ...setting,
            halo,
          }),
        ),
      ),
    );
    this.moves.replaceChildren(...rows.filter((row) => row !== null));
  }

  private row(move: Move, label: string, items: HTMLElement[]): HTMLElement | null {
    if (!this.game.rules.moves.includes(move)) return null;
    const isOff = !this.game.allows(move);
    for (const item of items) if (item instanceof HTMLButtonElement) item.disabled = isOff;
    const row = make(
      "div",
      { class: "anf-row", role: "group", "aria-label": label },
      make("span", { class: "anf-name" }, label),
      ...items,
    );
    if (isOff && move === "order") {
      row.append(make("span", { class: "anf-note" }, "each stripe runs in the graph's order"));
    }
    return row;
  }

  private chips(): HTMLElement[] {
    return this.game.setting.order.map((name, place) => {
      const chip = button(name, () => {}, {
        class: "anf-chip",
        "data-move": name,
        "aria-label": `${name}, place ${place + 1} of both branches`,
        "aria-keyshortcuts": "ArrowLeft ArrowRight",
        title: "← and → move it; a click moves it to the left",
      });
      const shift = (by: number) => {
        const next = this.game.shifted(name, by);
        const side = by < 0 ? "earlier" : "later";
        const says = next
          ? `${name} runs ${side}`
          : `${name} cannot run ${side}: mind what it reads.`;
        this.want(next, says, chip);
      };
      chip.addEventListener("click", () => shift(-1));
      chip.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (by === undefined || chip.disabled) return;
        event.preventDefault();
        shift(by);
      });
      return chip;
    });
  }

  private toggle(move: Move, label: string, isOn: boolean, next: Setting): HTMLElement {
    const says = `${label}: ${isOn ? "off" : "on"}`;
    const made = button(`${label}: ${isOn ? "yes" : "no"}`, () => this.want(next, says, made), {
      "aria-pressed": String(isOn),
      "data-move": move,
    });
    return made;
  }

  private option(move: Move, label: string, isOn: boolean, next: Setting): HTMLElement {
    const says = `${move === "halo" ? "halos" : move}: ${label}`;
    const made = button(label, () => this.want(next, says, made), {
      "aria-pressed": String(isOn),
      "aria-label": says,
      "data-move": `${move} ${label}`,
    });
    return made;
  }

  private drawEnd(state: State): void {
    const { game } = this;
    this.end.replaceChildren();
    if (!game.fits(state)) return;
    const won = `${"★".repeat(game.starsOf(state))} ${game.rules.name} is won.`;
    this.end.append(make("p", { class: "anf-won" }, won));
    const row = make("div", { class: "anf-row" });
    this.end.append(row);
    if (game.runs) {
      const says = make("p", { class: "anf-run", role: "status" });
      const run = () => {
        this.isShown = true;
        const ran = this.source.run(keyOf({ ...game.setting, variant: "" }));
        says.textContent = ran ?? "It is built and run …";
        if (ran !== undefined) says.prepend(drawPicture(game.facts.picture));
      };
      if (this.isShown) run();
      const print = button("print", () => window.print(), { class: "anf-print" });
      const name = make("label", { class: "anf-print" }, "name ", this.player);
      row.append(button("run it on the board", run, { class: "anf-next" }), print, name);
      const budget = game.rules.budget.toLocaleString("en").replaceAll(",", "_");
      const call = make("code", {}, `aidge_nb.fit(graph, ${budget})`);
      const yours = make("p", { class: "anf-print" }, "Now yours: ", call);
      yours.append(" tries such moves on any network.");
      this.end.append(says, yours);
    }
    if (game.level + 1 < game.facts.levels.length) {
      const next = () => this.begin(game.level + 1);
      row.append(button("next level", next, { class: "anf-next" }));
    }
  }
}
