// SVG elements for panels that are drawn once per change, and the width of text.

const SVG = "http://www.w3.org/2000/svg";

export type Attributes = Record<string, string | number>;

/** Makes an element; text never becomes markup. */
export function svg(
  tag: string,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

export function rect(x: number, y: number, width: number, height: number, more: Attributes = {}) {
  const size = { width: Math.max(0, width), height: Math.max(0, height) };
  return svg("rect", { x, y, ...size, ...more });
}

export function line(x1: number, y1: number, x2: number, y2: number, more: Attributes = {}) {
  return svg("line", { x1, y1, x2, y2, ...more });
}

export function text(x: number, y: number, content: string, more: Attributes = {}): SVGElement {
  return svg("text", { x, y, ...more }, content);
}

/** Text on a patch of paper, so that it reads on whatever is under it. */
export function patch(x: number, y: number, content: string, wide: number, more: Attributes = {}) {
  const paper = rect(x - wide / 2 - 4, y - 12, wide + 8, 16, { class: "anb-patch" });
  return svg("g", {}, paper, text(x, y, content, { "text-anchor": "middle", ...more }));
}

let pen: CanvasRenderingContext2D | null = null;

/** The width of a text in pixels. */
export function widthOf(content: string, font: string): number {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return content.length * 7;
  pen.font = font;
  return pen.measureText(content).width;
}

/** The first text that has room; empty where none has. */
export function firstFitting(ways: readonly string[], room: number, font: string): string {
  return ways.find((each) => widthOf(each, font) <= room) ?? "";
}

/** A pattern of slanting lines in a colour. */
export function hatch(id: string, colour: string, apart: number): SVGElement {
  const size = { width: apart, height: apart, patternUnits: "userSpaceOnUse" };
  const turn = { patternTransform: "rotate(45)" };
  const stroke = line(0, 0, 0, apart, { stroke: colour, "stroke-width": 2.4 });
  const paper = rect(0, 0, apart, apart, { class: "anb-patch" });
  return svg("pattern", { id, ...size, ...turn }, paper, stroke);
}
