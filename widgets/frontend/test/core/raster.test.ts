import assert from "node:assert/strict";
import test from "node:test";
import { pixelOf, Raster } from "../../src/core/raster.ts";

/** What a canvas is told to draw: rectangles with their colours, and images. */
class Told {
  fillStyle = "";
  globalAlpha = 1;
  at = [0, 0];
  readonly rects: [string, ...number[]][] = [];
  images: number[] = [];
  save(): void {}
  restore(): void {}
  setTransform(_a: number, _b: number, _c: number, _d: number, e: number, f: number): void {
    this.at = [e, f];
  }
  fillRect(...box: number[]): void {
    this.rects.push([this.fillStyle, ...box]);
  }
  putImageData({ data }: { data: Uint8ClampedArray }): void {
    this.images = [...new Uint32Array(data.buffer)];
  }
  drawImage({ told }: { told: Told }): void {
    this.images = told.images;
  }
}

class Canvas {
  width = 0;
  height = 0;
  readonly told = new Told();
  getContext(): Told {
    return this.told;
  }
}

class Image {
  readonly data: Uint8ClampedArray;
  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.data = new Uint8ClampedArray(4 * width * height);
  }
}

Object.assign(globalThis, { ImageData: Image, document: { createElement: () => new Canvas() } });

function shown(draw: (raster: Raster) => void, raster = new Raster()): Told {
  const told = new Told();
  raster.begin(4, 2);
  draw(raster);
  raster.show(told as unknown as CanvasRenderingContext2D, 7, 9);
  return told;
}

const [red, blue, pale] = [pixelOf("#ff0000"), pixelOf("#0000ff"), pixelOf("#0000ff", 0.25)];

test("a few opaque rectangles are drawn as they are, cut to the plot", () => {
  const told = shown((raster) => {
    raster.fill(-3, -1, 2, 9, red);
    raster.fill(3, 0, 9, 1, blue);
    raster.fill(4, 0, 9, 1, blue);
    raster.fill(0, 2, 9, 3, blue);
  });
  assert.deepEqual(told.at, [7, 9]);
  assert.deepEqual(told.rects, [
    ["#ff0000", 0, 0, 2, 2],
    ["#0000ff", 3, 0, 1, 1],
  ]);
  assert.deepEqual(told.images, []);
});

test("what is pale replaces what lies below, in memory", () => {
  const told = shown((raster) => {
    raster.fill(0, 0, 3, 1, red);
    raster.fill(1, 0, 2, 1, pale);
    raster.fill(3, 0, 4, 2, blue);
  });
  assert.deepEqual(told.rects, []);
  assert.deepEqual(told.images, [red, pale, red, blue, 0, 0, 0, blue]);
});

test("many rectangles are drawn in memory, and the next few are not", () => {
  const raster = new Raster();
  const many = (drawn: Raster) => {
    for (let at = 0; at < 2000; at++)
      drawn.fill(at % 4, 0, (at % 4) + 1, 1, at === 1999 ? red : blue);
  };
  const told = shown(many, raster);
  assert.deepEqual([told.rects, told.images], [[], [blue, blue, blue, red, 0, 0, 0, 0]]);
  const next = shown((drawn) => drawn.fill(0, 0, 1, 1, blue), raster);
  assert.deepEqual([next.rects, next.images], [[["#0000ff", 0, 0, 1, 1]], []]);
  const again = shown((drawn) => drawn.line(0, 1, 3, 1, red), raster);
  assert.deepEqual(again.images, [0, 0, 0, 0, red, red, red, red], "nothing is left of before");
});
