// Two fingers on a canvas: they move what is drawn, and zoom it. One finger scrolls the page.

interface Point {
  x: number;
  y: number;
}

export class Pinch {
  private readonly fingers = new Map<number, Point>();

  /** `moved` is told where the middle between two fingers was and is, and how to zoom. */
  constructor(canvas: HTMLElement, moved: (from: Point, to: Point, factor: number) => void) {
    const { fingers } = this;
    const put = ({ pointerId, clientX, clientY }: PointerEvent) => {
      const { left, top } = canvas.getBoundingClientRect();
      fingers.set(pointerId, { x: clientX - left, y: clientY - top });
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") put(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!fingers.has(event.pointerId)) return;
      const before = this.middle;
      put(event);
      const after = this.middle;
      if (this.isActive) moved(before, after, before.apart / Math.max(1, after.apart));
    });
    for (const end of ["pointerup", "pointercancel"] as const)
      canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
    // Two fingers are not for the page, which would scroll, or grow as a whole.
    const keep = (event: TouchEvent) => event.touches.length > 1 && event.preventDefault();
    canvas.addEventListener("touchstart", keep, { passive: false });
    canvas.addEventListener("touchmove", keep, { passive: false });
  }

  get isActive(): boolean {
    return this.fingers.size > 1;
  }

  private get middle(): Point & { apart: number } {
    const [one, other = one] = [...this.fingers.values()];
    const apart = Math.hypot(one.x - other.x, one.y - other.y);
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, apart };
  }
}
