// The picture that the network has never seen, as it is shown when it runs.

import { make } from "../course/dom.ts";

export function drawPicture(rows: string[]): HTMLCanvasElement {
  const height = rows.length;
  const width = rows[0].length;
  const size = `${width}×${height} points`;
  const canvas = make("canvas", { class: "anf-seen", width, height, role: "img" });
  canvas.setAttribute("aria-label", `What the camera sees: a bar in noise, ${size}`);
  const paper = canvas.getContext("2d")!;
  const image = paper.createImageData(width, height);
  [...rows.join("")].forEach((digit, place) => {
    const grey = 17 * parseInt(digit, 16);
    image.data.set([grey, grey, grey, 255], 4 * place);
  });
  paper.putImageData(image, 0, 0);
  return canvas;
}
