import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { callOf, request, resultOf } from "./support/bodies.ts";
import { startSystem } from "./support/system.ts";

const LONG = "n".repeat(3_000_000);
const HI = '{"role":"user","content":"hi"}';
/** What the ledger may keep of one request with one result, whatever its names. */
const LEDGER_CHARS_MAX = 12_000;

let dataFolder = "";
let upstream: FakeUpstream;

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  upstream = await startUpstream();
});

afterEach(async () => {
  await upstream.close();
  rmSync(dataFolder, { recursive: true });
});

const bash = `{"type":"tool_use","id":"c","name":"Bash","input":{"command":"${LONG}"}}`;

test.each([
  ["model", Buffer.from(`{"model":"${LONG}","messages":[${HI}]}`), []],
  ["session", request(`[${HI}]`, `"metadata":{"user_id":"{\\"session_id\\":\\"${LONG}\\"}"},`), []],
  ["session in a header", request(`[${HI}]`), ["X-Claude-Code-Session-Id", LONG.slice(0, 50_000)]],
  ["path", request(`[${HI},${callOf("c", `{"file_path":"/${LONG}"}`)},${resultOf("c", "x")}]`), []],
  ["command", request(`[${HI},{"role":"assistant","content":[${bash}]},${resultOf("c", "x")}]`), []],
  ["call id", request(`[${HI},${callOf(LONG, '{"file_path":"/a"}')},${resultOf(LONG, "x")}]`), []],
  ["tool", request(`[${HI},${callOf("c", "{}").replace("Read", LONG)},${resultOf("c", "x")}]`), []],
  [
    "media type",
    request(
      `[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"${LONG}","data":"aGk="}}]}]`,
    ),
    [],
  ],
])("a %s of any length is neither kept nor told, and passes unchanged", async (_name, body, headers) => {
  const system = await startSystem({ upstream: upstream.url, dataFolder });
  expect((await system.post(body, headers)).status).toBe(200);
  expect(upstream.received[0]?.body.equals(body)).toBe(true);
  const stats = await system.ask("/stats");
  expect(stats.body.length).toBeLessThan(2_000);
  expect(JSON.parse(stats.body.toString())).toMatchObject({ errors: [], law_violations: 0 });
  expect(system.logText().length).toBeLessThan(1_000);
  await system.close();
  const database = new SqliteDatabase(join(dataFolder, "ebb.sqlite"));
  expect(database.prepare("SELECT sum(length(body)) FROM entries").pluck().get()).toBeLessThan(LEDGER_CHARS_MAX);
  database.close();
});
