// Mount a view in a page of its own, from data packed in the page.

import { element } from "../panel/canvasPanel.ts";
import type { Meta, Payload } from "../model/payload.ts";
import { unpack } from "./data.ts";
import type { Options } from "./outside.ts";
import type { Workbench } from "./workbench.ts";

type Mount = (parent: HTMLElement, payload: Payload, options?: Options) => Workbench;

/** Reads the data of a page, which are base64. */
export const unpackPage = (text: string): Promise<Payload> =>
  unpack(Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0)));

/** Mounts the view where the page asks for it; does nothing in a notebook. */
export function startPage(mount: Mount): void {
  if (typeof document === "undefined") return;
  const data = document.getElementById("aidge-nb-data");
  const place = document.getElementById("aidge-nb-view");
  if (!data || !place) return;
  unpackPage(data.textContent ?? "")
    .then((payload) => {
      const { opened } = payload.meta as Meta & { opened?: Options };
      mount(place, payload, { ...opened, page: true });
      document.querySelector(".still")?.remove();
      place.dataset.ready = "true";
    })
    .catch((error: unknown) => {
      const text = `This page cannot be drawn by this browser: ${error}`;
      place.append(element("p", { role: "alert" }, text));
    });
}
