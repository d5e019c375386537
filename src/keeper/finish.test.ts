import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, send } from "../../test/support/keeper.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Store } from "../model/store.ts";
import type { ResponseFacts } from "../model/usage.ts";
import { createMemoryStore } from "../stores/memory.ts";

const asked = user(EMPTY_TALK, "go");
const talk = bash(asked, "b1", "x", "text");
const usage = { inputTokens: 10, cacheReadTokens: 900_000, cacheWriteTokens: 90, outputTokens: 5 };
const facts: ResponseFacts = {
  usage,
  messageId: "m",
  stopReason: "end_turn",
  errorType: null,
  calls: [],
  isComplete: true,
};

async function typesIn(store: Store): Promise<readonly string[]> {
  const [first] = await store.listLineages("local", 1);
  const records = await store.loadLineage("local", first?.lineage ?? "");
  return records.map(({ entry }) => entry.type);
}

describe("the end of a response", () => {
  it("is recorded once, however often it is told", async () => {
    const keeper = createTestKeeper();
    const prepared = await prepare(keeper, bodyOf(asked));
    if (prepared.kind !== "forward") throw new Error("refused");
    await prepared.finish(facts, 200);
    await prepared.finish(facts, 500);
    expect(await typesIn(keeper.store)).toEqual(["lineage-opened", "request-sent", "response-seen"]);
    expect(keeper.stats().figures.peak_window).toBe(900_100);
  });

  it("is recorded behind what another process wrote meanwhile, and nothing is forgotten for it", async () => {
    const keeper = createTestKeeper();
    const prepared = await prepare(keeper, bodyOf(asked));
    await send(createTestKeeper({ store: keeper.store, idPrefix: "other" }), bodyOf(talk));
    if (prepared.kind === "forward") await prepared.finish(facts, 200);
    expect((await typesIn(keeper.store)).filter((type) => type === "response-seen")).toHaveLength(2);
    expect(keeper.stats().errors).toEqual([]);
  });

  it("is recorded where its usage cannot be judged, and never rejects", async () => {
    const keeper = createTestKeeper();
    const prepared = await prepare(keeper, bodyOf(asked));
    if (prepared.kind !== "forward") throw new Error("refused");
    let reads = 0;
    const broken = {
      ...usage,
      get cacheReadTokens() {
        reads += 1;
        // The account reads it first, the judge second.
        if (reads === 2) throw new Error("a fault");
        return usage.cacheReadTokens;
      },
    };
    await prepared.finish({ ...facts, usage: broken }, 200);
    expect(await typesIn(keeper.store)).toContain("response-seen");
    expect(keeper.stats().errors.map(({ code }) => code)).toEqual(["internal"]);
  });

  it("of a count leaves no record and no figure", async () => {
    const keeper = createTestKeeper();
    const prepared = await prepare(keeper, bodyOf(asked), { kind: "count" });
    if (prepared.kind === "forward") await prepared.finish(facts, 200);
    expect(await typesIn(keeper.store)).toEqual([]);
    expect(keeper.stats().figures.peak_window).toBe(0);
  });

  it("of a request the store could not record still counts what the provider reported", async () => {
    const commit = () => Promise.reject(new EbbError("store_failed", "fails"));
    const keeper = createTestKeeper({ store: { ...createMemoryStore({}), commit } });
    const prepared = await prepare(keeper, bodyOf(asked));
    if (prepared.kind === "forward") await prepared.finish(facts, 200);
    expect(keeper.stats().figures.peak_window).toBe(900_100);
    expect(keeper.stats().errors.map((error) => error.code)).toEqual(["store_failed"]);
  });

  it("that cannot be recorded is an error in the account and nobody's failure", async () => {
    const inner = createMemoryStore({});
    let isBroken = false;
    const commit: Store["commit"] = (entry) =>
      isBroken ? Promise.reject(new EbbError("store_locked", "busy")) : inner.commit(entry);
    const keeper = createTestKeeper({ store: { ...inner, commit } });
    const prepared = await prepare(keeper, bodyOf(asked));
    isBroken = true;
    if (prepared.kind === "forward") await prepared.finish(facts, 200);
    expect(keeper.stats().errors).toMatchObject([{ code: "response_unrecorded", words: "busy" }]);
  });
});
