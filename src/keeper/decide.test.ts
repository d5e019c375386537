import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  EMPTY_TALK,
  idle,
  read,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import { addressOf } from "../lib/hash.ts";
import type { Keeper } from "./contract.ts";
import type { Order, OrderContext } from "./order.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const CONTEXT: OrderContext = { tenant: "local", lineage: null, sessionId: null, by: "agent", atMs: 2_000_000 };
const NO_TARGETS = { ids: [], paths: [], latest: null };
const start = read(read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE), "r2", "/w/b.ts", FILE);

async function opened(): Promise<ReturnType<typeof createTestKeeper>> {
  const keeper = createTestKeeper();
  await send(keeper, bodyOf(start));
  return keeper;
}

function order(keeper: Keeper, given: Order, context: Partial<OrderContext> = {}) {
  return keeper.decide(given, { ...CONTEXT, ...context });
}

const release = (id: string): Order => ({
  verb: "release",
  targets: { ...NO_TARGETS, ids: [id] },
  reason: "done with it",
});
const keep = (id: string, range: string | null): Order => ({ verb: "keep", id, range, reason: "only these matter" });

describe("a deliberate release", () => {
  it("acts on the next request, at any depth of a warm cache, and repeats", async () => {
    const keeper = await opened();
    const answer = await order(keeper, release("r1"));
    expect(answer).toMatchObject({ ok: true, words: expect.stringContaining("from the next request") });
    const next = bash(start, "b1", "ls", "x");
    const sent = String(resultIn(await send(keeper, bodyOf(next)), "r1"));
    expect(sent).toContain("by a recorded decision");
    expect(keeper.stats().released).toMatchObject([{ reason: "let_go", moment: "deliberate", count: 1 }]);
    expect(resultIn(await send(keeper, bodyOf(idle(next, "i", 1))), "r1")).toBe(sent);
  });

  it("is on disk before the answer, and acts in another process that knows nothing of it", async () => {
    const keeper = await opened();
    await order(keeper, release("r1"));
    const other = createTestKeeper({ store: keeper.store, idPrefix: "other" });
    expect(resultIn(await send(other, bodyOf(bash(start, "b1", "ls", "x"))), "r1")).toContain("[ebb ");
  });

  it("waits where thinking was signed over it, and says so", async () => {
    const model = "claude-opus-5-5";
    const keeper = createTestKeeper();
    const thought = user(assistant(start, thinking("t"), text("hm")), "go");
    await send(keeper, bodyOf(thought, { model }));
    expect(await order(keeper, release("r1"))).toMatchObject({ ok: true, words: expect.stringContaining("waiting") });
    expect(await send(keeper, bodyOf(bash(thought, "b1", "ls", "x"), { model }))).not.toContain("[ebb ");
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("bound_thinking");
  });

  it("waits for a free moment where that is asked for", async () => {
    const keeper = createTestKeeper({ whenFree: true });
    await send(keeper, bodyOf(start), { atMs: 0 });
    expect(await order(keeper, release("r1"))).toMatchObject({ words: expect.stringContaining("waiting") });
    const next = bash(start, "b1", "ls", "x");
    expect(await send(keeper, bodyOf(next), { atMs: 1_000 })).not.toContain("[ebb ");
    const cold = await send(keeper, bodyOf(user(assistant(next, text("ok")), "go")), { atMs: 600_000 });
    expect(resultIn(cold, "r1")).toContain("[ebb ");
  });
});

