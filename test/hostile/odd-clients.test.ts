import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LOCAL_TENANT } from "../../src/cli/open-keeper.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { resultIn } from "../support/keeper.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { type System, startSystem } from "./support/system.ts";
import { pageResult, pagesBody } from "./support/talks.ts";

let dataFolder = "";
let upstream: FakeUpstream;
let system: System;
let marker: unknown;

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  upstream = await startUpstream();
  system = await startSystem({ upstream: upstream.url, dataFolder });
  await system.post(pagesBody("a"));
  marker = sent("a");
  expect(marker).toContain("[ebb ");
});

afterEach(async () => {
  await system.close();
  await upstream.close();
  rmSync(dataFolder, { recursive: true });
});

/** Text of one result as it reached the provider last. */
function sent(id: string): unknown {
  const content = resultIn(upstream.received.at(-1)?.body.toString() ?? '{"messages":[]}', id);
  return Array.isArray(content) ? content.map((block) => block.text).join("") : content;
}

/** The session's next body, the result of `a` and the body itself changed on the way. */
function nextBody(change: (result: JsonObject) => JsonObject, more: (body: JsonObject) => JsonObject = (body) => body) {
  const reshaped: JsonValue = JSON.parse(pagesBody("a", "b").toString(), (_key, value) =>
    value?.tool_use_id === "a" ? change(value) : value,
  );
  return Buffer.from(JSON.stringify(more(Object.fromEntries(Object.entries(reshaped ?? {})))));
}

const asIs = (result: JsonObject) => result;
const listOf = (text: JsonValue | undefined, more: JsonObject = {}) => [{ type: "text", text: text ?? null, ...more }];

/** The session's next body as text, with the last `from` exchanged. */
function nextText(from: string, to: string): Buffer {
  const body = nextBody(asIs).toString();
  const at = body.lastIndexOf(from);
  expect(at).not.toBe(-1);
  return Buffer.from(body.slice(0, at) + to + body.slice(at + from.length));
}

const contentOfA = () => `"content":${JSON.stringify(pageResult("a"))}`;
/** Stands at the end of the released result's message. */
const END_OF_A = '}]},{"role":"assistant"';
const behindA = (message: string) => nextText(END_OF_A, `}]},${message},{"role":"assistant"`);

describe("a result that was released keeps its marker", () => {
  const bodies: Readonly<Record<string, () => Buffer>> = {
    "as a list of one block": () => nextBody((result) => ({ ...result, content: listOf(result.content) })),
    "with a breakpoint inside": () =>
      nextBody((result) => ({ ...result, content: listOf(result.content, { cache_control: { type: "ephemeral" } }) })),
    "with a member nobody knows": () =>
      nextBody((result) => ({ ...result, content: listOf(result.content, { odd: 1 }) })),
    "once it says that it is no error": () => nextBody((result) => ({ ...result, is_error: false })),
    "with its members in another order": () =>
      nextBody((result) => Object.fromEntries(Object.entries(result).reverse())),
    "on another model": () => nextBody(asIs, (body) => ({ ...body, model: "claude-opus-4-1" })),
    "without tools": () => nextBody(asIs, (body) => ({ ...body, tools: [] })),
    "under another session id": () =>
      nextBody(asIs, (body) => ({ ...body, metadata: { user_id: '{"session_id":"z"}' } })),
    "with white space all over": () => Buffer.from(JSON.stringify(JSON.parse(nextBody(asIs).toString()), null, 3)),
    "beside a block nobody knows": () =>
      nextBody((result) => ({ ...result, content: [{ type: "new", n: 1 }, ...listOf(result.content), 7] })),
    "with its content twice": () => nextText(contentOfA(), `"content":"x",${contentOfA()}`),
    "with its call id twice": () => nextText('"tool_use_id":"a"', '"tool_use_id":"a","tool_use_id":"a"'),
    "in a message with its role twice": () => nextText(END_OF_A, '}],"role":"user"},{"role":"assistant"'),
    "in the second of two histories": () => nextText('"messages":', '"messages":[],"messages":'),
    "before a message of a role nobody knows": () => behindA('{"role":"developer","content":"be brief"}'),
    "before a message without a role": () => behindA('{"content":"be brief"}'),
    "before a message that is none": () => behindA("7"),
    "before a message of no content": () => behindA('{"role":"user","content":null}'),
    "before a message of an object": () => behindA('{"role":"user","content":{"type":"text","text":"a"}}'),
    "beside text that is no UTF-8": () =>
      Buffer.from(pagesBody("a", "b", "c").toString("latin1").replace("c: line 3", "c: \xff\xc0"), "latin1"),
  };
  test.each(Object.entries(bodies))("%s", async (_name, make) => {
    expect((await system.post(make())).status).toBe(200);
    expect(sent("a")).toBe(marker);
    expect((await system.stats()).law_violations).toBe(0);
  });

  test("after another program purged its original, and a recall says so", async () => {
    const other = await startSystem({ upstream: upstream.url, dataFolder });
    await other.keeper.purge(LOCAL_TENANT, { kind: "all" }, Date.now());
    await system.post(pagesBody("a", "b"));
    expect(sent("a")).toBe(marker);
    expect((await system.ask("/recall/a")).status).toBe(410);
    expect((await system.ask("/recall/b?raw")).body.toString()).toBe(pageResult("b"));
    await other.close();
  });

  test("and what went out in full while the store was locked stays in full, also after a recall and a retry", async () => {
    const other = new SqliteDatabase(join(dataFolder, "ebb.sqlite"));
    other.exec("BEGIN IMMEDIATE");
    await system.post(pagesBody("a", "b"));
    other.exec("ROLLBACK");
    other.close();
    expect((await system.ask("/recall/a")).status).toBe(200);
    await system.post(pagesBody("a", "b"));
    expect([sent("a"), sent("b")]).toEqual([marker, pageResult("b")]);
  });
});

test("a session whose ledger is gone from the store is told to try again, not sent in full", async () => {
  await system.close();
  const database = new SqliteDatabase(join(dataFolder, "ebb.sqlite"));
  database.exec("DELETE FROM entries");
  database.close();
  system = await startSystem({ upstream: upstream.url, dataFolder });
  const got = await system.post(pagesBody("a", "b"));
  expect([got.status, got.body.toString()]).toEqual([503, expect.stringContaining("lost the ledger")]);
  expect(got.headers["retry-after"]).toBeDefined();
  expect((await system.stats()).errors).toMatchObject([{ code: "store_corrupt" }]);
});
