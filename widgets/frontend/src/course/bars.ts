// Bars on a ruler: a box for the first step, and a stop for the last; dragged, or moved by keys.

import { make } from "./dom.ts";
import type { Bars, Entry } from "./entry.ts";

type Part = "early" | "late";
const SAID: Record<string, [string, string]> = {
  ticks: ["first tick", "last tick"],
  "": ["early", "late"],
};

export function bars(config: Bars, changed: (words: string) => void): Entry {
  const { names, length, ask, early: fixed } = config;
  const parts: Part[] = ask === "early" || ask === "late" ? [ask] : ["early", "late"];
  const said = SAID[ask] ?? SAID[""];
  const spans = new Map<string, [number, number]>();
  const rows = new Map<string, { track: HTMLElement; handles: HTMLElement[] }>();
  const element = make("div", { class: "anc-bars", role: "group", "aria-label": "bars" });
  element.style.setProperty("--length", String(length));
  const ruler = make("div", { class: "anc-track anc-ruler", "aria-hidden": "true" });
  for (let at = 0; at < length; at++) ruler.append(make("span", {}, String(at)));
  element.append(make("span", { class: "anc-name" }, ask === "ticks" ? "tick" : "step"), ruler);
  for (const name of names) addRow(name);
  reset();
  return { element, read, write, reset };

  function addRow(name: string): void {
    const track = make("div", { class: "anc-track" });
    const line = make("span", { class: "anc-line" });
    const box = make("span", { class: "anc-box" });
    const stop = make("span", { class: "anc-stop" });
    track.append(line, box, stop);
    const handles = [box, stop];
    (["early", "late"] as Part[]).forEach((part, index) => {
      const handle = handles[index];
      if (!parts.includes(part)) {
        if (part === "late") handle.hidden = line.hidden = true;
        return;
      }
      handle.tabIndex = 0;
      handle.setAttribute("role", "slider");
      handle.setAttribute("aria-label", `${name}: ${said[index]}`);
      handle.setAttribute("aria-valuemin", "0");
      handle.setAttribute("aria-valuemax", String(length - 1));
      handle.addEventListener("keydown", (event) => onKey(event, name, part));
      drag(handle, track, name, part);
    });
    rows.set(name, { track, handles });
    element.append(make("span", { class: "anc-name", title: name }, name), track);
  }

  function onKey(event: KeyboardEvent, name: string, part: Part): void {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -length, End: length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const moved = event.shiftKey && parts.length > 1 ? "late" : part;
    move(name, moved, spans.get(name)![moved === "early" ? 0 : 1] + by);
  }

  function drag(handle: HTMLElement, track: HTMLElement, name: string, part: Part): void {
    let isDragged = false;
    handle.addEventListener("pointerdown", (event) => {
      isDragged = true;
      handle.setPointerCapture(event.pointerId);
      handle.focus();
      event.preventDefault();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!isDragged) return;
      const { left, width } = track.getBoundingClientRect();
      move(name, part, Math.floor(((event.clientX - left) / width) * length));
    });
    for (const end of ["pointerup", "pointercancel"]) {
      handle.addEventListener(end, () => (isDragged = false));
    }
  }

  /** Moves one end; the other one is pushed along where both are asked for. */
  function move(name: string, part: Part, to: number): void {
    const at = Math.max(0, Math.min(length - 1, to));
    const [early, late] = spans.get(name)!;
    let next: [number, number];
    if (part === "early") next = [at, Math.max(late, at)];
    else if (ask === "late") next = [early, Math.max(at, early)];
    else next = [Math.min(early, at), at];
    if (next[0] === early && next[1] === late) return;
    spans.set(name, next);
    draw(name);
    changed(words(name));
  }

  function words(name: string): string {
    const span = spans.get(name)!;
    const told = parts.map((part) => {
      const index = part === "early" ? 0 : 1;
      return `${said[index]} ${span[index]}`;
    });
    return `${name}: ${told.join(", ")}`;
  }

  function draw(name: string): void {
    const { track, handles } = rows.get(name)!;
    const span = spans.get(name)!;
    track.style.setProperty("--early", String(span[0]));
    track.style.setProperty("--late", String(span[1]));
    handles.forEach((handle, index) => {
      if (handle.tabIndex < 0) return;
      handle.setAttribute("aria-valuenow", String(span[index]));
      handle.setAttribute("aria-valuetext", words(name));
    });
  }

  function read(): Record<string, number | number[]> {
    const value = (name: string) => {
      const span = spans.get(name)!;
      return parts.length > 1 ? [...span] : span[parts[0] === "early" ? 0 : 1];
    };
    return Object.fromEntries(names.map((name) => [name, value(name)]));
  }

  function write(answer: unknown): void {
    const given = answer as Record<string, number | [number, number]>;
    for (const name of names) {
      const value = given[name];
      if (value === undefined) continue;
      const [early, late] = spans.get(name)!;
      if (typeof value === "object") spans.set(name, [value[0], value[1]]);
      else spans.set(name, ask === "early" ? [value, Math.max(value, late)] : [early, value]);
      draw(name);
    }
  }

  function reset(): void {
    for (const name of names) {
      const first = fixed[name] ?? 0;
      spans.set(name, [first, first]);
      draw(name);
    }
  }
}
