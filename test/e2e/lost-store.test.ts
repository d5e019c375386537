import { mkdtempSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../../src/replay/simulated/server.ts";
import type { BodyOptions } from "../support/conversation.ts";
import { type EbbServer, startEbb } from "../support/ebb-server.ts";
import { type PlainClient, plainClient } from "../support/plain-client.ts";

const FREE: BodyOptions = { model: "claude-sonnet-4-5-20250929" };
const SIGNING: BodyOptions = { model: "claude-opus-5-5", thinking: { type: "adaptive" } };
const LARGE = Array.from({ length: 400 }, (_, line) => `${line + 1}\tconst value${line} = compute(${line});`).join(
  "\n",
);
const STEPS = [
  { thinking: "First.", tools: [{ name: "Read", input: { file_path: "/w/large.ts" } }] },
  { thinking: "Long.", text: "Read." },
  { thinking: "More.", text: "Done." },
  { thinking: "Again.", text: "Done again." },
];
const CONFIG = 'bound: { lines: 300, bytes: 262144 }\ninline_tools: "off"\n';

let folder: string;
let provider: SimulatedProvider;
let ebb: EbbServer;
let errors: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ebb-lost-"));
  errors = [];
  provider = await startSimulatedProvider({
    models: anthropicProvider,
    scenario: { scripts: [{ match: "", steps: STEPS }] },
  });
  ebb = await start();
});

afterEach(async () => {
  await ebb.close().catch(() => undefined);
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(): Promise<EbbServer> {
  return startEbb({ config: CONFIG, scratch: folder, dataFolder: join(folder, "data"), provider, errors });
}

function loseStore(): void {
  for (const name of readdirSync(join(folder, "data"))) unlinkSync(join(folder, "data", name));
}

/** A session whose large read left at first send. */
async function session(bodies: BodyOptions): Promise<PlainClient> {
  const client = plainClient("s", () => LARGE, bodies);
  client.say("please work");
  await client.turn(ebb.url);
  expect(lastForwarded()).toContain("[ebb ");
  return client;
}

const lastForwarded = () => provider.requests().at(-1)?.bodyRaw ?? "";

async function goOn(client: PlainClient) {
  client.say("go on");
  return client.step(ebb.url);
}

describe("where the store is there", () => {
  test("a restart repeats what was sent, and signed thinking fits", async () => {
    const client = await session(SIGNING);
    const marker = /\[ebb [^"]*/.exec(lastForwarded())?.[0] ?? "no marker";
    await ebb.close();
    ebb = await start();
    expect((await goOn(client)).status).toBe(200);
    expect(lastForwarded()).toContain(marker);
  });

  test("a summary that the client lets the model write behind Ebb leads out of it, signed thinking or not", async () => {
    const client = await session(SIGNING);
    client.say("Summarize this conversation for whoever goes on with it.");
    const written = await client.step(ebb.url);
    expect(written.status).toBe(200);
    const next = plainClient("s", () => LARGE, SIGNING);
    next.say(`This session is being continued from a previous conversation. ${written.text}`);
    expect((await next.turn(provider.url)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await goOn(next)).toMatchObject({ status: 200 });
  });
});

describe("where the store was lost and Ebb starts anew", () => {
  test("a conversation goes out as its client has it, as without Ebb, and nothing of it leaves", async () => {
    const client = await session(FREE);
    await ebb.close();
    loseStore();
    ebb = await start();
    const { status, usage } = await goOn(client);
    expect([status, errors]).toEqual([200, []]);
    expect(lastForwarded()).not.toContain("[ebb ");
    expect(usage?.cacheWriteTokens).toBeGreaterThan(2_000);
    expect(ebb.stats()).toMatchObject({ fallbacks: { script_only: 0, original: 0, refused: 0 }, law_violations: 0 });
    expect(ebb.stats().declined.map(({ reason }) => reason)).not.toContain("cached_prefix");
  });

  test("one with signed thinking is refused by the provider as without Ebb, which the client and the account are told", async () => {
    const client = await session(SIGNING);
    await ebb.close();
    loseStore();
    ebb = await start();
    expect(await goOn(client)).toMatchObject({ status: 400, words: expect.stringContaining("signature") });
    expect(ebb.stats().signature_refusals).toBe(1);
  });
});

describe("where the store is lost under a running proxy", () => {
  test("a conversation that the process remembers goes on behind its markers, and a new one leaves as it is", async () => {
    const client = await session(SIGNING);
    const before = lastForwarded();
    loseStore();
    const { status } = await goOn(client);
    expect(status).toBe(200);
    const marker = /\[ebb [^"]*/.exec(before)?.[0] ?? "no marker";
    expect(lastForwarded()).toContain(marker);
    expect(errors.join()).toContain("the store's file was removed or replaced while in use; restart Ebb");
    const other = plainClient("other", () => LARGE, FREE);
    other.say("please work elsewhere");
    await other.turn(ebb.url);
    expect(lastForwarded()).not.toContain("[ebb ");
  });

  test("after a restart nobody remembers it: it goes out as its client has it", async () => {
    const client = await session(FREE);
    loseStore();
    expect((await goOn(client)).status).toBe(200);
    await ebb.close();
    ebb = await start();
    expect((await goOn(client)).status).toBe(200);
    expect(lastForwarded()).not.toContain("[ebb ");
  });
});
