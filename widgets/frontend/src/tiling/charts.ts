// The charts panel: small charts whose points are nodes, such as a roofline.

import type { ChartData } from "../model/payload.ts";
import { charts as sizes } from "../../../shared/panels.json";
import { niceTicks } from "../core/axis.ts";
import { CanvasPanel, type Hit, type Host, type Point } from "../panel/canvasPanel.ts";
import { NONE } from "../model/search.ts";
import { fitText } from "../core/text.ts";
import { PALE } from "../core/theme.ts";

const MARGIN = sizes;
const REACH = 12;

export class ChartsPanel extends CanvasPanel {
  constructor(
    host: Host,
    readonly charts: readonly ChartData[],
  ) {
    super(
      host,
      "charts",
      charts.length === 1 ? charts[0].title : "Charts",
      "Arrow keys go from point to point.",
    );
  }

  protected sized(): void {}

  protected pan(): boolean {
    return false;
  }

  protected zoom(): boolean {
    return false;
  }

  fit(): void {}

  reveal(): void {}

  neighbour(node: number, dx: number, dy: number): number {
    const nodes = this.charts.flatMap(({ points }) => points.map((point) => point[2]));
    const known = [...new Set(nodes)].filter((each) => each >= 0);
    const place = known.indexOf(node);
    return (
      known[Math.min(Math.max(0, place < 0 ? 0 : place + (dx || dy)), known.length - 1)] ?? NONE
    );
  }

  private frameOf(chart: number): { x: number; wide: number; y: number; high: number } {
    const share = this.width / this.charts.length;
    return {
      x: chart * share + MARGIN.left,
      wide: Math.max(10, share - MARGIN.left - MARGIN.right),
      y: MARGIN.top,
      high: Math.max(10, this.height - MARGIN.top - MARGIN.bottom),
    };
  }

  private scales(chart: number): { x: (value: number) => number; y: (value: number) => number } & {
    xs: [number, number];
    ys: [number, number];
  } {
    const { points, lines, log } = this.charts[chart];
    const all = [...points.map(([x, y]) => [x, y]), ...lines.flatMap(([, line]) => line)];
    const frame = this.frameOf(chart);
    const range = (values: number[]): [number, number] => {
      const finite = values.filter((value) => Number.isFinite(value) && (!log || value > 0));
      if (finite.length === 0) return log ? [1, 10] : [0, 1];
      const [low, high] = [Math.min(...finite), Math.max(...finite)];
      if (log) return [low / sizes.logPad, high * sizes.logPad];
      const pad = (high - low || Math.abs(high) || 1) * sizes.pad;
      return [low >= 0 ? Math.max(0, low - pad) : low - pad, high + pad];
    };
    const xs = range(all.map(([x]) => x));
    const ys = range(all.map(([, y]) => y));
    const part = (value: number, [low, high]: [number, number]) =>
      log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return {
      xs,
      ys,
      x: (value) => frame.x + part(value, xs) * frame.wide,
      y: (value) => frame.y + frame.high - part(value, ys) * frame.high,
    };
  }

  locate(node: number): Point | null {
    for (let chart = 0; chart < this.charts.length; chart++) {
      const found = this.charts[chart].points.find((point) => point[2] === node);
      const { x, y } = this.scales(chart);
      if (found) return { x: x(found[0]), y: y(found[1]) };
    }
    return null;
  }

  protected hit(point: Point): Hit | null {
    for (let chart = 0; chart < this.charts.length; chart++) {
      const { points, x: xLabel, y: yLabel } = this.charts[chart];
      const { x, y } = this.scales(chart);
      const near = points
        .map((each) => ({ each, distance: Math.hypot(x(each[0]) - point.x, y(each[1]) - point.y) }))
        .sort((a, b) => a.distance - b.distance)[0];
      if (!near || near.distance > REACH) continue;
      const [px, py, node] = near.each;
      const name = node >= 0 ? this.model.name[node] : this.charts[chart].title;
      return { node, lines: [name, `${xLabel}: ${short(px)}`, `${yLabel}: ${short(py)}`] };
    }
    return null;
  }

  protected paint(context: CanvasRenderingContext2D): number {
    let drawn = 0;
    for (let chart = 0; chart < this.charts.length; chart++)
      drawn += this.paintChart(context, chart);
    return drawn;
  }

