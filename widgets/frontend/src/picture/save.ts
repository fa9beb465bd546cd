// Save or copy the picture of a view: a button, and what it opens.

import { button, element } from "../panel/canvasPanel.ts";
import { portrait } from "./portrait.ts";

/** Pixels of a PNG for each pixel of the view, and at most so many of them. */
const SCALE = 2;
const MOST = 24_000_000;

const TITLE = "Save or copy the picture";
const REFUSED = "The browser did not allow it: save the picture instead.";

export class PictureMenu {
  readonly button = button("⤓", TITLE, () => this.toggle(), false);
  readonly element = element("div", {
    class: "anb-picture",
    role: "group",
    "aria-label": TITLE,
    "data-unpictured": "",
    hidden: "",
  });
  private readonly said = element("span", { role: "status" });

  /** `draw` gives the SVG of what is on screen, `title` names its files. */
  constructor(
    private readonly draw: () => string,
    private readonly title: string,
  ) {
    const entry = (label: string, act: () => Promise<unknown>, done: string) =>
      button(label, `${label} of what is on screen`, () => {
        this.said.textContent = "";
        // Says what came of it, too where the browser has no clipboard at all.
        (async () => act())().then(
          () => (this.said.textContent = done),
          (error: Error) => (this.said.textContent = `${REFUSED} (${error.message})`),
        );
      });
    const svg = () => new Blob([this.draw()], { type: "image/svg+xml" });
    this.element.append(
      entry("Save PNG", async () => this.save(await png(this.draw()), "png"), "Saved."),
      entry("Save SVG", async () => this.save(svg(), "svg"), "Saved."),
      entry(
        "Copy PNG",
        // The promise itself: some browsers copy only in the very moment of the click.
        () => navigator.clipboard.write([new ClipboardItem({ "image/png": png(this.draw()) })]),
        "Copied.",
      ),
      entry("Copy SVG", () => navigator.clipboard.writeText(this.draw()), "Copied as text."),
      this.said,
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.toggle();
      this.button.focus();
      event.stopPropagation();
    });
  }

  toggle(): void {
    this.element.hidden = !this.element.hidden;
    this.button.setAttribute("aria-pressed", String(!this.element.hidden));
    this.said.textContent = "";
  }

  private save(blob: Blob, ending: string): void {
    const href = URL.createObjectURL(blob);
    const name = this.title.replace(/[^\w.-]+/g, "_").slice(0, 80) || "view";
    element("a", { href, download: `${name}.${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }
}

/** Puts the button into a view, with what it opens; neither is in the picture. */
export function offerPicture(root: HTMLElement, beside: HTMLElement, title: string): void {
  const menu = new PictureMenu(() => portrait(root, title, root.innerText), title);
  menu.button.dataset.unpictured = "";
  beside.append(menu.button);
  root.append(menu.element);
}

/** Paints an SVG, twice as large as on screen. */
async function png(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const { width, height } = image;
  const scale = Math.min(SCALE, Math.sqrt(MOST / (width * height)));
  const canvas = element("canvas");
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("too large"))), "image/png"),
  );
}
