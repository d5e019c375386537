import { afterEach, describe, expect, test } from "vitest";
import { send } from "../../test/support/proxy/client.ts";
import { createFakeKeeper, type FakeKeeperParts } from "../../test/support/proxy/fake-keeper.ts";
import { startUpstream } from "../../test/support/proxy/fake-upstream.ts";
import { createStage, type Stage, TOKEN } from "../../test/support/proxy/stage.ts";
import { renderReport } from "../engine/report-format.ts";
import type { Order, OrderContext, OrderFailure } from "../keeper/order.ts";
import type { Report } from "../model/report.ts";
import { OWN_BODY_BYTES_MAX } from "./limits.ts";

let stage: Stage | null = null;

afterEach(async () => {
  await stage?.close();
  stage = null;
});

async function raise(parts: FakeKeeperParts = {}) {
  const orders: { readonly order: Order; readonly context: OrderContext }[] = [];
  const upstream = await startUpstream((response) => response.writeHead(418).end("upstream"));
  const decide: FakeKeeperParts["decide"] = async (order, context) => {
    orders.push({ order, context });
    return { ok: true, lineage: "l1", addresses: ["0123456789ab"], words: "done; from the next request" };
  };
  stage = await createStage(upstream, { keeper: createFakeKeeper({ decide, ...parts }) });
  const { port } = stage;
  return { upstream, orders, port };
}

const WITH_TOKEN = ["Authorization", `Bearer ${TOKEN}`];
const AS_JSON = ["Content-Type", "application/json"];
const KEEP = { id: "0123456789ab", reason: "the parser" };
const NONE = { ids: [], paths: [], latest: null };

async function post(port: number, path: string, body: unknown, headers: readonly string[] = AS_JSON) {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const got = await send(port, { method: "POST", path, headers: [...WITH_TOKEN, ...headers], body: bytes });
  return { status: got.status, headers: got.headers, told: JSON.parse(got.body.toString()) };
}