  private paintChart(context: CanvasRenderingContext2D, chart: number): number {
    const { theme } = this.host;
    const data = this.charts[chart];
    const frame = this.frameOf(chart);
    const scale = this.scales(chart);
    this.paintAxes(context, chart);
    context.save();
    context.beginPath();
    context.rect(frame.x, frame.y - 8, frame.wide + MARGIN.right, frame.high + 8);
    context.clip();
    data.lines.forEach(([label, line], index) => {
      context.strokeStyle = index ? theme.muted : theme.accent;
      context.lineWidth = sizes.line;
      context.setLineDash(index ? sizes.dash : []);
      context.beginPath();
      line.forEach(([x, y], at) => {
        if (at) context.lineTo(scale.x(x), scale.y(y));
        else context.moveTo(scale.x(x), scale.y(y));
      });
      context.stroke();
      context.setLineDash([]);
      const [x, y] = line[line.length - 1] ?? [0, 0];
      if (!label) return;
      context.font = `11px ${theme.font}`;
      context.textAlign = "right";
      context.fillStyle = theme.ink;
      const text = fitText(label, frame.wide, (part) => context.measureText(part).width);
      const least = frame.x + context.measureText(text).width;
      const right = Math.max(least, Math.min(frame.x + frame.wide, scale.x(x)));
      context.fillText(text, right, scale.y(y) - 9);
      context.textAlign = "start";
    });
    context.restore();
    const { selected, hovered } = this.store.state;
    for (const [x, y, node] of data.points) {
      const isChosen = node >= 0 && (node === selected || node === hovered);
      context.beginPath();
      context.arc(scale.x(x), scale.y(y), isChosen ? 7 : sizes.dot, 0, 2 * Math.PI);
      const family = node >= 0 ? this.model.family[node] : -1;
      context.fillStyle = theme.families[family] ?? theme.muted;
      context.globalAlpha = node < 0 || this.store.isMatch(node) ? 1 : PALE;
      context.fill();
      context.strokeStyle = isChosen ? theme.ink : theme.paper;
      context.lineWidth = isChosen ? 2.5 : 1;
      context.stroke();
      context.globalAlpha = 1;
    }
    return data.points.length;
  }

  private paintAxes(context: CanvasRenderingContext2D, chart: number): void {
    const { theme } = this.host;
    const data = this.charts[chart];
    const { x, wide, y, high } = this.frameOf(chart);
    const scale = this.scales(chart);
    const isWhole = areWhole(data);
    const marks = ([low, stop]: [number, number], most: number, integer = false) =>
      data.log ? powers(low, stop) : niceTicks(low, stop, most, integer);
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    context.strokeStyle = theme.line;
    context.fillStyle = theme.muted;
    context.lineWidth = 1;
    context.textAlign = "center";
    for (const mark of marks(scale.xs, wide / sizes.across, isWhole)) {
      const at = Math.round(scale.x(mark)) + 0.5;
      line(context, at, y, at, y + high);
      context.fillText(short(mark), at, y + high + 11);
    }
    context.textAlign = "right";
    for (const mark of marks(scale.ys, high / sizes.down)) {
      const at = Math.round(scale.y(mark)) + 0.5;
      line(context, x, at, x + wide, at);
      context.fillText(short(mark), x - 6, at);
    }
    context.textAlign = "center";
    context.fillText(data.x, x + wide / 2, y + high + 26);
    context.textAlign = "left";
    context.font = `600 11px ${theme.font}`;
    context.fillStyle = theme.ink;
    const title = this.charts.length > 1 ? `${data.title}: ${data.y}` : data.y;
    const room = this.width / this.charts.length - 20;
    const measure = (text: string) => context.measureText(text).width;
    context.fillText(fitText(title, room, measure), x - MARGIN.left + 12, y - 18);
    context.textAlign = "start";
  }
}

function line(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  toX: number,
  toY: number,
): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}

/** Whether all that is along the axis is whole, as numbers of slices are. */
function areWhole({ points, lines }: ChartData): boolean {
  const all = [...points.map(([x]) => x), ...lines.flatMap(([, line]) => line.map(([x]) => x))];
  return all.every(Number.isInteger);
}

/** Marks of a logarithmic axis: powers of ten, or of two where there is less than a decade. */
function powers(low: number, high: number): number[] {
  const base = high / low > sizes.decade ? 10 : 2;
  const found: number[] = [];
  const first = Math.ceil(Math.log(low) / Math.log(base));
  for (let power = first; base ** power <= high; power++) found.push(base ** power);
  return found;
}

/** A number in at most four figures. */
function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const units: [number, string][] = [
    [1e9, " G"],
    [1e6, " M"],
    [1e4, " k"],
  ];
  for (const [unit, name] of units) {
    if (Math.abs(value) < unit) continue;
    return `${+(value / (unit === 1e4 ? 1e3 : unit)).toPrecision(3)}${name}`;
  }
  return String(+value.toPrecision(4));
}
