// Paint what rows and memories of a machine have in common: stripes, headings, text on paper.

import { mapping } from "../../../shared/panels.json";
import { fitText } from "../core/text.ts";
import { textOn, type Theme } from "../core/theme.ts";
import { GREY } from "../model/machine.ts";

export class MachineBrush {
  private readonly shades = new Map<string, string>();

  constructor(
    readonly context: CanvasRenderingContext2D,
    readonly theme: Theme,
  ) {}

  readonly measure = (text: string): number => this.context.measureText(text).width;

  /** The colour of a family, or the second shade of it. */
  colour(family: number, shade = 0): string {
    const { theme } = this;
    const colour = family === GREY ? theme.muted : (theme.families[family] ?? theme.muted);
    if (!shade) return colour;
    const known = this.shades.get(colour) ?? shaded(colour, theme.dark);
    this.shades.set(colour, known);
    return known;
  }

  ink(family: number, shade = 0): string {
    return textOn(this.colour(family, shade));
  }

  /** What is moved, or a copy: hatched in a family's colour, or grey for parameters. */
  moved(x: number, y: number, wide: number, high: number, family: number): void {
    const { context } = this;
    const { grey, hatch, narrow } = mapping;
    const colour = this.colour(family);
    const alpha = context.globalAlpha;
    context.fillStyle = colour;
    const isNarrow = Math.min(wide, high) < narrow;
    const fill = isNarrow ? grey.narrow : family === GREY ? grey.fill : hatch.fill;
    context.globalAlpha = alpha * fill;
    context.fillRect(x, y, wide, high);
    context.globalAlpha = alpha;
    if (isNarrow) return;
    if (family !== GREY) this.stripes(x, y, wide, high, colour, hatch.apart, hatch.line);
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
  }

  /** A stretch in which nothing is done. */
  idle(x: number, y: number, wide: number, high: number): void {
    this.stripes(x, y, wide, high, this.theme.muted, mapping.idle.apart, mapping.idle.line);
  }

  private stripes(
    x: number,
    y: number,
    wide: number,
    high: number,
    colour: string,
    apart: number,
    strength: number,
  ): void {
    const { context } = this;
    const alpha = context.globalAlpha;
    context.globalAlpha = alpha * strength;
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    // Of a wide box only what is seen is striped.
    const from = Math.max(-high, -high + Math.floor(Math.max(0, -x) / apart) * apart);
    const to = Math.min(wide, context.canvas.width - x);
    for (let shift = from; shift < to; shift += apart) {
      const [low, top] = [Math.max(0, shift), Math.min(wide, shift + high)];
      context.moveTo(x + low, y + high - (low - shift));
      context.lineTo(x + top, y + high - (top - shift));
    }
    context.stroke();
    context.globalAlpha = alpha;
  }

  /** The line above a group: its title, and what it shows. */
  heading(y: number, width: number, title: string, words: string): void {
    const { context, theme } = this;
    context.fillStyle = theme.paper;
    context.fillRect(0, y, width, mapping.head);
    context.fillStyle = theme.faint;
    context.fillRect(0, y, width, mapping.head);
    const middle = y + mapping.head / 2 + 0.5;
    context.textBaseline = "middle";
    context.textAlign = "start";
    context.font = `600 11px ${theme.font}`;
    context.fillStyle = theme.ink;
    const own = fitText(title, width / 2, this.measure);
    context.fillText(own, 12, middle);
    const start = 12 + this.measure(own) + 10;
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.muted;
    if (start + this.measure(words) < width - 8) context.fillText(words, start, middle);
  }

  /** Text around a point, on paper, so that it can be read over stripes. */
  onPaper(text: string, x: number, y: number): void {
    const { context, theme } = this;
    const half = this.measure(text) / 2 + 3;
    const alpha = context.globalAlpha;
    context.fillStyle = theme.paper;
    context.globalAlpha = alpha * 0.85;
    context.fillRect(x - half, y - 7, 2 * half, 14);
    context.globalAlpha = alpha;
    context.fillStyle = theme.ink;
    this.centred(text, x, y);
  }

  centred(text: string, x: number, y: number): void {
    const { context } = this;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, x, y + 0.5);
    context.textAlign = "start";
  }

  /** Text from the bottom to the top, around a point. */
  upright(text: string, x: number, y: number): void {
    this.turned(x, y, () => this.centred(text, 0, 0));
  }

  /** Paints around a point, turned a quarter to the left. */
  turned(x: number, y: number, paint: () => void): void {
    const { context } = this;
    context.save();
    context.translate(x, y);
    context.rotate(-Math.PI / 2);
    paint();
    context.restore();
  }

  /** The line of the cycle that is looked at. */
  playhead(x: number, top: number, bottom: number): void {
    const { context, theme } = this;
    context.fillStyle = theme.peak;
    context.fillRect(Math.round(x) - 1, top, 2, bottom - top);
  }
}

/** A second shade: darker on light paper, lighter on dark paper. */
export function shaded(colour: string, isDark: boolean): string {
  const { light, dark } = mapping.shade;
  const parts = [1, 3, 5].map((start) => {
    const part = parseInt(colour.slice(start, start + 2), 16);
    return Math.round(isDark ? part * dark + 255 * (1 - dark) : part * light);
  });
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
