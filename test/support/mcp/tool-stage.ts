import { PassThrough } from "node:stream";
import type { Keeper } from "../../../src/keeper/contract.ts";
import { serveTools } from "../../../src/mcp/server.ts";
import { createStoreDoor, type OpenStore } from "../../../src/mcp/store-door.ts";

/** One message of the server. */
export interface Told {
  readonly id?: number;
  readonly result?: {
    readonly content?: readonly { readonly type: string; readonly text: string }[];
    readonly isError?: boolean;
    readonly tools?: readonly { readonly name: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

export interface ToolStage {
  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): void;
  /** Writes one request; its answer is told by `next` like all others. */
  ask(id: number, method: string, params?: object): void;
  call(id: number, name: string, args: unknown, meta?: object): void;
  /** The next message of the server. */
  next(): Promise<Told>;
  /** Ends the input and waits for the server; answers what was written and not taken. */
  end(): Promise<readonly Told[]>;
  /** Asks the server to stop while the input stays open. */
  stop(): Promise<void>;
  readonly faults: unknown[];
  /** How often a store was opened, and closed. */
  readonly doors: { opened: number; closed: number };
}

/** A tool server in this process, on the keeper that `open` gives at each opening. */
export function createToolStage(open: () => Keeper): ToolStage {
  const input = new PassThrough();
  const output = new PassThrough();
  const faults: unknown[] = [];
  const doors = { opened: 0, closed: 0 };
  const openStore = (): OpenStore => {
    const keeper = open();
    doors.opened += 1;
    const close = async (): Promise<void> => {
      doors.closed += 1;
    };
    return { keeper, close };
  };
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const door = createStoreDoor(openStore);
  const onFault = (fault: unknown) => faults.push(fault);
  const parts = { input, output, door, tenant: "local", version: "9.9.9", nowMs: () => 5, onFault };
  const served = serveTools(parts, stopped).finally(() => output.end());
  const lines = output.setEncoding("utf8")[Symbol.asyncIterator]();
  const messages = readLines(lines);
  const ask = (id: number, method: string, params: object = {}) => {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  };
  return {
    write: (bytes) => void input.write(bytes),
    ask,
    call: (id, name, args, meta) =>
      ask(id, "tools/call", { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }),
    async next() {
      const message = await messages.next();
      if (message.done === true) throw new Error("the server ended its output");
      return message.value;
    },
    async end() {
      input.end();
      await served;
      const rest: Told[] = [];
      for await (const message of messages) rest.push(message);
      return rest;
    },
    async stop() {
      stop();
      await served;
    },
    faults,
    doors,
  };
}

/** Every line must be one message: anything else on the output fails here. */
async function* readLines(chunks: AsyncIterator<string>): AsyncGenerator<Told> {
  let rest = "";
  for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) {
    rest += chunk.value;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as Told;
  }
  if (rest !== "") throw new Error("the server ended in the middle of a message");
}
