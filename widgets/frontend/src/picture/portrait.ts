// The picture of a view as it is on screen: its elements, and what is painted on its canvases, as
// SVG. It is plain shapes and text: no HTML in it, so that drawing programs open it as well.

import { define, escaped, measure, tag, words, type Names } from "./pen.ts";

/** Properties of SVG inside a view that its style sheet gives, and a file has to hold itself. */
const KEPT = [
  ...["fill", "fill-opacity", "opacity", "text-anchor", "dominant-baseline", "paint-order"],
  ...["stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin"],
];

export type Place = Record<"x" | "y" | "width" | "height", number>;

/** Draws what is painted on a canvas. */
export type Repaint = (canvas: HTMLCanvasElement, place: Place, names: Names) => string;

/** Draws a root as one SVG; `title` and `desc` say what it shows to who cannot see it. */
export function portrait(
  root: HTMLElement,
  title: string,
  desc: string,
  repaint: Repaint = () => "",
): string {
  const { x, y, width, height } = root.getBoundingClientRect();
  const said = tag("title", {}, escaped(title)) + tag("desc", {}, escaped(desc));
  const xmlns = "http://www.w3.org/2000/svg";
  const viewBox = `0 0 ${width} ${height}`;
  const drawn = said + new Portrait(x, y, repaint).element(root);
  return tag("svg", { xmlns, width, height, viewBox, role: "img" }, drawn);
}

class Portrait {
  private readonly names: Names = { next: 0 };

  constructor(
    private readonly left: number,
    private readonly top: number,
    private readonly repaint: Repaint,
  ) {}

  element(of: Element): string {
    const style = getComputedStyle(of);
    const place = this.place(of.getBoundingClientRect());
    const isHidden = !of.checkVisibility({ visibilityProperty: true });
    if (isHidden || place.width < 2 || place.height < 2 || of.matches("[data-unpictured]"))
      return "";
    const ground = this.ground(style, place);
    if (of instanceof HTMLCanvasElement) return ground + this.repaint(of, place, this.names);
    if (of instanceof SVGSVGElement) return ground + this.drawing(of, place);
    if (of instanceof HTMLInputElement && of.type === "range") return this.slider(of, style, place);
    const inner =
      of instanceof HTMLInputElement || of instanceof HTMLSelectElement
        ? this.field(of, style, place)
        : Array.from(of.childNodes, (child) => this.node(child, style)).join("");
    const cut = style.overflow === "visible" || !inner ? inner : this.cut(inner, place);
    return tag("g", { opacity: Number(style.opacity) }, ground + cut);
  }

  private place({ x, y, width, height }: DOMRect): Place {
    return { x: x - this.left, y: y - this.top, width, height };
  }

  private node(node: Node, style: CSSStyleDeclaration): string {
    if (node instanceof Element) return this.element(node);
    return node instanceof Text ? this.text(node, style) : "";
  }

