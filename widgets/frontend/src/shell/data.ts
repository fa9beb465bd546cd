// Data of a view that are compressed, or too large to be saved with a notebook.

import type { Payload } from "../core/payload.ts";

export interface Sender {
  send?(content: unknown): void;
  on(event: string, listener: (...values: never[]) => void): void;
  off(event: string, listener: (...values: never[]) => void): void;
}

const MESSAGE = "msg:custom";

/** Reads compressed data: the length of the JSON text, the text, the columns. */
async function unpack(packed: DataView<ArrayBuffer>): Promise<Payload> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const whole = await new Response(stream).arrayBuffer();
  const start = 4 + new DataView(whole).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(whole, 4, start - 4));
  return { meta: JSON.parse(text), bytes: whole.slice(start) };
}

/** Unpacks data, or asks the kernel for them; gives back what forgets about them. */
export function fetchData(
  model: Sender,
  packed: DataView | null,
  found: (payload: Payload) => void,
): () => void {
  let isWanted = true;
  const take = async (data: DataView) => {
    const payload = await unpack(data as DataView<ArrayBuffer>);
    if (isWanted) found(payload);
  };
  const hear = ({ data }: { data?: number }, buffers: DataView[]) => {
    if (data) void take(buffers[0]);
  };
  if (packed) void take(packed);
  else {
    model.on(MESSAGE, hear);
    model.send?.({ ask: "data" });
  }
  return () => {
    isWanted = false;
    model.off(MESSAGE, hear);
  };
}
