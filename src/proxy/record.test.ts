import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, wire } from "../../test/support/keeper.ts";
import { send } from "../../test/support/proxy/client.ts";
import { TOKEN } from "../../test/support/proxy/stage.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { readRecording } from "../replay/readers/recording-file.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../replay/simulated/server.ts";
import { createRecorder, type Recorder } from "./record.ts";
import { type RunningProxy, startProxy } from "./server.ts";

const BIG = Array.from({ length: 200 }, (_, line) => `line ${line} of something long enough to matter`).join("\n");
const BODY = Buffer.from(bodyOf(read(user(EMPTY_TALK, "look at it"), "r1", "/w/a.ts", BIG)));
const SCENARIO = { scripts: [{ match: "", steps: [{ text: "done: über" }, { text: "done: über" }] }] };
const SESSION = "0b4d1c5e-1111-4222-8333-444455556666";
const SECRET = "sk-ant-a-key-that-nobody-may-read";

let folder: string;
let provider: SimulatedProvider;
let proxy: RunningProxy;
let recorder: Recorder;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "ebb-record-")), "kept");
});

afterEach(async () => {
  await proxy.close(0);
  await provider.close();
  rmSync(join(folder, ".."), { recursive: true });
});

async function raise() {
  provider = await startSimulatedProvider({ models: anthropicProvider, scenario: SCENARIO });
  const log = pino({ level: "silent" });
  recorder = createRecorder({ folder, log, nowMs: Date.now });
  proxy = await startProxy({
    host: "127.0.0.1",
    port: 0,
    upstream: provider.url,
    keeper: createTestKeeper({ bound: { lines: 50, bytes: 262_144 } }),
    wires: [wire],
    providerOf: () => anthropicProvider,
    tenant: "local",
    token: TOKEN,
    recorder,
    log,
    version: "1",
  });
}

function post(
  body: Uint8Array,
  headers: readonly string[] = [],
  path = "/v1/messages?beta=true&key=secret-in-a-query",
) {
  const own = ["Content-Type", "application/json", "X-Api-Key", SECRET, "Authorization", `Bearer ${SECRET}`];
  const session = ["Cookie", `a=${SECRET}`, "Anthropic-Version", "2023-06-01", "X-Claude-Code-Session-Id", SESSION];
  return send(proxy.port, { method: "POST", path, headers: [...own, ...session, ...headers], body });
}

function lines(): { readonly file: string; readonly record: Record<string, unknown> }[] {
  return readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => ({ file, record: JSON.parse(line) })),
  );
}

test("a request is written down as it came and as it was sent, with its answer, in the file of its session", async () => {
  await raise();
  const got = await post(gzipSync(BODY), ["Content-Encoding", "gzip"]);
  expect(got.status).toBe(200);
  await recorder.close();
  const [only, ...others] = lines();
  expect(others).toEqual([]);
  expect(only?.file).toMatch(/^session-[0-9a-f]{16}\.jsonl$/);
  const record = only?.record ?? {};
  expect(record).toMatchObject({
    v: 1,
    method: "POST",
    path: "/v1/messages",
    query: "beta=true",
    status: 200,
    round: 1,
  });
  expect(record.request).toBe(BODY.toString());
  expect(record.sent).toBe(provider.requests()[0]?.bodyRaw);
  expect(record.response).toBe(got.body.toString());
  expect(record).toMatchObject({ wire: "anthropic-messages", session: SESSION, error: null, response_cut: false });
});

test("no credential is written, wherever it came from", async () => {
  await raise();
  const body = {
    ...JSON.parse(BODY.toString()),
    mcp_servers: [{ type: "url", name: "n", authorization_token: SECRET }],
  };
  await post(Buffer.from(JSON.stringify(body)));
  await recorder.close();
  const text = lines()
    .map(({ file }) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  expect(text).toContain("anthropic-version");
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain("secret-in-a-query");
  expect(text).not.toMatch(/cookie|x-api-key|authorization"/i);
});

test("only the user can enter the folder and read the files", async () => {
  await raise();
  await post(BODY);
  await recorder.close();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
});

test("what was recorded is read back as requests with their times and usages", async () => {
  await raise();
  await post(BODY);
  await post(BODY);
  await recorder.close();
  const outcome = await readRecording(join(folder, lines()[0]?.file ?? ""), {
    counter: { count: (text) => text.length },
  });
  if (!outcome.ok) throw new Error(outcome.words);
  const { format, contexts, problems } = outcome.recording;
  expect([format, problems, contexts.length]).toEqual(["ebb-recording", [], 1]);
  expect(contexts[0]?.sessionId).toBe(SESSION);
  const [first] = contexts[0]?.requests ?? [];
  expect(Buffer.from(first?.body ?? []).toString()).toBe(BODY.toString());
  expect(first?.atMs).toBeGreaterThan(1_700_000_000_000);
  expect(first?.usage?.outputTokens).toBeGreaterThan(0);
  expect(first?.messageId).toMatch(/^msg_/);
});

test("a folder that goes away takes no request with it", async () => {
  await raise();
  rmSync(folder, { recursive: true });
  expect((await post(BODY)).status).toBe(200);
  await recorder.close();
  expect((await post(BODY)).status).toBe(200);
});