  /** Background and borders. */
  private ground(style: CSSStyleDeclaration, { x, y, width, height }: Place): string {
    const rx = parseFloat(style.borderTopLeftRadius);
    const rect = (fill: string) => tag("rect", { x, y, width, height, rx, fill });
    let drawn = isClear(style.backgroundColor) ? "" : rect(style.backgroundColor);
    const stroke = /(rgb|color)[^)]+\)/.exec(style.backgroundImage)?.[0];
    if (stroke) {
      const [id, use] = define(this.names);
      const line = tag("path", { d: "M1 0V4", stroke });
      const size = { width: 4, height: 4, patternUnits: "userSpaceOnUse" };
      drawn += tag("pattern", { id, ...size, patternTransform: "rotate(45)" }, line) + rect(use);
    }
    const sides = (["Top", "Right", "Bottom", "Left"] as const).map((side) => ({
      wide: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
      fill: style[`border${side}Color`],
    }));
    const [{ wide, fill }, end, low, start] = sides;
    if (sides.every((side) => side.wide === wide && side.fill === fill)) {
      if (!wide) return drawn;
      const inner = {
        x: x + wide / 2,
        y: y + wide / 2,
        width: width - wide,
        height: height - wide,
      };
      return (
        drawn + tag("rect", { ...inner, rx, fill: "none", stroke: fill, "stroke-width": wide })
      );
    }
    const lines = [
      { x, y, width, height: wide },
      { x: x + width - end.wide, y, width: end.wide, height },
      { x, y: y + height - low.wide, width, height: low.wide },
      { x, y, width: start.wide, height },
    ];
    sides.forEach(({ wide, fill }, at) => {
      if (wide && !isClear(fill)) drawn += tag("rect", { ...lines[at], fill });
    });
    return drawn;
  }

  private cut(inner: string, place: Place): string {
    const [id, use] = define(this.names);
    return tag("clipPath", { id }, tag("rect", place)) + tag("g", { "clip-path": use }, inner);
  }

  /** A drawing of the view, with the style that it has there. */
  private drawing(svg: SVGSVGElement, place: Place): string {
    const copy = svg.cloneNode(true) as SVGSVGElement;
    const copies = copy.querySelectorAll("*");
    svg.querySelectorAll("*").forEach((each, at) => {
      const style = getComputedStyle(each);
      for (const name of KEPT) copies[at].setAttribute(name, style.getPropertyValue(name));
      copies[at].removeAttribute("class");
      if (!(each instanceof SVGTextContentElement)) return;
      copies[at].setAttribute("style", `font:${fontOf(style)}`);
      copies[at].setAttribute("textLength", String(each.getComputedTextLength()));
      copies[at].setAttribute("lengthAdjust", "spacingAndGlyphs");
    });
    for (const [name, value] of Object.entries(place)) copy.setAttribute(name, String(value));
    copy.removeAttribute("class");
    return new XMLSerializer().serializeToString(copy);
  }

  private slider(of: HTMLInputElement, style: CSSStyleDeclaration, place: Place): string {
    const share = (+of.value - +of.min) / (+of.max - +of.min || 1);
    const [r, y] = [8, place.y + place.height / 2];
    const line = { x: place.x, y: y - 2, width: place.width, height: 4, rx: 2, fill: style.color };
    const cx = place.x + r + share * (place.width - 2 * r);
    return tag("rect", line) + tag("circle", { cx, cy: y, r, fill: style.accentColor });
  }

  /** What stands in a field, or what it asks for. */
  private field(
    of: HTMLInputElement | HTMLSelectElement,
    style: CSSStyleDeclaration,
    place: Place,
  ): string {
    const isText = of instanceof HTMLInputElement;
    if (isText && of.type !== "text" && of.type !== "search") return this.mark(of, style, place);
    const label = isText ? of.value || of.placeholder : (of.selectedOptions[0]?.label ?? "");
    const { width } = measure(fontOf(style), label);
    return this.line(
      label,
      { ...place, x: place.x + parseFloat(style.paddingLeft) + 2, width },
      style,
    );
  }

  /** What is ticked, or is not. */
  private mark({ type, checked }: HTMLInputElement, { color }: CSSStyleDeclaration, place: Place) {
    const { x, y, width, height } = place;
    const round = (size: number) => (type === "radio" ? size / 2 : 2);
    const box = { x, y, width, height, rx: round(width), fill: "none", stroke: color };
    const inner = { x: x + 3, y: y + 3, width: width - 6, height: height - 6 };
    return (
      tag("rect", box) +
      (checked ? tag("rect", { ...inner, rx: round(width - 6), fill: color }) : "")
    );
  }

  private text(text: Text, style: CSSStyleDeclaration): string {
    const range = document.createRange();
    const boxOf = (word: RegExpExecArray) => {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      return range.getClientRects();
    };
    const whole = /\S.*\S|\S/s.exec(text.data);
    if (!whole) return "";
    const boxes = boxOf(whole);
    if (boxes.length === 1) return this.line(whole[0], this.place(boxes[0]), style);
    // More than one line: a word at a time.
    return Array.from(text.data.matchAll(/\S+/g), (word) => {
      const [box] = boxOf(word);
      return box ? this.line(word[0], this.place(box), style) : "";
    }).join("");
  }

  private line(label: string, { x, y, width, height }: Place, style: CSSStyleDeclaration): string {
    if (width < 1) return "";
    const font = fontOf(style);
    const shown = style.textTransform === "uppercase" ? label.toUpperCase() : label;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = measure(font, shown);
    return words(shown, width, font, { x, y: y + (height + up - down) / 2, fill: style.color });
  }
}

const fontOf = ({ fontWeight, fontSize, fontFamily }: CSSStyleDeclaration) =>
  `${fontWeight} ${fontSize} ${fontFamily}`;

const isClear = (colour: string) => /^rgba\(.* 0\)$|^transparent$/.test(colour);
