import { afterEach, expect, test } from "vitest";
import { send } from "../../test/support/proxy/client.ts";
import { createFakeKeeper, type FakeKeeperParts } from "../../test/support/proxy/fake-keeper.ts";
import { startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createStage, type Stage, TOKEN } from "../../test/support/proxy/stage.ts";
import type { RecallAnswer, RecallFailure } from "../keeper/contract.ts";
import type { ItemRecord } from "../model/ledger.ts";

let stage: Stage | null = null;

afterEach(async () => {
  await stage?.close();
  stage = null;
});

async function raise(parts: FakeKeeperParts = {}, token = TOKEN) {
  const upstream = await startUpstream((response) => response.writeHead(418).end("upstream"));
  const keeper = createFakeKeeper(parts);
  stage = await createStage(upstream, { keeper, token });
  return { upstream, keeper, port: stage.port };
}

const WITH_TOKEN = ["Authorization", `Bearer ${TOKEN}`];
const RAW = Buffer.from([0, 255, 13, 10, 0xc3, 0x28]);

const ITEM: ItemRecord = {
  key: "k",
  address: "0123456789ab",
  kind: "result",
  callId: "call_1",
  digest: "d",
  bytes: RAW.length,
  lines: 2,
  mediaType: null,
  label: { tool: "Read", path: "/a", lineStart: null, lineEnd: null, command: null },
  isError: false,
  absolutePath: "/a",
  isStored: true,
  step: 1,
  turn: 1,
};

function found(item: Partial<ItemRecord> = {}): RecallAnswer {
  return { ok: true, item: { ...ITEM, ...item }, text: "Read /a · 0123456789ab\n\ntëxt", raw: RAW };
}

test("healthz answers anyone, and names the version", async () => {
  const { upstream, port } = await raise();
  const got = await send(port, { path: "/healthz", headers: ["Host", "elsewhere.example", "Origin", "http://x"] });
  expect(got.status).toBe(200);
  expect(JSON.parse(got.body.toString())).toEqual({ status: "ok", version: "9.9.9" });
  expect((await send(port, { method: "HEAD", path: "/healthz" })).body).toHaveLength(0);
  expect(upstream.received).toHaveLength(0);
});

test("stats tell the keeper's counts, the proxy's own and the store's size", async () => {
  const { keeper, port } = await raise();
  await send(port, { path: "/v1/models" });
  const got = await send(port, { path: "/stats", headers: WITH_TOKEN });
  expect(got.headers).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  expect(JSON.parse(got.body.toString())).toEqual({
    version: "9.9.9",
    ...keeper.stats(),
    proxy: {
      active: 0,
      answers: { "4xx": 1 },
      passed: 1,
      passed_by: { other: 1 },
      unedited: {},
      refused: {},
      upstream_errors: {},
      client_left: 0,
      unwatched: 0,
      rate_limits: {},
    },
    store: { originals: 3, storedBytes: 40, originalBytes: 90, lineages: 1, entries: 7 },
  });
});

test("stats are told without the store's size when the store cannot be asked", async () => {
  const { port } = await raise({ storeSize: () => Promise.reject(new Error("locked")) });
  const got = await send(port, { path: "/stats", headers: WITH_TOKEN });
  expect(JSON.parse(got.body.toString())).toMatchObject({ requests: 5, store: null });
});