describe("keeping", () => {
  it("puts the selected lines in the place of the whole, and the whole back", async () => {
    const keeper = await opened();
    expect(await order(keeper, keep("r1", "10-12"))).toMatchObject({ ok: true });
    const next = bash(start, "b1", "ls", "x");
    const kept = String(resultIn(await send(keeper, bodyOf(next)), "r1"));
    expect(kept.split("\n").slice(1, 4)).toEqual(
      [9, 10, 11].map((line) => `${String(line + 1).padStart(6)}→const value${line} = compute(${line}, "some text");`),
    );
    expect(kept).toContain(addressOf(`result:r1:${(await keeper.store.findItems("local", "r1"))[0]?.item.digest}`));
    await order(keeper, keep("r1", null));
    const again = bash(next, "b2", "ls", "y");
    expect(String(resultIn(await send(keeper, bodyOf(again)), "r1"))).toContain("value119");
    await order(keeper, release("r1"));
    expect(String(resultIn(await send(keeper, bodyOf(bash(again, "b3", "ls", "z"))), "r1"))).toContain("[ebb ");
  });

  it("is widened, narrowed and undone by what is decided later: the last one counts", async () => {
    const keeper = await opened();
    let talk = start;
    const linesAfter = async (given: Order) => {
      await order(keeper, given);
      talk = bash(talk, `b${talk.messages.length}`, "ls", "x");
      return String(resultIn(await send(keeper, bodyOf(talk)), "r1")).split("\n").length;
    };
    const kept = async (range: string | null) => linesAfter(keep("r1", range));
    expect([await kept("10-12"), await kept("5-40"), await kept("20"), await kept("1-")]).toEqual([5, 38, 3, 120]);
    expect([await kept("10-12"), await linesAfter(release("r1")), await kept("10-12")]).toEqual([5, 1, 5]);
    expect(await kept("1-9999")).toBe(120);
  });

  it("of a selection that selects nothing is not carried out, even where a ledger says so", async () => {
    const keeper = await opened();
    const [found] = await keeper.store.findItems("local", "r1");
    const { key: itemKey = "", address = "" } = found?.item ?? {};
    const wish = { kind: "keep", range: { from: 900, to: 901 } } as const;
    const records = await keeper.store.loadLineage("local", found?.lineage ?? "");
    await keeper.store.commit({
      tenant: "local",
      lineage: found?.lineage ?? "",
      expectedSeq: records.length,
      atMs: 1,
      entries: [{ type: "item-wished", wish: { itemKey, address, wish, reason: "r", by: "user" } }],
      chain: [],
      originals: [],
    });
    const other = createTestKeeper({ store: keeper.store, idPrefix: "other" });
    expect(resultIn(await send(other, bodyOf(bash(start, "b1", "ls", "x"))), "r1")).toContain("value119");
    expect(other.stats().declined.map((count) => count.reason)).toContain("marker_no_win");
  });

  it.each([
    ["4-2", "bad range"],
    ["0-3", "bad range"],
    ["500-600", "selects nothing"],
  ])("refuses %j: %s", async (range, failure) => {
    const keeper = await opened();
    expect(await order(keeper, keep("r1", range))).toMatchObject({ ok: false, failure });
    expect(await send(keeper, bodyOf(bash(start, "b1", "ls", "x")))).not.toContain("[ebb ");
  });
});

describe("an order", () => {
  it("needs a reason, a target and an item that exists", async () => {
    const keeper = await opened();
    expect(await order(keeper, { ...release("r1"), reason: " " })).toMatchObject({ failure: "bad order" });
    expect(await order(keeper, { verb: "release", targets: NO_TARGETS, reason: "x" })).toMatchObject({
      failure: "bad order",
    });
    expect(await order(keeper, release("nothing"))).toMatchObject({ failure: "unknown id" });
    expect(await order(keeper, release("r1"), { sessionId: "other" })).toMatchObject({
      failure: "belongs to another session",
    });
  });

  it("is refused where several conversations fit", async () => {
    const keeper = await opened();
    await send(keeper, bodyOf(read(user(EMPTY_TALK, "another"), "q1", "/w/q.ts", FILE)), { sessionId: "second" });
    const latest: Order = { verb: "release", targets: { ...NO_TARGETS, latest: 1 }, reason: "x" };
    expect(await order(keeper, latest)).toMatchObject({ failure: "ambiguous session" });
    expect(await order(keeper, latest, { sessionId: "second" })).toMatchObject({ ok: true });
  });
});

