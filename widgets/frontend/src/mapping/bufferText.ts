// Write the names of buffers of a machine: the work, and which of its values it is.

import type { Names } from "../model/names.ts";

const SHORT: Record<string, string> = { " input 0": " in", " result 0": " out" };

export function bufferText(
  name: string,
  node: string,
  room: number,
  names: Pick<Names, "fit">,
  measure: (text: string) => number,
): string {
  const rest = node && name.startsWith(`${node} `) ? name.slice(node.length) : "";
  if (!rest) return names.fit(name, room, measure);
  const short = SHORT[rest] ?? rest;
  const own = names.fit(node, room - measure(short), measure);
  return own && own + short;
}
