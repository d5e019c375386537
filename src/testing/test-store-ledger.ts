import { deepEqual, equal } from "node:assert/strict";
import type { LedgerEntry } from "../model/ledger.ts";
import type { SpaceCheck } from "./test-store.ts";
import { expectBytes } from "./test-store-assertions.ts";
import {
  acquired,
  cacheEditEntries,
  chainFrom,
  chainOf,
  commitOf,
  decisionOn,
  deliberateEntries,
  itemOf,
  opened,
  originalOf,
  requestSent,
} from "./test-store-samples.ts";

/** Order, atomicity, conflicts and look-ups of ledgers. */
export const ledgerChecks: readonly SpaceCheck[] = [
  [
    "a ledger comes back in order, numbered from 1 without gaps, entry for entry",
    async (space) => {
      const store = await space.open();
      const item = itemOf("call-1", originalOf("text"));
      const entries: LedgerEntry[] = [opened("s", [decisionOn(item)]), acquired(item), requestSent("r-1")];
      const later: LedgerEntry[] = [
        { type: "item-released", decision: decisionOn(item) },
        { type: "item-recalled", address: item.address, range: "1-2", pattern: null, by: "agent" },
        {
          type: "response-seen",
          requestId: "r-1",
          status: 200,
          usage: null,
          calls: [],
          errorType: "überlastet \udc00",
        },
        { type: "client-folded", fromLineage: "older" },
      ];
      deepEqual(await store.commit(commitOf({ entries })), { ok: true, seq: 3 });
      deepEqual(await store.commit(commitOf({ expectedSeq: 3, atMs: 2_000, entries: later })), { ok: true, seq: 7 });
      const expected = [...entries, ...later].map((entry, index) => ({
        seq: index + 1,
        atMs: index < 3 ? 1_000 : 2_000,
        entry,
      }));
      deepEqual(await store.loadLineage("t", "main"), expected);
      deepEqual(await store.loadLineage("t", "other"), []);
      deepEqual(await store.loadLineage("other", "main"), []);
    },
  ],
  [
    "of two writers with the same knowledge one wins, and the other writes nothing and learns where the ledger stands",
    async (space) => {
      const [left, right] = [await space.open(), await space.open()];
      await left.commit(commitOf({ entries: [opened("s")] }));
      const original = originalOf("of the second writer");
      const first = commitOf({ expectedSeq: 1, entries: [requestSent("left"), requestSent("left again")] });
      const second = commitOf({
        expectedSeq: 1,
        entries: [acquired(itemOf("call-2", original))],
        chain: chainFrom(chainOf(["second"])),
        originals: [original],
      });
      deepEqual(await left.commit(first), { ok: true, seq: 3 });
      deepEqual(await right.commit(second), { ok: false, kind: "conflict", seq: 3 });
      equal((await right.loadLineage("t", "main")).length, 3);
      deepEqual(await right.getOriginal("t", original.digest), { state: "unknown" });
      deepEqual(await right.findItems("t", "call-2"), []);
      equal(await right.findChain("t", chainOf(["second"]), null), null);
      deepEqual(await right.commit({ ...second, expectedSeq: 3 }), { ok: true, seq: 4 });
      equal((await left.loadLineage("t", "main")).length, 4);
    },
  ],
  [
    "a lineage is opened once, and a lineage that does not exist cannot be continued",
    async (space) => {
      const [left, right] = [await space.open(), await space.open()];
      deepEqual(await left.commit(commitOf({ entries: [opened("s")] })), { ok: true, seq: 1 });
      deepEqual(await right.commit(commitOf({ entries: [opened("s")] })), { ok: false, kind: "conflict", seq: 1 });
      const lost = commitOf({ lineage: "lost", expectedSeq: 4, entries: [requestSent("r")] });
      deepEqual(await left.commit(lost), { ok: false, kind: "conflict", seq: 0 });
    },
  ],
  [
    "writers that run at the same moment on many lineages lose nothing",
    async (space) => {
      const [left, right] = [await space.open(), await space.open()];
      const commits = Array.from({ length: 40 }, (_, index) => {
        const original = originalOf(`original ${index}\n`.repeat(50));
        const entries = [opened(`s-${index}`), acquired(itemOf(`call-${index}`, original))];
        return commitOf({ lineage: `l-${index}`, entries, originals: [original] });
      });
      const outcomes = await Promise.all(
        commits.map((commit, index) => (index % 2 === 0 ? left : right).commit(commit)),
      );
      for (const outcome of outcomes) deepEqual(outcome, { ok: true, seq: 2 });
      for (const { lineage, originals } of commits) {
        equal((await left.loadLineage("t", lineage)).length, 2);
        for (const { digest, bytes } of originals) expectBytes(await right.getOriginal("t", digest), bytes);
      }
    },
  ],
  [
    "what was decided on purpose comes back as it was said, and its paths leave with a purge",
    async (space) => {
      const store = await space.open();
      const original = originalOf("decided on purpose");
      const entries = [opened("s"), acquired(itemOf("call-1", original))];
      const deliberate = deliberateEntries(itemOf("call-1", original));
      await store.commit(commitOf({ entries: [...entries, ...deliberate], originals: [original] }));
      const read = async () => (await store.loadLineage("t", "main")).slice(entries.length).map(({ entry }) => entry);
      deepEqual(await read(), deliberate);
      await store.purge("t", { kind: "session", sessionId: "s" }, 5_000);
      equal(JSON.stringify(await read()).includes("/project"), false);
    },
  ],
  [
    "deletions from the provider's cache come back as they were pinned",
    async (space) => {
      const store = await space.open();
      const entries = [opened("s"), ...cacheEditEntries(itemOf("call-1", originalOf("deleted")))];
      await store.commit(commitOf({ entries }));
      deepEqual(
        (await store.loadLineage("t", "main")).map(({ entry }) => entry),
        entries,
      );
    },
  ],
  [
    "everything is there after reopening",
    async (space) => {
      const store = await space.open();
      const original = originalOf("through a restart\n".repeat(20));
      const item = itemOf("call-1", original);
      const chain = chainOf(["k1", "k2"]);
      const entries = [opened("s"), acquired(item), requestSent("r-1")];
      await store.commit(commitOf({ entries, chain: chainFrom(chain), originals: [original] }));
      const before = await store.loadLineage("t", "main");
      if (space.isPersistent) await store.close();
      const after = await space.open();
      deepEqual(await after.loadLineage("t", "main"), before);
      expectBytes(await after.getOriginal("t", original.digest), original.bytes);
      deepEqual(await after.findChain("t", chain, null), { lineage: "main", position: 2 });
      deepEqual(await after.findItems("t", item.address), [
        { item, lineage: "main", sessionId: "s", acquiredAtMs: 1_000 },
      ]);
      deepEqual(await after.check(), []);
    },
  ],
  [
    "items are found by address and by call id, in their tenant alone",
    async (space) => {
      const store = await space.open();
      const item = itemOf("call-1", originalOf("one"));
      const unstored = { ...itemOf("call-2", originalOf("secret")), isStored: false };
      const media = {
        ...itemOf("call-3", originalOf("image")),
        callId: null,
        kind: "media",
        mediaType: "image/png",
      } as const;
      await store.commit(commitOf({ entries: [opened("s"), ...[item, unstored, media].map(acquired)] }));
      for (const [id, expected] of [
        [item.address, item],
        ["call-1", item],
        ["call-2", unstored],
        [media.address, media],
      ] as const) {
        const found = { item: expected, lineage: "main", sessionId: "s", acquiredAtMs: 1_000 };
        deepEqual(await store.findItems("t", id), [found]);
        deepEqual(await store.findItems("other", id), []);
      }
      deepEqual(await store.findItems("t", "call-3"), []);
      deepEqual(await store.findItems("t", "unheard of"), []);
    },
  ],
  [
    "an item acquired again in a fork is found where it was acquired first; two items under one call id are both found",
    async (space) => {
      const store = await space.open();
      const item = itemOf("call-1", originalOf("first answer"));
      const other = itemOf("call-1", originalOf("another answer"));
      await store.commit(commitOf({ lineage: "first", entries: [opened("s-1"), acquired(item)] }));
      await store.commit(commitOf({ lineage: "fork", atMs: 2_000, entries: [opened("s-2"), acquired(item)] }));
      const first = { item, lineage: "first", sessionId: "s-1", acquiredAtMs: 1_000 };
      deepEqual(await store.findItems("t", item.address), [first]);
      await store.commit(commitOf({ lineage: "fork", expectedSeq: 2, atMs: 3_000, entries: [acquired(other)] }));
      const second = { item: other, lineage: "fork", sessionId: "s-2", acquiredAtMs: 3_000 };
      deepEqual(await store.findItems("t", "call-1"), [first, second]);
    },
  ],
  [
    "two items whose addresses collide are both found",
    async (space) => {
      const store = await space.open();
      const left = itemOf("call-1", originalOf("left"));
      const right = { ...itemOf("call-2", originalOf("right")), address: left.address };
      await store.commit(commitOf({ entries: [opened("s"), acquired(left), acquired(right)] }));
      const found = await store.findItems("t", left.address);
      deepEqual(new Set(found.map(({ item }) => item.key)), new Set([left.key, right.key]));
    },
  ],
  [
    "lineages are listed newest first, also after a clock went back, with their session, in their tenant alone",
    async (space) => {
      const store = await space.open();
      for (const [lineage, atMs] of [
        ["old", 1_000],
        ["new", 3_000],
        ["middle", 2_000],
      ] as const) {
        await store.commit(commitOf({ lineage, atMs, entries: [opened(`session of ${lineage}`)] }));
      }
      await store.commit(commitOf({ tenant: "other", atMs: 9_000, entries: [opened("foreign")] }));
      await store.commit(commitOf({ lineage: "new", expectedSeq: 1, atMs: 500, entries: [requestSent("r")] }));
      const list = await store.listLineages("t", 2);
      deepEqual(list, [
        { lineage: "new", sessionId: "session of new", agentId: null, lastAtMs: 3_000, seq: 2 },
        { lineage: "middle", sessionId: "session of middle", agentId: null, lastAtMs: 2_000, seq: 1 },
      ]);
    },
  ],
];
