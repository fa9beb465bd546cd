// A question of the course in a notebook: traits in, traits out.

import css from "./course.css";
import { keepKeys } from "./dom.ts";
import { follow as followTheme, themed } from "./dress.ts";
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

let asks = 0;

function render({ model, el }: { model: AnyModel; el: HTMLElement }): () => void {
  const style = document.createElement("style");
  style.textContent = themed("anc") + css;
  const sheet = new Sheet(model.get("_question"), (request) => {
    model.set("_asked", { ...request, n: ++asks });
    model.save_changes();
  });
  el.append(style, sheet.root);
  const leaveTheme = followTheme(sheet.root);
  const leaveKeys = keepKeys(sheet.root);
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
    leaveTheme();
    leaveKeys();
  };
}

export default { render };
