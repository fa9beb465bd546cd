// The controls of the page: a form of what Python offers.

import { element } from "../panel/canvasPanel.ts";
import type { ControlData } from "./protocol.ts";

export type Settings = Record<string, string | number | boolean>;

/** Draws a control; gives its element, and a function that reads it. */
function drawn(control: ControlData): [HTMLElement, () => string | number | boolean] {
  const { kind, label, name, options, value } = control;
  if (kind === "flag") {
    const box = element("input", { type: "checkbox", name });
    box.checked = value === true;
    return [element("label", {}, box, ` ${label}`), () => box.checked];
  }
  const select = element("select", { name });
  options.forEach(([text, each], place) => {
    const option = element("option", { value: String(place) }, text);
    option.selected = each === value;
    select.append(option);
  });
  return [element("label", {}, `${label} `, select), () => options[Number(select.value)][1]];
}

/** Fills a form; calls back with all settings when one of them changes. */
export function fillForm(
  form: HTMLElement,
  controls: ControlData[],
  chosen: Settings,
  changed: (settings: Settings) => void,
): void {
  const parts = controls.map((control) => {
    const value = chosen[control.name] ?? control.value;
    return [control.name, ...drawn({ ...control, value })] as const;
  });
  form.replaceChildren(...parts.map(([, part]) => part));
  form.onchange = () => changed(Object.fromEntries(parts.map(([name, , read]) => [name, read()])));
}
