import { pino } from "pino";
import { expect, test } from "vitest";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { startProxy } from "../../src/proxy/server.ts";
import { type SimulatedProviderOptions, startSimulatedProvider } from "../../src/replay/simulated/server.ts";
import {
  assistant,
  type Block,
  bodyOf,
  call,
  EMPTY_TALK,
  result,
  results,
  type Talk,
  thinking,
  user,
} from "../support/conversation.ts";
import { createTestKeeper, wire } from "../support/keeper.ts";
import { imageBlock, picture } from "../support/pictures.ts";
import { send } from "../support/proxy/client.ts";
import { TOKEN } from "../support/proxy/stage.ts";

const FREE = "claude-opus-4-5";
const BINDING = "claude-opus-5-5";
const SCENARIO = { scripts: [{ match: "", steps: [{ text: "seen" }] }] };

interface Case {
  readonly limits: Pick<SimulatedProviderOptions, "bodyBytesMax" | "mediaMax">;
  readonly model?: string;
  readonly count: number;
  readonly bytes?: number;
  readonly withEbb: boolean;
}

interface Played {
  /** Status of each answer, and the words of the first refusal. */
  readonly statuses: readonly number[];
  readonly refusal: string;
  readonly lastForwarded: string;
  recall(callId: string): Promise<Buffer>;
}

/** A session in which every step looks at a new screenshot, as an agent's client sends it: the whole history each time. */
async function play({ limits, model = FREE, count, bytes = 4_000, withEbb }: Case): Promise<Played> {
  const provider = await startSimulatedProvider({
    models: anthropicProvider,
    scenario: SCENARIO,
    signatures: false,
    ...limits,
  });
  const budget = { bytesMax: limits.bodyBytesMax ?? null, imagesMax: limits.mediaMax ?? null };
  const keeper = createTestKeeper({ media: budget, mode: withEbb ? "enforce" : "off" });
  const proxy = await startProxy({
    host: "127.0.0.1",
    port: 0,
    upstream: provider.url,
    keeper,
    wires: [wire],
    providerOf: () => anthropicProvider,
    tenant: "local",
    token: TOKEN,
    log: pino({ level: "silent" }),
    version: "1",
  });
  const headers = ["Content-Type", "application/json", "X-Api-Key", "key", "X-Claude-Code-Session-Id", "session"];
  const statuses: number[] = [];
  let refusal = "";
  let talk: Talk = user(EMPTY_TALK, "look at the pages");
  for (let seed = 0; seed < count; seed++) {
    const thought: readonly Block[] = model === BINDING ? [thinking(`page ${seed}`)] : [];
    talk = assistant(talk, ...thought, call(`s${seed}`, "mcp__browser__screenshot", { page: seed }));
    talk = results(talk, result(`s${seed}`, [imageBlock(picture(seed, { bytes }))]));
    const body = bodyOf(talk, { model, stream: false });
    const answer = await send(proxy.port, { method: "POST", path: "/v1/messages", headers, body });
    statuses.push(answer.status ?? 0);
    if (answer.status !== 200 && refusal === "") refusal = answer.body.toString();
  }
  const recalled = new Map<string, Buffer>();
  for (const callId of ["s0", `s${count - 1}`]) {
    const path = `/recall/${callId}?raw`;
    const got = await send(proxy.port, { path, headers: ["Authorization", `Bearer ${TOKEN}`] });
    if (got.status === 200) recalled.set(callId, got.body);
  }
  const lastForwarded = provider.requests().at(-1)?.bodyRaw ?? "";
  if (withEbb) expect(keeper.stats()).toMatchObject({ law_violations: 0, fallbacks: { refused: 0, original: 0 } });
  await proxy.close(0);
  await provider.close();
  return { statuses, refusal, lastForwarded, recall: async (id) => recalled.get(id) ?? Buffer.alloc(0) };
}

test.each<[string, Omit<Case, "withEbb">, number, string]>([
  ["more images than the provider takes", { limits: {}, count: 112 }, 400, "at most 100 images"],
  [
    "a longer body than the provider takes",
    { limits: { bodyBytesMax: 600_000 }, count: 60, bytes: 12_000 },
    413,
    "request_too_large",
  ],
  [
    "more images on a model that signs its thinking",
    { limits: { mediaMax: 50 }, count: 60, model: BINDING },
    400,
    "at most 50 images",
  ],
])(
  "a session with %s fails for good without Ebb, and goes on with it",
  { timeout: 120_000 },
  async (_, given, status, words) => {
    const without = await play({ ...given, withEbb: false });
    const first = without.statuses.indexOf(status);
    expect(first).toBeGreaterThan(10);
    expect(without.refusal).toContain(words);
    expect(new Set(without.statuses.slice(first))).toEqual(new Set([status]));

    const withEbb = await play({ ...given, withEbb: true });
    expect(new Set(withEbb.statuses)).toEqual(new Set([200]));
    expect(withEbb.statuses).toHaveLength(given.count);
    expect(withEbb.lastForwarded).toContain("over its media budget");
    const gone = given.model === BINDING ? given.count - 1 : 0;
    const size = given.bytes === undefined ? {} : { bytes: given.bytes };
    expect(withEbb.lastForwarded).not.toContain(picture(gone, size).toString("base64"));
    expect((await withEbb.recall(`s${gone}`)).equals(picture(gone, size))).toBe(true);
  },
);
