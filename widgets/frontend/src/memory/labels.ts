// Paint the texts of the memory panel: buffer names, limits, and memories.

import { memory } from "../../../shared/panels.json";
import type { Model } from "../model/model.ts";
import { sizeText } from "../core/text.ts";
import type { Theme } from "../core/theme.ts";
import type { MemoryView } from "./frame.ts";
import { coveredFrom } from "../model/memory.ts";

/** A line across the plan, with what it is. */
interface Limit {
  address: number;
  text: string;
  dash: number[];
  colour: string;
  /** Pixels from the line down to the middle of its text. */
  shift: number;
  /** Where its text begins. */
  x: number;
}

const { tag: TAG, name: NAME, limits: LIMITS } = memory;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export class MemoryLabels {
  private covered = new Map<number, number>();

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: MemoryView,
    private readonly model: Model,
    private readonly theme: Theme,
  ) {}

  private readonly measure = (text: string): number => this.context.measureText(text).width;

  // --- names of buffers -----------------------------------------------------------------------

  /** Writes names into the rectangles that have room for them, and never over each other. */
  paintNames(drawn: Uint32Array, alphaOf: (buffer: number) => number): void {
    const { lower, upper, offset, size } = this.view.data;
    this.covered = coveredFrom(lower, upper, offset, size, drawn);
    const tags = this.tagsOfLimits();
    for (const buffer of drawn) if (alphaOf(buffer) > 0.5) this.paintName(buffer, tags);
  }

  /** Writes the name where nothing drawn later lies over it. */
  private paintName(buffer: number, tags: Box[]): void {
    const { context, theme, measure, view } = this;
    const { lower, upper, offset, size, whole, names, node } = view.data;
    const x = view.x(lower[buffer]);
    const end = view.x(this.covered.get(buffer) ?? upper[buffer]);
    const seen = Math.min(end, view.left + view.plotWidth) - Math.max(x, view.left);
    const y = Math.max(-2, view.y(offset[buffer] + size[buffer]));
    const high = Math.min(view.height + 2, view.y(offset[buffer])) - y;
    const canLie = high >= NAME.height && seen >= NAME.width;
    const canStand = seen >= NAME.narrow && high >= NAME.upright;
    if (!canLie && !canStand) return;
    context.font = `11px ${theme.font}`;
    const fit = (room: number) => this.model.names.fit(names[buffer], room - NAME.room, measure);
    const lying = canLie ? fit(seen) : "";
    const isUpright = lying !== "";
    // Its size stands below the name where there is room for both.
    const bytes = sizeText(whole[buffer]);
    const isTwo = isUpright && high >= 2 * NAME.height + 2 && measure(bytes) <= seen - NAME.room;
    const text = lying || (canStand ? fit(high) : "");
    const half = text ? measure(text) / 2 : 0;
    const at = { x: Math.max(x, view.left) + seen / 2, y: y + high / 2 };
    const below = isTwo ? 7 : 0;
    const [wide, tall] = isUpright
      ? [Math.max(half, isTwo ? measure(bytes) / 2 : 0), 6 + below]
      : [6, half];
    const isTaken = tags.some(
      ({ left, top, right, bottom }) =>
        at.x - wide < right && at.x + wide > left && at.y - tall < bottom && at.y + tall > top,
    );
    if (!text || isTaken) return;
    context.fillStyle = theme.inks[this.model.family[node[buffer]]];
    context.textBaseline = "middle";
    this.write(text, at.x, at.y - below, isUpright);
    if (isTwo) this.write(bytes, at.x, at.y + below, true);
  }

  private write(text: string, x: number, y: number, isUpright: boolean): void {
    const { context } = this;
    context.textAlign = "center";
    if (isUpright) context.fillText(text, x, y + 0.5);
    else {
      context.save();
      context.translate(x, y);
      context.rotate(-Math.PI / 2);
      context.fillText(text, 0, 0.5);
      context.restore();
    }
    context.textAlign = "start";
  }

  // --- weights --------------------------------------------------------------------------------

  /** Where weights lie beside the plan. */
  paintRegion(): void {
    const { context, theme, view } = this;
    const { region } = view.data;
    if (!region) return;
    context.font = `600 11px ${theme.font}`;
    const name = `${region.name} ${sizeText(region.size)}`;
    const { base, size } = region;
    const y = Math.round(view.y(base)) + 0.5;
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(view.left, y);
    context.lineTo(view.left + view.plotWidth, y);
    context.stroke();
    const own = view.y(0) - view.y(size) < TAG ? name.split(":")[0] : name;
    const room = Math.min(view.plotWidth / 2, view.plotWidth - 16);
    const text = room > 0 ? this.model.names.fit(own, room, this.measure) : "";
    if (text) this.tag(text, view.left + 8, y - 9, theme.ink);
  }

  /** Writes text on paper, so that it can be read over anything. */
  private tag(text: string, x: number, y: number, ink: string): void {
    const { context, theme } = this;
    context.textBaseline = "middle";
    context.fillStyle = theme.paper;
    context.globalAlpha = 0.85;
    context.fillRect(x - 4, y - 7, this.measure(text) + 8, 14);
    context.globalAlpha = 1;
    context.fillStyle = ink;
    context.fillText(text, x, y + 0.5);
  }

  // --- peak and lower bound -------------------------------------------------------------------

  private limits(): Limit[] {
    const { context, theme, view, measure } = this;
    const { peak, lowerBound, budget } = view.data;
    context.font = `600 11px ${theme.font}`;
    const right = view.left + view.plotWidth - 10;
    const found: Limit[] = [];
    const add = (address: number, text: string, limit: typeof LIMITS.peak, colour: string) =>
      found.push({ ...limit, address, text, colour, x: right - measure(text) });
    const one = peak === lowerBound;
    add(peak, `peak ${one ? "= lower bound " : ""}${sizeText(peak)}`, LIMITS.peak, theme.peak);
    if (!one) add(lowerBound, `lower bound ${sizeText(lowerBound)}`, LIMITS.bound, theme.ink);
    if (!budget) return found;
    const over = peak > budget ? `, ${sizeText(peak - budget)} too much` : "";
    add(budget, `budget ${sizeText(budget)}${over}`, LIMITS.budget, theme.warn);
    // At the other end of its line, where it is not written over the peak.
    found[found.length - 1].x = view.left + 8;
    return found;
  }

  /** Where the texts of the limits are: names keep away from them. */
  private tagsOfLimits(): Box[] {
    return this.limits().map(({ address, text, shift, x }) => {
      const y = this.view.y(address) + shift;
      return { left: x - 4, top: y - 7, right: x + this.measure(text) + 4, bottom: y + 7 };
    });
  }

  paintLimits(): void {
    const { context, view } = this;
    const right = view.left + view.plotWidth;
    for (const { address, text, dash, colour, shift, x } of this.limits()) {
      const y = Math.round(view.y(address)) + 0.5;
      context.strokeStyle = colour;
      context.lineWidth = LIMITS.width;
      context.setLineDash(dash);
      context.beginPath();
      context.moveTo(view.left, y);
      context.lineTo(right, y);
      context.stroke();
      context.setLineDash([]);
      this.tag(text, x, y + shift, colour);
    }
  }
}
