// Animate from one memory plan to another: buffers move by name, others fade.

import { orderOf, type MemoryModel } from "../model/memory.ts";

/** A plan on its way to another: `alpha` is how much each rectangle is there. */
export interface Moving {
  data: MemoryModel;
  alpha: Float32Array;
  isMoving: boolean;
}

interface Pair {
  before: number;
  after: number;
}

/** Pairs the rectangles of two plans by name and, for those in several pieces, by order. */
function pairsOf(before: MemoryModel, after: MemoryModel): Pair[] {
  const keys = (names: string[]) => {
    const seen = new Map<string, number>();
    return names.map((name) => {
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      return `${count} ${name}`;
    });
  };
  const old = new Map(keys(before.names).map((key, buffer) => [key, buffer]));
  const pairs = keys(after.names).map((key, buffer) => {
    const own = old.get(key) ?? -1;
    old.delete(key);
    return { before: own, after: buffer };
  });
  return [...[...old.values()].map((buffer) => ({ before: buffer, after: -1 })), ...pairs];
}

const smooth = (part: number): number => part * part * (3 - 2 * part);

/** Prepares the way from one plan to another; give it how far it is, from 0 to 1. */
export function morph(before: MemoryModel, after: MemoryModel): (part: number) => Moving {
  const pairs = pairsOf(before, after);
  const mix = (name: "lower" | "upper" | "offset" | "size" | "whole", part: number) =>
    Float64Array.from(pairs, (pair) => {
      const from = pair.before < 0 ? after[name][pair.after] : before[name][pair.before];
      const to = pair.after < 0 ? before[name][pair.before] : after[name][pair.after];
      return from + (to - from) * part;
    });
  const either = (name: "node" | "kind") =>
    Uint32Array.from(pairs, (pair) =>
      pair.after < 0 ? before[name][pair.before] : after[name][pair.after],
    );
  const fixed = {
    node: either("node"),
    kind: either("kind"),
    names: pairs.map((pair) =>
      pair.after < 0 ? before.names[pair.before] : after.names[pair.after],
    ),
  };
  return (time) => {
    const part = smooth(Math.min(1, Math.max(0, time)));
    const between = (from: number, to: number) => from + (to - from) * part;
    const [lower, upper] = [mix("lower", part), mix("upper", part)];
    const [order, reached] = orderOf(lower, upper);
    return {
      data: {
        ...after,
        ...fixed,
        order,
        reached,
        peak: between(before.peak, after.peak),
        lowerBound: between(before.lowerBound, after.lowerBound),
        lower,
        upper,
        offset: mix("offset", part),
        size: mix("size", part),
        whole: mix("whole", part),
      },
      alpha: Float32Array.from(pairs, (pair) =>
        pair.before < 0 ? part : pair.after < 0 ? 1 - part : 1,
      ),
      isMoving: true,
    };
  };
}
