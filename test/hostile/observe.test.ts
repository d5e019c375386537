import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bodyOf, edit, idle, read } from "../support/conversation.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { recordedSessions } from "../support/shared.ts";
import { SMALL_BOUND, type System, startSystem } from "./support/system.ts";
import { page, pagesBody, pagesRead } from "./support/talks.ts";

let dataFolder = "";
let upstream: FakeUpstream;
let system: System;
let nowMs = 1_800_000_000_000;

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  upstream = await startUpstream();
  system = await startSystem({
    upstream: upstream.url,
    dataFolder,
    config: `mode: observe\n${SMALL_BOUND}`,
    clock: () => nowMs,
  });
});

afterEach(async () => {
  await system.close();
  await upstream.close();
  rmSync(dataFolder, { recursive: true });
});

async function expectSame(body: Buffer, headers: readonly string[] = []): Promise<void> {
  expect((await system.post(body, headers)).status).toBe(200);
  expect(upstream.received.pop()?.body.equals(body)).toBe(true);
}

describe("in observe mode", () => {
  test("every body of a session that had much to release goes out as it came, and what would leave is counted", async () => {
    const names = ["a", "b", "c", "d"];
    for (const [index] of names.entries()) {
      await expectSame(pagesBody(...names.slice(0, index + 1)));
      nowMs += 20 * 60_000;
    }
    const edited = idle(edit(pagesRead(...names), "e", "/w/a.txt"), "i", 8);
    await expectSame(Buffer.from(bodyOf(edited)));
    const body = Buffer.from(bodyOf(read(edited, "again", "/w/b.txt", page("b"))));
    await expectSame(gzipSync(body), ["Content-Encoding", "gzip"]);
    const stats = await system.stats();
    expect(stats.released).toEqual([]);
    expect(stats.would_release.length).toBeGreaterThan(0);
    expect(stats).toMatchObject({ errors: [], law_violations: 0 });
  });

  test.skipIf(recordedSessions === null)(
    "every recorded body goes out as it came",
    async () => {
      const bodies = recordedBodies();
      expect(bodies.length).toBeGreaterThan(50);
      for (const body of bodies) await expectSame(body);
      expect(await system.stats()).toMatchObject({ errors: [], law_violations: 0, unread: {} });
    },
    180_000,
  );
});

/** Bodies of Messages requests as clients sent them. */
function recordedBodies(): readonly Buffer[] {
  const folder = join(recordedSessions ?? "", "wire");
  const bodies: Buffer[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(folder, name);
    if (!name.endsWith(".json") || !statSync(path).isFile()) continue;
    const record: { url?: string; bodyRaw?: string } = JSON.parse(readFileSync(path, "utf8"));
    const isMessages = /^\/v1\/messages(?:\?|$)/.test(record.url ?? "");
    if (isMessages && record.bodyRaw !== undefined && record.bodyRaw !== "") bodies.push(Buffer.from(record.bodyRaw));
  }
  return bodies;
}
