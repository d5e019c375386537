import { describe, expect, it } from "vitest";
import {
  deletion,
  type EditRun,
  type EditStep,
  NEW_RUN,
  resultsOf,
  runStep,
  runSteps,
} from "../../test/support/cache-edits.ts";
import { consumePending, inheritedEdits } from "./cache-edit-moves.ts";
import { noteOf } from "./cache-edit-note.ts";
import {
  entriesOfCacheEdits,
  foldCacheEdits,
  NO_CACHE_EDITS,
  recoveredCacheEdits,
  scriptOfCacheEdits,
  stageOf,
} from "./cache-edits.ts";

const queue = (...results: string[]): EditStep => ({ kind: "queue", results });
const consume = (request: string): EditStep => ({ kind: "consume", request });
const pin = (request: string, anchor: string): EditStep => ({ kind: "pin", request, anchor });
const answer = (isSuccess: boolean, ...carried: string[]): EditStep => ({ kind: "answer", carried, isSuccess });
const took = (request: string, anchor: string): readonly EditStep[] => [consume(request), pin(request, anchor)];
const SENT: readonly EditStep[] = [queue("a", "b"), ...took("r1", "m3"), answer(true, "r1")];

function edits(anchorKey: string, ...resultKeys: string[]) {
  return [
    { kind: "delete", anchorKey, resultKeys },
    { kind: "note", anchorKey, text: noteOf(resultKeys.map(deletion)) },
  ];
}

const script = ({ edits }: EditRun) => scriptOfCacheEdits(edits);
const stages = ({ edits }: EditRun, ...keys: string[]) => keys.map((key) => stageOf(edits, key));

describe("pending", () => {
  it("gathers deletions in one block, each once, until a request takes them", () => {
    const run = runSteps([queue("a"), queue("b", "a", "b"), queue("c")]);
    expect(run.edits.pending.map(({ itemKey }) => itemKey)).toEqual(["a", "b", "c"]);
    expect(script(run)).toEqual([]);
  });

  it.each<[string, EditStep]>([
    ["an answer to a request that took nothing", answer(true, "r0")],
    ["a failed one", answer(false, "r0")],
    ["pinning for a request that took nothing", pin("r0", "m1")],
    ["giving back for a request that took nothing", { kind: "give-back", request: "r0" }],
    ["a rewind to a point behind its results", { kind: "rewind", keys: ["a", "m1"] }],
  ])("is not cleared by %s", (_, step) => {
    const before = runSteps([queue("a")]);
    expect(runStep(before, step)).toEqual(before);
  });

  it("takes only registered results", () => {
    const run = runSteps([{ kind: "queue", results: ["a", "b"], registered: ["b"] }]);
    expect(stages(run, "a", "b")).toEqual([null, "pending"]);
  });
});

describe("consuming", () => {
  it("happens once a request: a body built again for a log, a count or a retry has the same block", () => {
    const waiting = runSteps([queue("a", "b")]).edits;
    const [taken, first] = consumePending(waiting, "r1");
    const [again, second] = consumePending(taken, "r1");
    expect(again).toBe(taken);
    expect(second).toBe(first);
    expect(first?.deletions.map(({ itemKey }) => itemKey)).toEqual(["a", "b"]);
    expect(consumePending(taken, "r2")).toEqual([taken, null]);
  });

  it("does not give a request more than it took first", () => {
    const run = runSteps([queue("a"), ...took("r1", "m3"), queue("b"), consume("r1")]);
    expect(resultsOf(run.edits, "r1")).toEqual(["a"]);
    expect(stages(run, "a", "b")).toEqual(["pinned", "pending"]);
  });

  it("is for one request at a time: what comes meanwhile waits until that one is on record", () => {
    const meanwhile = runSteps([queue("a"), consume("r1"), queue("b"), consume("r2")]);
    expect(stages(meanwhile, "a", "b")).toEqual(["consumed", "pending"]);
    const recorded = [pin("r1", "m3"), consume("r2")].reduce(runStep, meanwhile);
    expect(stages(recorded, "a", "b")).toEqual(["pinned", "consumed"]);
  });

  it("is undone where the request never left, before what was queued meanwhile", () => {
    const run = runSteps([queue("a"), consume("r1"), queue("b"), { kind: "give-back", request: "r1" }]);
    expect(run.edits).toEqual({ pending: [deletion("a"), deletion("b")], blocks: [] });
  });

  it("cannot be undone once the block has its place", () => {
    const pinned = runSteps([queue("a"), ...took("r1", "m3")]);
    expect(runStep(pinned, { kind: "give-back", request: "r1" })).toEqual(pinned);
  });
});

