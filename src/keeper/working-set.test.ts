import { describe, expect, it } from "vitest";
import { bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { replayCalls } from "../../test/support/edit-replay.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import {
  afterBy,
  CONTEXT,
  editOf as edit,
  fileIn,
  NO_TARGETS,
  WorkingSession,
} from "../../test/support/working-session.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";
import type { Order } from "./order.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");\n`).join("");
const FOLDED = "This session is being continued from a previous conversation that ran out of context. Summary: done.";

async function started(): Promise<WorkingSession> {
  const session = new WorkingSession();
  await session.read("/w/before.ts", FILE);
  await session.open("tmp_fix");
  await session.read("/w/inside.ts", FILE);
  await session.bash("make", FILE);
  return session;
}

describe("closing a scope", () => {
  it("lets go of what was acquired in it and held with it, at the next request, and of nothing else", async () => {
    const session = new WorkingSession();
    await session.read("/w/before.ts", FILE);
    await session.read("/w/held.ts", FILE);
    await session.open("tmp_fix");
    const targets = { ...NO_TARGETS, ids: ["c2"] };
    const lifetime = { kind: "scope", scope: "tmp_fix" } as const;
    await session.order({ verb: "hold", targets, lifetime, reason: "the contract" });
    await session.read("/w/inside.ts", FILE);
    const report = await session.close("tmp_fix");
    expect(report.items.map(({ label, how, state }) => [label.split(",")[0], how, state])).toEqual([
      [expect.stringContaining("held.ts"), "declared", "asked"],
      [expect.stringContaining("inside.ts"), "acquired", "asked"],
    ]);
    const sent = await session.call({ tool: "Grep", input: { pattern: "x" } }, "nothing");
    expect(resultIn(sent, "c1")).not.toContain("[ebb ");
    for (const id of ["c2", "c3"]) expect(resultIn(sent, id)).toContain("[ebb ");
    const later = await session.report("tmp_fix");
    expect(later.items.map(({ state, left }) => [state, left?.moment, left?.step])).toEqual([
      ["released", "deliberate", 4],
      ["released", "deliberate", 4],
    ]);
  });

  it.each([
    [
      "is protected",
      (id: string): Order => ({
        verb: "protect",
        targets: { ...NO_TARGETS, ids: [id] },
        lifetime: { kind: "forever" },
        reason: "x",
      }),
    ],
    [
      "is held for good",
      (id: string): Order => ({
        verb: "hold",
        targets: { ...NO_TARGETS, ids: [id] },
        lifetime: { kind: "forever" },
        reason: "x",
      }),
    ],
    ["was kept by a word of its own", (id: string): Order => ({ verb: "keep", id, range: null, reason: "x" })],
    [
      "is held with another open scope",
      (id: string): Order => ({
        verb: "hold",
        targets: { ...NO_TARGETS, ids: [id] },
        lifetime: { kind: "scope", scope: "tmp_b" },
        reason: "x",
      }),
    ],
  ] as const)("leaves an item that %s", async (_, orderFor) => {
    const session = await started();
    expect(await session.order(orderFor("c2"))).toMatchObject({ ok: true });
    const { items } = await session.close("tmp_fix");
    expect(items.map(({ state }) => state)).toEqual(["held", "asked"]);
    const sent = await session.call({ tool: "Grep", input: { pattern: "x" } }, "nothing");
    expect(resultIn(sent, "c2")).not.toContain("[ebb ");
    expect(resultIn(sent, "c3")).toContain("[ebb ");
  });

  it("leaves what another open scope acquired as well, until that one is closed", async () => {
    const session = new WorkingSession();
    await session.read("/w/before.ts", FILE);
    await session.open("tmp_outer");
    await session.open("tmp_inner");
    await session.read("/w/inside.ts", FILE);
    await session.close("tmp_inner");
    expect(resultIn(await session.call({ tool: "Grep", input: {} }, "-"), "c2")).not.toContain("[ebb ");
    await session.close("tmp_outer");
    expect(resultIn(await session.call({ tool: "Grep", input: {} }, "-"), "c2")).toContain("[ebb ");
  });

  it("answers once, and says when the items leave", async () => {
    const session = await started();
    const close = { verb: "close", scope: "tmp_fix", reason: "fixed" } as const;
    expect(await session.order(close)).toMatchObject({
      ok: true,
      words: expect.stringMatching(/closed.*from the next request/),
    });
    expect(await session.order(close)).toMatchObject({ ok: false, failure: "bad order" });
  });
});

describe("opening a scope", () => {
  it("needs a name of its own kind and one conversation, and is on disk before the answer", async () => {
    const session = await started();
    const hold = { verb: "hold", targets: NO_TARGETS, lifetime: { kind: "scope", scope: "fix" }, reason: "x" } as const;
    expect(await session.order(hold)).toMatchObject({ failure: "bad order" });
    expect((await session.records()).filter(({ entry }) => entry.type === "scope-opened")).toHaveLength(1);
    await session.open("tmp_fix");
    expect((await session.records()).filter(({ entry }) => entry.type === "scope-opened")).toHaveLength(1);
    await send(session.keeper, bodyOf(read(user(EMPTY_TALK, "other"), "o1", "/w/o.ts", FILE)), { sessionId: "other" });
    const ambiguous = { ...hold, lifetime: { kind: "scope", scope: "tmp_two" } } as const;
    expect(await session.order(ambiguous)).toMatchObject({ failure: "ambiguous session" });
    const named = await session.keeper.decide(ambiguous, { ...CONTEXT, sessionId: "other" });
    expect(named).toMatchObject({ ok: true });
  });
});

describe("a report", () => {
  it("is the same from another process, also for a scope that the first one opened", async () => {
    const session = await started();
    const call = edit("value1 =", "one =", "/w/inside.ts");
    await session.call(call);
    session.keeper = createTestKeeper({ store: session.keeper.store, idPrefix: "other" });
    const second = edit("value2 =", "two =", "/w/inside.ts");
    await session.call(second);
    const report = await session.close("tmp_fix");
    expect(afterBy(fileIn(report, "/w/inside.ts"), FILE)).toBe(replayCalls(FILE, [call, second]));
    const third = createTestKeeper({ store: session.keeper.store, idPrefix: "third" });
    expect(await session.report("tmp_fix", third)).toEqual(await session.report("tmp_fix"));
  });

  it("tells of what the client's own compaction took out, and ends the scope there", async () => {
    const session = await started();
    const call = edit("value1 =", "one =", "/w/inside.ts");
    await session.call(call);
    session.talk = user(EMPTY_TALK, FOLDED);
    await session.bash("ls", "x");
    await session.call(edit("value2 =", "two =", "/w/inside.ts"));
    const report = await session.report("tmp_fix");
    expect(report.scope?.ended).toMatchObject({ by: "compaction", step: 4 });
    expect(report.items.map(({ state }) => state)).toEqual(["folded", "folded", "folded"]);
    expect(afterBy(fileIn(report, "/w/inside.ts"), FILE)).toBe(replayCalls(FILE, [call]));
    const whole = await session.report(null);
    expect(fileIn(whole, "/w/inside.ts").changes.map(({ step }) => step)).toEqual([4, 6]);
    const both = replayCalls(FILE, [call, edit("value2 =", "two =")]);
    expect(afterBy(fileIn(whole, "/w/inside.ts"), FILE)).toBe(both);
  });

  it("leaves out what a rewind took back", async () => {
    const session = await started();
    const { talk } = session;
    await session.call(edit("value1 =", "one =", "/w/inside.ts"));
    session.talk = talk;
    const call = edit("value2 =", "two =", "/w/inside.ts");
    await session.call(call);
    const file = fileIn(await session.close("tmp_fix"), "/w/inside.ts");
    expect(afterBy(file, FILE)).toBe(replayCalls(FILE, [call]));
  });

  it("says so where the text of a call is gone or was never kept", async () => {
    const session = await started();
    await session.call(edit("value1 =", "one =", "/w/inside.ts"));
    await session.keeper.purge("local", { kind: "all" }, 3_000_000);
    expect((await session.report("tmp_fix")).files).toEqual([]);
    const full = new WorkingSession({ store: createMemoryStore({ bytesMax: 10 }) });
    await full.read("/w/a.ts", FILE);
    await full.open("tmp_fix");
    await full.call(edit("value1 =", "one ="));
    const { net, changes } = fileIn(await full.close("tmp_fix"));
    expect(net.kind).toBe("unknown");
    expect(changes[0]?.words).toContain("not kept");
  });

  it("knows what a call stated although the store did not take it at first, once a later process sees the call again", async () => {
    const store = createMemoryStore({});
    let isDown = false;
    const faulty: Store = {
      ...store,
      putOriginals: (...given) =>
        isDown ? Promise.reject(new EbbError("store_locked", "busy")) : store.putOriginals(...given),
    };
    const session = new WorkingSession({ store: faulty });
    await session.read("/w/a.ts", FILE);
    isDown = true;
    const call = edit("value1 =", "one =");
    await session.call(call);
    await session.keeper.close();
    expect(fileIn(await session.report(null)).net.kind).toBe("unknown");
    isDown = false;
    session.resumeOn(faulty);
    await session.bash("ls", "x");
    expect(afterBy(fileIn(await session.report(null)), FILE)).toBe(replayCalls(FILE, [call]));
  });

  it.each([
    ["tmp_nothing", "unknown scope"],
    [null, "unknown session"],
  ])("of what is not there is refused: %s", async (scope, failure) => {
    const keeper = createTestKeeper();
    expect(await keeper.report({ scope }, CONTEXT)).toMatchObject({ ok: false, failure });
  });
});
