// The workbench: panels that share one store, so that a selection shows in all of them.

import {
  button,
  element,
  type CanvasPanel,
  type Hit,
  type Host,
  type Point,
} from "../panel/canvasPanel.ts";
import { Firings } from "../model/firings.ts";
import type { Pose } from "../core/glide.ts";
import { decode } from "../model/model.ts";
import type { Payload } from "../model/payload.ts";
import { Player } from "../panel/player.ts";
import { NONE } from "../model/search.ts";
import { CHOICES, Store, type Change, type Choices, type State } from "../model/store.ts";
import { elide } from "../core/text.ts";
import {
  dress,
  plainTheme,
  readTheme,
  watchTheme,
  type Theme,
  type ThemeName,
  variables,
} from "../core/theme.ts";
import { withTerms } from "../panel/terms.ts";
import aliveCss from "../alive/alive.css";
import findingsCss from "../findings/findings.css";
import stripesCss from "../stripes/stripes.css";
import { FindingsStrip } from "../findings/strip.ts";
import { paint } from "../mapping/hues.ts";
import { goToAsked } from "../model/stripes.ts";
import { repaint } from "../picture/pen.ts";
import { portrait } from "../picture/portrait.ts";
import { PictureMenu } from "../picture/save.ts";
import { arrange } from "./arrange.ts";
import { Asking } from "./asking.ts";
import { Column } from "./column.ts";
import { Header } from "./header.ts";
import { Help } from "./help.ts";
import { keyboard } from "./keyboard.ts";
import type { Options, Outside } from "./outside.ts";
import { makePanels, type Panel } from "./panels.ts";
import { Tip } from "./tip.ts";
import { explainWords } from "./wordTips.ts";
import { Transport } from "./transport.ts";
import askingCss from "./asking.css";
import css from "./style.css";

interface Unsought {
  timeRange: State["timeRange"];
  poses: Pose[];
  left: Pose[];
}

/** What leads the eye to a node: panels move there gently. */
const LEADS = ["selected", "query", "found", "tick", "step", "marks"] as const;

export class Workbench implements Host {
  readonly root: HTMLElement;
  readonly store: Store;
  readonly panels: Panel[];
  readonly header: Header;
  readonly help = new Help();
  readonly explained = (text: string) => withTerms(text);
  readonly findings: FindingsStrip;
  readonly asking: Asking;
  readonly isPage: boolean;
  readonly player: Player;
  readonly firings: Firings;
  active: Panel | undefined;
  readonly column: Column;
  private readonly transport: Transport | null;
  private readonly tip = new Tip();
  private readonly live = element("p", { class: "anb-live", "aria-live": "polite" });
  readonly byName: Map<string, number>;
  private readonly cleanups: (() => void)[] = [];
  private themeName: ThemeName;
  /** What was seen before a search moved the views, and where it left them. */
  private unsought: Unsought | null = null;
  /** The colours, once they were read; null where there was nothing to read them from. */
  private read: Theme | null = null;
  private wasShown = false;
  private readonly themeButton: HTMLButtonElement;

  constructor(
    parent: HTMLElement,
    payload: Payload,
    private readonly options: Options = {},
  ) {
    const model = decode(payload);
    this.isPage = options.page ?? false;
    this.store = new Store(model);
    this.byName = new Map(model.name.map((name, node) => [name, node]));
    this.root = element("div", {
      class: "aidge-nb",
      "data-lm-suppress-shortcuts": "true",
      "data-selected": "",
      "data-hovered": "",
    });
    this.root.toggleAttribute("data-page", this.isPage);
    this.root.toggleAttribute("data-steady", options.steady ?? false);
    this.root.append(
      element(
        "style",
        {},
        variables() + css + findingsCss + aliveCss + (model.stripes ? stripesCss : "") + askingCss,
      ),
    );
    parent.append(this.root);
    this.themeName = options.theme ?? "auto";
    dress(this.root, this.themeName);
    this.themeButton = button("◐", "Switch between light and dark", () => this.switchTheme());
    const picture = new PictureMenu(() => this.picture(), model.meta.title);
    const menu = [picture.button, picture.element];
    this.header = new Header(this, [this.themeButton, ...menu, this.help.button]);
    this.firings = new Firings(this.store);
    // Observes before panels do: they paint the window of the start at once. Put back into the page
    // after a notebook had taken it out, the theme may be another one.
    const shown = new ResizeObserver(() => this.shown());
    shown.observe(this.root);
    this.player = new Player(this.store, () => this.played());
    this.panels = makePanels(this, options.panels, options.before);
    this.active = this.panels[0];
    this.transport = this.hasSteps() ? new Transport(this, this.player, this.firings) : null;
    this.findings = new FindingsStrip(this);
    const player = this.transport?.element ?? null;
    this.column = new Column(this, this.panels, player, options.steady);
    this.root.append(this.header.element, this.help.element);
    this.help.explainIn(this.root);
    if (this.transport && !this.column.panels.length) this.root.append(this.transport.element);
    const arranged = arrange(this.panels, this.column, (panel) => (this.active = panel));
    const { figures, found, notes, search } = this.header;
    const rest = this.transport ? [this.transport.element] : [];
    const hidden = [figures, found, ...notes, this.findings.element, ...rest, ...arranged.children];
    this.asking = new Asking(this, hidden as HTMLElement[], search, (news) =>
      options.changed?.(news),
    );
    arranged.append(this.asking.curtain);
    this.help.element.after(this.asking.bar, this.findings.element);
    this.root.append(arranged, this.tip.element, this.live);
    // What a tap explained is no more than that: the next one begins anew.
    this.root.addEventListener("pointerdown", () => this.tooltip(null), true);
    this.cleanups.push(
      explainWords(this.root, this.tip),
      () => shown.disconnect(),
      watchTheme(() => this.retheme()),
      keyboard(this, this.isPage),
      this.store.subscribe((change, origin) => this.changed(change, origin)),
    );
    this.set(options);
    this.store.set({ ...options.choices }, "outside");
  }