describe("pinning", () => {
  it("puts the deletions and one note behind the user message that they came with", () => {
    expect(script(runSteps([queue("a", "b"), ...took("r1", "m3")]))).toEqual(edits("m3", "a", "b"));
  });

  it("happens once: the place and the note's bytes stay whatever a later body offers", () => {
    const pinned = runSteps([queue("a"), ...took("r1", "m3")]);
    expect(runStep(pinned, pin("r1", "m9"))).toEqual(pinned);
  });

  it("repeats every block at its own place in every later request, in the order they were pinned", () => {
    const run = runSteps([...SENT, queue("c"), ...took("r2", "m5"), answer(true, "r1", "r2"), queue("d")]);
    expect(script(run)).toEqual([...edits("m3", "a", "b"), ...edits("m5", "c")]);
  });
});

describe("an answer", () => {
  it("that is a success marks the results sent, and they are never queued again", () => {
    const run = runSteps([...SENT, queue("a", "b")]);
    expect(stages(run, "a", "b")).toEqual(["sent", "sent"]);
    expect(run.edits.pending).toEqual([]);
  });

  it("that is a failure (529) leaves the block pinned and unsent; the retry carries the same bytes and marks it", () => {
    const first = runSteps([queue("a"), ...took("r1", "m3")]);
    const failed = runStep(first, answer(false, "r1"));
    expect(stages(failed, "a")).toEqual(["pinned"]);
    const retried = runStep(failed, consume("r2"));
    expect(script(retried)).toEqual(script(first));
    expect(stages(runStep(retried, answer(true, "r1")), "a")).toEqual(["sent"]);
  });

  it("marks only the blocks that its request carried", () => {
    const run = runSteps([queue("a"), ...took("r1", "m3"), queue("b"), ...took("r2", "m5"), answer(true, "r1")]);
    expect(stages(run, "a", "b")).toEqual(["sent", "pinned"]);
  });

  it("ends no turn: whatever was answered, everything pinned is repeated", () => {
    const run = runSteps([...SENT, answer(true, "r1"), answer(false, "r1"), consume("r7"), answer(true, "r7")]);
    expect(script(run)).toEqual(edits("m3", "a", "b"));
  });
});

describe("references", () => {
  it("are named by one block alone, whatever a ledger says, and an emptied block is dropped with its note", () => {
    const block = (requestId: string, anchorKey: string, ...keys: string[]) => ({
      type: "edit-pinned" as const,
      block: { requestId, anchorKey, deletions: keys.map(deletion), note: noteOf(keys.map(deletion)) },
    });
    const twice = foldCacheEdits(NO_CACHE_EDITS, [
      { type: "edit-queued", deletions: [deletion("a"), deletion("b")] },
      block("r1", "m3", "a", "a"),
      block("r2", "m5", "a", "b"),
      block("r3", "m7", "b", "a"),
      block("r1", "m9", "z"),
    ]);
    const deletes = scriptOfCacheEdits(twice).filter(({ kind }) => kind === "delete");
    expect(deletes).toEqual([
      { kind: "delete", anchorKey: "m3", resultKeys: ["a"] },
      { kind: "delete", anchorKey: "m5", resultKeys: ["b"] },
    ]);
    expect(scriptOfCacheEdits(twice)).toHaveLength(4);
    expect(twice.pending).toEqual([]);
  });
});

