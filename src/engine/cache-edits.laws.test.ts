import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EditRun, type EditStep, NEW_RUN, runStep } from "../../test/support/cache-edits.ts";
import { inheritedEdits } from "./cache-edit-moves.ts";
import { foldCacheEdits, NO_CACHE_EDITS, recoveredCacheEdits, scriptOfCacheEdits, stageOf } from "./cache-edits.ts";

const RESULTS = ["a", "b", "c", "d", "e", "f"];
const ANCHORS = ["m1", "m2", "m3", "m4"];
const REQUESTS = ["r1", "r2", "r3", "r4"];

const results = fc.array(fc.constantFrom(...RESULTS), { maxLength: 4 });
const request = fc.constantFrom(...REQUESTS);
const steps: fc.Arbitrary<EditStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("queue" as const), results }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("queue" as const), results, registered: fc.subarray(RESULTS) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("consume" as const), request }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("pin" as const), request, anchor: fc.constantFrom(...ANCHORS) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("give-back" as const), request }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      carried: fc.subarray(REQUESTS),
      isSuccess: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("rewind" as const),
      keys: fc.subarray([...RESULTS, ...ANCHORS], { minLength: 5 }),
    }),
  },
);
const resets: fc.Arbitrary<EditStep> = fc.record({
  kind: fc.constant("reset" as const),
  why: fc.constantFrom("session-reset" as const, "manual-flush" as const, "compaction" as const),
});
const anySteps = fc.array(fc.oneof({ weight: 15, arbitrary: steps }, { weight: 1, arbitrary: resets }), {
  maxLength: 40,
});

/** Checks every step of every run; `before` is the run in front of it. */
function alongRuns(check: (after: EditRun, before: EditRun, step: EditStep) => void): void {
  fc.assert(
    fc.property(anySteps, (run) => {
      let before = NEW_RUN;
      for (const step of run) {
        const after = runStep(before, step);
        check(after, before, step);
        before = after;
      }
    }),
    { numRuns: 500 },
  );
}

const keysOf = ({ edits }: EditRun) =>
  [...edits.pending, ...edits.blocks.flatMap(({ deletions }) => deletions)].map(({ itemKey }) => itemKey);
const isBoundary = ({ kind }: EditStep) => kind === "reset" || kind === "rewind";

describe("laws of cache edits", () => {
  test("a result is named once, over the pending block and all others, and no block is empty", () => {
    alongRuns((run) => {
      expect(new Set(keysOf(run)).size).toBe(keysOf(run).length);
      for (const { deletions } of run.edits.blocks) expect(deletions).not.toEqual([]);
    });
  });

  test("what was sent is never queued again, and no stage is ever taken back but by what never left", () => {
    const order = [null, "pending", "consumed", "pinned", "sent"];
    alongRuns((after, before, step) => {
      if (isBoundary(step)) return;
      for (const key of RESULTS) {
        const [from, to] = [stageOf(before.edits, key), stageOf(after.edits, key)];
        if (step.kind === "give-back" && from === "consumed") continue;
        expect(order.indexOf(to)).toBeGreaterThanOrEqual(order.indexOf(from));
      }
    });
  });

  test("what is repeated keeps its bytes and its place, and more comes behind it; only a boundary ends any of it", () => {
    alongRuns((after, before, step) => {
      const [was, is] = [scriptOfCacheEdits(before.edits), scriptOfCacheEdits(after.edits)];
      if (!isBoundary(step)) expect(is.slice(0, was.length)).toEqual(was);
      else for (const edit of is) expect(was).toContainEqual(edit);
    });
  });

  test("a rewind keeps a block exactly where the history holds its anchor and its results", () => {
    alongRuns((after, before, step) => {
      if (step.kind !== "rewind") return;
      const held = new Set(step.keys);
      const kept = scriptOfCacheEdits(before.edits).filter((edit, index, all) => {
        const deletes = edit.kind === "delete" ? edit : all[index - 1];
        if (deletes?.kind !== "delete") return false;
        return held.has(deletes.anchorKey) && deletes.resultKeys.every((key) => held.has(key));
      });
      expect(scriptOfCacheEdits(after.edits)).toEqual(kept);
    });
  });

  test("a restart after any prefix of the ledger finds what was there, without what was not on record", () => {
    alongRuns(({ edits, ledger }) => {
      expect(foldCacheEdits(NO_CACHE_EDITS, ledger)).toEqual(recoveredCacheEdits(edits));
    });
  });

  test("a run goes on after a restart as it would have gone on", () => {
    fc.assert(
      fc.property(anySteps, anySteps, (first, then) => {
        const live = first.reduce(runStep, NEW_RUN);
        const found: EditRun = { edits: foldCacheEdits(NO_CACHE_EDITS, live.ledger), ledger: live.ledger };
        const given: EditRun = { edits: recoveredCacheEdits(live.edits), ledger: live.ledger };
        expect(then.reduce(runStep, found)).toEqual(then.reduce(runStep, given));
      }),
      { numRuns: 200 },
    );
  });

  test("a history that shares everything inherits everything, and a boundary lets nothing through", () => {
    alongRuns(({ edits }) => {
      const all = new Set([...RESULTS, ...ANCHORS]);
      const inherited = (boundary: "compaction" | null) =>
        foldCacheEdits(NO_CACHE_EDITS, inheritedEdits(edits, all, boundary));
      expect(inherited(null)).toEqual(recoveredCacheEdits(edits));
      expect(inherited("compaction")).toEqual(NO_CACHE_EDITS);
    });
  });
});
