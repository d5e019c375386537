import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMemoryStore } from "../../src/stores/memory.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider.ts";
import { createTestKeeper, resultIn, send as sendToKeeper } from "../support/keeper.ts";
import { open } from "../support/proxy/client.ts";
import { CLIENT_HEADERS, type System, startSystem } from "./support/system.ts";
import { addressIn, pageResult, pagesBody } from "./support/talks.ts";

const SCENARIO = { scripts: [{ match: "", steps: Array.from({ length: 12 }, () => ({ text: "done" })) }] };

let dataFolder = "";
let provider: FakeProvider;
let system: System;

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  provider = await startFakeProvider({ scenario: SCENARIO });
  system = await startSystem({ upstream: provider.url, dataFolder, clock: () => provider.nowMs() });
});

afterEach(async () => {
  await system.close();
  await provider.close();
  rmSync(dataFolder, { recursive: true });
});

/** Bodies as the provider received them, in order. */
function received(): readonly string[] {
  return provider.requests().map((request) => request.bodyRaw);
}

describe("many sessions at once through one proxy", () => {
  test("keep to themselves: every form is steady, every marker is right, and comes back", async () => {
    const sessions = Array.from({ length: 50 }, (_, number) => `s${number}`);
    const turns = 10;
    const play = async (session: string): Promise<void> => {
      const names: string[] = [];
      for (let turn = 0; turn < turns; turn++) {
        const body = pagesBody(session, ...names);
        expect((await system.post(body, ["X-Claude-Code-Session-Id", session])).status).toBe(200);
        names.push(turn % 3 === 0 ? `shared${turn}` : `${session}p${turn}`);
      }
    };
    await Promise.all(sessions.map(play));
    const forms = new Map<string, unknown>();
    for (const body of received()) {
      const session = /look at (s\d+)/.exec(body)?.[1] ?? "";
      for (const id of callIdsIn(body)) {
        const form = resultIn(body, id);
        const name = `${session} ${id}`;
        if (forms.has(name)) expect(form).toBe(forms.get(name));
        forms.set(name, form);
        expect(form).toContain(`/w/${id}.txt`);
      }
    }
    expect(forms.size).toBe(sessions.length * turns);
    const stats = await system.stats();
    expect(stats).toMatchObject({
      errors: [],
      law_violations: 0,
      fallbacks: { script_only: 0, original: 0, refused: 0 },
    });
    for (const session of ["s0", "s17", "s49"]) {
      for (const id of [session, `${session}p1`]) {
        const address = addressIn(forms.get(`${session} ${id}`));
        expect((await system.ask(`/recall/${address}?raw`)).body.toString()).toBe(pageResult(id));
      }
    }
  });

  test("of one lineage side by side: each request repeats what was sent before it", async () => {
    await system.post(pagesBody("a"));
    const marker = resultIn(received().at(-1) ?? "", "a");
    const forks = Array.from({ length: 12 }, (_, number) => pagesBody("a", `fork${number % 4}`));
    const got = await Promise.all(forks.map((body) => system.post(body)));
    expect(got.map((one) => one.status)).toEqual(forks.map(() => 200));
    const forms = new Map<string, Set<unknown>>();
    for (const body of received()) {
      for (const id of callIdsIn(body)) forms.set(id, (forms.get(id) ?? new Set()).add(resultIn(body, id)));
    }
    expect(forms.get("a")).toEqual(new Set([marker]));
    for (const [id, seen] of forms) expect([id, seen.size]).toEqual([id, 1]);
    expect((await system.stats()).fallbacks).toEqual({ script_only: 0, original: 0, refused: 0 });
  });
});

