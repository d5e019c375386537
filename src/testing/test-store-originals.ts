import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { SpaceCheck } from "./test-store.ts";
import { expectBytes, isEbbError } from "./test-store-assertions.ts";
import {
  acquired,
  chainFrom,
  chainOf,
  commitOf,
  denseBytes,
  itemOf,
  opened,
  originalOf,
} from "./test-store-samples.ts";

const LARGE_BYTES = 5 * 1024 * 1024;

/** Lone surrogates as WTF-8: what JavaScript text can hold and UTF-8 cannot. */
const LONE_SURROGATES = Buffer.from([0xed, 0xa0, 0x80, 0x61, 0xed, 0xbf, 0xbf]);

/** Round trip, ownership, cap and failure of originals. */
export const originalChecks: readonly SpaceCheck[] = [
  [
    "an original comes back byte for byte, whatever its bytes",
    async (space) => {
      const store = await space.open();
      const contents = ["", "\0", "line one\nline two\r\n\n", LONE_SURROGATES, denseBytes("media", 70_001)];
      contents.push("const answer = 42;\n".repeat(LARGE_BYTES / 19), denseBytes("large", LARGE_BYTES));
      const originals = contents.map(originalOf);
      equal(await store.putOriginals("t", originals, 1), true);
      for (const { digest, bytes } of originals) expectBytes(await store.getOriginal("t", digest), bytes);
    },
  ],
  [
    "putting an original twice changes nothing",
    async (space) => {
      const store = await space.open();
      const original = originalOf("once\n".repeat(100));
      equal(await store.putOriginals("t", [original, original], 1), true);
      const size = await store.size();
      equal(await store.putOriginals("t", [original], 2), true);
      deepEqual(await store.size(), size);
      equal(size.originals, 1);
      equal(size.originalBytes, original.bytes.length);
      expectBytes(await store.getOriginal("t", original.digest), original.bytes);
    },
  ],
  [
    "an original that does not have its digest is refused, with everything put or committed beside it",
    async (space) => {
      const store = await space.open();
      const good = originalOf("good");
      const wrong = { digest: originalOf("good indeed").digest, bytes: Buffer.from("something else") };
      await rejects(store.putOriginals("t", [good, wrong], 1));
      await rejects(store.commit(commitOf({ entries: [opened("s")], originals: [good, wrong] })));
      deepEqual(await store.getOriginal("t", good.digest), { state: "unknown" });
      deepEqual(await store.getOriginal("t", wrong.digest), { state: "unknown" });
      deepEqual(await store.loadLineage("t", "main"), []);
    },
  ],
  [
    "a digest opens nothing for a tenant that did not put the original itself",
    async (space) => {
      const store = await space.open();
      const original = originalOf("of two tenants");
      await store.putOriginals("left", [original], 1);
      deepEqual(await store.getOriginal("right", original.digest), { state: "unknown" });
      await store.putOriginals("right", [original], 1);
      await store.purge("left", { kind: "all" }, 5);
      deepEqual(await store.getOriginal("left", original.digest), { state: "purged", atMs: 5 });
      expectBytes(await store.getOriginal("right", original.digest), original.bytes);
    },
  ],
  [
    "text that is no digest is unknown",
    async (space) => {
      const store = await space.open();
      for (const text of ["", "abc", "Z".repeat(64), "'; --"]) {
        deepEqual(await store.getOriginal("t", text), { state: "unknown" });
      }
    },
  ],
  [
    "the disk cap refuses new originals whole, and takes what it already has",
    async (space) => {
      const store = await space.open(10_000);
      const first = originalOf(denseBytes("first", 6_000));
      const second = originalOf(denseBytes("second", 3_000));
      const third = originalOf(denseBytes("third", 3_000));
      equal(await store.putOriginals("t", [first], 1), true);
      equal(await store.putOriginals("t", [second, third], 1), false);
      deepEqual(await store.getOriginal("t", second.digest), { state: "unknown" });
      const refused = commitOf({
        entries: [opened("s")],
        chain: chainFrom(chainOf(["k"])),
        originals: [second, third],
      });
      deepEqual(await store.commit(refused), { ok: false, kind: "full", bytesMax: 10_000 });
      deepEqual(await store.loadLineage("t", "main"), []);
      equal(await store.findChain("t", chainOf(["k"]), null), null);
      deepEqual(await store.commit({ ...refused, originals: [first, second] }), { ok: true, seq: 1 });
      ok((await store.size()).storedBytes <= 10_000);
    },
  ],
  [
    "room that a purge made can be used again",
    async (space) => {
      const store = await space.open(10_000);
      await store.putOriginals("t", [originalOf(denseBytes("first", 9_000))], 1);
      const second = originalOf(denseBytes("second", 9_000));
      equal(await store.putOriginals("t", [second], 2), false);
      await store.purge("t", { kind: "all" }, 3);
      equal(await store.putOriginals("t", [second], 4), true);
    },
  ],
  [
    "an original survives a crash between its put and the ledger's append",
    async (space) => {
      const store = await space.open();
      const original = originalOf("kept before it was told of");
      await store.putOriginals("t", [original], 1);
      if (space.isPersistent) await store.close();
      const after = await space.open();
      expectBytes(await after.getOriginal("t", original.digest), original.bytes);
      deepEqual(await after.loadLineage("t", "main"), []);
      const entries = [opened("s"), acquired(itemOf("call-1", original))];
      deepEqual(await after.commit(commitOf({ entries, originals: [original] })), { ok: true, seq: 2 });
      deepEqual(await after.check(), []);
    },
  ],
  [
    "a closed store refuses every call, and closes twice without harm",
    async (space) => {
      const store = await space.open();
      await store.close();
      await store.close();
      const calls = [
        () => store.findChain("t", chainOf(["k"]), null),
        () => store.loadLineage("t", "main"),
        () => store.commit(commitOf({ entries: [opened("s")] })),
        () => store.putOriginals("t", [originalOf("late")], 1),
        () => store.getOriginal("t", originalOf("late").digest),
        () => store.findItems("t", "call-1"),
        () => store.listLineages("t", 1),
        () => store.sweep(1, 1),
        () => store.purge("t", { kind: "all" }, 1),
        () => store.size(),
        () => store.check(),
      ];
      for (const call of calls) await rejects(call, isEbbError("store_closed"));
    },
  ],
];