  /** Whether there is something to step through in what is shown. */
  private hasSteps(): boolean {
    const { timeline } = this.store.model;
    if (timeline && !timeline.listed && this.store.clock.unit === "step") return false;
    const stepped = ["timeline", "factorized", "memory", "graph", "devices"];
    return this.store.clock.count > 1 && this.panels.some(({ name }) => stepped.includes(name));
  }

  private played(): void {
    for (const panel of this.panels) if (panel.name === "graph") panel.redraw();
  }

  private get canvases(): CanvasPanel[] {
    return this.panels.filter((panel): panel is CanvasPanel => "canvas" in panel);
  }

  /** What takes the keys of the panel that was used last. */
  get focusable(): HTMLElement | null {
    return this.active?.section.querySelector<HTMLElement>("[tabindex]:not([role=slider])") ?? null;
  }

  private nodeOf(name: string | null | undefined): number {
    return name ? (this.byName.get(name) ?? NONE) : NONE;
  }

  private nodesOf(names: readonly string[] | null): number[] {
    return (names ?? []).map((name) => this.nodeOf(name)).filter((node) => node !== NONE);
  }

  nameOf(node: number): string | null {
    return node === NONE ? null : this.store.model.name[node];
  }

  /** Takes over state from the outside: traits of the kernel, or options. */
  set(outside: Partial<Outside>): void {
    const change: Change = {};
    if (outside.selected !== undefined) change.selected = this.nodeOf(outside.selected);
    if (outside.picked !== undefined) change.picked = this.nodesOf(outside.picked);
    if (outside.hovered !== undefined) change.hovered = this.nodeOf(outside.hovered);
    if (outside.query !== undefined) change.query = outside.query;
    if (outside.found !== undefined) change.found = outside.found;
    if (outside.timeRange !== undefined) change.timeRange = outside.timeRange;
    if (outside.clock) this.store.setClock(outside.clock, "outside");
    const { tick, step } = outside;
    if (tick === null || step === null) change.tick = change.step = null;
    this.store.set(change, "outside");
    if (tick !== undefined && tick !== null) this.store.goToTick(tick, "outside");
    else if (step !== undefined && step !== null) this.store.goToStep(step, "outside");
    const { stripes, halo } = outside;
    const ways = this.store.model.stripes;
    if (ways && (stripes !== undefined || halo !== undefined))
      goToAsked(ways, this.store, stripes, halo);
    this.asking.set(outside);
    if (outside.theme !== undefined && outside.theme !== this.themeName) {
      this.themeName = outside.theme;
      this.retheme();
    }
  }

