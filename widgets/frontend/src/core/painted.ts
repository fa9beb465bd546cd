// What paints each canvas, so that a picture of the view can have it painted again.

type Paint = (context: CanvasRenderingContext2D) => void;

/** Paints what is on a canvas, in its CSS pixels. */
export const painters = new WeakMap<HTMLCanvasElement, Paint>();
