import { afterEach, describe, expect, test } from "vitest";
import { exchangeBytes, send } from "../../test/support/proxy/client.ts";
import { type FakeUpstream, startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createStage, type Stage, type StageParts, TOKEN } from "../../test/support/proxy/stage.ts";
import { openaiProvider } from "../providers/openai.ts";
import type { Destination } from "./exchange.ts";

let stage: Stage | null = null;
let other: FakeUpstream | null = null;

afterEach(async () => {
  await stage?.close();
  await other?.close();
  [stage, other] = [null, null];
});

/** A proxy in front of one upstream, and of another one by the name `other`, which has a path of its own. */
async function raise(parts: StageParts = {}) {
  const upstream = await startUpstream();
  other = await startUpstream();
  const upstreams = [{ name: "other", url: `${other.url}/base` }];
  stage = await createStage(upstream, { ...parts, routing: { upstreams, ...parts.routing } });
  return { upstream, other, keeper: stage.keeper, port: stage.port };
}

const END = "Connection: close\r\n\r\n";
const urlsOf = ({ received }: FakeUpstream) => received.map(({ url }) => url);

test("a name goes to its upstream with the name taken off, everything else to the stated one", async () => {
  const { upstream, other: named, port } = await raise();
  for (const path of ["/other/v1/models?a=/other/", "/run/a-run-1234/other/v1/files", "/v1/models", "/others/v1"]) {
    expect((await send(port, { path })).status).toBe(200);
  }
  expect(urlsOf(named)).toEqual(["/base/v1/models?a=/other/", "/base/v1/files"]);
  expect(urlsOf(upstream)).toEqual(["/v1/models", "/others/v1"]);
});

test("a request that a wire reads goes to the named upstream as well, with the provider that is chosen for it", async () => {
  const seen: Destination[] = [];
  const providerOf = (to: Destination) => {
    seen.push(to);
    return openaiProvider;
  };
  const { other: named, keeper, port } = await raise({ providerOf });
  await send(port, { method: "POST", path: "/other/v1/messages", body: Buffer.from("{}") });
  await send(port, { method: "POST", path: "/v1/messages", body: Buffer.from("{}") });
  expect(urlsOf(named)).toEqual(["/base/v1/messages"]);
  expect(seen).toEqual([
    { wire: "fake", name: "other", host: "127.0.0.1" },
    { wire: "fake", name: null, host: "127.0.0.1" },
  ]);
  expect(keeper.requests.map(({ provider }) => provider.name)).toEqual(["openai", "openai"]);
});

