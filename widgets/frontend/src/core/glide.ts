// Animate moves: a view glides to its target unless the user moves it meanwhile.

/** Milliseconds that a move takes. */
const LASTS = 200;

/** What is seen, as numbers: where the view is, and how large. */
export type Pose = readonly number[];

export const isSame = (one: Pose, other: Pose): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

export class Glide {
  private frame = 0;
  private target: Pose | null = null;
  private written: Pose = [];

  constructor(
    private readonly read: () => Pose,
    private readonly write: (pose: Pose) => void,
  ) {}

  /** Takes the place that a move leads to, for that is where the view is; gives what was seen. */
  rest(): Pose {
    cancelAnimationFrame(this.frame);
    const shown = this.read();
    if (this.target && isSame(shown, this.written)) this.write(this.target);
    this.target = null;
    return shown;
  }

  /** Moves from what was seen to what is seen now. */
  from(shown: Pose): void {
    cancelAnimationFrame(this.frame);
    const target = this.read();
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isStill || shown.length !== target.length || isSame(shown, target)) return;
    const began = performance.now();
    const frame = (now: number) => {
      if (!isSame(this.read(), this.written)) return; // moved by the user
      const part = Math.min(1, (now - began) / LASTS);
      this.put(mix(shown, target, 1 - (1 - part) ** 3));
      if (part < 1) this.frame = requestAnimationFrame(frame);
      else this.target = null;
    };
    this.target = target;
    this.put(shown);
    this.frame = requestAnimationFrame(frame);
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
  }

  private put(pose: Pose): void {
    this.write(pose);
    this.written = this.read();
  }
}

function mix(from: Pose, to: Pose, part: number): Pose {
  if (part >= 1) return to;
  return from.map((value, index) => value + (to[index] - value) * Math.max(0, part));
}
