// A pen that writes SVG: what the painters use of a canvas, so that they draw into a file as well.

import { painters } from "../core/painted.ts";

type State = Pick<
  CanvasRenderingContext2D,
  "fillStyle" | "strokeStyle" | "lineWidth" | "globalAlpha" | "font" | "textAlign" | "textBaseline"
> & { dash: number[]; matrix: DOMMatrix; within: string };

const ruler = document.createElement("canvas").getContext("2d");

/** Counts the definitions of a file, so that each has a name of its own. */
export interface Names {
  next: number;
}

export const number = (value: number): string => String(Math.round(value * 100) / 100 || 0);

export const escaped = (text: string): string =>
  text
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd")
    .replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Writes an element; numbers are rounded, text is escaped, and what is empty is left out. */
export function tag(name: string, attributes: Record<string, string | number>, inner = ""): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === "" ? "" : ` ${key}="${typeof value === "number" ? number(value) : escaped(value)}"`,
  );
  return `<${name}${written.join("")}>${inner}</${name}>`;
}

/** Names the next definition of a file, and writes where it is used. */
export function define(names: Names): [id: string, use: string] {
  const id = `anb-${names.next++}`;
  return [id, `url(#${id})`];
}

/** Measures text in a font: its width, and how far it reaches up and down. */
export function measure(font: string, text: string): TextMetrics {
  ruler!.font = font;
  return ruler!.measureText(text);
}

/** Writes text that takes the same room in any font: what is measured here. */
export const words = (
  text: string,
  width: number,
  font: string,
  style: Record<string, string | number>,
) =>
  tag(
    "text",
    { textLength: width, lengthAdjust: "spacingAndGlyphs", style: `font:${font}`, ...style },
    escaped(text),
  );

export class Pen implements State {
  fillStyle: State["fillStyle"] = "#000";
  strokeStyle: State["strokeStyle"] = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign: CanvasTextAlign = "start";
  textBaseline: CanvasTextBaseline = "alphabetic";
  dash: number[] = [];
  matrix = new DOMMatrix();
  within = "";
  readonly canvas: { width: number; height: number; dataset: Record<string, string> };
  private readonly parts: string[] = [];
  private readonly stack: State[] = [];
  private path = "";
  /** The clip of the group that is open. */
  private open = "";

  constructor(
    width: number,
    height: number,
    private readonly names: Names,
  ) {
    this.canvas = { width, height, dataset: {} };
  }

