import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Way } from "../../src/cli/eject-lines.ts";
import type { EjectAnswer } from "../../src/keeper/eject.ts";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import type { Scenario, ScriptStep } from "../../src/replay/simulated/scenario.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../../src/replay/simulated/server.ts";
import { runIn } from "../support/command-io.ts";
import { type Block, type BodyOptions, EMPTY_TALK, type Talk, user } from "../support/conversation.ts";
import { startEbbProcess } from "../support/ebb-command.ts";
import { type PlainClient, plainClient } from "../support/plain-client.ts";

const FREE: BodyOptions = { model: "claude-sonnet-4-5-20250929" };
const SIGNING: BodyOptions = { model: "claude-opus-5-5", thinking: { type: "adaptive" } };
/** Larger than the bound that the proxy is set to, and smaller. */
const LARGE = lines(400);
const SMALL = lines(200);
const ROOM_SHARE = 0.1;

const read = (path: string) => ({ name: "Read", input: { file_path: path } });
/** Two turns behind Ebb; the large file is read in the second. The third turn is played without. */
const STEPS: readonly ScriptStep[] = [
  { thinking: "I look around.", text: "Looking.", tools: [read("/w/small.ts")] },
  { thinking: "It is small.", text: "One read." },
  { thinking: "Now the large one.", tools: [read("/w/large.ts")] },
  { thinking: "It is long.", text: "Looking on.", tools: [read("/w/other.ts")] },
  { thinking: "I know enough.", text: "Both read." },
  { thinking: "Once more.", text: "Going on." },
];
const RECALLING: readonly ScriptStep[] = [
  { thinking: "First the file.", tools: [read("/w/large.ts")] },
  {
    thinking: "I need a line.",
    text: "Let me look.",
    tools: [{ do: "mcp", tool: "recall", input: { id: "$marker:1", range: "7" } }],
  },
  { thinking: "Line 7 it is.", text: "It says 7." },
  { thinking: "Once more.", text: "Going on." },
];
const UNTOUCHED: readonly ScriptStep[] = [
  { thinking: "Only a small one.", tools: [read("/w/small.ts")] },
  { thinking: "Read.", text: "Done." },
  { thinking: "Once more.", text: "Going on." },
];
const SCENARIO: Scenario = {
  scripts: [
    { match: "^recalling", steps: RECALLING },
    { match: "^untouched", steps: UNTOUCHED },
    { match: "", steps: STEPS },
  ],
};

type Told = Extract<EjectAnswer, { ok: true }> & { readonly ways: readonly Way[] };

let folder: string;
let provider: SimulatedProvider;
const clients = new Map<string, PlainClient>();

/** Sessions behind a proxy of its own process, which is killed between two requests. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ebb-leaving-"));
  provider = await startSimulatedProvider({ models: anthropicProvider, scenario: SCENARIO });
  await behindEbb("off", ["free", FREE], ["signing", SIGNING], ["untouched", SIGNING]);
  await behindEbb("recall", ["recalling", SIGNING], ["offered", FREE]);
}, 60_000);

afterAll(async () => {
  await provider?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function behindEbb(inlineTools: string, ...sessions: readonly (readonly [string, BodyOptions])[]): Promise<void> {
  const config = join(folder, `${inlineTools}.yaml`);
  writeFileSync(config, `bound: { lines: 300, bytes: 262144 }\ninline_tools: "${inlineTools}"\n`);
  const given = ["--config", config, "--port", "0", "--upstream", provider.url, "--data-folder", join(folder, "data")];
  const ebb = await startEbbProcess(folder, given);
  for (const [name, bodies] of sessions) {
    const client = plainClient(name, outputOf, bodies);
    clients.set(name, client);
    client.say(`${name}: please work`);
    await client.turn(ebb.url);
    if (name === "free" || name === "signing" || name === "offered") {
      client.say("and the large one");
      await client.turn(ebb.url);
    }
  }
  await ebb.kill();
}

function outputOf(_name: string, input: unknown): string {
  return JSON.stringify(input).includes("large") ? LARGE : SMALL;
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, line) => `${line + 1}\tconst value${line} = compute(${line});`).join("\n");
}

/** The session as its client has it, with a history of its own. */
function clientOf(name: string, talk?: Talk): PlainClient {
  const one = clients.get(name);
  if (one === undefined) throw new Error(`no session ${name}`);
  return plainClient(name, outputOf, name === "free" || name === "offered" ? FREE : SIGNING, talk ?? one.talk);
}

