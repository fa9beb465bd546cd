// A switch whose thumb can be dragged from one side to the other.

const STILL = 4; // pixels that a hand moves while it clicks

/** Where the thumb is, from 0 (off) to 1 (on), after it was dragged so many pixels. */
export function draggedTo(isOn: boolean, pixels: number, width: number): number {
  return Math.min(1, Math.max(0, Number(isOn) + pixels / (width / 2 || 1)));
}

/** Lets the thumb of a switch follow the pointer; calls `settle` where it is let go elsewhere. */
export function draggable(target: HTMLElement, isOn: boolean, settle: () => void): void {
  let from: number | null = null;
  let isMoved = false;
  const place = (at: number) => target.style.setProperty("--anq-at", String(at));
  const at = (event: PointerEvent) =>
    draggedTo(isOn, event.clientX - (from ?? event.clientX), target.clientWidth);
  place(Number(isOn));
  target.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    [from, isMoved] = [event.clientX, false];
    target.setPointerCapture(event.pointerId);
  });
  target.addEventListener("pointermove", (event) => {
    if (from === null) return;
    isMoved ||= Math.abs(event.clientX - from) > STILL;
    if (isMoved) place(at(event));
  });
  target.addEventListener("pointerup", (event) => {
    const end = at(event);
    from = null;
    if (!isMoved) return;
    place(Number(isOn));
    if (end > 0.5 !== isOn) settle();
  });
  target.addEventListener("pointercancel", () => {
    from = null;
    place(Number(isOn));
  });
  // The click that ends a drag is none.
  target.addEventListener(
    "click",
    (event) => {
      if (isMoved) event.stopImmediatePropagation();
      isMoved = false;
    },
    true,
  );
}
