import type { ServerResponse } from "node:http";
import { afterEach } from "vitest";
import type { Inline, Pinned } from "../../../src/keeper/contract.ts";
import type { InlineRound } from "../../../src/model/aside.ts";
import type { ToolAnswer } from "../../../src/model/tool.ts";
import type { AnswerTool } from "../../../src/proxy/exchange.ts";
import type { Forward } from "../../../src/proxy/round.ts";
import { headOf, open, type Sent } from "./client.ts";
import { createFakeInline } from "./fake-inline.ts";
import { createFakeKeeper, type FakeKeeper, type Finished } from "./fake-keeper.ts";
import { type FakeUpstream, readAll, startUpstream } from "./fake-upstream.ts";
import { createFakeWire, type FakeWire } from "./fake-wire.ts";
import { createQueue, type Queue } from "./signals.ts";
import { createStage, type Stage } from "./stage.ts";

/** Ebb's own tool in these conversations. */
export const OWN_TOOL = "ebb_recall";

export interface Pin {
  readonly round: InlineRound;
  readonly answers: readonly ToolAnswer[];
}

export interface InlineStage {
  readonly port: number;
  readonly stage: Stage;
  readonly upstream: FakeUpstream;
  /** Responses of the upstream, which the test writes. */
  readonly responses: Queue<ServerResponse>;
  readonly wire: FakeWire;
  readonly pins: Pin[];
  /** What the client saw of each message that ended. */
  readonly closed: (readonly string[])[];
  /** How each prepared request ended, by its number, in the order of the ends. */
  readonly finished: Queue<Finished & { readonly request: number }>;
}

export interface InlineStageParts {
  readonly answerTool?: AnswerTool;
  readonly pin?: (next: Forward, round: InlineRound) => Promise<Pinned>;
}

/** Raises a stage for one test, and closes it behind the test. To be called once in a file. */
export function stageForEach(): (parts?: InlineStageParts) => Promise<InlineStage> {
  let raised: InlineStage | null = null;
  afterEach(async () => {
    await raised?.stage.close();
    raised = null;
  });
  return async (parts) => {
    raised = await createInlineStage(parts);
    return raised;
  };
}

/** A proxy in front of an upstream that the test plays, whose keeper offers a tool of its own in every request. */
async function createInlineStage(parts: InlineStageParts = {}): Promise<InlineStage> {
  const responses = createQueue<ServerResponse>();
  const finished: InlineStage["finished"] = createQueue();
  const pins: Pin[] = [];
  const closed: (readonly string[])[] = [];
  const upstream = await startUpstream((response) => responses.put(response));
  const wire = { ...createFakeWire(), inline: createFakeInline() };
  let requests = 0;
  const forwardOf = (body: Uint8Array, inline: Inline | null): Forward => {
    requests += 1;
    const request = requests;
    return {
      kind: "forward",
      body: [body.subarray(0, 1), body.subarray(1)],
      isEdited: true,
      headers: request === 1 ? [] : [{ name: "x-needed", value: `by ${request}` }],
      plan: null,
      problem: null,
      inline,
      finish: async (facts, status) => finished.put({ request, facts, status }),
    };
  };
  const inline: Inline = {
    toolNames: new Set([OWN_TOOL]),
    lineage: "lineage",
    sessionId: "session",
    async pin(round, answers) {
      pins.push({ round, answers });
      if (parts.pin === undefined && round.place === "beside") return { ok: true, next: null };
      const next = forwardOf(Buffer.from(`{"round":${pins.length + 1}}`), inline);
      return parts.pin === undefined ? { ok: true, next } : parts.pin(next, round);
    },
    async close(seen) {
      closed.push(seen);
    },
  };
  const keeper: FakeKeeper = createFakeKeeper({ prepare: async ({ body }) => forwardOf(body, inline) });
  const answerTool = parts.answerTool ?? (async () => ({ content: [{ type: "text", text: "found" }], failure: null }));
  const stage = await createStage(upstream, { keeper, wire, answerTool });
  return { port: stage.port, stage, upstream, responses, wire, pins, closed, finished };
}

export interface Asked {
  readonly request: ReturnType<typeof open>;
  readonly head: ReturnType<typeof headOf>;
  /** All of the response. */
  text(): Promise<string>;
}

/** Asks the model through the proxy. */
export function ask(port: number, sent: Sent = {}): Asked {
  const headers = [...(sent.headers ?? []), "Content-Length", "2"];
  const request = open(port, { method: "POST", path: "/v1/messages?beta=1", ...sent, headers });
  request.on("error", () => undefined).end("{}");
  const head = headOf(request);
  head.catch(() => undefined);
  return { request, head, text: async () => (await readAll(await head)).toString() };
}
