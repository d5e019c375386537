import { deepEqual, equal } from "node:assert/strict";
import type { SpaceCheck } from "./test-store.ts";
import { chainFrom, chainOf, commitOf, opened, requestSent } from "./test-store-samples.ts";

const LONG_ITEMS = 30_000;

function keysTo(count: number, name = "k"): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index + 1}`);
}

/** Finding the lineage that a request continues. */
export const chainChecks: readonly SpaceCheck[] = [
  [
    "a request continues the lineage that shares the most of its history",
    async (space) => {
      const store = await space.open();
      const chain = chainOf(keysTo(10));
      await store.commit(commitOf({ entries: [opened("s")], chain: chainFrom(chain.slice(0, 4)) }));
      deepEqual(await store.findChain("t", chain, null), { lineage: "main", position: 4 });
      await store.commit(commitOf({ expectedSeq: 1, chain: chainFrom(chain, 5) }));
      deepEqual(await store.findChain("t", chain, null), { lineage: "main", position: 10 });
      deepEqual(await store.findChain("t", chain.slice(0, 7), null), { lineage: "main", position: 7 });
      equal(await store.findChain("t", chainOf(["other", ...keysTo(9)]), null), null);
      equal(await store.findChain("t", [], null), null);
      equal(await store.findChain("other", chain, null), null);
    },
  ],
  [
    "a fork is told from its parent behind the place where they part",
    async (space) => {
      const store = await space.open();
      const shared = keysTo(5);
      const parent = chainOf([...shared, "p6", "p7"]);
      const fork = chainOf([...shared, "f6"]);
      await store.commit(commitOf({ lineage: "parent", entries: [opened("s")], chain: chainFrom(parent) }));
      await store.commit(commitOf({ lineage: "fork", atMs: 900, entries: [opened("s")], chain: chainFrom(fork) }));
      deepEqual(await store.findChain("t", [...fork, ...chainOf(["x"])], null), { lineage: "fork", position: 6 });
      deepEqual(await store.findChain("t", parent, null), { lineage: "parent", position: 7 });
    },
  ],
  [
    "of lineages that share a position the session's own is preferred, else the newest",
    async (space) => {
      const store = await space.open();
      const chain = chainOf(keysTo(3));
      for (const [lineage, atMs] of [
        ["a", 1_000],
        ["b", 3_000],
        ["c", 2_000],
      ] as const) {
        await store.commit(commitOf({ lineage, atMs, entries: [opened(`s-${lineage}`)], chain: chainFrom(chain) }));
      }
      const holderFor = async (sessionId: string | null) => (await store.findChain("t", chain, sessionId))?.lineage;
      equal(await holderFor(null), "b");
      equal(await holderFor("s-a"), "a");
      equal(await holderFor("s-unknown"), "b");
      await store.commit(commitOf({ lineage: "c", expectedSeq: 1, atMs: 4_000, entries: [requestSent("r")] }));
      equal(await holderFor(null), "c");
      await store.commit(commitOf({ lineage: "d", atMs: 4_000, entries: [opened(null)], chain: chainFrom(chain) }));
      equal(await holderFor(null), "d");
    },
  ],
  [
    "any prefix of a history of 30,000 items is found at its exact length",
    async (space) => {
      const store = await space.open();
      const chain = chainOf(keysTo(LONG_ITEMS));
      const foreign = chainOf(keysTo(LONG_ITEMS, "other"));
      await store.commit(commitOf({ entries: [opened("s")], chain: chainFrom(chain) }));
      for (const known of [0, 1, 2, 31, 9_999, 29_970, 29_999, 30_000]) {
        const request = [...chain.slice(0, known), ...foreign.slice(known)];
        const expected = known === 0 ? null : { lineage: "main", position: known };
        deepEqual(await store.findChain("t", request, null), expected);
      }
    },
  ],
];
