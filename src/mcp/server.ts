import type { Readable, Writable } from "node:stream";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { failed, type ToolAnswer } from "./answer.ts";
import { answerCall } from "./call.ts";
import { TOOL_DEFINITIONS } from "./definitions.ts";
import { createStdioTransport } from "./stdio-transport.ts";
import type { StoreDoor } from "./store-door.ts";

/** What a tool server is made of. */
export interface ToolServer {
  readonly input: Readable;
  readonly output: Writable;
  readonly door: StoreDoor;
  readonly tenant: string;
  readonly version: string;
  readonly nowMs: () => number;
  /** Another server of Ebb serves this client: this one lists no tools, which would be sent twice. */
  readonly isSpare?: boolean;
  /** Our own mistakes, which no caller can mend; for the log. */
  onFault(fault: unknown): void;
}

/** Calls under way at one time; what comes beyond waits in the client's stream. */
const CALLS_MAX = 16;

/** Where Claude Code states the id of the call. */
const CALL_ID_KEY = "claudecode/toolUseId";

/** Serves the tools until the input ends or `stopped` resolves, and waits for calls under way. Never throws for a call. */
export async function serveTools(given: ToolServer, stopped: Promise<void>): Promise<void> {
  const server = new Server({ name: "ebb", version: given.version }, { capabilities: { tools: {} } });
  const transport = createStdioTransport(given.input, given.output);
  const calls = new Set<Promise<ToolAnswer>>();
  server.onerror = (fault) => given.onFault(fault);
  const listed = given.isSpare === true ? [] : TOOL_DEFINITIONS;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed.map((one) => ({ ...one })) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const call = answer(params.name, params.arguments, callIdOf(params._meta), given);
    calls.add(call);
    if (calls.size >= CALLS_MAX) transport.pause();
    const answered = await call;
    calls.delete(call);
    if (calls.size < CALLS_MAX) transport.resume();
    return { content: answered.content.map((part) => ({ ...part })), isError: answered.failure !== null };
  });
  await server.connect(transport);
  await Promise.race([transport.ended, stopped]);
  await Promise.all(calls);
  await transport.flushed();
  await server.close();
  await given.door.close();
}

async function answer(name: string, args: unknown, callId: string | null, given: ToolServer): Promise<ToolAnswer> {
  const tool = TOOL_DEFINITIONS.find((one) => one.name === name)?.name;
  if (tool === undefined) {
    const names = TOOL_DEFINITIONS.map((one) => one.name).join(", ");
    return failed("bad order", `expected one of the tools ${names}, got ${JSON.stringify(name.slice(0, 80))}`);
  }
  try {
    return await given.door.use((keeper) =>
      answerCall({ tool, arguments: args ?? {}, callId }, { keeper, tenant: given.tenant, nowMs: given.nowMs }),
    );
  } catch (fault) {
    given.onFault(fault);
    return failed("fault", "Ebb failed at this call; its log says how");
  }
}

function callIdOf(meta: Readonly<Record<string, unknown>> | undefined): string | null {
  const id = meta?.[CALL_ID_KEY];
  return typeof id === "string" && id !== "" ? id : null;
}
