// Exports of the bundle: anywidget's `render`, `mount` for any page; starts pages of their own.

import type { Payload } from "./core/payload.ts";
import { startPage } from "./shell/page.ts";
import { render } from "./shell/widget.ts";
import type { Options } from "./shell/outside.ts";
import { Workbench } from "./shell/workbench.ts";

/** Draws a view into an element; the handle that it returns has `destroy()`. */
export function mount(parent: HTMLElement, payload: Payload, options: Options = {}): Workbench {
  const bench = new Workbench(parent, payload, options);
  Object.assign(bench.root, { workbench: bench });
  return bench;
}

export default { render };

startPage(mount);
