import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_FILE_NAME } from "../../src/cli/data-folder.ts";
import { LOCAL_TENANT } from "../../src/cli/open-keeper.ts";
import type { ItemRecord, LedgerEntry } from "../../src/model/ledger.ts";
import type { Original, Store } from "../../src/model/store.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { acquired, itemOf, opened, originalOf, requestSent } from "../../src/testing/test-store-samples.ts";
import {
  type Asked,
  openCommandLine,
  openHttp,
  openLibrary,
  openTools,
  type Surface,
  type SurfacePlace,
} from "../support/mcp/surfaces.ts";

const OLD_MS = 1_000;
const NOW_MS = 1_800_000_000_000;
const SURFACES = { library: openLibrary, "command line": openCommandLine, HTTP: openHttp, tools: openTools };

/** Items of the store by what is the matter with them. */
const ORIGINALS = {
  whole: originalOf("one\ntwo\nthree\n"),
  others: originalOf("of another session\n"),
  shared: originalOf("the same call id\n"),
  sharedToo: originalOf("the same call id, elsewhere\n"),
  expired: originalOf("expired\n"),
  purged: originalOf("purged\n"),
  damaged: originalOf("damaged\n"),
  empty: originalOf(""),
  image: originalOf(new Uint8Array([137, 80, 78, 71])),
  exempt: originalOf("a secret\n"),
  lost: originalOf("never written\n"),
} satisfies Readonly<Record<string, Original>>;

const CALL_IDS = { mine: "toolu_mine", theirs: "toolu_theirs", gone: "toolu_gone" };

function item(name: keyof typeof ORIGINALS, changes: Partial<ItemRecord> = {}): ItemRecord {
  const callId = name.startsWith("shared") ? "call_shared" : `call_${name}`;
  return { ...itemOf(callId, ORIGINALS[name]), ...changes };
}

const ITEMS = {
  whole: item("whole"),
  others: item("others"),
  shared: item("shared"),
  sharedToo: item("sharedToo"),
  expired: item("expired"),
  purged: item("purged"),
  damaged: item("damaged"),
  empty: item("empty"),
  image: item("image", { kind: "media", mediaType: "image/png" }),
  exempt: item("exempt", { isStored: false }),
  lost: item("lost"),
};

const IN = (name: keyof typeof ITEMS) => ({ id: ITEMS[name].address, session: "mine" });
const HERE = { id: "0123456789zz", session: "mine" };

/** Every failure of recall and of orders that an id can bring about, and what brings it about. */
const FAILURES: readonly (readonly [string, Asked])[] = [
  ["unknown id", { verb: "recall", ...HERE }],
  ["unknown id", { verb: "keep", ...HERE }],
  ["unknown id", { verb: "release", ...HERE }],
  ["unknown id", { verb: "hold", ...HERE }],
  ["belongs to another session", { verb: "recall", ...IN("others") }],
  ["belongs to another session", { verb: "release", ...IN("others") }],
  ["expired by retention", { verb: "recall", ...IN("expired") }],
  ["purged by the user", { verb: "recall", id: ITEMS.purged.address, session: "gone" }],
  ["not a finished result", { verb: "recall", id: "toolu_mine", session: "mine" }],
  ["empty result", { verb: "recall", ...IN("empty") }],
  ["empty result", { verb: "keep", ...IN("empty"), range: "1" }],
  ["bad range", { verb: "recall", ...IN("whole"), range: "4-2" }],
  ["bad range", { verb: "recall", ...IN("whole"), range: "0-3" }],
  ["bad range", { verb: "keep", ...IN("whole"), range: "two" }],
  ["bad pattern", { verb: "recall", ...IN("whole"), pattern: "(" }],
  ["selects nothing", { verb: "recall", ...IN("whole"), pattern: "four" }],
  ["selects nothing", { verb: "keep", ...IN("whole"), range: "9-" }],
  ["attachment cannot be sliced", { verb: "recall", ...IN("image"), range: "1-2" }],
  ["attachment cannot be sliced", { verb: "keep", ...IN("image"), range: "1-2" }],
  ["ambiguous session", { verb: "recall", id: "call_shared", session: null }],
  ["ambiguous session", { verb: "release", id: "call_shared", session: null }],
  ["not stored", { verb: "recall", ...IN("exempt") }],
  ["not stored", { verb: "recall", ...IN("lost") }],
  ["damaged in store", { verb: "recall", ...IN("damaged") }],
];

function placeIn(folder: string): SurfacePlace {
  return { dataFolder: join(folder, "data"), home: folder, callIds: CALL_IDS };
}

