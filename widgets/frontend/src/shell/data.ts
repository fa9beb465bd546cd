// Data of a view that are compressed: in a page, or where they are large for a notebook.

import type { Meta, Payload } from "../model/payload.ts";

export interface Sender {
  send?(content: unknown): void;
  on(event: string, listener: (...values: never[]) => void): void;
  off(event: string, listener: (...values: never[]) => void): void;
}

const MESSAGE = "msg:custom";

/** Reads what Python packed: gzip of the length of the JSON text, the text, the columns. */
export async function unpack(packed: BufferSource): Promise<Payload> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(stream).arrayBuffer();
  const length = new DataView(data).getUint32(0, true);
  const meta = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length))) as Meta;
  return { meta, bytes: data.slice(4 + length) };
}

/** Unpacks data, or asks the kernel for them; gives back what forgets about them. */
export function fetchData(
  model: Sender,
  packed: BufferSource | null,
  found: (payload: Payload) => void,
): () => void {
  let isWanted = true;
  const take = async (data: BufferSource) => {
    const payload = await unpack(data);
    if (isWanted) found(payload);
  };
  const hear = ({ data }: { data?: number }, buffers: BufferSource[]) => {
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

const filled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each)]));
};

/** Gives a view's description with null for what is not there: kernels in a page send undefined. */
export const withNulls = (meta: Meta): Meta =>
  meta.memory === undefined ? (filled({ ...meta, memory: null }) as Meta) : meta;
