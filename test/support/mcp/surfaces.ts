import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import pino from "pino";
import { main } from "../../../src/cli/main.ts";
import { LOCAL_TENANT, openKeeper } from "../../../src/cli/open-keeper.ts";
import { resolveConfig } from "../../../src/config/resolve.ts";
import { anthropicProvider } from "../../../src/providers/anthropic.ts";
import { startProxy } from "../../../src/proxy/server.ts";
import { cleanEnvironment } from "../clients.ts";
import { send } from "../proxy/client.ts";

/** One question or order, as all surfaces can say it. */
export interface Asked {
  readonly verb: "recall" | "keep" | "release" | "hold";
  readonly id: string;
  readonly range?: string;
  readonly pattern?: string;
  /** The conversation that asks; null: none that is known. */
  readonly session: string | null;
}

/** What a surface answered: its text, or the name of the failure and the words behind it. */
export interface Told {
  readonly failure: string | null;
  readonly text: string;
}

/** One way to Ebb. */
export interface Surface {
  ask(asked: Asked): Promise<Told>;
  close(): Promise<void>;
}

export interface SurfacePlace {
  readonly dataFolder: string;
  readonly home: string;
  /** A call that the last response of a session made, by the session. */
  readonly callIds: Readonly<Record<string, string>>;
}

const PROGRAM = resolve(import.meta.dirname, "../../../bin/ebb.mjs");
const TOKEN = "a-token-that-only-the-user-can-read";
const REASON = "as the test says";
const AT_MS = 1_700_000_000_000;

/** The functions that a program calls. */
export async function openLibrary(place: SurfacePlace): Promise<Surface> {
  const { keeper, close } = openPlace(place);
  return {
    close,
    async ask({ verb, id, range = null, pattern = null, session }) {
      const context = { tenant: LOCAL_TENANT, lineage: null, sessionId: session, by: "user", atMs: AT_MS } as const;
      const targets = { ids: [id], paths: [], latest: null };
      switch (verb) {
        case "recall":
          return toldOf(await keeper.recall({ ...context, id, range, pattern, ignoreCase: false, chars: null }));
        case "keep":
          return toldOf(await keeper.decide({ verb, id, range, reason: REASON }, context));
        case "release":
          return toldOf(await keeper.decide({ verb, targets, reason: REASON }, context));
        case "hold": {
          const lifetime = { kind: "steps", steps: 3 } as const;
          return toldOf(await keeper.decide({ verb, targets, lifetime, reason: REASON }, context));
        }
      }
    },
  };
}

/** The command line. */
export async function openCommandLine({ dataFolder, home }: SurfacePlace): Promise<Surface> {
  return {
    close: async () => undefined,
    ask({ verb, id, range, pattern, session }) {
      const args = [verb, id, "--data-folder", dataFolder];
      if (range !== undefined) args.push(`--range=${range}`);
      if (pattern !== undefined) args.push(`--pattern=${pattern}`);
      if (session !== null) args.push("--session", session);
      if (verb !== "recall") args.push("--reason", REASON);
      if (verb === "hold") args.push("--steps", "3");
      return run(args, home);
    },
  };
}

/** The proxy's own paths. */
export async function openHttp(place: SurfacePlace): Promise<Surface> {
  const { keeper, close } = openPlace(place);
  const proxy = await startProxy({
    host: "127.0.0.1",
    port: 0,
    upstream: "http://127.0.0.1:9",
    keeper,
    wires: [],
    providerOf: () => anthropicProvider,
    tenant: LOCAL_TENANT,
    token: TOKEN,
    log: pino({ level: "silent" }),
    version: "test",
  });
  return {
    async ask({ verb, id, range, pattern, session }) {
      const stated = { range, pattern, ...(session === null ? {} : { session }) };
      const fields = Object.entries(stated).filter((field): field is [string, string] => field[1] !== undefined);
      const headers = ["Authorization", `Bearer ${TOKEN}`];
      if (verb === "recall") {
        const path = `/recall/${encodeURIComponent(id)}?${new URLSearchParams(fields)}`;
        return httpTold(await send(proxy.port, { path, headers }));
      }
      const named = verb === "keep" ? { id } : { ids: [id] };
      const order = {
        ...named,
        ...Object.fromEntries(fields),
        ...(verb === "hold" ? { steps: 3 } : {}),
        reason: REASON,
      };
      const asJson = [...headers, "Content-Type", "application/json"];
      const body = Buffer.from(JSON.stringify(order));
      return httpTold(await send(proxy.port, { method: "POST", path: `/${verb}`, headers: asJson, body }));
    },
    async close() {
      await proxy.close(0);
      await close();
    },
  };
}

