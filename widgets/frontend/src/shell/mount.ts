// Put a view into any page.

import type { Payload } from "../model/payload.ts";
import type { Options } from "./outside.ts";
import { Workbench } from "./workbench.ts";

/** Draws a view into an element; the handle that it returns has `destroy()`. */
export function mount(parent: HTMLElement, payload: Payload, options: Options = {}): Workbench {
  const bench = new Workbench(parent, payload, options);
  Object.assign(bench.root, { workbench: bench });
  return bench;
}