async function ebb(...argv: readonly string[]): Promise<string> {
  const { code, out, err } = await runIn(folder, [...argv, "--data-folder", join(folder, "data")]);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

async function told(session: string): Promise<Told> {
  return JSON.parse(await ebb("eject", session, "--json"));
}

const waysIn = ({ ways }: Told) => ways.map(({ way }) => way);

/** Goes on without Ebb: the next turn, straight to the provider. */
async function goOn(client: PlainClient) {
  client.say("go on");
  return client.step(provider.url);
}

function without(talk: Talk, type: string): Talk {
  const messages = talk.messages.map(({ role, content }) => {
    return { role, content: (content as readonly Block[]).filter((block) => block.type !== type) };
  });
  return { messages };
}

describe("a session that Ebb changed, once Ebb is killed", () => {
  test("goes on without it at the price that eject foretold, where nothing is signed", async () => {
    const foretold = await told("free");
    expect(foretold).toMatchObject({
      returning: [{ label: "Read /w/large.ts lines 1-400", moment: "first-send", turn: 2 }],
      leaving: { thinking: "fits", isCold: false },
    });
    const { rewrittenTokens, tokensWithout, costUsd } = foretold.leaving;
    const { status, usage } = await goOn(clientOf("free"));
    expect(status).toBe(200);
    const written = usage?.cacheWriteTokens ?? 0;
    expect(written).toBeGreaterThan(3_000);
    expect(Math.abs(written - (rewrittenTokens ?? 0))).toBeLessThan(written * ROOM_SHARE);
    expect(usage?.cacheReadTokens).toBeGreaterThan(0);
    const prompt = written + (usage?.cacheReadTokens ?? 0) + (usage?.inputTokens ?? 0);
    expect(Math.abs(prompt - (tokensWithout ?? 0))).toBeLessThan(prompt * ROOM_SHARE);
    expect(costUsd).toBeGreaterThan(0);
    expect(waysIn(foretold)).toEqual(["compact", "rewind", "new session", "leave", "pause"]);
  });

  test("is refused as eject foretold where thinking was signed, and every time", async () => {
    const foretold = await told("signing");
    expect(foretold.leaving.thinking).toBe("refused");
    expect(waysIn(foretold)).toEqual(["compact", "rewind", "drop thinking", "new session", "pause"]);
    for (const client of [clientOf("signing"), clientOf("signing")]) {
      expect(await goOn(client)).toMatchObject({ status: 400, words: expect.stringContaining("signature") });
    }
  });

  test("loses what was recalled inside the stream, and is refused for what was signed over it", async () => {
    const foretold = await told("recalling");
    expect(foretold.leaving.changes.map(({ what }) => what)).toEqual([
      "tools",
      "released",
      "recalled inside the stream",
    ]);
    expect(foretold.leaving.thinking).toBe("refused");
    expect(JSON.stringify(clientOf("recalling").talk)).not.toContain("ebb_recall");
    expect(await goOn(clientOf("recalling"))).toMatchObject({ status: 400 });
    const words = await ebb("eject", "recalling");
    expect(words).toContain("1 recall inside the stream: the agent never saw them, so they vanish");
    expect(words).toContain("Thinking    signed over what Ebb sent: the provider answers 400");
    const bare = clientOf("recalling", without(clientOf("recalling").talk, "thinking"));
    expect((await goOn(bare)).status).toBe(200);
  });

  test("is written again from its tools on, where Ebb had offered one", async () => {
    const foretold = await told("offered");
    expect(foretold.leaving).toMatchObject({ thinking: "fits", headTokens: null });
    const { status, usage } = await goOn(clientOf("offered"));
    expect([status, usage?.cacheReadTokens]).toEqual([200, 0]);
    const written = usage?.cacheWriteTokens ?? 0;
    expect(Math.abs(written - (foretold.leaving.rewrittenTokens ?? 0))).toBeLessThan(written * ROOM_SHARE);
  });

  test("costs nothing to leave where nothing of it was changed", async () => {
    const foretold = await told("untouched");
    expect(foretold.leaving).toMatchObject({ changes: [], rewrittenTokens: 0, costUsd: 0, thinking: "fits" });
    expect(await ebb("eject", "--last")).not.toBe("");
    expect(await ebb("eject", "untouched")).toContain("Nothing of it was changed: leave at any time, at no cost.");
    const { status, usage } = await goOn(clientOf("untouched"));
    expect(status).toBe(200);
    expect(usage?.cacheReadTokens).toBeGreaterThan(usage?.cacheWriteTokens ?? 0);
  });
});

describe("each way that eject names", () => {
  test("works: a rewind to before the first change", async () => {
    const { ways } = await told("signing");
    const turn = Number(/before turn (\d+)/.exec(ways.find(({ way }) => way === "rewind")?.words ?? "")?.[1]);
    const { talk } = clientOf("signing");
    const spoken = talk.messages.flatMap(({ content }, index) => {
      return (content as readonly Block[]).some(({ type }) => type === "tool_result") || index % 2 === 1 ? [] : [index];
    });
    const client = clientOf("signing", { messages: talk.messages.slice(0, spoken[turn - 1]) });
    expect(client.talk.messages.length).toBeGreaterThan(0);
    const { status, usage } = await goOn(client);
    expect(status).toBe(200);
    expect(usage?.cacheReadTokens).toBeGreaterThan(0);
  });

  test("works: all thinking left out", async () => {
    const { talk } = clientOf("signing");
    expect((await goOn(clientOf("signing", without(talk, "thinking")))).status).toBe(200);
  });

  test("works: the client's own summary, or a new session", async () => {
    const summary = "This session is being continued from a previous conversation. Summary: both files were read.";
    expect((await goOn(clientOf("signing", user(EMPTY_TALK, summary)))).status).toBe(200);
    expect((await goOn(clientOf("signing", EMPTY_TALK))).status).toBe(200);
  });
});