/** `ebb mcp` with the protocol's own client. */
export async function openTools({ dataFolder, home, callIds }: SurfacePlace): Promise<Surface> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", "--data-folder", dataFolder],
    env: cleanEnvironment(home),
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  return {
    async ask({ verb, id, range, pattern, session }) {
      const callId = session === null ? undefined : callIds[session];
      const _meta = callId === undefined ? {} : { "claudecode/toolUseId": callId };
      const params = { ...toolCallOf(verb, id, range, pattern), _meta };
      const { content, isError } = await client.request({ method: "tools/call", params }, CallToolResultSchema);
      const text = content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
      return isError === true ? failureIn(text) : { failure: null, text };
    },
    close: () => client.close(),
  };
}

function toolCallOf(verb: Asked["verb"], id: string, range: string | undefined, pattern: string | undefined) {
  switch (verb) {
    case "recall":
      return { name: "recall", arguments: { id, range, pattern } };
    case "keep":
      return { name: "recall", arguments: { id, range, keep: true, reason: REASON } };
    case "release":
      return { name: "release", arguments: { ids: [id], reason: REASON } };
    case "hold":
      return { name: "hold", arguments: { ids: [id], steps: 3, reason: REASON } };
  }
}

function openPlace({ dataFolder, home }: SurfacePlace) {
  const place = { env: {}, cwd: home, home, platform: process.platform };
  return openKeeper(
    resolveConfig({ configFile: null, values: new Map([["data_folder", dataFolder]]) }, place),
    () => undefined,
  );
}

function toldOf(
  answer:
    | { readonly ok: true; readonly text?: string; readonly words?: string }
    | { readonly ok: false; readonly failure: string; readonly words: string },
): Told {
  if (!answer.ok) return { failure: answer.failure, text: answer.words };
  return { failure: null, text: answer.text ?? answer.words ?? "" };
}

function httpTold({ status, body }: { readonly status: number; readonly body: Buffer }): Told {
  const text = body.toString("utf8");
  const value: unknown = text.startsWith("{") ? JSON.parse(text) : null;
  const { failure = null, words = text } = (value ?? {}) as { readonly failure?: string; readonly words?: string };
  if ((failure === null) !== (status === 200)) throw new Error(`status ${status} with ${text}`);
  return { failure, text: words };
}

/** Runs one command line in this process: 0 with an answer, 1 with a failure that begins with the program's name. */
async function run(args: readonly string[], home: string): Promise<Told> {
  const out: Buffer[] = [];
  let err = "";
  const code = await main(args, {
    out: (chunk) => void out.push(Buffer.from(chunk)),
    err: (text) => {
      err += text;
    },
    place: { env: {}, cwd: home, home, platform: process.platform },
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => undefined,
  });
  const text = Buffer.concat(out).toString("utf8").trimEnd();
  if (code === 0) return { failure: null, text };
  if (code !== 1 || text !== "" || !err.startsWith("ebb: ")) throw new Error(`ebb ended with ${code}: ${err}`);
  return failureIn(err.slice("ebb: ".length).trimEnd());
}

function failureIn(text: string): Told {
  const end = text.indexOf(": ");
  if (end === -1) return { failure: "", text };
  return { failure: text.slice(0, end), text: text.slice(end + 2) };
}
