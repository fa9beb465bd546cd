// A board on which blocks of memory are moved, by pointer or by keyboard.

import {
  boardHeight,
  clamp,
  overlapping,
  peak,
  unitOf,
  verdict,
  type Block,
  type Offsets,
} from "./layout.ts";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 48;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 24;
const LARGE_STEP = 8;

export interface Board {
  offsets: Offsets;
  update(offsets: Offsets): void;
}

/**
 * Draws the board into an element; `moved` is told the offsets whenever a block was moved.
 * With a fast memory of so many bytes, it is below, and the slow one above.
 */
export function drawBoard(
  parent: HTMLElement,
  blocks: Block[],
  start: Offsets,
  best: number,
  moved: (offsets: Offsets) => void,
  fast = 0,
): Board {
  const height = boardHeight(blocks, fast);
  const unit = unitOf(blocks, fast);
  const ticks = Math.max(...blocks.map((block) => block.upper));
  const x = (tick: number) => LEFT + ((WIDTH - LEFT - RIGHT) * tick) / ticks;
  const y = (byte: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - byte / height);
  const board: Board = { offsets: { ...start }, update };

  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "anb-board", role: "group" });
  svg.setAttribute("aria-label", "Blocks of memory: arrow keys move the focused one");
  const best_line = line("anb-best");
  const peak_line = line("anb-peak");
  const says = document.createElement("p");
  says.className = "anb-says";
  says.setAttribute("role", "status");
  drawAxes();
  svg.append(...(best && !fast ? [best_line] : []), peak_line);
  const shapes = new Map(blocks.map((block) => [block.name, drawBlock(block)]));
  const labels = new Map(blocks.map((block) => [block.name, drawLabel(block)])); // above all blocks
  const foot = document.createElement("div");
  foot.className = "anb-foot";
  foot.append(says);
  parent.append(svg, foot);
  redraw();
  return board;

  function update(offsets: Offsets): void {
    board.offsets = { ...board.offsets, ...offsets };
    redraw();
  }

  function move(block: Block, offset: number): void {
    const next = clamp(block, offset, height, unit);
    if (next === board.offsets[block.name]) return;
    board.offsets = { ...board.offsets, [block.name]: next };
    redraw();
    moved(board.offsets);
  }

  function drawBlock(block: Block): SVGGElement {
    const group = make("g", { tabindex: "0", class: "anb-block", role: "slider" });
    group.dataset.name = block.name;
    group.setAttribute("aria-valuemin", "0");
    group.setAttribute("aria-valuemax", String(height - block.size));
    const rect = make("rect", {
      x: x(block.lower) + 1,
      width: x(block.upper) - x(block.lower) - 2,
      height: y(0) - y(block.size) - 1,
    });
    group.append(rect);
    drag(group, block);
    group.addEventListener("keydown", (event) => {
      const step = { ArrowUp: 1, ArrowDown: -1, PageUp: LARGE_STEP, PageDown: -LARGE_STEP }[
        event.key
      ];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      move(block, board.offsets[block.name] + step * unit);
    });
    svg.append(group);
    return group;
  }

  function drawLabel(block: Block): SVGTextElement {
    const label = make("text", { x: (x(block.lower) + x(block.upper)) / 2, class: "anb-name" });
    label.textContent = `${block.name} (${block.size})`;
    svg.append(label);
    return label;
  }

  function drag(group: SVGGElement, block: Block): void {
    let from: { y: number; offset: number } | null = null;
    group.addEventListener("pointerdown", (event) => {
      from = { y: event.clientY, offset: board.offsets[block.name] };
      group.setPointerCapture(event.pointerId);
      group.focus();
      event.preventDefault();
    });
    group.addEventListener("pointermove", (event) => {
      if (!from) return;
      const shown = svg.getBoundingClientRect().height * (1 - (TOP + BOTTOM) / HEIGHT);
      move(block, from.offset - ((event.clientY - from.y) * height) / shown);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      group.addEventListener(end, () => (from = null));
    }
  }

  function redraw(): void {
    const bad = overlapping(blocks, board.offsets, fast);
    for (const block of blocks) {
      const [offset, group] = [board.offsets[block.name], shapes.get(block.name)!];
      const middle = (y(offset) + y(offset + block.size)) / 2 + 4;
      group.children[0].setAttribute("y", String(y(offset + block.size)));
      labels.get(block.name)!.setAttribute("y", String(middle));
      group.classList.toggle("anb-bad", bad.has(block.name));
      group.setAttribute("aria-valuenow", String(offset));
      group.setAttribute(
        "aria-label",
        `${block.name}: ticks ${block.lower} to ${block.upper - 1}, ${block.size} bytes from ${where(offset)}` +
          (bad.has(block.name) ? ", overlaps" : ""),
      );
    }
    level(best_line, best);
    level(peak_line, fast || peak(blocks, board.offsets));
    says.textContent = verdict(blocks, board.offsets, best, fast);
  }

  function where(offset: number): string {
    return fast ? (offset < fast ? `fast ${offset}` : `slow ${offset - fast}`) : String(offset);
  }

  function line(name: string): SVGLineElement {
    return make("line", { x1: LEFT, x2: WIDTH - RIGHT, class: name });
  }

  function level(at: SVGLineElement, byte: number): void {
    at.setAttribute("y1", String(y(byte)));
    at.setAttribute("y2", String(y(byte)));
  }

  function drawAxes(): void {
    for (let tick = 0; tick <= ticks; tick++) {
      svg.append(make("line", { x1: x(tick), x2: x(tick), y1: TOP, y2: y(0), class: "anb-grid" }));
      if (tick === ticks) break;
      const label = make("text", { x: x(tick + 0.5), y: HEIGHT - 6, class: "anb-axis" });
      label.textContent = tick ? String(tick) : "tick 0";
      svg.append(label);
    }
    for (const byte of [0, fast || best, height]) {
      const label = make("text", { x: LEFT - 6, y: y(byte) + 4, class: "anb-axis anb-bytes" });
      label.textContent = String(byte > fast ? byte - fast : byte);
      svg.append(label);
    }
    for (const [name, top] of fast ? Object.entries({ fast, slow: height }) : []) {
      const label = make("text", { x: LEFT + 6, y: y(top) + 14, class: "anb-axis anb-memory" });
      label.textContent = name;
      svg.append(label);
    }
  }
}

function make<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[Name] {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