describe("nothing in a request chooses a place that is not configured", () => {
  test.each([
    ...["/other//evil.example/x", "/other/@evil.example", "/other/http://evil.example/x", "/other/../../x"],
    ...["/other/%2e%2e/%2e%2e/x", "/other/\\evil.example", "/other/..;/x", "/other/v1/models?url=http://evil.example"],
  ])("a path behind a name stays a path there: %s", async (path) => {
    const { upstream, other: named, port } = await raise();
    expect(await exchangeBytes(port, `GET ${path} HTTP/1.1\r\nHost: a\r\n${END}`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(urlsOf(named)).toEqual([`/base${path.slice("/other".length)}`]);
    expect(named.received[0]?.headers.host).toBe(`127.0.0.1:${named.port}`);
    expect(upstream.received).toEqual([]);
  });

  test.each([
    ...["/%6fther/v1", "/OTHER/v1", "//other/v1", "/./other/v1", "/x/../other/v1", "/other%2Fv1", "/other\\v1"],
    ...["/http://127.0.0.1/other/v1", "/127.0.0.1/v1", "/evil.example/v1"],
  ])("what only looks like a name is a path of the stated upstream: %s", async (path) => {
    const { upstream, other: named, port } = await raise();
    expect(await exchangeBytes(port, `GET ${path} HTTP/1.1\r\nHost: a\r\n${END}`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(urlsOf(upstream)).toEqual([path]);
    expect(named.received).toEqual([]);
  });

  test.each([
    ["Host", "other"],
    ["X-Forwarded-Host", "evil.example"],
    ["Forwarded", "host=evil.example"],
    ["X-Upstream", "other"],
    ["X-Original-URL", "/other/v1"],
  ])("a header is none: %s", async (name, value) => {
    const { upstream, other: named, port } = await raise();
    const host = name === "Host" ? "" : "Host: a\r\n";
    const answer = await exchangeBytes(port, `GET /v1/x HTTP/1.1\r\n${host}${name}: ${value}\r\n${END}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect([upstream.received.length, named.received.length]).toEqual([1, 0]);
  });

  test.each(["http://127.0.0.1/other/v1", "other:443", "*"])("an absolute target is refused: %s", async (target) => {
    const { upstream, other: named, port } = await raise();
    const answer = await exchangeBytes(port, `GET ${target} HTTP/1.1\r\nHost: a\r\n${END}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect([upstream.received, named.received]).toEqual([[], []]);
  });
});

test("Ebb's own paths are no paths of a named upstream, and those of one are not Ebb's", async () => {
  const { other: named, port } = await raise();
  const headers = ["Authorization", `Bearer ${TOKEN}`];
  for (const path of ["/other/stats", "/other/recall/x", "/other/healthz"]) await send(port, { path });
  expect(urlsOf(named)).toEqual(["/base/stats", "/base/recall/x", "/base/healthz"]);
  expect((await send(port, { path: "/stats", headers })).headers["content-type"]).toBe("application/json");
  expect(named.received).toHaveLength(3);
});

test("credentials that belong elsewhere reach nobody, and are not repeated or logged", async () => {
  const { upstream, other: named, port } = await raise({ routing: { ownerOfHost: () => "openai" } });
  const secret = "AIzaSy-a-secret-9z";
  const answers = [
    await send(port, { path: `/other/v1beta/models?key=${secret}` }),
    await send(port, { path: "/v1/models", headers: ["X-Goog-Api-Key", secret] }),
    await send(port, { method: "POST", path: "/v1/messages", headers: ["x-api-key", `sk-ant-${secret}`] }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  expect(answers[0]?.body.toString()).toBe("expected credentials of openai, got those of gemini\n");
  expect([upstream.received, named.received]).toEqual([[], []]);
  expect(`${answers.map(({ body }) => body)}${stage?.logText()}`).not.toContain("secret-9z");
});

test("a key in a query or a header goes on, and into no log and no count", async () => {
  const { other: named, port } = await raise();
  const secret = "AIzaSy-a-secret-9z";
  await send(port, { path: `/other/v1beta/models?key=${secret}`, headers: ["x-goog-api-key", secret] });
  await send(port, { method: "POST", path: `/other/v1/messages?key=${secret}`, body: Buffer.from("{}") });
  await other?.close();
  await send(port, { path: `/other/v1beta/models?key=${secret}` });
  expect(named.received.map(({ url }) => url.includes(secret))).toEqual([true, true]);
  const stats = await send(port, { path: "/stats", headers: ["Authorization", `Bearer ${TOKEN}`] });
  expect(`${stage?.logText()}${stats.body}`).not.toContain("secret-9z");
  expect(stage?.logText()).toContain('"upstream":"other"');
});

test("what passes unread is counted by what it is", async () => {
  const { port } = await raise();
  const paths = [
    ...["/model/anthropic.claude-x/invoke", "/model/a/invoke-with-response-stream", "/model/a/converse-stream"],
    "/v1/projects/p/locations/l/publishers/anthropic/models/claude:rawPredict",
    ...["/v1/models", "/model/a", "/other/model/a/converse"],
  ];
  for (const path of paths) await send(port, { method: "POST", path });
  const stats = await send(port, { path: "/stats", headers: ["Authorization", `Bearer ${TOKEN}`] });
  expect(JSON.parse(stats.body.toString()).proxy).toMatchObject({
    passed: 7,
    passed_by: { bedrock: 4, vertex: 1, other: 2 },
  });
});
