import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COMMANDS, MINUTE, OUTPUT, TIDY } from "../../test/support/clearing-stage.ts";
import { type Block, bodyOf, EMPTY_TALK, result, results, type Talk, user } from "../../test/support/conversation.ts";
import { createTestKeeper, wire } from "../../test/support/keeper.ts";
import { send } from "../../test/support/proxy/client.ts";
import { TOKEN } from "../../test/support/proxy/stage.ts";
import { SIGNING_MODEL } from "../../test/support/signing-provider.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../replay/simulated/server.ts";
import { type RunningProxy, startProxy } from "./server.ts";

let provider: SimulatedProvider;
let proxy: RunningProxy;
let atMs = 0;
let talk: Talk = EMPTY_TALK;
let keeper: ReturnType<typeof createTestKeeper>;

beforeEach(async () => {
  atMs = 0;
  talk = user(EMPTY_TALK, "please work");
  keeper = createTestKeeper(TIDY);
  const scenario = { scripts: [{ match: "", steps: COMMANDS }] };
  provider = await startSimulatedProvider({ models: anthropicProvider, scenario, clock: () => atMs });
  proxy = await startProxy({
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
    nowMs: () => atMs,
  });
});

afterEach(async () => {
  await proxy.close(0);
  await provider.close();
});

const HEADERS = ["Content-Type", "application/json", "X-Api-Key", "key", "Anthropic-Version", "2023-06-01"];

function ask(stream: boolean, path = "/v1/messages", betas = "a-2025-01-01,b-2025-01-01") {
  const { max_tokens, ...body } = JSON.parse(
    Buffer.from(bodyOf(talk, { model: SIGNING_MODEL, thinking: { type: "adaptive" }, stream })).toString(),
  );
  const sent = path.endsWith("count_tokens") ? { ...body, stream: undefined } : { ...body, max_tokens };
  const headers = [...HEADERS, "Anthropic-Beta", betas];
  return send(proxy.port, { method: "POST", path, headers, body: Buffer.from(JSON.stringify(sent)) });
}

/** One step of a client that runs what it is asked to. */
async function step(): Promise<void> {
  const got = await ask(false);
  expect(got.status).toBe(200);
  const { content }: { content: Block[] } = JSON.parse(got.body.toString());
  const calls = content.filter(({ type }) => type === "tool_use");
  const answered = { messages: [...talk.messages, { role: "assistant", content }] };
  talk = results(answered, ...calls.map(({ id }) => result(String(id), OUTPUT)));
  atMs += 10_000;
}

it("asks with the feature's name behind those of the client, and hands what is told on as it comes", async () => {
  for (let at = 0; at < 10; at++) await step();
  atMs += 20 * MINUTE;
  const got = await ask(true);
  expect(got.status).toBe(200);
  const captured = provider.requests().at(-1);
  expect(captured?.headers["anthropic-beta"]).toBe("a-2025-01-01,b-2025-01-01,context-management-2025-06-27");
  expect(captured?.bodyRaw).toContain('"keep":{"type":"tool_uses","value":5}');
  expect(got.body.toString()).toContain('"applied_edits":[{"type":"clear_tool_uses_20250919","cleared_tool_uses":5');
  expect(keeper.stats().released).toMatchObject([{ moment: "server-clear", count: 5 }]);
  const before = provider.requests().at(-2);
  expect(before?.headers["anthropic-beta"]).toBe("a-2025-01-01,b-2025-01-01");
});

it("states the feature once where the client states it, and counts tokens of what would be sent", async () => {
  for (let at = 0; at < 10; at++) await step();
  atMs += 20 * MINUTE;
  const own = "context-management-2025-06-27, b-2025-01-01";
  const counted = await ask(false, "/v1/messages/count_tokens", own);
  expect(counted.status).toBe(200);
  const told: { input_tokens: number; context_management: { original_input_tokens: number } } = JSON.parse(
    counted.body.toString(),
  );
  expect(told.input_tokens).toBeLessThan(told.context_management.original_input_tokens);
  expect(provider.requests().at(-1)?.headers["anthropic-beta"]).toBe(own);
});
