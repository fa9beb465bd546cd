// Mount a view in a page of its own, from data packed in the page.

import { element } from "../core/canvasPanel.ts";
import type { Meta, Payload } from "../core/payload.ts";
import type { Options, Workbench } from "./workbench.ts";

type Mount = (parent: HTMLElement, payload: Payload, options?: Options) => Workbench;

/** Reads what Python packed: base64 of gzip of (length of the JSON, the JSON, the columns). */
export async function unpackPage(text: string): Promise<Payload> {
  const packed = Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(stream).arrayBuffer();
  const length = new DataView(data).getUint32(0, true);
  const meta = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as Meta;
  return { meta, bytes: data.slice(4 + length) };
}

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
      place.dataset.ready = "true";
    })
    .catch((error: unknown) => {
      const text = `This page cannot be drawn by this browser: ${error}`;
      place.append(element("p", { role: "alert" }, text));
      for (const picture of document.querySelectorAll("template")) {
        place.append(picture.content.cloneNode(true));
      }
    });
}
