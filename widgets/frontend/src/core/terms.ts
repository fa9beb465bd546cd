// Terms with a dotted underline: a tooltip of one sentence, and a way to the list of all words.

import terms from "../../../shared/terms.json";
import { element } from "./canvasPanel.ts";

/** Each term, and the sentence that says what it means; notebooks/glossary.md begins with the same. */
export const TERMS: ReadonlyMap<string, string> = new Map(Object.entries(terms));

const ENDINGS = "(?:s|es)?";
const WORDS = new RegExp(
  `\\b(${[...TERMS.keys()].sort((a, b) => b.length - a.length).join("|")})${ENDINGS}\\b`,
  "g",
);

/** Splits a text where terms stand in it; each term counts once. */
export function splitTerms(text: string, known = new Set<string>()): (string | Term)[] {
  const parts: (string | Term)[] = [];
  let from = 0;
  for (const found of text.matchAll(WORDS)) {
    const name = found[1];
    if (known.has(name)) continue;
    known.add(name);
    if (found.index > from) parts.push(text.slice(from, found.index));
    parts.push({ name, text: found[0] });
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

export interface Term {
  name: string;
  text: string;
}

/** The sentences of the terms in a text, for what cannot hold them as links. */
export function sentencesOf(text: string): string[] {
  return splitTerms(text).flatMap((part) =>
    typeof part === "string" ? [] : (TERMS.get(part.name) ?? []),
  );
}

/** A word with a dotted underline; a click asks for the list of words. */
export function termElement({ name, text }: Term): HTMLElement {
  const sentence = TERMS.get(name) ?? "";
  const made = element("button", { type: "button", class: "anb-term", "data-term": name }, text);
  made.title = `${sentence}\nClick for more words.`;
  made.setAttribute("aria-label", `${text}: ${sentence}`);
  return made;
}

/** A text whose terms are underlined; what opens or closes a phrase stays in the line of its term. */
export function withTerms(text: string, known?: Set<string>): (string | HTMLElement)[] {
  const made: (string | HTMLElement)[] = [];
  for (const part of splitTerms(text, known)) {
    const before = made.at(-1);
    if (typeof part !== "string") {
      const term = termElement(part);
      const opens = typeof before === "string" && before.endsWith("(");
      if (opens) made[made.length - 1] = before.slice(0, -1);
      made.push(opens ? element("span", { class: "anb-together" }, "(", term) : term);
    } else {
      const close = before instanceof HTMLElement ? (/^[.,:;)]+/.exec(part)?.[0] ?? "") : "";
      if (close && before instanceof HTMLElement) {
        made.splice(-1, 1, element("span", { class: "anb-together" }, before, close));
      }
      made.push(part.slice(close.length));
    }
  }
  return made;
}
