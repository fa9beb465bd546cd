// Shorten names to the available room, and keep them distinct.

import { longest as LONGEST, unique } from "../../../shared/labels.json";
import { elide, usualPrefix } from "./text.ts";

type Measure = (text: string) => number;

export class Names {
  /** What names begin with, and how many have a word: found when a name has to be cut. */
  private words: { shared: string; common: Map<string, number> } | null = null;
  /** By length: what a name was shortened to, and which name took a short one. */
  private readonly known = new Map<number, { short: Map<string, string>; taken: Set<string> }>();

  constructor(private readonly names: string[]) {}

  private get learnt(): { shared: string; common: Map<string, number> } {
    if (this.words) return this.words;
    const common = new Map<string, number>();
    for (const name of this.names) {
      for (const word of new Set(wordsOf(name.slice(0, LONGEST)))) {
        common.set(word, (common.get(word) ?? 0) + 1);
      }
    }
    return (this.words = { shared: usualPrefix(this.names), common });
  }

  /** Shortens a name until it is at most `width` pixels wide; empty when that tells nothing. */
  fit(name: string, width: number, measure: Measure): string {
    let cut = elide(name, LONGEST);
    let wide = measure(cut);
    while (wide > width) {
      const limit = Math.min(cut.length - 1, Math.floor((cut.length * width) / wide));
      if (limit < unique) return "";
      cut = this.short(name, limit);
      wide = measure(cut);
    }
    return cut;
  }

  /** Shortens a name to `limit` characters, to something that no other name was shortened to. */
  short(name: string, limit: number): string {
    if (name.length <= limit) return name;
    let table = this.known.get(limit);
    if (!table) this.known.set(limit, (table = { short: new Map(), taken: new Set() }));
    const before = table.short.get(name);
    if (before !== undefined) return before;
    const { shared } = this.learnt;
    const own = shared && name.startsWith(shared) ? "…" + name.slice(shared.length) : name;
    const tries = [
      own.length <= limit ? own : this.cutWords(own, limit),
      elide(own, limit),
      "…" + name.slice(name.length - limit + 1),
    ];
    let found = tries.find((each) => each.length <= limit && !table.taken.has(each));
    for (let number = 2; found === undefined; number++) {
      const mark = `·${number}`;
      const each = elide(own, Math.max(1, limit - mark.length)) + mark;
      if (!table.taken.has(each)) found = each;
    }
    table.short.set(name, found);
    table.taken.add(found);
    return found;
  }

  /** Cuts the words that most names have, and the longest, first; numbers and separators stay. */
  private cutWords(name: string, limit: number): string {
    if (name.length > LONGEST) return elide(name, limit);
    const { common } = this.learnt;
    const parts = name.match(/\p{L}+|\p{N}+|[^\p{L}\p{N}]+/gu) ?? [name];
    const order = parts
      .map((part, index) => ({ part, index, often: common.get(part) ?? 0 }))
      .filter(({ part }) => part.length > 3 && /\p{L}/u.test(part))
      .sort((a, b) => b.often - a.often || b.part.length - a.part.length || a.index - b.index);
    let length = name.length;
    for (const least of [2, 1]) {
      for (const { part, index } of order) {
        if (length <= limit) break;
        const room = Math.max(least, parts[index].length - 1 - (length - limit));
        const cut = part.slice(0, Math.min(room, part.length - 2)) + "…";
        if (cut.length >= parts[index].length) continue;
        length -= parts[index].length - cut.length;
        parts[index] = cut;
      }
    }
    return parts.join("");
  }
}

function wordsOf(name: string): string[] {
  return name.match(/\p{L}{3,}/gu) ?? [];
}
