import { describe, expect, it } from "vitest";
import { editIn, MINUTE, notesIn, play, stageOf } from "../../test/support/clearing-stage.ts";
import { bash, bodyOf, EMPTY_TALK, edit, idle, read, user } from "../../test/support/conversation.ts";
import { ask, deletingKeeper, deletingProvider, deletionsIn } from "../../test/support/deleting-provider.ts";
import { createTestKeeper, prepare, wire } from "../../test/support/keeper.ts";
import { SIGNING_MODEL } from "../../test/support/signing-provider.ts";
import type { Edit } from "../model/edit.ts";
import type { Wire } from "../model/ports.ts";

const FILE = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");

function taking(...kinds: readonly Edit["kind"][]): Wire {
  return { ...wire, takes: new Set(kinds) };
}

const REPLACING = taking("replace");
const start = read(read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", FILE), "r2", "/w/b.ts", FILE);

describe("what a format cannot take", () => {
  it("is no breakpoint in front of a change, however much it keeps", async () => {
    const breakpointsIn = async (one: Wire) => {
      const keeper = createTestKeeper({ paying: { pays: true } });
      const counts: number[] = [];
      const { messages } = idle(edit(start, "e1", "/w/a.ts"), "j", 50);
      for (let end = 1; end <= messages.length; end += 2) {
        const body = bodyOf({ messages: messages.slice(0, end) }, { model: "claude-opus-4-8" });
        const prepared = await prepare(keeper, body, { atMs: end * 1_000, wire: one });
        if (prepared.kind === "refuse") throw new Error(prepared.words);
        counts.push(Buffer.concat(prepared.body).toString().split('"cache_control"').length);
      }
      expect(keeper.stats().law_violations).toBe(0);
      return new Set(counts).size;
    };
    expect(await breakpointsIn(wire)).toBeGreaterThan(1);
    expect(await breakpointsIn(REPLACING)).toBe(1);
  });

  it("is no deletion from the cache, and none is repeated in it that another format asked for", async () => {
    const ground = { keeper: deletingKeeper(), provider: deletingProvider() };
    const talks = [user(EMPTY_TALK, "go"), bash(user(EMPTY_TALK, "go"), "s1", "ls", FILE)];
    const opened = talks[1] ?? EMPTY_TALK;
    const readA = read(opened, "r1", "/w/a.ts", FILE);
    for (const [index, talk] of [...talks, readA].entries()) await ask(ground, talk, { atMs: index * MINUTE });
    const stale = edit(readA, "e1", "/w/a.ts");
    const other = { keeper: deletingKeeper({ store: ground.keeper.store, idPrefix: "o" }), provider: ground.provider };
    const without = await ask(other, stale, { atMs: 3 * MINUTE, wire: REPLACING, kind: "count" });
    expect(without.prepared.plan?.fresh).toEqual([]);
    const asked = await ask(ground, stale, { atMs: 3 * MINUTE });
    expect(deletionsIn(asked.sent)).toMatchObject([{ calls: ["r1"] }]);
    const moved = await prepare(ground.keeper, bodyOf(idle(stale, "i", 1)), { atMs: 4 * MINUTE, wire: REPLACING });
    if (moved.kind === "refuse") throw new Error(moved.words);
    expect(moved.plan?.edits).toEqual([]);
    expect(ground.keeper.stats()).toMatchObject({ law_violations: 0, errors: [] });
  });

  it("is nothing that the provider clears by itself, and no note of what it did", async () => {
    const { keeper, client } = stageOf();
    await play(client, 10);
    const cold = await play(client, 2, 20 * MINUTE, { wire: REPLACING });
    expect(cold.map(editIn)).toEqual([undefined, undefined]);
    expect(cold.flatMap(notesIn)).toEqual([]);
    expect(keeper.stats()).toMatchObject({ law_violations: 0, errors: [] });
  });

  it("ends what the provider was asked to clear, where the conversation goes on in it", async () => {
    const { keeper, client } = stageOf();
    await play(client, 10);
    const [asked] = await play(client, 1, 20 * MINUTE);
    if (asked === undefined) throw new Error("not sent");
    expect(editIn(asked)).toBeDefined();
    const after = await play(client, 2, 21 * MINUTE, { wire: REPLACING });
    expect(after.map(editIn)).toEqual([undefined, undefined]);
    expect(after.flatMap(notesIn)).toEqual([]);
    expect(keeper.stats()).toMatchObject({ law_violations: 0, errors: [] });
  });

  it.each([
    ["strip", "omit"],
    ["drop", "drop-thinking"],
  ] as const)("is no way for thinking to leave: %s", async (boundThinking, kind) => {
    const thought = { type: "thinking", thinking: "hm", signature: "s" };
    const { messages } = edit(start, "e1", "/w/a.ts");
    const talk = {
      messages: [
        ...messages,
        { role: "assistant" as const, content: [thought, { type: "text", text: "Done." }] },
        { role: "user" as const, content: "and now?" },
      ],
    };
    const movesIn = async (one: Wire) => {
      const keeper = createTestKeeper({ boundThinking });
      const bodies = { model: SIGNING_MODEL, thinking: { type: "adaptive" } };
      await prepare(keeper, bodyOf({ messages: talk.messages.slice(0, -2) }, bodies), { atMs: 0, wire: one });
      const prepared = await prepare(keeper, bodyOf(talk, bodies), { atMs: 70 * MINUTE, wire: one });
      if (prepared.kind === "refuse") throw new Error(prepared.words);
      expect(keeper.stats().law_violations).toBe(0);
      return prepared.plan?.edits.map((one) => one.kind);
    };
    expect(await movesIn(wire)).toEqual([kind]);
    expect(await movesIn(REPLACING)).toEqual([]);
  });
});
