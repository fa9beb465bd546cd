// Keep every part of a view where it is and as large as it was, while its data change.

import type { Workbench } from "./workbench.ts";

/** Width of a view, and the height of each of its parts, in pixels. */
export interface Sizes {
  width: number;
  heights: ReadonlyMap<string, number>;
}

const PARTS = ".anb-header, .anb-findings, .anb-overview, .anb-column, [data-panel]";

function parts(root: HTMLElement): Map<string, HTMLElement> {
  const found = [...root.querySelectorAll<HTMLElement>(PARTS)];
  const named = found.map((part) => [part.dataset.panel ?? part.classList[0], part] as const);
  return new Map(named.filter(([, part]) => part.offsetHeight > 0));
}

/** Measures the parts that are seen; null where nothing is. */
export function sizesOf({ root }: Workbench): Sizes | null {
  const heights = new Map<string, number>();
  for (const [name, part] of parts(root)) heights.set(name, part.getBoundingClientRect().height);
  return root.offsetWidth > 0 && heights.size ? { width: root.offsetWidth, heights } : null;
}

/** Gives the parts of a view the sizes of before, until its width or its layout changes. */
export function holdStill(bench: Workbench, { width, heights }: Sizes): () => void {
  const { root, store } = bench;
  if (root.offsetWidth !== width) return () => {};
  const held: HTMLElement[] = [];
  const now = parts(root);
  // Panels of a column share its height: with an overview or without, it is another one.
  const isSame = now.has("anb-overview") === heights.has("anb-overview");
  for (const [name, part] of now) {
    const height = heights.get(name);
    const isShared = part.parentElement?.classList.contains("anb-column") ?? false;
    if (height === undefined || (isShared && !isSame)) continue;
    part.style.height = part.style.minHeight = part.style.maxHeight = `${height}px`;
    if (isShared) part.style.flex = "none";
    if (!part.dataset.panel && !part.classList.contains("anb-column")) part.style.overflow = "auto";
    held.push(part);
  }
  const release = () => {
    stop();
    seen.disconnect();
    for (const part of held) for (const name of STYLES) part.style.removeProperty(name);
  };
  const stop = store.subscribe(({ layout }) => layout !== undefined && release());
  const seen = new ResizeObserver(() => root.offsetWidth !== width && release());
  seen.observe(root);
  return () => {
    stop();
    seen.disconnect();
  };
}

const STYLES = ["height", "min-height", "max-height", "flex", "overflow"];
