import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { bodyOf, EMPTY_TALK, read, user } from "../support/conversation.ts";
import { createTestKeeper, send } from "../support/keeper.ts";

const EARLY_SESSIONS = 700;
const SESSIONS = 1_600;
/** Of every session, kept whole in memory by nobody. */
const SESSION_CHARS = 24_000;
const LINEAGES_MAX = 512;

test("thousands of short sessions leave no more in memory than some hundreds", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  const store = openSqliteStore({ file: join(folder, "ebb.sqlite") });
  const keeper = createTestKeeper({ store });
  let early = 0;
  for (let number = 1; number <= SESSIONS; number++) {
    const text = `session ${number} `.repeat(SESSION_CHARS / 14);
    await send(keeper, Buffer.from(bodyOf(read(user(EMPTY_TALK, `go ${number}`), "c", `/w/${number}`, text))), {
      sessionId: `s${number}`,
      atMs: 1_000_000 + number * 1_000,
    });
    expect(keeper.stats().lineages).toBeLessThanOrEqual(LINEAGES_MAX);
    if (number === EARLY_SESSIONS) early = await heapAtRest(keeper);
  }
  const grown = (await heapAtRest(keeper)) - early;
  const keptWhole = (SESSIONS - EARLY_SESSIONS) * SESSION_CHARS;
  expect(grown).toBeLessThan(keptWhole / 3);
  expect(JSON.stringify(keeper.stats()).length).toBeLessThan(10_000);
  expect(keeper.stats()).toMatchObject({ requests: SESSIONS, items: SESSIONS, errors: [] });
  await keeper.close();
  await store.close();
  rmSync(folder, { recursive: true });
}, 300_000);

/** Bytes of what is reachable, off-heap buffers included, once nothing is under way. */
async function heapAtRest(keeper: { close(): Promise<void> }): Promise<number> {
  await keeper.close();
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") for (let round = 0; round < 3; round++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
