import { describe, expect, it } from "vitest";
import { bodyOf, EMPTY_TALK, edit, idle, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import { CONTEXT, order, release } from "../../test/support/orders.ts";

const FILE = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const BOUND = { lines: 300, bytes: 262_144 };
const LATER = 7_200_000;

/** A large read that leaves at first send, and a small one that an edit made stale. */
const first = read(user(EMPTY_TALK, "go"), "large", "/w/large.ts", FILE);
const second = edit(read(first, "small", "/w/a.ts", FILE.slice(0, 5_000)), "e1", "/w/a.ts");

function pausable(store = createTestKeeper().store, idPrefix = "a") {
  const state = { isPaused: false };
  const keeper = createTestKeeper({ store, bound: BOUND, isPaused: () => state.isPaused, idPrefix });
  return { keeper, state };
}

describe("a pause", () => {
  it("decides nothing new, and repeats what was sent byte for byte, until it ends", async () => {
    const { keeper, state } = pausable();
    const before = await send(keeper, bodyOf(first));
    expect(resultIn(before, "large")).toContain("[ebb ");
    state.isPaused = true;
    const grown = read(second, "large2", "/w/large2.ts", FILE);
    const during = await send(keeper, bodyOf(grown), { atMs: LATER });
    expect(resultIn(during, "large")).toBe(resultIn(before, "large"));
    expect(resultIn(during, "large2")).not.toContain("[ebb ");
    expect(resultIn(during, "small")).not.toContain("[ebb ");
    expect(keeper.stats()).toMatchObject({ paused: true, mode: "enforce" });
    state.isPaused = false;
    const after = await send(keeper, bodyOf(idle(grown, "i", 1)), { atMs: 2 * LATER });
    expect(resultIn(after, "large")).toBe(resultIn(before, "large"));
    expect(resultIn(after, "small")).toContain("[ebb ");
    expect(keeper.stats().paused).toBe(false);
  });

  it("holds in a process that starts while it lasts", async () => {
    const { keeper } = pausable();
    const before = await send(keeper, bodyOf(first));
    const again = pausable(keeper.store, "b");
    again.state.isPaused = true;
    const during = await send(again.keeper, bodyOf(read(second, "large2", "/w/large2.ts", FILE)), { atMs: LATER });
    expect(resultIn(during, "large")).toBe(resultIn(before, "large"));
    expect(resultIn(during, "large2")).not.toContain("[ebb ");
  });

  it("is looked at once a request: one that began before it goes out as it began", async () => {
    let looks = 0;
    const keeper = createTestKeeper({ bound: BOUND, isPaused: () => looks++ > 0 });
    expect(resultIn(await send(keeper, bodyOf(first)), "large")).toContain("[ebb ");
    expect(looks).toBe(1);
  });
});

describe("what is decided on purpose in a pause", () => {
  it("is recorded, says what it waits for, and acts after it", async () => {
    const { keeper, state } = pausable();
    await send(keeper, bodyOf(second));
    state.isPaused = true;
    const ordered = await order(keeper, release("small"));
    expect(ordered).toMatchObject({ ok: true, words: expect.stringContaining("waiting: for the end of the pause") });
    const grown = idle(second, "i", 1);
    expect(resultIn(await send(keeper, bodyOf(grown)), "small")).not.toContain("[ebb ");
    const window = await keeper.window(CONTEXT);
    const words = window.ok ? window.items.map((item) => item.waiting ?? "") : [];
    expect(words.filter((one) => one.includes("waiting: for the end of the pause: ebb resume"))).toHaveLength(1);
    state.isPaused = false;
    expect(await order(keeper, release("e1"))).toMatchObject({ words: expect.not.stringContaining("mode enforce") });
    expect(resultIn(await send(keeper, bodyOf(idle(grown, "i", 2))), "small")).toContain("[ebb ");
  });
});
