// Fit the texts of a folded schedule: break a line in two, or leave out its end.

/** Breaks a sum into lines before a sign. */
export function wrapped(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const part of text.split(/ (?=[+=])/)) {
    const last = lines.at(-1);
    const longer = last === undefined ? part : `${last} ${part}`;
    if (last !== undefined && measure(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

/** Leaves out words from the end until the text fits; empty where not even the first does. */
export function shorter(text: string, width: number, measure: (text: string) => number): string {
  for (const cut of [
    text.replace(/:.*$/, ""),
    text.replace(/, .*$/, ""),
    text.replace(/^steps? /, ""),
  ])
    if (measure(cut) <= width) return cut;
  return "";
}

/** Breaks a line in two at a space in its middle. */
export function halves(line: string): string[] {
  const at = line.indexOf(" ", Math.floor(line.length / 3));
  return at < 0 ? [line] : [line.slice(0, at), line.slice(at + 1)];
}
