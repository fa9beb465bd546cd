// Play the units of the clock one after the other, and report the progress within each.

import type { Store } from "../model/store.ts";

const SLOWEST = 900;
const FASTEST = 90;
/** Milliseconds that the whole should take, if steps are neither too slow nor too fast then. */
const WHOLE = 30_000;

export class Player {
  /** How far the step is, from 0 to 1. */
  phase = 0;
  private frame = 0;
  private began = 0;

  constructor(
    private readonly store: Store,
    private readonly moved: () => void,
  ) {}

  private get pace(): number {
    const { clock } = this.store;
    return Math.min(SLOWEST, Math.max(FASTEST, WHOLE / Math.max(1, clock.count)));
  }

  toggle(): void {
    if (this.store.state.playing) this.stop();
    else this.start();
  }

  private start(): void {
    const { clock, now } = this.store;
    const isOver = now === null || clock.next(now, 1) === null;
    if (isOver) this.store.goTo(clock.begin);
    this.store.set({ playing: true });
    this.began = performance.now();
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.phase = 0;
    this.store.set({ playing: false });
    this.moved();
  }

  /** Goes to the step that follows, or to the one before. */
  by(step: 1 | -1): void {
    const next = this.store.clock.next(this.store.now, step);
    if (next !== null) this.store.goTo(next);
  }

  private tick(now: number): void {
    if (!this.store.state.playing) return;
    this.phase = Math.min(1, Math.max(0, (now - this.began) / this.pace));
    if (this.phase >= 1) {
      const next = this.store.clock.next(this.store.now, 1);
      if (next === null) {
        this.stop();
        return;
      }
      this.phase = 0;
      this.began = now;
      this.store.goTo(next);
    }
    this.moved();
    this.frame = requestAnimationFrame((later) => this.tick(later));
  }
}
