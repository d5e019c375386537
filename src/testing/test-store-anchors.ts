import { deepEqual, equal } from "node:assert/strict";
import type { Aside } from "../model/aside.ts";
import type { Original } from "../model/store.ts";
import type { SpaceCheck } from "./test-store.ts";
import { expectBytes } from "./test-store-assertions.ts";
import { chainOf, commitOf, opened, originalOf } from "./test-store-samples.ts";

const MANY = 700;

function asideAt(anchor: string, original: Original, attempt = "r-1") {
  const aside: Aside = {
    anchor,
    attempt,
    place: "round",
    seen: ["text:\ud800"],
    seenStart: 0,
    calls: [{ id: "toolu_1", name: "ebb_recall", seenBefore: 1 }],
    digest: original.digest,
  };
  return { type: "aside-pinned", aside } as const;
}

/** Finding who pinned asides at a place of a history. */
export const anchorChecks: readonly SpaceCheck[] = [
  [
    "every lineage that tells of asides at an anchor is found by it, each once",
    async (space) => {
      const store = await space.open();
      const [first = "", second = "", third = ""] = chainOf(["a", "b", "c"]);
      const [one, two] = [originalOf("one"), originalOf("two")];
      const entries = [opened("s"), asideAt(first, one), asideAt(first, two), asideAt(second, one)];
      await store.commit(commitOf({ entries, originals: [one, two] }));
      const closed = { type: "aside-closed", anchor: first, attempt: "r-2", seen: [] } as const;
      await store.commit(commitOf({ lineage: "fork", entries: [opened("s"), closed] }));
      const found = await store.findAnchored("t", [third, second, first, first]);
      deepEqual(found.map(({ anchor, lineage }) => `${anchor} ${lineage}`).sort(), sorted([first, second], first));
      deepEqual(await store.findAnchored("t", [third]), []);
      deepEqual(await store.findAnchored("t", []), []);
      deepEqual(await store.findAnchored("other", [first]), []);
    },
  ],
  [
    "a long history is looked up whole",
    async (space) => {
      const store = await space.open();
      const anchors = chainOf(Array.from({ length: MANY }, (_, index) => `k${index}`));
      const original = originalOf("aside");
      const pinned = anchors.filter((_, index) => index % 100 === 99);
      const entries = [opened("s"), ...pinned.map((anchor) => asideAt(anchor, original))];
      await store.commit(commitOf({ entries, originals: [original] }));
      const found = await store.findAnchored("t", anchors);
      deepEqual(found.map(({ anchor }) => anchor).sort(), pinned.toSorted());
    },
  ],
  [
    "an aside's original lives as long as its lineages go on, and leaves with its session",
    async (space) => {
      const store = await space.open();
      const [anchor = ""] = chainOf(["a"]);
      const [kept, gone] = [originalOf("of two sessions"), originalOf("of one")];
      const own = [asideAt(anchor, kept), asideAt(anchor, gone, "r-2")];
      await store.commit(commitOf({ entries: [opened("s-1"), ...own], originals: [kept, gone] }));
      await store.commit(commitOf({ lineage: "b", atMs: 9_000, entries: [opened("s-2"), asideAt(anchor, kept)] }));
      equal((await store.sweep(1_000, 2_000)).originals, 0);
      await store.purge("t", { kind: "session", sessionId: "s-1" }, 9_500);
      deepEqual(await store.getOriginal("t", gone.digest), { state: "purged", atMs: 9_500 });
      expectBytes(await store.getOriginal("t", kept.digest), kept.bytes);
      equal((await store.sweep(9_000, 9_600)).originals, 0);
      equal((await store.sweep(9_001, 9_700)).originals, 1);
      deepEqual(await store.getOriginal("t", kept.digest), { state: "expired", atMs: 9_700 });
    },
  ],
];

function sorted(ofMain: readonly string[], ofFork: string): readonly string[] {
  return [...ofMain.map((anchor) => `${anchor} main`), `${ofFork} fork`].sort();
}
