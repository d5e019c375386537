import type { Readable, Writable } from "node:stream";
import { serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";

/** Largest message that is read, in bytes; a longer one is skipped to its end. */
export const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/** A transport over two streams that also holds the sender back. */
export interface StdioTransport extends Transport {
  /** Reads nothing more until `resume`. */
  pause(): void;
  resume(): void;
  /** Resolves when the other side has ended its stream, or it failed. */
  readonly ended: Promise<void>;
  /** Resolves when answers that are ready were handed to the system. */
  flushed(): Promise<void>;
}

/**
 * One message a line, in both directions. A line that is no message is answered as the protocol says and changes
 * nothing; an unfinished one at the end of the stream is dropped.
 */
export function createStdioTransport(input: Readable, output: Writable): StdioTransport {
  const lines = createLineBuffer(MESSAGE_BYTES_MAX);
  const writes = new Set<Promise<void>>();
  const write = (text: string): Promise<void> => {
    const written = new Promise<void>((resolve) => {
      output.write(text, () => resolve());
    }).finally(() => writes.delete(written));
    writes.add(written);
    return written;
  };
  const ended = new Promise<void>((resolve) => {
    input
      .once("end", resolve)
      .once("close", resolve)
      .once("error", () => resolve());
  });
  const take = (line: Line): void => {
    const read = readMessage(line);
    if (read === null) return;
    if (read.ok) transport.onmessage?.(read.message);
    else void write(read.answer);
  };
  const onData = (chunk: Buffer): void => {
    for (const line of lines.push(chunk)) take(line);
  };
  const transport: StdioTransport = {
    ended,
    pause: () => void input.pause(),
    resume: () => void input.resume(),
    async flushed() {
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all(writes);
    },
    async start() {
      input.on("data", onData);
    },
    send: (message) => write(serializeMessage(message)),
    async close() {
      input.off("data", onData);
      input.pause();
      transport.onclose?.();
    },
  };
  return transport;
}

/** A line without its end; null for one that was too long. */
type Line = string | null;

const NEWLINE = 10;

function createLineBuffer(bytesMax: number): { push(chunk: Buffer): readonly Line[] } {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= bytesMax) parts.push(part);
    else parts = [];
  };
  const take = (): Line => {
    const line = length > bytesMax ? null : Buffer.concat(parts).toString("utf8");
    parts = [];
    length = 0;
    return line;
  };
  return {
    push(chunk) {
      const lines: Line[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end));
        lines.push(take());
        start = end + 1;
      }
      add(chunk.subarray(start));
      return lines;
    },
  };
}

type ReadMessage =
  | { readonly ok: true; readonly message: JSONRPCMessage }
  | { readonly ok: false; readonly answer: string };

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Null for an empty line. */
function readMessage(line: Line): ReadMessage | null {
  if (line === null) return refusal(INVALID_REQUEST, `a message may have ${MESSAGE_BYTES_MAX} bytes`, null);
  if (line.trim() === "") return null;
  const value = parsedLine(line);
  if (value === undefined) return refusal(PARSE_ERROR, "expected one JSON message a line", null);
  const parsed = JSONRPCMessageSchema.safeParse(value);
  if (parsed.success) return { ok: true, message: parsed.data };
  return refusal(INVALID_REQUEST, "expected a JSON-RPC 2.0 request or notification", idOf(value));
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function idOf(value: unknown): string | number | null {
  const id: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "id") : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** The protocol leaves the id out where it could not be read. */
function refusal(code: number, message: string, id: string | number | null): ReadMessage {
  const error = { code, message };
  return { ok: false, answer: `${JSON.stringify({ jsonrpc: "2.0", ...(id === null ? {} : { id }), error })}\n` };
}
