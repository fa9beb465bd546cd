// Answers that are typed or chosen: a number, a line of text, options.

import { button, make } from "./dom.ts";
import type { Entry, NumberAsked, Options, TextAsked } from "./entry.ts";

export function number(config: NumberAsked): Entry {
  const field = make("input", {
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    "aria-label": `your answer${config.unit && ` in ${config.unit}`}`,
  });
  field.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    field.value = String((Number(field.value.replaceAll(",", "")) || 0) + by);
  });
  const element = make("div", { class: "anc-number" }, field, make("span", {}, config.unit));
  return { element, ...typed(field) };
}

export function text(config: TextAsked): Entry {
  const field = make("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": config.label,
  });
  const keys = config.keys.map((key) =>
    button(
      key,
      () => {
        field.setRangeText(key, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
        field.focus();
      },
      { "aria-label": `write ${key}` },
    ),
  );
  return { element: make("div", { class: "anc-text" }, field, ...keys), ...typed(field) };
}

function typed(field: HTMLInputElement): Omit<Entry, "element"> {
  return {
    read: () => field.value.trim() || null,
    write: (answer) => (field.value = String(answer)),
    reset: () => (field.value = ""),
  };
}

let groups = 0;

export function options(config: Options): Entry {
  const group = `anc-options-${groups++}`;
  const type = config.many ? "checkbox" : "radio";
  const element = make("div", {
    class: "anc-options",
    role: config.many ? "group" : "radiogroup",
    "aria-label": "options",
  });
  const inputs = config.options.map((option) => {
    const input = make("input", { type, name: group, value: option });
    element.append(make("label", {}, input, make("span", {}, option)));
    return input;
  });
  element.addEventListener("keydown", (event) => {
    const chosen = inputs[Number(event.key) - 1];
    if (!chosen || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    chosen.checked = config.many ? !chosen.checked : true;
    chosen.focus();
  });
  const marked = () => inputs.filter((input) => input.checked).map((input) => input.value);
  return {
    element,
    read: () => (config.many ? (marked().length ? marked() : null) : (marked()[0] ?? null)),
    write: (answer) => {
      const names = Array.isArray(answer) ? answer : [answer];
      for (const input of inputs) input.checked = names.includes(input.value);
    },
    reset: () => inputs.forEach((input) => (input.checked = false)),
  };
}
