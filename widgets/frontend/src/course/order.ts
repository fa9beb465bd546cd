// An order of names: chips that are moved, or, where names repeat, chips that are added.

import { button, make } from "./dom.ts";
import type { Entry, Order } from "./entry.ts";

export function order(config: Order, changed: (words: string) => void): Entry {
  let names: string[] = [];
  let dragged = -1;
  const list = make("ol", { class: "anc-chips", "aria-label": "order, by tick" });
  const element = make("div", { class: "anc-order" }, list);
  if (config.repeats) {
    const palette = config.items.map((name) =>
      button(`+ ${name}`, () => put([...names, name], names.length), { class: "anc-add" }),
    );
    element.append(
      make("div", { class: "anc-palette", role: "group", "aria-label": "add" }, ...palette),
    );
  }
  reset();
  return { element, read: () => (names.length ? [...names] : null), write, reset };

  function write(answer: unknown): void {
    names = [...(answer as string[])];
    draw();
  }

  function reset(): void {
    names = config.repeats ? [] : [...config.items];
    draw();
  }

  /** Shows other names, and puts the focus on one of them. */
  function put(next: string[], focus: number): void {
    names = next;
    draw();
    const chips = list.querySelectorAll<HTMLElement>("button");
    const at = Math.min(focus, chips.length - 1);
    if (!config.repeats || focus < chips.length - 1) chips[at]?.focus();
    changed(names.length ? `${names.join(", ")}` : "empty");
  }

  function move(from: number, to: number): void {
    if (to < 0 || to >= names.length || to === from) return;
    const next = [...names];
    next.splice(to, 0, ...next.splice(from, 1));
    put(next, to);
  }

  function draw(): void {
    list.replaceChildren(
      ...names.map((name, place) => {
        const chip = button(name, () => {}, {
          class: "anc-chip",
          "aria-label": `${name}, tick ${place}`,
          "aria-keyshortcuts": "ArrowLeft ArrowRight",
          "data-name": name,
        });
        chip.addEventListener("keydown", (event) => onKey(event, place));
        chip.addEventListener("pointerdown", (event) => begin(event, place));
        return make(
          "li",
          {},
          make("span", { class: "anc-tick", "aria-hidden": "true" }, `${place}`),
          chip,
        );
      }),
    );
    if (!names.length) list.append(make("li", { class: "anc-empty" }, "nothing yet"));
  }

  function onKey(event: KeyboardEvent, place: number): void {
    if (event.key === "ArrowLeft") move(place, place - 1);
    else if (event.key === "ArrowRight") move(place, place + 1);
    else if (config.repeats && (event.key === "Delete" || event.key === "Backspace")) {
      put(names.toSpliced(place, 1), Math.max(0, place - 1));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Follows the pointer; the chip takes the place of the one it is above. */
  function begin(event: PointerEvent, place: number): void {
    dragged = place;
    const follow = (at: PointerEvent) => {
      const chips = [...list.querySelectorAll<HTMLElement>(".anc-chip")];
      const over = chips.findIndex((chip) => {
        const { left, right, top, bottom } = chip.getBoundingClientRect();
        return (
          left <= at.clientX && at.clientX <= right && top <= at.clientY && at.clientY <= bottom
        );
      });
      if (over < 0 || over === dragged) return;
      const from = dragged;
      dragged = over;
      move(from, over);
    };
    const end = () => {
      removeEventListener("pointermove", follow);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
    };
    addEventListener("pointermove", follow);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
    event.preventDefault();
    (event.currentTarget as HTMLElement).focus();
  }
}
