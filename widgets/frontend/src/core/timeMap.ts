// Map time to pixels. The ruler of a column of panels is a list of segments: stretches that are
// shown, breaks that leave something out, and chips that stand for a stretch in a box. Time goes
// on from one segment to the next without a gap; pixels may have a gap between them.

export type SegmentKind = "shown" | "break" | "chip";

/** A stretch of time [t0, t1), and the width it asks for. */
export interface Span {
  kind: SegmentKind;
  t0: number;
  t1: number;
  /** Pixels of a break or a chip. A stretch that is shown has its share of what is left. */
  width?: number;
  /** Least pixels of a stretch that is shown. */
  least?: number;
  /** Pixels of paper before it. */
  gap?: number;
}

export interface Segment {
  kind: SegmentKind;
  t0: number;
  t1: number;
  x0: number;
  x1: number;
}

export class TimeMap {
  constructor(readonly segments: readonly Segment[]) {}

  /** A map without breaks. */
  static plain(t0: number, t1: number, x0: number, x1: number): TimeMap {
    return new TimeMap([{ kind: "shown", t0, t1: Math.max(t1, t0 + 1), x0, x1 }]);
  }

  get t0(): number {
    return this.segments[0].t0;
  }

  get t1(): number {
    return this.segments[this.segments.length - 1].t1;
  }

  /** Where a unit of time begins. */
  x(time: number): number {
    const { segments } = this;
    return across(segments.length === 1 ? segments[0] : this.at(time), time);
  }

  /** Where a stretch ends that ends at a time: on the left of the gap, if there is one. */
  end(time: number): number {
    return across(
      this.last((segment) => segment.t0 < time),
      time,
    );
  }

  /** The time at a pixel; a pixel in a gap has the time at which the segment on its left ends. */
  t(pixel: number): number {
    const found = this.last((segment) => segment.x0 <= pixel);
    const { t0, t1, x0, x1 } = found;
    const time = t0 + ((pixel - x0) * (t1 - t0)) / (x1 - x0);
    return found === this.segments[this.segments.length - 1] ? time : Math.min(time, t1);
  }

  /** The segment that a time lies in; the first or the last if it lies outside. */
  at(time: number): Segment {
    return this.last((segment) => segment.t0 <= time);
  }

  /** True if a unit of time is drawn: not left out, and not in a chip. */
  shows(time: number): boolean {
    const { kind, t0, t1 } = this.at(time);
    return kind === "shown" && time >= t0 && time < t1;
  }

  /** Pixels of one unit at a time; 0 where units are not drawn. */
  unit(time: number): number {
    const segment = this.at(time);
    return segment.kind === "shown" ? unitOf(segment) : 0;
  }

  /** Units to write a number at, `pixels` apart at least. Each segment begins with one. */
  labels(pixels: number): number[] {
    return this.segments.flatMap((segment) => {
      if (segment.kind !== "shown") return [];
      const every = roundUp(pixels / unitOf(segment));
      const first = Math.ceil(segment.t0);
      const count = Math.max(0, Math.ceil((segment.t1 - first) / every));
      return Array.from({ length: count }, (_, index) => first + index * every);
    });
  }

  private last(isBefore: (segment: Segment) => boolean): Segment {
    let low = 0;
    let high = this.segments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (isBefore(this.segments[middle])) low = middle;
      else high = middle - 1;
    }
    return this.segments[low];
  }
}

/** Lays spans side by side in [x0, x1): breaks and chips as they ask, the others by their length. */
export function layOut(spans: readonly Span[], x0: number, x1: number): TimeMap {
  const widths = shares(spans, x1 - x0 - sum(spans.map((span) => span.gap ?? 0)));
  let x = x0;
  return new TimeMap(
    spans.map(({ kind, t0, t1, gap = 0 }, index) => {
      const left = x + gap;
      x = left + widths[index];
      return { kind, t0, t1, x0: left, x1: x };
    }),
  );
}

/** Cuts spans to a window of time; a break or a chip that reaches into it stays whole. */
export function within(spans: readonly Span[], t0: number, t1: number): Span[] {
  return spans
    .filter((span) => span.t0 < t1 && span.t1 > t0)
    .map((span) => {
      if (span.kind !== "shown") return span;
      const cut = { ...span, t0: Math.max(t0, span.t0), t1: Math.min(t1, span.t1) };
      return cut.t0 === span.t0 && cut.t1 === span.t1 ? span : { ...cut, least: undefined };
    });
}

/** Divides a width among spans; if breaks and chips leave too little, all of them are narrower. */
function shares(spans: readonly Span[], width: number): number[] {
  const length = ({ t0, t1 }: Span) => t1 - t0;
  const wanted = spans.map((span) => (span.kind === "shown" ? 0 : (span.width ?? 0)));
  const shown = spans.filter((span) => span.kind === "shown");
  const scale = Math.min(1, (width * (shown.length ? 0.5 : 1)) / Math.max(1, sum(wanted)));
  const fixed = wanted.map((pixels) => pixels * scale);
  const held = new Map<Span, number>();
  for (;;) {
    const rest = shown.filter((span) => !held.has(span));
    const free = Math.max(0, width - sum(fixed) - sum([...held.values()]));
    const unit = free / Math.max(1, sum(rest.map(length)));
    const narrow = rest.filter((span) => (span.least ?? 0) > length(span) * unit + 1e-9);
    if (narrow.length === 0 || narrow.length === shown.length) {
      return spans.map((span, index) =>
        span.kind === "shown" ? (held.get(span) ?? length(span) * unit) : fixed[index],
      );
    }
    for (const span of narrow) held.set(span, span.least ?? 0);
  }
}

const across = ({ t0, t1, x0, x1 }: Segment, time: number) =>
  x0 + ((time - t0) * (x1 - x0)) / (t1 - t0);

const unitOf = ({ t0, t1, x0, x1 }: Segment) => (x1 - x0) / (t1 - t0);

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The next of 1, 2, 5, 10, 20, … */
function roundUp(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((unit) => unit * power).find((unit) => unit >= value - 1e-9) ?? value;
}