describe.each(Object.entries(SURFACES))("through the %s", (_name, open) => {
  let folder: string;
  let surface: Surface;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "ebb-surfaces-"));
    await fill(join(folder, "data", STORE_FILE_NAME));
    surface = await open(placeIn(folder));
  });

  afterAll(async () => {
    await surface?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(FAILURES)("the failure %j is told for %j", async (failure, asked) => {
    const told = await surface.ask(asked);
    expect(told.failure).toBe(failure);
    expect(told.text.length).toBeGreaterThan(10);
  });

  test("what can be answered is, and orders are on disk when the answer says so", async () => {
    const address = ITEMS.whole.address;
    const recalled = await surface.ask({ verb: "recall", ...IN("whole"), range: "2-3" });
    expect(recalled).toEqual({ failure: null, text: expect.stringContaining("two\nthree") });
    expect(await surface.ask({ verb: "hold", ...IN("whole") })).toEqual({
      failure: null,
      text: expect.stringContaining(`${address} held until step 4`),
    });
    expect((await surface.ask({ verb: "keep", ...IN("whole"), range: "2" })).failure).toBe(null);
    expect((await surface.ask({ verb: "release", ...IN("whole") })).failure).toBe(null);
    const kinds = await entriesOf(join(folder, "data", STORE_FILE_NAME), "mine");
    expect(kinds.slice(-4)).toEqual(["item-recalled", "item-held", "item-wished", "item-wished"]);
  });
});

describe.each(Object.entries(SURFACES))("a store that is no database, through the %s,", (name, open) => {
  test("is named, and nothing crashes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ebb-surfaces-"));
    const place = placeIn(folder);
    await fill(join(place.dataFolder, STORE_FILE_NAME));
    writeFileSync(join(place.dataFolder, STORE_FILE_NAME), "this is no database, and longer than a header of one");
    const asked: Asked = { verb: "recall", id: ITEMS.whole.address, session: null };
    try {
      if (name === "library" || name === "HTTP") {
        await expect(open(place)).rejects.toMatchObject({ code: "store_corrupt" });
        return;
      }
      const surface = await open(place);
      const told = await surface.ask(asked);
      await surface.close();
      expect([told.failure, told.text]).toEqual([
        name === "tools" ? "store unavailable" : "",
        "the store's file is not a database",
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function entriesOf(file: string, lineage: string): Promise<readonly string[]> {
  const store = openSqliteStore({ file });
  const records = await store.loadLineage(LOCAL_TENANT, lineage);
  await store.close();
  return records.map(({ entry }) => entry.type);
}

/** Writes the store as a proxy would, and then does to it what the failures need. */
async function fill(file: string): Promise<void> {
  const { expired, lost: _, exempt: __, ...kept } = ORIGINALS;
  const store = openSqliteStore({ file });
  const old = [opened("past"), acquired(ITEMS.expired)];
  await write(store, { lineage: "past", atMs: OLD_MS, entries: old, originals: [expired] });
  await store.sweep(OLD_MS + 1, NOW_MS);
  const { others, sharedToo, purged, expired: ___, ...mine } = ITEMS;
  await write(store, talk("gone", [purged], [kept.purged]));
  await store.purge(LOCAL_TENANT, { kind: "session", sessionId: "gone" }, NOW_MS);
  await write(store, talk("theirs", [others, sharedToo], [kept.others, kept.sharedToo]));
  const originals = Object.values({ ...kept, others: kept.whole, sharedToo: kept.whole, purged: kept.whole });
  await write(store, talk("mine", [...Object.values(mine), ITEMS.expired], [...new Set(originals)]));
  await store.close();
  const database = new SqliteDatabase(file);
  const digest = Buffer.from(ORIGINALS.damaged.digest, "hex");
  const { changes } = database.prepare("UPDATE originals SET bytes = ? WHERE digest = ?").run(Buffer.from("x"), digest);
  database.close();
  expect(changes).toBe(1);
}

/** A conversation that acquired items and waits for the answer to a call of recall. */
function talk(name: keyof typeof CALL_IDS, items: readonly ItemRecord[], originals: readonly Original[]) {
  const calls = [{ id: CALL_IDS[name], name: "mcp__ebb__recall" }];
  const response = { requestId: name, status: 200, usage: null, errorType: null, calls };
  const entries: readonly LedgerEntry[] = [
    opened(name),
    ...items.map(acquired),
    requestSent(name),
    { type: "response-seen", ...response },
  ];
  return { lineage: name, atMs: NOW_MS, entries, originals };
}

async function write(
  store: Store,
  part: {
    readonly lineage: string;
    readonly atMs: number;
    readonly entries: readonly LedgerEntry[];
    readonly originals: readonly Original[];
  },
): Promise<void> {
  expect(await store.commit({ tenant: LOCAL_TENANT, expectedSeq: 0, chain: [], ...part })).toMatchObject({ ok: true });
}
