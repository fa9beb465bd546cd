// Paint the memories of a machine: buffers, copies and parameters, peak and capacity, names.

import { axis as axes, mapping, memory as sizes } from "../../../shared/panels.json";
import { byteTicks } from "../core/axis.ts";
import type { Host } from "../panel/canvasPanel.ts";
import { NONE } from "../model/search.ts";
import { sizeText } from "../core/text.ts";
import { PALE } from "../core/theme.ts";
import { livingIn } from "../model/memory.ts";
import { MachineBrush } from "./brush.ts";
import { bufferText } from "./bufferText.ts";
import { familyOf, GREY } from "../model/machine.ts";
import type { MemoriesPanel, Plot } from "./memories.ts";

/** More rectangles than this are drawn without names. */
const MANY = 1500;

/** A text on paper beside a line: where its left and its middle are. */
interface Tag {
  text: string;
  x: number;
  y: number;
  wide: number;
  colour: string;
}

type Box = readonly [left: number, top: number, right: number, bottom: number];

export class SpacePainter {
  private readonly brush: MachineBrush;
  /** What is written at the limits of all memories: names keep away from it. */
  private tags: Tag[] = [];

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly view: MemoriesPanel,
    private readonly host: Host,
  ) {
    this.brush = new MachineBrush(context, host.theme);
  }

  /** Paints everything; returns the number of rectangles drawn. */
  paint(): number {
    const { context, view, host } = this;
    const plots = view.plots.filter(
      ({ y, high }) => y + mapping.head + high > view.scroll && y < view.scroll + view.height,
    );
    context.save();
    context.translate(0, -view.scroll);
    this.tags = plots.flatMap((plot) => this.tagsOf(plot));
    for (const plot of plots) this.paintGrid(plot);
    context.save();
    context.beginPath();
    context.rect(view.left, 0, view.plotWidth + 2, view.scroll + view.height);
    context.clip();
    const drawn = this.paintBuffers();
    context.restore();
    for (const plot of plots) this.paintFrame(plot);
    const { now } = host.store;
    const x = now === null ? -1 : view.x(now);
    if (x >= view.left - 1 && x <= view.left + view.plotWidth + 1) {
      for (const { y, high } of plots)
        this.brush.playhead(x, y + mapping.head, y + mapping.head + high);
    }
    for (const tag of this.tags) this.paintTag(tag);
    for (const { space, y } of plots) this.brush.heading(y, view.width, space.name, space.text);
    context.restore();
    return drawn;
  }

  private paintGrid({ space, y, high, base, up }: Plot): void {
    const { context, view, host } = this;
    const { theme } = host;
    const { axis } = host.store.window;
    const right = view.left + view.plotWidth;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.globalAlpha = 0.6;
    context.beginPath();
    for (const mark of host.store.clock.marks(axis, view.plotWidth / axes.unit)) {
      const x = Math.round(view.x(mark)) + 0.5;
      context.moveTo(x, y + mapping.head);
      context.lineTo(x, y + mapping.head + high);
    }
    const marks = byteTicks(0, space.scale, (space.scale * up) / axes.bytes);
    for (const address of marks) {
      const at = Math.round(base - address * up) + 0.5;
      context.moveTo(view.left, at);
      context.lineTo(right, at);
    }
    context.stroke();
    context.globalAlpha = 1;
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.muted;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const address of marks) {
      const text = address ? sizeText(address) : "0";
      context.fillText(text, view.left - 8, base - address * up);
    }
    context.textAlign = "start";
  }

  private paintBuffers(): number {
    const { view, host } = this;
    const { data } = view;
    const { axis } = host.store.window;
    const { selected, hovered } = host.store.state;
    const seen = livingIn(data, axis.start, axis.stop);
    const framed: Box[] = [];
    let drawn = 0;
    for (const buffer of seen) {
      const box = view.box(buffer);
      if (!box || box[3] < view.scroll || box[1] > view.scroll + view.height) continue;
      drawn++;
      this.paintBuffer(buffer, box, seen.length <= MANY);
      const node = data.node[buffer];
      if (node !== NONE && (node === selected || node === hovered)) framed.push(box);
    }
    for (const box of framed) this.paintOutline(box);
    return drawn;
  }

  private paintBuffer(buffer: number, box: Box, isNamed: boolean): void {
    const { context, view, host, brush } = this;
    const { data } = view;
    const { model } = host.store;
    const [x, y, right, bottom] = box;
    const [wide, high] = [right - x, bottom - y];
    const family = familyOf(model, data.source?.[buffer] ?? data.node[buffer]);
    const isHatched = data.copy?.[buffer] === 1 || family === GREY;
    context.globalAlpha = host.store.isMatch(data.node[buffer]) ? 1 : PALE;
    if (isHatched) brush.moved(x, y, wide, high, family);
    else {
      context.fillStyle = brush.colour(family);
      context.fillRect(x, y, wide, high);
      if (wide > 3 && high > 3) {
        context.strokeStyle = host.theme.paper;
        context.lineWidth = 1;
        context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
      }
    }
    if (isNamed && host.store.state.names) this.paintName(buffer, box, isHatched, family);
    context.globalAlpha = 1;
  }

  /** The name of a buffer inside its box; nothing where it has no room. */
  private paintName(buffer: number, box: Box, isHatched: boolean, family: number): void {
    const { context, view, host, brush } = this;
    const { data } = view;
    const { name } = mapping;
    const { model } = host.store;
    const from = Math.max(box[0], view.left);
    const wide = Math.min(box[2], view.left + view.plotWidth) - from;
    const high = box[3] - box[1];
    const isLevel = high >= mapping.memory.name && wide >= name.level + name.room;
    if (!isLevel && (isHatched || wide < name.upright || high < sizes.name.upright)) return;
    context.font = `11px ${host.theme.font}`;
    const room = (isLevel ? wide : high) - name.room;
    const node = model.name[data.node[buffer]] ?? "";
    const text = bufferText(data.names[buffer], node, room, model.names, brush.measure);
    if (!text) return;
    const [x, y] = [from + wide / 2, (box[1] + box[3]) / 2];
    const half = brush.measure(text) / 2;
    if (this.isTaken(x, y, isLevel ? half : 6, isLevel ? 6 : half)) return;
    if (isHatched) return brush.onPaper(text, x, y);
    context.fillStyle = brush.ink(family);
    if (isLevel) brush.centred(text, x, y);
    else brush.upright(text, x, y);
  }

  /** Whether what is written at a limit lies where a name would be. */
  private isTaken(x: number, y: number, across: number, down: number): boolean {
    return this.tags.some(
      (tag) =>
        tag.x < x + across && tag.x + tag.wide > x - across && Math.abs(tag.y - y) < 7 + down,
    );
  }

  private paintOutline([x, y, right, bottom]: Box): void {
    const { context, host } = this;
    // Around what is small, so that its colour can still be seen.
    const out = Math.min(right - x, bottom - y) < 8 ? 1 : 0;
    context.strokeStyle = host.theme.ink;
    context.lineWidth = 2;
    context.strokeRect(x - out, y - out, right - x + 2 * out, bottom - y + 2 * out);
    context.lineWidth = 1;
  }

  /** Its axes, the line of the peak, and that of all bytes where it is on the scale. */
  private paintFrame({ space, y, base, up }: Plot): void {
    const { context, view, host } = this;
    const { theme } = host;
    const right = view.left + view.plotWidth;
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(view.left - 0.5, y + mapping.head);
    context.lineTo(view.left - 0.5, base + 0.5);
    context.moveTo(view.left, base + 0.5);
    context.lineTo(right, base + 0.5);
    context.stroke();
    const { peak, end, isSeen } = limits({ space, base, up });
    if (isSeen) this.level(end, theme.ink, []);
    this.level(peak, theme.peak, sizes.limits.peak.dash);
  }

  /** What is written at its limits, and where. */
  private tagsOf({ space, y, base, up }: Plot): Tag[] {
    const { context, view, brush } = this;
    const { theme } = this.host;
    const { apart, words } = mapping.memory;
    if (view.plotWidth < words) return [];
    const { peak, end, isSeen } = limits({ space, base, up });
    context.font = `600 11px ${theme.font}`;
    const tag = (text: string, at: number, colour: string): Tag => {
      return { text, x: view.left + 6, y: at, wide: brush.measure(text) + 8, colour };
    };
    const isAbove = peak - y - mapping.head > apart && !(isSeen && peak - end <= apart);
    const last = tag(`peak ${sizeText(space.size)}`, isAbove ? peak - 8 : peak + 9, theme.peak);
    last.x = view.left + view.plotWidth - last.wide - 6;
    if (!isSeen) return [last];
    return [tag(`capacity ${sizeText(space.capacity)}`, end + 9, theme.ink), last];
  }

  private level(y: number, colour: string, dash: number[]): void {
    const { context, view } = this;
    context.strokeStyle = colour;
    context.lineWidth = sizes.limits.width;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(view.left, y);
    context.lineTo(view.left + view.plotWidth, y);
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 1;
  }

  /** Text on paper, so that it can be read over anything. */
  private paintTag({ text, x, y, wide, colour }: Tag): void {
    const { context, host } = this;
    context.fillStyle = host.theme.paper;
    context.globalAlpha = 0.85;
    context.fillRect(x, y - 7, wide, 14);
    context.globalAlpha = 1;
    context.font = `600 11px ${host.theme.font}`;
    context.fillStyle = colour;
    context.textBaseline = "middle";
    context.fillText(text, x + 4, y + 0.5);
  }
}

/** Where the lines of a memory are: of its peak, and of its end where that is on the scale. */
function limits({ space, base, up }: Pick<Plot, "space" | "base" | "up">) {
  return {
    peak: Math.round(base - space.size * up) + 0.5,
    end: Math.round(base - space.capacity * up) + 0.5,
    isSeen: space.capacity <= space.scale,
  };
}
