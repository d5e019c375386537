import { type Splice, spliceBody } from "./splice.ts";

/** A piece of a stream with the bytes it came in. */
export interface RawEvent {
  readonly raw: Uint8Array;
  readonly name: string;
  readonly data: string;
}

/** The event with splices in its data, as UTF-8; all other bytes as they came, where its data stands in one line. */
export function rewriteEvent({ raw, name, data }: RawEvent, splices: readonly Splice[]): Uint8Array {
  const bytes = Buffer.from(data);
  const at = dataStart(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), bytes);
  const written = spliceBody(bytes, splices);
  if (at === null) return eventBytes(name, Buffer.concat(written).toString("utf8"));
  return Buffer.concat([raw.subarray(0, at), ...written, raw.subarray(at + bytes.length)]);
}

/** An event as bytes. The name of an event that came without one is left out. */
export function eventBytes(name: string, data: string): Uint8Array {
  const head = name === "message" ? "" : `event: ${name}\n`;
  const lines = data.split("\n").map((line) => `data: ${line}\n`);
  return Buffer.from(`${head}${lines.join("")}\n`);
}

/** Null where the data does not stand in one line of the bytes as it is. */
function dataStart(raw: Buffer, data: Buffer): number | null {
  const at = raw.lastIndexOf(data);
  return at >= 0 && /data: ?$/.test(raw.toString("latin1", Math.max(0, at - 6), at)) ? at : null;
}