describe("a request that is tried again", () => {
  test.each([
    ["529", { status: 529 }, 529],
    ["429 with a time to wait", { status: 429, retryAfter: 7 }, 429],
    ["500", { status: 500 }, 500],
    ["a stream cut in the middle", { cutAfterEvents: 2 }, null],
    ["a connection cut before the first event", { cutAfterEvents: 0 }, null],
  ] as const)("after %s carries the same bytes", async (_name, fault, status) => {
    await system.post(pagesBody("a"));
    provider.fault(fault);
    const body = pagesBody("a", "b");
    const failed = await system.post(body).catch(() => null);
    if (status !== null) expect(failed?.status).toBe(status);
    if ("retryAfter" in fault) expect(failed?.headers["retry-after"]).toBe("7");
    expect((await system.post(body)).status).toBe(200);
    const [, first, second] = received();
    expect(second).toBe(first);
    expect(resultIn(second ?? "", "b")).toContain("[ebb ");
    expect((await system.stats()).errors).toEqual([]);
  });

  test("after the client left in the middle of the stream carries the same bytes", async () => {
    provider.fault({ stallAfterEvents: 2 });
    const body = pagesBody("a");
    const request = open(system.port, {
      method: "POST",
      path: "/v1/messages",
      headers: [...CLIENT_HEADERS, "Content-Length", String(body.length)],
    });
    request.on("error", () => undefined).end(body);
    await new Promise<void>((resolve) => {
      request.once("response", (response) => response.on("error", () => undefined).once("data", () => resolve()));
    });
    request.destroy();
    expect((await system.post(body)).status).toBe(200);
    const [first, second] = received();
    expect(second).toBe(first);
    expect(provider.requests()[0]?.end).toBe("left");
  });

  test("after a client that left inside its upload is like a first one", async () => {
    const body = pagesBody("a");
    const request = open(system.port, {
      method: "POST",
      path: "/v1/messages",
      headers: [...CLIENT_HEADERS, "Content-Length", String(body.length)],
    });
    request.on("error", () => undefined).write(body.subarray(0, 2_000));
    await new Promise<void>((resolve) => request.once("socket", (socket) => socket.once("connect", () => resolve())));
    request.destroy();
    expect((await system.post(body)).status).toBe(200);
    expect(received()).toHaveLength(1);
    expect(resultIn(received()[0] ?? "", "a")).toContain("[ebb ");
  });
});

describe("two tenants on one store", () => {
  test.each(["memory", "sqlite"])("in %s: neither recalls, continues nor removes what is the other's", async (kind) => {
    const store =
      kind === "memory" ? createMemoryStore({}) : openSqliteStore({ file: join(dataFolder, "tenants.sqlite") });
    const keeper = createTestKeeper({ store, bound: { lines: 50, bytes: 20_000 } });
    const recall = (tenant: string, id: string) =>
      keeper.recall({
        tenant,
        id,
        range: null,
        pattern: null,
        ignoreCase: false,
        chars: null,
        sessionId: null,
        by: "user",
        atMs: 5,
      });
    await sendToKeeper(keeper, pagesBody("a"), { tenant: "left" });
    const forwarded = await sendToKeeper(keeper, pagesBody("a", "b"), { tenant: "left" });
    for (const id of ["a", "b", addressIn(resultIn(forwarded, "a"))]) {
      expect(await recall("left", id)).toMatchObject({ ok: true });
      expect(await recall("right", id)).toMatchObject({ ok: false, failure: "unknown id" });
    }
    // The other tenant's same history is met for the first time: what it already sent in full stays in full.
    const other = await sendToKeeper(keeper, pagesBody("a", "b"), { tenant: "right" });
    expect([resultIn(other, "a"), resultIn(other, "b")]).toEqual([pageResult("a"), expect.stringContaining("[ebb ")]);
    await keeper.purge("right", { kind: "all" }, 10);
    expect(await recall("left", "b")).toMatchObject({ ok: true });
    expect(await recall("right", "b")).toMatchObject({ ok: false });
    const again = await sendToKeeper(keeper, pagesBody("a", "b", "c"), { tenant: "left" });
    expect(resultIn(again, "a")).toBe(resultIn(forwarded, "a"));
    await keeper.close();
    await store.close();
  });
});

function callIdsIn(body: string): readonly string[] {
  return Array.from(new Set(Array.from(body.matchAll(/"tool_use_id":"([^"]+)"/g), (match) => match[1] ?? "")));
}
