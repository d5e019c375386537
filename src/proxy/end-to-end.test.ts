import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { bodyOf, EMPTY_TALK, numbered, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, type TestKeeperOptions, wire } from "../../test/support/keeper.ts";
import { send } from "../../test/support/proxy/client.ts";
import { TOKEN } from "../../test/support/proxy/stage.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../replay/simulated/server.ts";
import { type RunningProxy, startProxy } from "./server.ts";

const BIG = Array.from({ length: 200 }, (_, line) => `line ${line} of something long enough to matter`).join("\n");
const BODY = Buffer.from(bodyOf(read(user(EMPTY_TALK, "look at it"), "r1", "/w/a.ts", BIG)));
const SCENARIO = { scripts: [{ match: "", steps: [{ text: "done: über" }, { text: "done: über" }] }] };

let provider: SimulatedProvider;
let proxy: RunningProxy;

afterEach(async () => {
  await proxy.close(0);
  await provider.close();
});

async function raise(options: TestKeeperOptions = {}) {
  provider = await startSimulatedProvider({ models: anthropicProvider, scenario: SCENARIO });
  const keeper = createTestKeeper({ bound: { lines: 50, bytes: 262_144 }, ...options });
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
  });
  return keeper;
}

function post(path: string, body: Uint8Array, headers: readonly string[] = []) {
  const own = ["Content-Type", "application/json", "X-Api-Key", "key", "Anthropic-Version", "2023-06-01"];
  return send(proxy.port, { method: "POST", path, headers: [...own, ...headers], body });
}

function ask(path: string) {
  return send(proxy.port, { path, headers: ["Authorization", `Bearer ${TOKEN}`] });
}

test("an over-large result leaves behind a marker, and comes back byte for byte", async () => {
  const keeper = await raise();
  const got = await post("/v1/messages", BODY);
  expect(got.status).toBe(200);
  expect(got.headers["content-type"]).toContain("text/event-stream");
  expect(got.body.toString()).toContain("message_stop");
  const [captured] = provider.requests();
  const marker = String(resultIn(captured?.bodyRaw ?? "", "r1"));
  expect(marker.length).toBeLessThan(BIG.length / 2);
  const address = /\b[0-9a-hjkmnp-tv-z]{12}\b/.exec(marker)?.[0] ?? "";
  expect((await ask(`/recall/${address}?raw`)).body.toString()).toBe(numbered(BIG));
  expect((await ask(`/recall/r1?range=3-4`)).body.toString()).toContain("line 3 of");
  expect((await ask("/recall/zzzzzzzzzzzz")).status).toBe(404);
  const stats = JSON.parse((await ask("/stats")).body.toString());
  expect(stats).toMatchObject({ requests: 1, law_violations: 0, errors: [], proxy: { unedited: {}, unwatched: 0 } });
  expect(stats.released).toMatchObject([{ reason: "over_bound", moment: "first-send", count: 1 }]);
  expect(keeper.errors).toEqual([]);
});

test("a compressed request is edited like any other", async () => {
  await raise();
  expect((await post("/v1/messages", gzipSync(BODY), ["Content-Encoding", "gzip"])).status).toBe(200);
  expect(String(resultIn(provider.requests()[0]?.bodyRaw ?? "", "r1")).length).toBeLessThan(BIG.length / 2);
});

test("tokens are counted of what would be sent", async () => {
  await raise();
  const { stream: _stream, max_tokens: _max, ...counted } = JSON.parse(BODY.toString());
  const body = Buffer.from(JSON.stringify(counted));
  const got = await post("/v1/messages/count_tokens", body);
  expect(got.status).toBe(200);
  expect(JSON.parse(got.body.toString()).input_tokens).toBeLessThan(BIG.length / 8);
});

test("in observe mode the very bytes go out", async () => {
  await raise({ mode: "observe" });
  await post("/v1/messages", BODY);
  expect(provider.requests()[0]?.bodyRaw).toBe(BODY.toString());
});
