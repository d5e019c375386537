import { deepEqual, equal } from "node:assert/strict";
import type { Original, Store } from "../model/store.ts";
import type { SpaceCheck } from "./test-store.ts";
import { expectBytes } from "./test-store-assertions.ts";
import {
  acquired,
  cacheEditEntries,
  changeOf,
  commitOf,
  decisionOn,
  itemOf,
  opened,
  originalOf,
  requestSent,
} from "./test-store-samples.ts";

const NOTHING = { originals: 0, bytes: 0 };

async function openLineage(store: Store, lineage: string, sessionId: string | null, originals: readonly Original[]) {
  const entries = originals.map((original, index) => acquired(itemOf(`${lineage}-${index}`, original)));
  await store.commit(commitOf({ lineage, entries: [opened(sessionId), ...entries], originals }));
}

/** Retention, purge and tombstones. */
export const removalChecks: readonly SpaceCheck[] = [
  [
    "retention removes what nothing referred to since, and says when",
    async (space) => {
      const store = await space.open();
      const quiet = originalOf("quiet\n".repeat(10));
      const live = originalOf("live");
      const loose = originalOf("put and never told of");
      await openLineage(store, "quiet", "s-1", [quiet]);
      await openLineage(store, "live", "s-2", [live]);
      await store.putOriginals("t", [loose], 1_500);
      await store.commit(commitOf({ lineage: "live", expectedSeq: 2, atMs: 9_000, entries: [requestSent("r")] }));
      deepEqual(await store.sweep(1_000, 20_000), NOTHING);
      deepEqual(await store.sweep(1_001, 20_000), { originals: 1, bytes: quiet.bytes.length });
      deepEqual(await store.getOriginal("t", quiet.digest), { state: "expired", atMs: 20_000 });
      expectBytes(await store.getOriginal("t", live.digest), live.bytes);
      deepEqual(await store.sweep(2_000, 21_000), { originals: 1, bytes: loose.bytes.length });
      deepEqual(await store.sweep(9_001, 22_000), { originals: 1, bytes: live.bytes.length });
      equal((await store.size()).originals, 0);
      deepEqual(await store.check(), []);
    },
  ],
  [
    "a recall, a fork's inherited decision or deletion and a second put each count as a reference",
    async (space) => {
      const store = await space.open();
      const [recalled, inherited, putAgain] = ["recalled", "inherited", "put again"].map(originalOf);
      if (recalled === undefined || inherited === undefined || putAgain === undefined) return;
      const [queued, pinned] = [originalOf("queued"), originalOf("pinned")];
      await openLineage(store, "old", "s-1", [recalled, inherited, putAgain, queued, pinned]);
      const deletions = [cacheEditEntries(itemOf("old-3", queued))[0], cacheEditEntries(itemOf("old-4", pinned))[1]];
      const entries = [opened("s-4"), ...deletions.filter((entry) => entry !== undefined)];
      await store.commit(commitOf({ lineage: "deleting", atMs: 9_000, entries }));
      const { address } = itemOf("old-0", recalled);
      const recall = { type: "item-recalled", address, range: null, pattern: null, by: "user" } as const;
      await store.commit(commitOf({ lineage: "reader", atMs: 9_000, entries: [opened("s-2"), recall] }));
      const decision = decisionOn(itemOf("old-1", inherited));
      await store.commit(commitOf({ lineage: "fork", atMs: 9_000, entries: [opened("s-3", [decision])] }));
      await store.putOriginals("t", [putAgain], 9_000);
      await store.putOriginals("t", [putAgain], 10);
      deepEqual(await store.sweep(9_000, 20_000), NOTHING);
      for (const { digest, bytes } of [recalled, inherited, putAgain, queued, pinned]) {
        expectBytes(await store.getOriginal("t", digest), bytes);
      }
    },
  ],
  [
    "retention reaches every quiet original, however many stand between live ones",
    async (space) => {
      const store = await space.open();
      const originals = Array.from({ length: 1_300 }, (_, index) => originalOf(`original ${index}`));
      const isLive = (index: number) => index % 3 === 0;
      await store.putOriginals("t", originals, 1_000);
      await store.putOriginals(
        "t",
        originals.filter((_, index) => isLive(index)),
        5_000,
      );
      equal((await store.sweep(5_000, 6_000)).originals, 866);
      for (const [index, { digest }] of originals.entries()) {
        equal((await store.getOriginal("t", digest)).state, isLive(index) ? "present" : "expired");
      }
      deepEqual(await store.check(), []);
    },
  ],
  [
    "purging a session keeps what another session refers to",
    async (space) => {
      const store = await space.open();
      const own = originalOf("of one session");
      const shared = originalOf("of two sessions");
      const agents = originalOf("of a lineage without a session");
      await openLineage(store, "a", "s-1", [own, shared, agents]);
      await openLineage(store, "b", "s-2", [shared]);
      await openLineage(store, "c", null, [agents]);
      const purge = (sessionId: string, atMs: number) => store.purge("t", { kind: "session", sessionId }, atMs);
      deepEqual(await purge("unknown", 4_000), NOTHING);
      deepEqual(await purge("s-1", 5_000), { originals: 1, bytes: own.bytes.length });
      deepEqual(await store.getOriginal("t", own.digest), { state: "purged", atMs: 5_000 });
      expectBytes(await store.getOriginal("t", shared.digest), shared.bytes);
      expectBytes(await store.getOriginal("t", agents.digest), agents.bytes);
      deepEqual(await purge("s-2", 6_000), { originals: 1, bytes: shared.bytes.length });
      deepEqual(await store.getOriginal("t", shared.digest), { state: "purged", atMs: 6_000 });
      for (const id of ["a-0", "a-1"]) equal((await store.findItems("t", id))[0]?.item.label.path, null);
      equal((await store.findItems("t", "a-2"))[0]?.item.label.path, "/project/src/index.ts");
      deepEqual(await store.check(), []);
    },
  ],
  [
    "purging by age and purging everything stay within the tenant",
    async (space) => {
      const store = await space.open();
      const [old, recent] = [originalOf("old"), originalOf("recent")];
      await openLineage(store, "old", "s-1", [old]);
      await store.commit(commitOf({ tenant: "other", entries: [opened("s")], originals: [old, recent] }));
      await store.putOriginals("t", [recent], 8_000);
      deepEqual(await store.purge("t", { kind: "before", atMs: 8_000 }, 9_000), { originals: 1, bytes: 3 });
      deepEqual(await store.getOriginal("t", old.digest), { state: "purged", atMs: 9_000 });
      deepEqual(await store.purge("t", { kind: "all" }, 9_500), { originals: 1, bytes: 6 });
      deepEqual(await store.getOriginal("t", recent.digest), { state: "purged", atMs: 9_500 });
      for (const { digest, bytes } of [old, recent]) expectBytes(await store.getOriginal("other", digest), bytes);
    },
  ],
  [
    "a removed item is still found, without path and command, and its ledger keeps its order",
    async (space) => {
      const store = await space.open();
      const original = originalOf("removed");
      const item = itemOf("call-1", original);
      const labelled = { ...item, label: { ...item.label, command: "cat secret" } };
      const unstored = { ...itemOf("call-2", originalOf("never kept")), isStored: false };
      const released = { type: "item-released", decision: decisionOn(item) } as const;
      const entries = [opened("s"), acquired(labelled), released, acquired(unstored)];
      await store.commit(commitOf({ entries, originals: [original] }));
      await store.purge("t", { kind: "all" }, 5_000);
      const bare = (of: typeof item) => ({
        ...of,
        absolutePath: null,
        label: { ...of.label, path: null, command: null },
      });
      const found = { item: bare(item), lineage: "main", sessionId: "s", acquiredAtMs: 1_000 };
      deepEqual(await store.findItems("t", item.address), [found]);
      const expected = [opened("s"), acquired(bare(item)), released, acquired(bare(unstored))];
      deepEqual(
        (await store.loadLineage("t", "main")).map(({ seq, entry }) => [seq, entry]),
        expected.map((entry, index) => [index + 1, entry]),
      );
      deepEqual(await store.commit(commitOf({ expectedSeq: 4, entries: [requestSent("r")] })), { ok: true, seq: 5 });
    },
  ],
  [
    "the text of a change is kept while its ledger refers to it, and its path leaves with it",
    async (space) => {
      const store = await space.open();
      const [text, base, quiet] = [originalOf("a to b"), originalOf("1\ta"), originalOf("unrelated")];
      const changes = [changeOf("call-1", text, null), changeOf("call-2", null, base), changeOf("call-3", null, null)];
      const entries = changes.map((change) => ({ type: "change-seen", change }) as const);
      await store.putOriginals("t", [text, base, quiet], 1_000);
      await store.commit(commitOf({ entries: [opened("s"), ...entries], atMs: 5_000 }));
      equal((await store.sweep(5_000, 6_000)).originals, 1);
      for (const original of [text, base]) expectBytes(await store.getOriginal("t", original.digest), original.bytes);
      const pathsIn = async () =>
        (await store.loadLineage("t", "main")).map(({ entry }) =>
          entry.type === "change-seen" ? entry.change.path : "",
        );
      deepEqual(await pathsIn(), ["", ...changes.map(({ path }) => path)]);
      await store.purge("t", { kind: "session", sessionId: "s" }, 7_000);
      equal((await store.getOriginal("t", text.digest)).state, "purged");
      deepEqual(await pathsIn(), ["", null, null, null]);
    },
  ],
  [
    "an original that is put again after its removal is there again",
    async (space) => {
      const store = await space.open();
      const original = originalOf("back again");
      await store.putOriginals("t", [original], 1_000);
      await store.sweep(2_000, 3_000);
      deepEqual(await store.getOriginal("t", original.digest), { state: "expired", atMs: 3_000 });
      await store.putOriginals("t", [original], 4_000);
      expectBytes(await store.getOriginal("t", original.digest), original.bytes);
      await store.purge("t", { kind: "all" }, 5_000);
      deepEqual(await store.getOriginal("t", original.digest), { state: "purged", atMs: 5_000 });
    },
  ],
];
