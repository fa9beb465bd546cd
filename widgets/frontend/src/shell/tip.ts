// The tooltip: a few lines beside the pointer.

import { element } from "../panel/canvasPanel.ts";
import { elide } from "../core/text.ts";

export class Tip {
  readonly element = element("div", { class: "anb-tip", role: "presentation", hidden: "" });

  /** Shows lines beside the pointer, inside the view; hides where there are none. */
  show(lines: readonly string[] | null, event?: MouseEvent): void {
    const tip = this.element;
    tip.hidden = lines === null;
    if (!lines || !event || !tip.parentElement) return;
    const [first, ...rest] = lines.map((line) => elide(line, 120));
    tip.replaceChildren(
      element("strong", {}, first),
      ...rest.map((line) => element("span", {}, line)),
    );
    const frame = tip.parentElement.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = tip;
    const x = event.clientX - frame.left + 14;
    const y = event.clientY - frame.top + 14;
    tip.style.left = `${Math.max(4, Math.min(x, frame.width - offsetWidth - 8))}px`;
    const above = event.clientY - frame.top - offsetHeight - 10;
    tip.style.top = `${y + offsetHeight > frame.height ? Math.max(4, above) : y}px`;
  }
}
