import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { type BodyOptions, bodyOf, EMPTY_TALK, numbered, type Talk, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, type TestKeeperOptions, wire } from "../../test/support/keeper.ts";
import { type Got, send } from "../../test/support/proxy/client.ts";
import { TOKEN } from "../../test/support/proxy/stage.ts";
import { gates } from "../builtins.ts";
import type { BoundThinking } from "../engine/thinking-way.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../replay/simulated/server.ts";
import { type RunningProxy, startProxy } from "./server.ts";

const MINUTE = 60_000;
const FILE = Array.from({ length: 200 }, (_, line) => `line ${line} of something long enough to matter`).join("\n");
const EDIT = { file_path: "/w/a.ts", old_string: "a", new_string: "b" };
const OPTIONS: BodyOptions = { model: "claude-opus-5-5", stream: false, thinking: { type: "adaptive" } };
const SCRIPTS = [
  {
    match: "",
    steps: [
      { thinking: "I read.", tools: [{ name: "Read", input: { file_path: "/w/a.ts" } }] },
      { thinking: "I edit.", tools: [{ name: "Edit", input: EDIT }] },
      { thinking: "I am done.", text: "Done." },
      { thinking: "I look.", tools: [{ name: "Bash", input: { command: "true" } }] },
      { thinking: "I am done again.", text: "Done." },
    ],
  },
];

let provider: SimulatedProvider;
let proxy: RunningProxy;
let nowMs = 0;

afterEach(async () => {
  await proxy.close(0);
  await provider.close();
});

async function raise(options: TestKeeperOptions) {
  nowMs = 1_000_000;
  const clock = () => nowMs;
  provider = await startSimulatedProvider({ models: anthropicProvider, scenario: { scripts: SCRIPTS }, clock });
  proxy = await startProxy({
    host: "127.0.0.1",
    port: 0,
    upstream: provider.url,
    keeper: createTestKeeper(options),
    wires: [wire],
    providerOf: () => anthropicProvider,
    tenant: "local",
    token: TOKEN,
    log: pino({ level: "silent" }),
    version: "1",
    nowMs: clock,
  });
}

function post(talk: Talk): Promise<Got> {
  const headers = ["Content-Type", "application/json", "Anthropic-Version", "2023-06-01", "Anthropic-Beta", "own-beta"];
  return send(proxy.port, { method: "POST", path: "/v1/messages", headers, body: bodyOf(talk, OPTIONS) });
}

async function stats() {
  const got = await send(proxy.port, { path: "/stats", headers: ["Authorization", `Bearer ${TOKEN}`] });
  return JSON.parse(got.body.toString());
}

interface Answer {
  readonly content: readonly { readonly type: string; readonly id?: string; readonly name?: string }[];
}

/** Plays a turn as a client does: every call gets its result, until the model has no more calls. Fails where it is refused. */
async function turn(before: Talk, words: string): Promise<Talk> {
  let talk = user(before, words);
  for (;;) {
    nowMs += 1_000;
    const got = await post(talk);
    expect(got.status, got.body.toString()).toBe(200);
    const { content }: Answer = JSON.parse(got.body.toString());
    const results = content.flatMap(({ type, id, name }) =>
      type === "tool_use"
        ? [
            {
              type: "tool_result",
              tool_use_id: id,
              content: name === "Read" ? numbered(FILE) : "The file was updated.",
            },
          ]
        : [],
    );
    talk = { messages: [...talk.messages, { role: "assistant", content }] };
    if (results.length === 0) return talk;
    talk = { messages: [...talk.messages, { role: "user", content: results }] };
  }
}

const readId = ({ messages }: Talk) =>
  messages.flatMap(({ content }) => (typeof content === "string" ? [] : content)).find(({ name }) => name === "Read")
    ?.id;
const last = () => provider.requests().at(-1);
const thoughtsIn = (body: string) => body.split('"type":"thinking"').length - 1;

describe("a provider that checks signatures", () => {
  it.each<[BoundThinking, boolean, number, boolean]>([
    ["hold", false, 4, false],
    ["strip_at_turn", true, 1, false],
    ["strip", true, 1, false],
    ["drop", true, 4, true],
  ])("takes every request of two turns with %s", async (boundThinking, leaves, thoughts, drops) => {
    await raise({ boundThinking });
    const first = await turn(EMPTY_TALK, "please fix a.ts");
    nowMs += 70 * MINUTE;
    const second = await turn(first, "and once more");
    const { bodyRaw = "", headers } = last() ?? {};
    expect(String(resultIn(bodyRaw, String(readId(second)))).startsWith("[ebb ")).toBe(leaves);
    expect([thoughtsIn(bodyRaw), bodyRaw.includes("drop_block")]).toEqual([thoughts, drops]);
    const betas = String(headers?.["anthropic-beta"]);
    expect([betas.includes("own-beta"), betas.includes("thinking-binding-controls-2026-08-01")]).toEqual([true, drops]);
    expect(await stats()).toMatchObject({ signature_refusals: 0, law_violations: 0, errors: [] });
  });

  it("refuses what no gate held back: the client hears of it as it came, and the next request is the last that fitted", async () => {
    await raise({ boundThinking: "hold", gates: gates.filter(({ reason }) => reason !== "bound_thinking") });
    const talk = user(await turn(EMPTY_TALK, "please fix a.ts"), "and once more");
    nowMs += 70 * MINUTE;
    const refused = await post(talk);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body.toString())).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining("bound to a different conversation") },
    });
    expect(last()?.bodyRaw).toContain("[ebb ");
    expect(await stats()).toMatchObject({ signature_refusals: 1, law_violations: 0 });
    expect((await post(talk)).status).toBe(200);
    expect(last()?.bodyRaw).toBe(Buffer.from(bodyOf(talk, OPTIONS)).toString());
  });
});