  private changed(change: Change, origin: unknown): void {
    const { root, store } = this;
    if (change.selected !== undefined) {
      root.dataset.selected = this.nameOf(change.selected) ?? "";
    }
    if (change.selected !== undefined || change.picked !== undefined)
      this.live.textContent = this.asking.isCovered ? "" : this.sentence(store.state.selected);
    if (change.hovered !== undefined) root.dataset.hovered = this.nameOf(change.hovered) ?? "";
    if (change.query !== undefined || change.found !== undefined)
      root.dataset.matches = store.isSearching ? `${store.matchCount}` : "";
    if (change.hue !== undefined) paint(store.model, change.hue);
    this.header.changed(change, origin);
    this.findings.changed(change);
    this.asking.changed(change);
    this.transport?.changed(change);
    const shown = LEADS.some((key) => key in change)
      ? this.canvases.map((each) => each.rest())
      : [];
    for (const panel of this.panels) panel.changed(change, origin);
    this.column.changed(change);
    if (change.hue !== undefined) this.redraw();
    if (change.query !== undefined || change.found !== undefined) this.searched(shown);
    if (change.selected !== undefined || change.timeRange !== undefined) this.unsought = null;
    shown.forEach((pose, index) => this.canvases[index].moveFrom(pose));
    if (origin === "outside") return;
    const news: Partial<Outside> = {};
    if (change.selected !== undefined) news.selected = this.nameOf(change.selected);
    if (change.picked !== undefined)
      news.picked = change.picked.map((node) => store.model.name[node]);
    if (change.hovered !== undefined) news.hovered = this.nameOf(change.hovered);
    if (change.query !== undefined) news.query = change.query;
    if (change.timeRange !== undefined) news.timeRange = change.timeRange;
    if (change.clock !== undefined) news.clock = change.clock;
    if (change.tick !== undefined) news.tick = change.tick;
    if (change.step !== undefined) news.step = change.step;
    const way = change.way !== undefined && store.model.stripes?.ways[change.way];
    if (way) Object.assign(news, { stripes: way.count, halo: way.kept ? "cache" : "recompute" });
    if (Object.keys(news).length) this.options.changed?.(news);
  }

  /** What is on screen as SVG, with the findings as its description. */
  picture(): string {
    const { title } = this.store.model.meta;
    const { innerText } = this.asking.isCovered ? this.asking.bar : this.findings.element;
    return portrait(this.root, elide(title, 300), innerText.replace(/\s+/g, " "), repaint);
  }

  /** Brings the current one of what the query finds into view; goes back where it finds none. */
  private searched(shown: Pose[]): void {
    const { store } = this;
    const { match } = store;
    if (!store.isSearching) this.unsought = null;
    else if (match !== NONE) {
      const { timeRange } = store.state;
      const before = this.unsought ?? { timeRange, poses: shown };
      for (const panel of this.panels) panel.reveal(match);
      this.unsought = { ...before, left: this.canvases.map((each) => each.rest()) };
    } else if (this.unsought) {
      const { timeRange, poses, left } = this.unsought;
      this.unsought = null;
      const still = this.canvases.map((each, index) => each.isAt(left[index]));
      store.set({ timeRange });
      this.canvases.forEach((each, index) => still[index] && each.goTo(poses[index]));
    }
  }

  private sentence(node: number): string {
    const { name, type } = this.store.model;
    const { picked } = this.state;
    const marks = picked.length ? `, ${picked.length} marked` : "";
    if (node === NONE) return `nothing selected${marks}`;
    const isMarked = picked.includes(node) ? "marked" : "selected";
    return `${elide(name[node], 200)}, ${type[node]}, ${isMarked}${marks}`;
  }

  private switchTheme(): void {
    this.themeName = this.theme.dark ? "light" : "dark";
    this.retheme();
    this.options.changed?.({ theme: this.themeName });
  }

  /** The colours: read when they are needed first, for then the style sheet is at work. */
  get theme(): Theme {
    const { families } = this.store.model.meta;
    this.read ??= readTheme(this.root, families);
    return this.read ?? plainTheme(families);
  }

  private shown(): void {
    const isFirst = !this.wasShown && this.read !== null;
    this.wasShown = true;
    if (!isFirst) this.retheme();
    this.column.opened();
    this.paintPage();
  }

  /** A page of its own goes on where the window is larger, or the view longer. */
  private paintPage(): void {
    if (this.isPage) document.body.style.background = getComputedStyle(this.root).backgroundColor;
  }

  private retheme(): void {
    dress(this.root, this.themeName);
    const theme = readTheme(this.root, this.store.model.meta.families);
    if (!theme || JSON.stringify(theme) === JSON.stringify(this.read)) return;
    this.read = theme;
    this.paintPage();
    this.redraw();
  }

  private redraw(): void {
    for (const panel of this.panels) panel.redraw();
    this.findings.redraw();
    this.column.redraw();
  }

  tooltip(hit: Hit | null, event?: PointerEvent): void {
    this.tip.show(hit?.lines ?? null, event);
  }

  /** Where a node is drawn in a panel, in pixels of the window; null when it is not seen. */
  locate(panel: string, name: string): Point | null {
    const found = this.panels.find((each) => each.name === panel);
    const point = found?.locate(this.nodeOf(name)) ?? null;
    if (!found || !point || !("canvas" in found)) return null;
    const box = found.canvas.getBoundingClientRect();
    return { x: box.left + point.x, y: box.top + point.y };
  }

  get state(): Readonly<State> {
    return this.store.state;
  }

  get choices(): Partial<Choices> {
    return Object.fromEntries(CHOICES.map((name) => [name, this.state[name]]));
  }

  destroy(): void {
    this.player.stop();
    for (const cleanup of this.cleanups) cleanup();
    for (const panel of this.panels) panel.destroy();
    this.column.destroy();
    this.root.remove();
  }
}
