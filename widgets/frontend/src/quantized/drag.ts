// A switch of several places, whose thumb can be dragged from one to another.

const STILL = 4; // pixels that a hand moves while it clicks
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** Where the thumb is, from 0 (the first place), after it was dragged so many pixels. */
export function draggedTo(from: number, pixels: number, width: number, places: number): number {
  return Math.min(places - 1, Math.max(0, from + (pixels * places) / (width || 1)));
}

/** Lets the thumb follow the pointer and arrow keys; calls `settle` where it comes to rest. */
export function draggable(target: HTMLElement, first: number, settle: (at: number) => void): void {
  const places = target.children.length;
  let [at, isMoved] = [first, false];
  let from: number | null = null;
  const draw = (place: number) => target.style.setProperty("--anq-at", String(place));
  const rest = (place: number) => {
    const isOther = place !== at;
    draw((at = place));
    if (isOther) settle(at);
  };
  const under = ({ clientX }: PointerEvent) =>
    draggedTo(at, clientX - (from ?? clientX), target.clientWidth, places);
  draw(at);
  target.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    [from, isMoved] = [event.clientX, false];
    target.setPointerCapture(event.pointerId);
  });
  target.addEventListener("pointermove", (event) => {
    if (from === null) return;
    isMoved ||= Math.abs(event.clientX - from) > STILL;
    if (isMoved) draw(under(event));
  });
  target.addEventListener("pointerup", (event) => {
    const end = under(event);
    from = null;
    if (isMoved) rest(Math.round(end));
  });
  target.addEventListener("pointercancel", () => {
    from = null;
    draw(at);
  });
  target.addEventListener("click", (event) => {
    // The click that ends a drag is none. A captured pointer clicks the switch, keys an option.
    if (!isMoved) {
      const { left, width } = target.getBoundingClientRect();
      const pointed = Math.floor((places * (event.clientX - left)) / width);
      const own = [...target.children].indexOf(event.target as Element);
      rest(event.detail ? Math.min(places - 1, Math.max(0, pointed)) : Math.max(own, 0));
    }
    isMoved = false;
  });
  target.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    rest(Math.min(places - 1, Math.max(0, at + step)));
  });
}