describe("a boundary", () => {
  const full = runSteps([...SENT, queue("c"), ...took("r2", "m5"), queue("d"), consume("r3"), queue("e")]);

  it.each(["session-reset", "manual-flush", "compaction"] as const)("%s ends everything, in every stage", (why) => {
    const run = runStep(full, { kind: "reset", why });
    expect(run.edits).toEqual(NO_CACHE_EDITS);
    expect(run.ledger.at(-1)).toEqual({ type: "boundary-reset", why });
    expect(foldCacheEdits(NO_CACHE_EDITS, run.ledger)).toEqual(NO_CACHE_EDITS);
  });

  it("leaves no entry where there is nothing to end", () => {
    expect(runStep(NEW_RUN, { kind: "reset", why: "compaction" })).toEqual(NEW_RUN);
  });

  it("before the anchor of a block, a rewind ends that block; earlier ones are repeated as they were", () => {
    const run = runStep(full, { kind: "rewind", keys: ["a", "b", "m3", "c", "d"] });
    expect(script(run)).toEqual(edits("m3", "a", "b"));
    expect(stages(run, "a", "c", "d", "e")).toEqual(["sent", null, "pending", null]);
  });

  it("behind every anchor, a rewind changes nothing", () => {
    const held = ["a", "b", "m3", "c", "m5", "d", "e"];
    expect(runStep(full, { kind: "rewind", keys: held })).toEqual(full);
  });

  it("in front of everything, a rewind ends everything", () => {
    expect(runStep(full, { kind: "rewind", keys: [] }).edits).toEqual(NO_CACHE_EDITS);
  });

  it("between a block's results and its anchor leaves the results free to be queued again", () => {
    const run = runSteps([...SENT, { kind: "rewind", keys: ["a", "b"] }, queue("a")]);
    expect(stages(run, "a", "b")).toEqual(["pending", null]);
  });

  it("that takes a result away under its anchor ends the block: its bytes would have to change", () => {
    expect(script(runSteps([...SENT, { kind: "rewind", keys: ["a", "m3"] }]))).toEqual([]);
  });
});

describe("two lineages", () => {
  it("know nothing of each other's deletions", () => {
    const main = runSteps([queue("a"), ...took("r1", "m3")]);
    expect(stageOf(runSteps([queue("b")]).edits, "a")).toBe(null);
    expect(stageOf(main.edits, "b")).toBe(null);
  });

  it("that share a history share the blocks whose anchor and results are in it, and nothing of the other blocks", () => {
    const parent = runSteps([...SENT, queue("c"), ...took("r2", "m5"), queue("d")]).edits;
    const child = (...keys: string[]) => foldCacheEdits(NO_CACHE_EDITS, inheritedEdits(parent, new Set(keys), null));
    expect(child("a", "b", "m3", "c", "m5", "d")).toEqual(parent);
    expect(scriptOfCacheEdits(child("a", "b", "m3", "c"))).toEqual(edits("m3", "a", "b"));
    expect(child("x")).toEqual(NO_CACHE_EDITS);
  });

  it("share nothing across a compaction, whatever items are kept", () => {
    const parent = runSteps(SENT).edits;
    const entries = inheritedEdits(parent, new Set(["a", "b", "m3"]), "compaction");
    expect(entries).toEqual([{ type: "boundary-reset", why: "compaction" }]);
  });
});

describe("a restart", () => {
  it.each<[string, readonly EditStep[]]>([
    ["with nothing queued", []],
    ["while deletions are pending", [queue("a", "b")]],
    ["once a request took them and nothing is on record of it", [queue("a"), consume("r1"), queue("b")]],
    ["once they are pinned", [queue("a"), ...took("r1", "m3")]],
    ["once they failed", [queue("a"), ...took("r1", "m3"), answer(false, "r1")]],
    ["once they are sent", SENT],
    ["with more pending behind", [...SENT, queue("c")]],
    ["behind a rewind", [...SENT, queue("c"), ...took("r2", "m5"), { kind: "rewind", keys: ["a", "b", "m3"] }]],
    ["behind a reset", [...SENT, { kind: "reset", why: "manual-flush" }, queue("a")]],
  ])("%s finds the same state in the ledger, and in its short form", (_, steps) => {
    const { edits, ledger } = runSteps(steps);
    const found = foldCacheEdits(NO_CACHE_EDITS, ledger);
    expect(found).toEqual(recoveredCacheEdits(edits));
    expect(foldCacheEdits(NO_CACHE_EDITS, entriesOfCacheEdits(edits))).toEqual(found);
  });

  it("between a failed request and its retry carries the same bytes", () => {
    const failed = runSteps([queue("a"), ...took("r1", "m3"), answer(false, "r1")]);
    const found = foldCacheEdits(NO_CACHE_EDITS, failed.ledger);
    expect(scriptOfCacheEdits(consumePending(found, "r2")[0])).toEqual(script(failed));
  });
});
