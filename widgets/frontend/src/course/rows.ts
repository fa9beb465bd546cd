// Rows of maps: a brush on each, painted by pointer, or moved by keys at its first and last row.

import { make } from "./dom.ts";
import type { Entry, Rows } from "./entry.ts";

type Span = [number, number];

/** Pixels: the tallest map, and the highest row. */
const TALL = 288;
const HIGH = 22;

/** Rows of the tallest map that are numbered, at most. */
const NUMBERED = 16;

export function words([first, last]: Span): string {
  return first === last ? `row ${first}` : `rows ${first}–${last}`;
}

/** Moves one end of a span; the other one is pushed along. */
export function moved([first, last]: Span, end: number, to: number, rows: number): Span {
  const at = Math.max(0, Math.min(rows - 1, to));
  return end ? [Math.min(first, at), at] : [at, Math.max(last, at)];
}

/** The end of a span that stays when a pointer goes down at a row: an edge is dragged, else all. */
export function anchorAt([first, last]: Span, row: number): number {
  if (first === last) return row;
  return row === first ? last : row === last ? first : row;
}

export function rows(config: Rows, changed: (words: string) => void): Entry {
  const spans = new Map<string, Span>();
  const draws = new Map<string, () => void>();
  const element = make("div", { class: "anc-maps", role: "group", "aria-label": "rows" });
  const most = Math.max(...config.maps.map((map) => map.rows));
  const high = Math.min(HIGH, TALL / most);
  const asked = config.maps.filter((map) => !map.given);
  for (const map of config.maps) addMap(map);
  reset();
  return { element, read, write, reset };

  function addMap({ name, rows: count, given }: Rows["maps"][number]): void {
    const field = make("div", { class: "anc-field" });
    field.style.setProperty("--row", `${high}px`);
    field.style.height = `${high * count}px`;
    const every = Math.ceil(most / NUMBERED);
    for (let row = 0; row < count; row += every) {
      const label = make("span", { class: "anc-row", "aria-hidden": "true" }, String(row));
      label.style.top = `${high * row}px`;
      field.append(label);
    }
    const brush = make("div", { class: "anc-brush" });
    const said = make("span", { class: "anc-tick" });
    const ends = given ? [] : ["first row", "last row"].map((end, at) => handle(name, end, at));
    field.append(brush);
    brush.append(...ends);
    const title = given ? `${name}, given` : name;
    element.append(make("div", { class: "anc-map" }, make("b", {}, title), field, said));
    spans.set(name, given ?? [0, 0]);
    draws.set(name, () => {
      const [first, last] = spans.get(name)!;
      brush.style.top = `${high * first}px`;
      brush.style.height = `${high * (last - first + 1)}px`;
      said.textContent = words([first, last]);
      ends.forEach((end, at) => {
        end.setAttribute("aria-valuenow", String(at ? last : first));
        end.setAttribute("aria-valuetext", `${name}: ${words([first, last])}`);
      });
    });
    draws.get(name)!();
    if (given) brush.toggleAttribute("data-given", true);
    else paint(field, name, count);

    function handle(of: string, end: string, at: number): HTMLElement {
      const made = make("span", {
        class: "anc-end",
        tabindex: 0,
        role: "slider",
        "aria-orientation": "vertical",
        "aria-label": `${of}: ${end}`,
        "aria-valuemin": 0,
        "aria-valuemax": count - 1,
      });
      made.addEventListener("keydown", (event) => {
        const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
        const to = { Home: 0, End: count }[event.key] ?? spans.get(of)![at] + (by ?? NaN);
        if (Number.isNaN(to)) return;
        event.preventDefault();
        event.stopPropagation();
        put(of, moved(spans.get(of)!, at, to, count));
      });
      return made;
    }
  }

  function paint(field: HTMLElement, name: string, count: number): void {
    let anchor = -1;
    const rowOf = (event: PointerEvent) => {
      const row = Math.floor((event.clientY - field.getBoundingClientRect().top) / high);
      return Math.max(0, Math.min(count - 1, row));
    };
    const follow = (event: PointerEvent) => {
      const row = rowOf(event);
      put(name, [Math.min(anchor, row), Math.max(anchor, row)]);
    };
    field.addEventListener("pointerdown", (event) => {
      anchor = anchorAt(spans.get(name)!, rowOf(event));
      field.setPointerCapture(event.pointerId);
      event.preventDefault();
      follow(event);
      field.querySelector<HTMLElement>(".anc-end")?.focus();
    });
    field.addEventListener("pointermove", (event) => anchor >= 0 && follow(event));
    for (const end of ["pointerup", "pointercancel"]) {
      field.addEventListener(end, () => (anchor = -1));
    }
  }

  function put(name: string, span: Span): void {
    const [first, last] = spans.get(name)!;
    if (span[0] === first && span[1] === last) return;
    spans.set(name, span);
    draws.get(name)!();
    changed(`${name}: ${words(span)}`);
  }

  function read(): Record<string, Span> {
    return Object.fromEntries(asked.map(({ name }) => [name, spans.get(name)!]));
  }

  function write(answer: unknown): void {
    const given = answer as Record<string, Span>;
    for (const { name } of asked) if (given[name]) put(name, [given[name][0], given[name][1]]);
  }

  function reset(): void {
    for (const { name } of asked) put(name, [0, 0]);
  }
}
