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

/** What opens a phrase, or counts a term; and what closes it, or is its number. */
const OPENS = /(?:\(|[\d,.–]*\d )$/;
const CLOSES = /^(?: \d[\d,.–]*)?[.,:;)]*/;
/** A number and its unit, or a unit and its number. */
const FIGURES =
  /([−+×]?[\d,.–]*\d (?:[KMGT]?i?B|%|[kMG]|µs|MACs|bytes|cycles?|steps?|ticks?|rows?)(?![\p{L}\d])|\b(?:tick|step|stripe|byte)s? \d[\d,.–]*)/u;

/** A text in which no line ends between a number and its unit. */
export function together(text: string): (string | HTMLElement)[] {
  const parts = text.split(FIGURES);
  const kept = parts.map((part, index) =>
    index % 2 ? element("span", { class: "anb-together" }, part) : part,
  );
  return kept.filter((part) => part !== "");
}

/** A text whose terms are underlined; what opens, counts or closes one stays in its line. */
export function withTerms(text: string, known?: Set<string>): (string | HTMLElement)[] {
  const parts: (string | Term | HTMLElement)[] = splitTerms(text, known);
  for (const [at, part] of parts.entries()) {
    if (typeof part === "string" || part instanceof HTMLElement) continue;
    const [before, after] = [parts[at - 1], parts[at + 1]];
    const opens = typeof before === "string" ? (OPENS.exec(before)?.[0] ?? "") : "";
    const closes = typeof after === "string" ? (CLOSES.exec(after)?.[0] ?? "") : "";
    const term = termElement(part);
    parts[at] =
      opens || closes ? element("span", { class: "anb-together" }, opens, term, closes) : term;
    if (opens) parts[at - 1] = (before as string).slice(0, -opens.length);
    if (closes) parts[at + 1] = (after as string).slice(closes.length);
  }
  return (parts as (string | HTMLElement)[]).flatMap((part) =>
    typeof part === "string" ? together(part) : part,
  );
}