  get svg(): string {
    return this.parts.join("") + (this.open && "</g>");
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font } = this;
    const { textAlign, textBaseline, dash, matrix, within } = this;
    const kept = { fillStyle, strokeStyle, lineWidth, globalAlpha, font };
    this.stack.push({ ...kept, textAlign, textBaseline, dash, matrix, within });
  }

  restore(): void {
    Object.assign(this, this.stack.pop());
  }

  translate(x: number, y: number): void {
    this.matrix = this.matrix.translate(x, y);
  }

  scale(x: number, y: number): void {
    this.matrix = this.matrix.scale(x, y);
  }

  rotate(angle: number): void {
    this.matrix = this.matrix.rotate((angle * 180) / Math.PI);
  }

  setTransform(...matrix: number[]): void {
    this.matrix = new DOMMatrix(matrix);
  }

  getTransform(): DOMMatrix {
    return this.matrix;
  }

  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  beginPath(): void {
    this.path = "";
  }

  moveTo(x: number, y: number): void {
    this.path += `M${this.at(x, y)}`;
  }

  lineTo(x: number, y: number): void {
    this.path += `${this.path ? "L" : "M"}${this.at(x, y)}`;
  }

  bezierCurveTo(...points: [number, number, number, number, number, number]): void {
    const [a, b, c, d, e, f] = points;
    this.path += `C${this.at(a, b)} ${this.at(c, d)} ${this.at(e, f)}`;
  }

  closePath(): void {
    this.path += "Z";
  }

  rect(x: number, y: number, wide: number, high: number): void {
    this.moveTo(x, y);
    this.path += `L${this.at(x + wide, y)} ${this.at(x + wide, y + high)} ${this.at(x, y + high)}Z`;
  }

  roundRect(x: number, y: number, wide: number, high: number, radius: number | number[] = 0): void {
    const r = Math.min([radius].flat()[0], Math.abs(wide) / 2, Math.abs(high) / 2);
    const [right, bottom] = [x + wide, y + high];
    this.moveTo(x + r, y);
    const corner = (a: number, b: number, c: number, d: number, e: number, f: number) => {
      this.path += `L${this.at(a, b)}Q${this.at(c, d)} ${this.at(e, f)}`;
    };
    corner(right - r, y, right, y, right, y + r);
    corner(right, bottom - r, right, bottom, right - r, bottom);
    corner(x + r, bottom, x, bottom, x, bottom - r);
    corner(x, y + r, x, y, x + r, y);
    this.closePath();
  }

  /** A circle: the painters need no less. */
  arc(x: number, y: number, radius: number): void {
    const r = number(radius * this.grown);
    this.moveTo(x - radius, y);
    this.path += `A${r} ${r} 0 1 1 ${this.at(x + radius, y)}A${r} ${r} 0 1 1 ${this.at(x - radius, y)}`;
  }

  clearRect(): void {}

  fillRect(x: number, y: number, wide: number, high: number): void {
    this.alone(() => this.rect(x, y, wide, high), "fill");
  }

  strokeRect(x: number, y: number, wide: number, high: number): void {
    this.alone(() => this.rect(x, y, wide, high), "stroke");
  }

  fill(): void {
    this.add(
      tag("path", { d: this.path, fill: String(this.fillStyle), opacity: this.globalAlpha }),
    );
  }

  stroke(): void {
    const dashes = this.dash.map((each) => number(each * this.grown));
    this.add(
      tag("path", {
        d: this.path,
        fill: "none",
        stroke: String(this.strokeStyle),
        "stroke-width": this.lineWidth * this.grown,
        "stroke-dasharray": dashes.join(" "),
        opacity: this.globalAlpha,
      }),
    );
  }

  clip(): void {
    const [id, use] = define(this.names);
    const path = tag("path", { d: this.path });
    this.parts.push(tag("clipPath", { id, "clip-path": this.within }, path));
    this.within = use;
  }

  measureText(text: string): TextMetrics {
    return measure(this.font, text);
  }

  fillText(text: string, x: number, y: number): void {
    if (!text.trim()) return;
    const {
      width,
      fontBoundingBoxAscent: up,
      fontBoundingBoxDescent: down,
    } = measure(this.font, text);
    const from = { center: width / 2, right: width, end: width, start: 0, left: 0 }[this.textAlign];
    const lower = { middle: (up - down) / 2, top: up, hanging: up, bottom: -down };
    const base = y + (lower[this.textBaseline as keyof typeof lower] ?? 0);
    const { a, b, c, d } = this.matrix;
    const moved = [a, b, c, d].map((each) => Math.round(each * 1e4) / 1e4);
    const style = {
      transform: `matrix(${moved.join(" ")} ${this.at(x - from, base)})`,
      fill: String(this.fillStyle),
      opacity: this.globalAlpha,
    };
    this.add(words(text, width, this.font, style));
  }

  drawImage(image: HTMLCanvasElement, x: number, y: number): void {
    const transform = `translate(${this.at(x, y)}) scale(${this.grown})`;
    this.add(tag("image", { transform, href: image.toDataURL() }));
  }

  private get grown(): number {
    const { a, b, c, d } = this.matrix;
    return Math.sqrt(Math.abs(a * d - b * c));
  }

  private at(x: number, y: number): string {
    const { a, b, c, d, e, f } = this.matrix;
    return `${number(a * x + c * y + e)} ${number(b * x + d * y + f)}`;
  }

  private alone(draw: () => void, how: "fill" | "stroke"): void {
    const before = this.path;
    this.path = "";
    draw();
    this[how]();
    this.path = before;
  }

  protected add(part: string): void {
    if (this.open !== this.within) {
      if (this.open) this.parts.push("</g>");
      if (this.within) this.parts.push(`<g clip-path="${this.within}">`);
      this.open = this.within;
    }
    this.parts.push(part);
  }
}

/** Draws what a view paints on a canvas; of others, what they show. */
export function repaint(
  canvas: HTMLCanvasElement,
  place: Record<string, number>,
  names: Names,
): string {
  const paint = painters.get(canvas);
  if (!paint) return tag("image", { ...place, href: canvas.toDataURL() });
  const pen = new Pen(canvas.width, canvas.height, names);
  paint(pen as unknown as CanvasRenderingContext2D);
  return tag("svg", place, pen.svg);
}