describe("a declared lifetime", () => {
  const holdSteps = (steps: number): Order => ({
    verb: "hold",
    targets: { ...NO_TARGETS, ids: ["r1"] },
    lifetime: { kind: "steps", steps },
    reason: "for now",
  });

  it("runs through its last step and is over after it; the item leaves when that is free", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start), { atMs: 0 });
    await order(keeper, holdSteps(1));
    const one = bash(start, "b1", "ls", "x");
    await send(keeper, bodyOf(one), { atMs: 1_000 });
    expect(keeper.stats().declined.map((count) => count.reason)).not.toContain("cached_prefix");
    const two = bash(one, "b2", "ls", "y");
    await send(keeper, bodyOf(two), { atMs: 2_000 });
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("cached_prefix");
    const cold = await send(keeper, bodyOf(user(assistant(two, text("ok")), "go")), { atMs: 600_000 });
    expect(resultIn(cold, "r1")).toContain("lifetime is over");
  });

  it("keeps an item from leaving by itself while it runs, for good where it is declared so", async () => {
    const keeper = createTestKeeper({ lifecycle: { superseded: true } });
    await send(keeper, bodyOf(start), { atMs: 0 });
    await order(keeper, {
      verb: "hold",
      targets: { ...NO_TARGETS, ids: ["r1"] },
      lifetime: { kind: "forever" },
      reason: "the plan",
    });
    const again = read(start, "r3", "/w/a.ts", FILE);
    const cold = await send(keeper, bodyOf(user(assistant(again, text("ok")), "go")), { atMs: 600_000 });
    expect(resultIn(cold, "r1")).not.toContain("[ebb ");
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("held_by_span");
  });

  it("that is taken back holds nothing any more", async () => {
    const keeper = createTestKeeper({ lifecycle: { superseded: true } });
    await send(keeper, bodyOf(start), { atMs: 0 });
    const targets = { ...NO_TARGETS, ids: ["r1"] };
    await order(keeper, { verb: "hold", targets, lifetime: { kind: "forever" }, reason: "the plan" });
    await order(keeper, { verb: "unhold", targets, reason: "done" });
    const again = read(start, "r3", "/w/a.ts", FILE);
    await send(keeper, bodyOf(again), { atMs: 1_000 });
    const cold = await send(keeper, bodyOf(user(assistant(again, text("ok")), "go")), { atMs: 600_000 });
    expect(resultIn(cold, "r1")).toContain("[ebb ");
  });

  it("ends with its scope, which is closed once", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start), { atMs: 0 });
    const scoped: Order = {
      verb: "hold",
      targets: { ...NO_TARGETS, paths: ["/w/a.ts"] },
      lifetime: { kind: "scope", scope: "tmp_fix" },
      reason: "while fixing",
    };
    expect(await order(keeper, scoped)).toMatchObject({ ok: true });
    expect(await order(keeper, { verb: "close", scope: "tmp_fix", reason: "fixed" })).toMatchObject({ ok: true });
    expect(await order(keeper, { verb: "close", scope: "tmp_fix", reason: "fixed" })).toMatchObject({
      failure: "bad order",
    });
    const cold = await send(keeper, bodyOf(user(assistant(start, text("ok")), "go")), { atMs: 600_000 });
    expect(resultIn(cold, "r1")).toContain("[ebb ");
    expect(resultIn(cold, "r2")).not.toContain("[ebb ");
  });

  it("comes from a rule where nobody declared one", async () => {
    const rule = { tools: ["Bash"], kinds: null, fitsPath: null, media: null, turns: null, steps: 2 };
    const keeper = createTestKeeper({ lifetimeRules: [rule] });
    const output = "line of output that is long enough to be worth a marker\n".repeat(40);
    const ran = bash(user(EMPTY_TALK, "run"), "b0", "npm test", output);
    await send(keeper, bodyOf(ran), { atMs: 0 });
    for (const steps of [1, 2]) await send(keeper, bodyOf(idle(ran, "i", steps)), { atMs: steps });
    const later = idle(ran, "i", 3);
    await send(keeper, bodyOf(later), { atMs: 3 });
    const cold = await send(keeper, bodyOf(user(assistant(later, text("ok")), "go")), { atMs: 600_000 });
    expect(resultIn(cold, "b0")).toContain("[ebb ");
  });
});

describe("a protected item", () => {
  it("is released by nothing, a deliberate release included, until that is taken back", async () => {
    const keeper = await opened();
    const targets = { ...NO_TARGETS, ids: ["r1"] };
    await order(keeper, { verb: "protect", targets, lifetime: { kind: "forever" }, reason: "the contract" });
    await order(keeper, release("r1"));
    const next = bash(start, "b1", "ls", "x");
    expect(await send(keeper, bodyOf(next))).not.toContain("[ebb ");
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("protected");
    await order(keeper, { verb: "unprotect", targets, reason: "signed" });
    expect(resultIn(await send(keeper, bodyOf(bash(next, "b2", "ls", "y"))), "r1")).toContain("[ebb ");
  });
});

describe("the window", () => {
  it("lists what a conversation holds, where it stands, why and until when", async () => {
    const keeper = await opened();
    await order(keeper, release("r1"));
    await order(keeper, {
      verb: "hold",
      targets: { ...NO_TARGETS, ids: ["r2"] },
      lifetime: { kind: "turns", turns: 2 },
      reason: "in use",
    });
    await send(keeper, bodyOf(bash(start, "b1", "ls", "x")));
    const answer = await keeper.window(CONTEXT);
    expect(answer.ok && answer.items.map(({ label, state, words }) => ({ label, state, words }))).toEqual([
      { label: "Read /w/a.ts lines 1-120", state: "released", words: "it was let go on purpose, at the next request" },
      { label: "Read /w/b.ts lines 1-120", state: "held", words: "held until turn 3: in use" },
      { label: "Bash ls", state: "held", words: "" },
    ]);
  });
});