test("recall hands range, pattern and case to the keeper, as the user", async () => {
  const { keeper, port } = await raise({ recall: () => found() });
  const path = "/recall/call%2F1?range=2-3&pattern=a%7Cb&ignore_case";
  const got = await send(port, { path, headers: WITH_TOKEN });
  expect(keeper.queries).toEqual([
    {
      tenant: "tenant",
      id: "call/1",
      range: "2-3",
      pattern: "a|b",
      ignoreCase: true,
      chars: null,
      sessionId: null,
      by: "user",
      atMs: 1_700_000_000_000,
    },
  ]);
  expect(got.status).toBe(200);
  expect(got.headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(got.body.toString()).toBe("Read /a · 0123456789ab\n\ntëxt");
});

test("raw is the exact original", async () => {
  const { keeper, port } = await raise({ recall: () => found() });
  const got = await send(port, { path: "/recall/0123456789ab?raw&range=all", headers: WITH_TOKEN });
  expect(got.headers["content-type"]).toBe("application/octet-stream");
  expect(got.headers["content-length"]).toBe(String(RAW.length));
  expect(got.body.equals(RAW)).toBe(true);
  expect(keeper.queries[0]).toMatchObject({ range: "all", pattern: null, ignoreCase: false });
});

test.each(["raw&range=1-2", "raw&pattern=x"])("a slice of the raw bytes is refused (%s)", async (query) => {
  const { keeper, port } = await raise({ recall: () => found() });
  const got = await send(port, { path: `/recall/x?${query}`, headers: WITH_TOKEN });
  expect(got.status).toBe(400);
  expect(JSON.parse(got.body.toString()).failure).toBe("bad range");
  expect(keeper.queries).toHaveLength(0);
});

test.each([
  ["image/png", "image/png"],
  ["text/html", "application/octet-stream"],
  [null, "application/octet-stream"],
])("an attachment of type %s comes back whole, as %s", async (mediaType, contentType) => {
  const { port } = await raise({ recall: () => found({ kind: "media", mediaType }) });
  const got = await send(port, { path: "/recall/x", headers: WITH_TOKEN });
  expect(got.headers["content-type"]).toBe(contentType);
  expect(got.headers["content-disposition"]).toBe("attachment");
  expect(got.body.equals(RAW)).toBe(true);
});

test.each<[RecallFailure, number]>([
  ["unknown id", 404],
  ["belongs to another session", 404],
  ["selects nothing", 404],
  ["not stored", 404],
  ["expired by retention", 410],
  ["purged by the user", 410],
  ["not a finished result", 409],
  ["empty result", 409],
  ["ambiguous session", 409],
  ["bad range", 400],
  ["bad pattern", 400],
  ["attachment cannot be sliced", 400],
  ["damaged in store", 500],
  ["store unavailable", 503],
])("the failure %j is told with status %i", async (failure, status) => {
  const { port } = await raise({ recall: () => ({ ok: false, failure, words: "why" }) });
  const got = await send(port, { path: "/recall/x", headers: WITH_TOKEN });
  expect(got.status).toBe(status);
  expect(JSON.parse(got.body.toString())).toEqual({ failure, words: "why" });
});

test.each(["/recall", "/recall/", "/recall/%zz", "/recall/%ff", `/recall/${"a".repeat(513)}`])(
  "%s names no item",
  async (path) => {
    const { upstream, keeper, port } = await raise();
    expect((await send(port, { path, headers: WITH_TOKEN })).status).toBe(404);
    expect(keeper.queries).toHaveLength(0);
    expect(upstream.received).toHaveLength(0);
  },
);

test.each([
  ["no token", []],
  ["a wrong token", ["Authorization", "Bearer wrong"]],
  ["the token of a rebinding page", ["Host", "evil.example:4141", ...WITH_TOKEN]],
  ["a page's origin", ["Origin", "http://evil.example", ...WITH_TOKEN]],
  ["another proxy's mark", ["X-Forwarded-For", "10.0.0.1", ...WITH_TOKEN]],
])("with %s, stats and recall are as if they were not there, and the upstream sees nothing", async (_what, headers) => {
  const { upstream, keeper, port } = await raise({ recall: () => found() });
  for (const path of [
    "/stats",
    "/recall/0123456789ab?raw",
    `/stats?token=${TOKEN}`,
    `/stats?authorization=Bearer%20${TOKEN}`,
  ]) {
    const got = await send(port, { path, headers });
    expect(got.status).toBe(404);
    expect(got.body.toString()).toBe("not found\n");
  }
  expect(keeper.queries).toHaveLength(0);
  expect(upstream.received).toHaveLength(0);
});

test("without a configured token nobody may ask", async () => {
  const { port } = await raise({}, "");
  expect((await send(port, { path: "/stats", headers: ["Authorization", "Bearer "] })).status).toBe(404);
});

test("other methods on Ebb's own paths do nothing and go nowhere", async () => {
  const { upstream, keeper, port } = await raise();
  const body = Buffer.from("x");
  expect((await send(port, { method: "POST", path: "/healthz", headers: WITH_TOKEN, body })).status).toBe(404);
  for (const path of ["/stats", "/recall/x", "/window"]) {
    expect((await send(port, { method: "POST", path, body })).status).toBe(404);
    const got = await send(port, { method: "POST", path, headers: WITH_TOKEN, body });
    expect(got.status).toBe(405);
    expect(got.headers.allow).toBe("GET, HEAD");
  }
  expect(keeper.queries).toHaveLength(0);
  expect(upstream.received).toHaveLength(0);
});

test("recall takes a number of characters and a session", async () => {
  const { keeper, port } = await raise({ recall: () => found() });
  const path = "/recall/x?chars=500&session=s1";
  expect((await send(port, { path, headers: WITH_TOKEN })).status).toBe(200);
  expect(keeper.queries[0]).toMatchObject({ chars: 500, sessionId: "s1" });
});

test.each([
  ["chars=0", "chars: expected a whole number from 1"],
  ["chars=many", "chars: expected a whole number from 1"],
  ["rang=1-2", 'expected one of range, pattern, ignore_case, chars, raw, session, got "rang"'],
  ["range=1&range=2", "range: expected once, got several"],
])("a recall with %s is refused in words", async (query, words) => {
  const { keeper, port } = await raise({ recall: () => found() });
  const got = await send(port, { path: `/recall/x?${query}`, headers: WITH_TOKEN });
  expect(got.status).toBe(400);
  expect(JSON.parse(got.body.toString())).toEqual({ failure: "bad order", words });
  expect(keeper.queries).toHaveLength(0);
});
