// A question of the course in a notebook: traits in, traits out.

import { dark, jupyter, jupyterDark, light } from "../../../shared/colours.json";
import css from "./course.css";
import type { Asked } from "./entry.ts";
import { Sheet, type Request, type Said, type Solution } from "./sheet.ts";

interface Traits {
  _question: Asked;
  answer: unknown;
  _asked: Request & { n: number };
  _said: Partial<Said>;
  _hints: string[];
  _solution: Partial<Solution>;
}

interface AnyModel {
  get<Key extends keyof Traits>(key: Key): Traits[Key];
  set<Key extends keyof Traits>(key: Key, value: Traits[Key]): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

type Colours = Record<string, string>;

/** Writes colours as CSS variables; those of Jupyter's theme come first where they are known. */
function variables(own: Colours, hosted: Colours): string {
  return Object.entries(own)
    .map(([name, colour]) => {
      const value = hosted[name] ? `var(${hosted[name]}, ${colour})` : colour;
      return `--anc-${name}:${value};`;
    })
    .join("");
}

function hostIsDark(): boolean {
  const { jpThemeLight } = document.body.dataset;
  if (jpThemeLight !== undefined) return jpThemeLight === "false";
  if (document.body.classList.contains("vscode-dark")) return true;
  if (document.body.classList.contains("vscode-light")) return false;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

let asks = 0;

function render({ model, el }: { model: AnyModel; el: HTMLElement }): () => void {
  const style = document.createElement("style");
  style.textContent =
    `.anc{${variables(light, jupyter)}}` +
    `.anc[data-dark]{${variables(dark, { ...jupyter, ...jupyterDark })}}${css}`;
  const sheet = new Sheet(model.get("_question"), (request) => {
    model.set("_asked", { ...request, n: ++asks });
    model.save_changes();
  });
  el.append(style, sheet.root);
  const dress = () => sheet.root.toggleAttribute("data-dark", hostIsDark());
  const media = matchMedia("(prefers-color-scheme: dark)");
  const watcher = new MutationObserver(dress);
  watcher.observe(document.body, { attributes: true });
  media.addEventListener("change", dress);
  dress();
  const follow: [keyof Traits, () => void][] = [
    ["answer", () => sheet.write(model.get("answer"))],
    ["_said", () => sheet.feedback(model.get("_said"))],
    ["_hints", () => sheet.hint(model.get("_hints"))],
    ["_solution", () => sheet.solution(model.get("_solution"))],
  ];
  for (const [name, call] of follow) {
    call();
    model.on(`change:${name}`, call);
  }
  if (!model.get("_question").hints) sheet.hint([]);
  return () => {
    for (const [name, call] of follow) model.off(`change:${name}`, call);
    media.removeEventListener("change", dress);
    watcher.disconnect();
  };
}

export default { render };
