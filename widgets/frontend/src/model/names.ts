// Write names where there is little room: block and leaf, the leaf, or the leaf with words cut.

import { blocks as rules, longest as LONGEST } from "../../../shared/labels.json";
import type { Blocks } from "./blocks.ts";
import { ColumnGroup, type Columns, type LabelMeta } from "./payload.ts";
import { elide } from "../core/text.ts";

type Measure = (text: string) => number;

export class Names {
  private readonly nodeOf: Map<string, number>;
  private readonly from: ArrayLike<number>;
  private readonly to: ArrayLike<number>;
  private readonly partFrom: ArrayLike<number>;
  private readonly partTo: ArrayLike<number>;

  constructor(
    names: string[],
    private readonly meta: LabelMeta,
    private readonly blocks: Blocks,
    columns: Columns,
  ) {
    const label = new ColumnGroup(columns, "label");
    this.from = label.find("from") ?? [];
    this.to = label.find("to") ?? [];
    this.partFrom = label.find("partFrom") ?? this.from;
    this.partTo = label.find("partTo") ?? this.to;
    this.nodeOf = new Map(names.map((name, node) => [name, node]));
  }

  /** What is left out of all names: "net_features_ … _fwd"; empty where nothing is. */
  get omitted(): string {
    const { prefix, suffix } = this.meta;
    return prefix || suffix ? `${prefix} … ${suffix}`.trim() : "";
  }

  /** What is left of a name without what most names have, and without its block. */
  leaf(name: string, from = this.from, to = this.to): string {
    const node = this.nodeOf.get(name);
    if (node !== undefined && to[node] !== undefined) return name.slice(from[node], to[node]);
    const { prefix, suffix } = this.meta;
    const own = prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name;
    return suffix && own.endsWith(suffix) ? own.slice(0, -suffix.length) || own : own || name;
  }

  /** Block and leaf: "1 · conv1". */
  path(name: string): string {
    const block = this.blocks.label(this.blocks.of(this.nodeOf.get(name) ?? -1));
    const leaf = this.leaf(name);
    return block && block !== leaf ? `${block} · ${leaf}` : leaf;
  }

  /** The longest way to write a name in at most `width` pixels; empty where there is none.
   *  `inBlock` is for places that say the block already. */
  fit(name: string, width: number, measure: Measure, inBlock = false): string {
    const path = elide(inBlock ? this.leaf(name) : this.path(name), LONGEST);
    if (measure(path) <= width) return path;
    const leaf = elide(this.leaf(name), LONGEST);
    // What tells it from the others of its block.
    const part = elide(this.leaf(name, this.partFrom, this.partTo), LONGEST);
    const ways = [leaf, ...shorter(leaf), part, ...shorter(part)];
    return (
      ways.find((text) => text !== path && measure(text) <= width) ??
      (leaf.length > rules.endless ? ends(leaf, width, measure) : "")
    );
  }

  /** The same by characters; both ends of the name where nothing is short enough. */
  short(name: string, limit: number): string {
    return this.fit(name, limit, (text) => text.length) || elide(this.leaf(name), limit);
  }
}

/** The one short way to write a leaf, if there is one: words cut to 3 letters from the left, the
 *  last one at last, until few letters are left. Short words stay: one letter less is harder to
 *  read, and hardly shorter. The last word alone could be that of another. */
export function shorter(leaf: string): string[] {
  const words = leaf.match(WORDS) ?? [leaf];
  const last = words.findLastIndex((word) => LETTERS.test(word));
  let found: string[] = [];
  for (let at = 0; at <= last && last > 0; at++) {
    if (words[at].length <= WHOLE || !LETTERS.test(words[at])) continue;
    words[at] = words[at].slice(0, 3);
    found = [words.join("")];
    if (found[0].length <= rules.short) break;
  }
  return found;
}

/** Letters of a word that is never cut. */
const WHOLE = 4;
const WORDS = /\p{L}+?(?:(?<=[^A-Z])(?=[A-Z])|(?!\p{L}))|\p{N}+(?:x\p{N}+)*|[^\p{L}\p{N}]+/gu;
const LETTERS = /^\p{L}/u;

/** Both ends of a name that has no words, as long as at least a few letters of each are left. */
function ends(text: string, width: number, measure: Measure): string {
  for (let limit = Math.min(text.length, rules.endless); limit >= 8; limit -= 4) {
    const cut = elide(text, limit);
    if (measure(cut) <= width) return cut;
  }
  return "";
}