describe("an order over HTTP", () => {
  test("is given to the keeper as the user's, and its answer is told", async () => {
    const { orders, port } = await raise();
    const { status, told } = await post(port, "/keep", { ...KEEP, range: "3-5", session: "s1" });
    expect(status).toBe(200);
    expect(told).toEqual({ lineage: "l1", addresses: ["0123456789ab"], words: "done; from the next request" });
    expect(orders).toEqual([
      {
        order: { verb: "keep", id: "0123456789ab", range: "3-5", reason: "the parser" },
        context: { tenant: "tenant", lineage: null, sessionId: "s1", by: "user", atMs: 1_700_000_000_000 },
      },
    ]);
  });

  test.each<[string, object, object]>([
    ["/keep", KEEP, { verb: "keep", id: KEEP.id, range: null }],
    [
      "/release",
      { ids: ["a"], paths: ["/p"] },
      { verb: "release", targets: { ids: ["a"], paths: ["/p"], latest: null } },
    ],
    ["/release", { scope: "tmp_a" }, { verb: "close", scope: "tmp_a" }],
    ["/hold", { latest: 2 }, { verb: "hold", targets: { ...NONE, latest: 2 }, lifetime: { kind: "forever" } }],
    ["/hold", { ids: ["a"], turns: 0 }, { verb: "hold", lifetime: { kind: "turns", turns: 0 } }],
    ["/hold", { ids: ["a"], turns: null }, { verb: "hold", lifetime: { kind: "forever" } }],
    ["/hold", { ids: ["a"], scope: "tmp_a" }, { verb: "hold", lifetime: { kind: "scope", scope: "tmp_a" } }],
    ["/hold", { ids: ["a"], off: true }, { verb: "unhold", targets: { ...NONE, ids: ["a"] } }],
    ["/hold", { ids: ["a"], protect: true }, { verb: "protect" }],
    ["/protect", { ids: ["a"], steps: 4 }, { verb: "protect", lifetime: { kind: "steps", steps: 4 } }],
    ["/protect", { ids: ["a"], off: true }, { verb: "unprotect" }],
  ])("%s with %j is %j", async (path, body, order) => {
    const { orders, port } = await raise();
    expect((await post(port, path, { reason: "why", ...body })).status).toBe(200);
    expect(orders[0]?.order).toMatchObject(order);
  });

  test.each<[string, unknown, string]>([
    ["/keep", { id: "a" }, "reason: expected a reason, got nothing"],
    ["/keep", { ...KEEP, reason: "" }, 'reason: expected a reason, got ""'],
    ["/keep", { ...KEEP, rnge: "1" }, "rnge: unknown key"],
    ["/keep", { ...KEEP, range: 3 }, "range: expected lines as A-B, A-, -B, N or N@C-D, got 3"],
    ["/keep", [], "expected an order { id, range, reason }, got []"],
    ["/keep", "null", "expected an order { id, range, reason }, got nothing"],
    ["/release", { ids: "a", reason: "r" }, 'ids: expected a list of addresses or call ids, got "a"'],
    ["/release", { ids: ["a", 1], reason: "r" }, "ids[1]: expected an address or a call id, got 1"],
    ["/release", { ids: ["a"], scope: "tmp_a", reason: "r" }, "expected items or a scope, got both"],
    ["/release", { latest: 0, reason: "r" }, "latest: expected a whole number from 1, got 0"],
    ["/hold", { ids: ["a"], turns: 1, steps: 1, reason: "r" }, "expected one of turns, steps and scope, got several"],
    ["/hold", { ids: ["a"], turns: 1.5, reason: "r" }, "turns: expected a whole number from 0, got 1.5"],
    ["/hold", { ids: ["a"], turns: 1, off: true, reason: "r" }, "expected off or a lifetime, got both"],
    ["/protect", { ids: ["a"], protect: true, reason: "r" }, "protect: unknown key"],
  ])("%s with %j is refused: %s", async (path, body, words) => {
    const { orders, port } = await raise();
    const { status, told } = await post(port, path, body);
    expect({ status, told }).toEqual({ status: 400, told: { failure: "bad order", words } });
    expect(orders).toEqual([]);
  });

  test.each<[string, readonly string[], string, number, string]>([
    ["no content type", [], "{}", 415, "Content-Type: expected application/json, got nothing"],
    ["a form", ["Content-Type", "text/plain"], "{}", 415, 'Content-Type: expected application/json, got "text/plain"'],
    ["a coding", [...AS_JSON, "Content-Encoding", "gzip"], "{}", 415, "Content-Encoding: expected none"],
    ["no body", AS_JSON, "", 400, "expected one JSON object in UTF-8, got nothing"],
    ["half a body", AS_JSON, '{"id":', 400, "expected one JSON object in UTF-8, got 6 bytes that are none"],
  ])("with %s is refused in words", async (_what, headers, body, status, words) => {
    const { orders, port } = await raise();
    expect(await post(port, "/keep", body, headers)).toMatchObject({ status, told: { failure: "bad order", words } });
    expect(orders).toEqual([]);
  });

  test("of more bytes than an order can have is refused, declared or not", async () => {
    const { orders, port } = await raise();
    const body = JSON.stringify({ ...KEEP, reason: "x".repeat(OWN_BODY_BYTES_MAX) });
    expect((await post(port, "/keep", body)).status).toBe(413);
    expect((await post(port, "/keep", body, [...AS_JSON, "Transfer-Encoding", "chunked"])).status).toBe(413);
    expect((await post(port, "/keep", KEEP)).status).toBe(200);
    expect(orders).toHaveLength(1);
  });

  test("names at most a few of many faults", async () => {
    const { port } = await raise();
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}${"x".repeat(500)}`, 1]));
    const { told } = await post(port, "/keep", { ...KEEP, ...many });
    expect(told.words.length).toBeLessThan(1_500);
    expect(told.words).toMatch(/; and 995 more$/);
  });

  test.each(["GET", "PUT", "DELETE"])("is no %s", async (method) => {
    const { orders, port } = await raise();
    const got = await send(port, { method, path: "/release", headers: WITH_TOKEN });
    expect(got.status).toBe(405);
    expect(got.headers.allow).toBe("POST");
    expect(orders).toEqual([]);
  });

  test.each<[OrderFailure, number]>([
    ["unknown id", 404],
    ["bad range", 400],
    ["selects nothing", 404],
    ["ambiguous session", 409],
    ["store unavailable", 503],
  ])("that fails with %j is told with status %i", async (failure, status) => {
    const { port } = await raise({ decide: async () => ({ ok: false, failure, words: "why" }) });
    expect(await post(port, "/keep", KEEP)).toMatchObject({ status, told: { failure, words: "why" } });
  });

  test.each([
    ["no token", []],
    ["a page's origin", ["Origin", "http://127.0.0.1:4141", ...WITH_TOKEN]],
    ["a page of another site", ["Sec-Fetch-Site", "cross-site", ...WITH_TOKEN]],
    ["a rebound name", ["Host", "evil.example:4141", ...WITH_TOKEN]],
  ])("with %s is as if nothing were there", async (_what, headers) => {
    const { upstream, orders, port } = await raise();
    for (const path of ["/keep", "/release", "/hold", "/protect"]) {
      const body = Buffer.from(JSON.stringify({ ...KEEP, ids: ["a"] }));
      const got = await send(port, { method: "POST", path, headers: [...headers, ...AS_JSON], body });
      expect([got.status, got.body.toString()]).toEqual([404, "not found\n"]);
    }
    expect(orders).toEqual([]);
    expect(upstream.received).toEqual([]);
  });
});

describe("the window over HTTP", () => {
  test("lists what the named session holds", async () => {
    const asked: OrderContext[] = [];
    const window: FakeKeeperParts["window"] = async (context) => {
      asked.push(context);
      return { ok: true, lineage: "l1", turn: 1, step: 2, items: [], paths: [], scopes: [], guarded: null, gone: 0 };
    };
    const { port } = await raise({ window });
    const got = await send(port, { path: "/window?session=s1", headers: WITH_TOKEN });
    expect(JSON.parse(got.body.toString())).toEqual({
      lineage: "l1",
      turn: 1,
      step: 2,
      items: [],
      paths: [],
      scopes: [],
      guarded: null,
      gone: 0,
    });
    expect(asked[0]).toMatchObject({ sessionId: "s1", lineage: null, by: "user" });
  });

  test("of a session nobody knows, or asked for what it has not, is refused", async () => {
    const { port } = await raise();
    const unknown = await send(port, { path: "/window?session=s9", headers: WITH_TOKEN });
    expect([unknown.status, JSON.parse(unknown.body.toString()).failure]).toEqual([404, "unknown session"]);
    expect((await send(port, { path: "/window?sesion=s1", headers: WITH_TOKEN })).status).toBe(400);
  });
});

describe("a report over HTTP", () => {
  const report: Report = {
    lineage: "l1",
    sessionId: "s1",
    scope: null,
    until: { turn: 1, step: 2 },
    items: [],
    files: [],
  };

  test("of a scope is JSON, or as the format says", async () => {
    const asked: unknown[] = [];
    const told: FakeKeeperParts["report"] = async (query, context) => {
      asked.push({ ...query, sessionId: context.sessionId, by: context.by });
      return { ok: true, report };
    };
    const { port } = await raise({ report: told });
    const got = await send(port, { path: "/report?scope=tmp_a&session=s1", headers: WITH_TOKEN });
    expect(JSON.parse(got.body.toString())).toEqual(report);
    expect(got.headers["content-type"]).toBe("application/json");
    for (const format of ["text", "markdown"] as const) {
      const formatted = await send(port, { path: `/report?format=${format}`, headers: WITH_TOKEN });
      expect(formatted.body.toString()).toBe(renderReport(report, format));
      expect(formatted.headers["content-type"]).toMatch(/^text\/(plain|markdown); charset=utf-8$/);
    }
    const nothing = { scope: null, sessionId: null, by: "user" };
    expect(asked).toEqual([{ scope: "tmp_a", sessionId: "s1", by: "user" }, nothing, nothing]);
  });

  test("of what nobody knows, or in a format nobody knows, is refused", async () => {
    const unknown = { ok: false, failure: "unknown scope", words: "no such scope" } as const;
    const { port } = await raise({ report: async () => unknown });
    const got = await send(port, { path: "/report?scope=tmp_b", headers: WITH_TOKEN });
    expect([got.status, JSON.parse(got.body.toString()).failure]).toEqual([404, "unknown scope"]);
    const format = await send(port, { path: "/report?format=html", headers: WITH_TOKEN });
    expect(format.status).toBe(400);
    expect(JSON.parse(format.body.toString()).words).toBe('format: expected json, text or markdown, got "html"');
    expect((await send(port, { path: "/report", headers: [] })).status).toBe(404);
  });
});
