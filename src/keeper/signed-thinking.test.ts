import { describe, expect, it } from "vitest";
import { call, numbered, result, results, text, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, type TestKeeperOptions } from "../../test/support/keeper.ts";
import { type Answered, type SignedTalk, signedTalk } from "../../test/support/signing-provider.ts";
import type { BoundThinking } from "../engine/thinking-way.ts";
import { createMemoryStore } from "../stores/memory.ts";

const FILE = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const MINUTE = 60_000;
const ADAPTIVE = { thinking: { type: "adaptive" } } as const;
const EDIT = { file_path: "/w/a.ts", old_string: "a", new_string: "b" };

/** A read that an edit made stale, with thinking behind both, up to the model's last word. */
async function worked(talk: SignedTalk, step = 1_000): Promise<number> {
  let atMs = MINUTE;
  talk.talk = user(talk.talk, "please fix a.ts");
  await talk.send(atMs);
  talk.answer("t1", call("r1", "Read", { file_path: "/w/a.ts" }));
  talk.talk = results(talk.talk, result("r1", numbered(FILE)));
  atMs += step;
  await talk.send(atMs);
  talk.answer("t2", call("e1", "Edit", EDIT));
  talk.talk = results(talk.talk, result("e1", "The file /w/a.ts has been updated."));
  atMs += step;
  await talk.send(atMs);
  talk.answer("t3", text("Done."));
  return atMs;
}

/** Goes on for some answered requests. */
async function goOn(talk: SignedTalk, atMs: number, id: string, steps = 2): Promise<Answered> {
  let last: Answered | null = null;
  for (let step = 0; step < steps; step++) {
    talk.answer(`${id} ${step}`, call(`${id}${step}`, "Bash", { command: `true ${step}` }));
    talk.talk = results(talk.talk, result(`${id}${step}`, "ok"));
    last = await talk.send(atMs + (step + 1) * 1_000);
    expect(last.taken, `${id} ${step}`).toMatchObject({ ok: true });
  }
  if (last === null) throw new Error("no step");
  return last;
}

function keeperWith(boundThinking: BoundThinking, more: TestKeeperOptions = {}) {
  return createTestKeeper({ boundThinking, ...more });
}

const thoughtsIn = ({ body }: Answered) => body.split('"type":"thinking"').length - 1;
const hasLeft = ({ body }: Answered) => String(resultIn(body, "r1")).startsWith("[ebb ");

/** The first request of a new turn, so many minutes later. */
async function nextTurn(talk: SignedTalk, atMs: number, minutes: number): Promise<Answered> {
  talk.talk = user(talk.talk, "and now b.ts");
  return talk.send(atMs + minutes * MINUTE);
}

describe("a release in front of signed thinking", () => {
  it.each<[BoundThinking, number, boolean]>([
    ["hold", 70, false],
    ["strip_at_turn", 70, true],
    ["strip_at_turn", 1, false],
    ["strip", 70, true],
  ])("with %s, %d minutes later: leaves with all thinking: %s", async (option, minutes, leaves) => {
    const keeper = keeperWith(option);
    const talk = signedTalk(keeper);
    const next = await nextTurn(talk, await worked(talk), minutes);
    expect(next.taken.ok).toBe(true);
    expect([hasLeft(next), thoughtsIn(next)]).toEqual(leaves ? [true, 0] : [false, 3]);
    const later = await goOn(talk, MINUTE * 200, "x");
    expect([hasLeft(later), thoughtsIn(later)]).toEqual(leaves ? [true, 2] : [false, 5]);
    expect(keeper.stats()).toMatchObject({ law_violations: 0, signature_refusals: 0 });
    expect(keeper.errors).toEqual([]);
  });

  it("leaves with thinking while it is cached where that pays, and not without pays", async () => {
    for (const pays of [true, false]) {
      const talk = signedTalk(keeperWith("strip", { paying: { pays } }));
      let atMs = await worked(talk);
      talk.talk = user(talk.talk, "go on");
      await talk.send(atMs + 1_000);
      await goOn(talk, atMs + 2_000, "y", 60);
      talk.answer("done", text("All done."));
      atMs += 70_000;
      const next = await nextTurn(talk, atMs, 0);
      expect(next.taken.ok).toBe(true);
      expect(hasLeft(next)).toBe(pays);
      expect((await goOn(talk, atMs, "z")).taken.ok).toBe(true);
    }
  });

  it("stays where nothing would leave with thinking", async () => {
    const keeper = keeperWith("strip_at_turn", { lifecycle: { stale: false } });
    const talk = signedTalk(keeper);
    expect(thoughtsIn(await nextTurn(talk, await worked(talk), 70))).toBe(3);
  });

  it("never leaves in the middle of a round, however cold", async () => {
    const talk = signedTalk(keeperWith("strip_at_turn"));
    const atMs = await worked(talk, 0);
    const { messages } = talk.talk;
    talk.talk = { messages: messages.slice(0, -1) };
    const again = await talk.send(atMs + 70 * MINUTE);
    expect([again.taken.ok, hasLeft(again), thoughtsIn(again)]).toEqual([true, false, 2]);
  });

  it("stays out after a restart, and under every option", async () => {
    const store = createMemoryStore({});
    const talk = signedTalk(keeperWith("strip_at_turn", { store }));
    const next = await nextTurn(talk, await worked(talk), 70);
    for (const option of ["hold", "strip", "drop"] as const) {
      const other = signedTalk(keeperWith(option, { store, idPrefix: option }));
      other.talk = talk.talk;
      expect((await other.send(MINUTE * 200)).body).toBe(next.body);
    }
  });
});

describe("a fork of a conversation whose thinking left", () => {
  async function strippedTalk() {
    const keeper = keeperWith("strip_at_turn");
    const talk = signedTalk(keeper);
    const atMs = await worked(talk);
    const whole = talk.talk.messages;
    expect(hasLeft(await nextTurn(talk, atMs, 70))).toBe(true);
    return { keeper, talk, whole };
  }

  it("goes on without it where it begins with a word of the user's", async () => {
    const { keeper, talk, whole } = await strippedTalk();
    talk.talk = user({ messages: whole }, "something else");
    const forked = await talk.send(MINUTE * 80);
    expect([forked.taken.ok, hasLeft(forked), thoughtsIn(forked)]).toEqual([true, true, 0]);
    expect((await goOn(talk, MINUTE * 81, "f")).taken.ok).toBe(true);
    expect(keeper.stats().law_violations).toBe(0);
  });

  it("has it back, and what left with it, where it ends in the round that the model was in", async () => {
    const { keeper, talk, whole } = await strippedTalk();
    talk.talk = { messages: whole.slice(0, -1) };
    const forked = await talk.send(MINUTE * 80);
    expect([forked.taken.ok, hasLeft(forked), thoughtsIn(forked)]).toEqual([true, false, 2]);
    expect(await goOn(talk, MINUTE * 81, "f")).toMatchObject({ taken: { ok: true } });
    expect(keeper.stats()).toMatchObject({ law_violations: 0, fallbacks: { refused: 0, original: 0, script_only: 0 } });
  });

  it("is as careful as its parent where the provider refused that", async () => {
    const keeper = keeperWith("strip_at_turn");
    const talk = signedTalk(keeper);
    const atMs = await worked(talk);
    const whole = talk.talk.messages;
    talk.talk = user(talk.talk, "and now b.ts");
    await talk.send(atMs + 1_000, { refuses: true });
    talk.talk = user({ messages: whole }, "something else");
    const forked = await talk.send(atMs + 70 * MINUTE);
    expect([forked.taken.ok, hasLeft(forked), forked.prepared.isEdited]).toEqual([true, false, false]);
    expect(forked.prepared.plan?.declines.map(({ words }) => words).join()).toContain("the provider refused");
  });
});

describe("thinking that the provider drops", () => {
  it("is asked for from the first release on, where thinking is on", async () => {
    const keeper = keeperWith("drop");
    const talk = signedTalk(keeper, ADAPTIVE);
    const atMs = await worked(talk);
    const cold = await talkOn(talk, atMs);
    expect(cold.body).toContain('"block_binding":{"prefix_mismatch_behavior":"drop_block"}');
    expect(cold.prepared.headers).toEqual([{ name: "anthropic-beta", value: "thinking-binding-controls-2026-08-01" }]);
    expect([hasLeft(cold), thoughtsIn(cold)]).toEqual([true, 3]);
    expect(cold.taken).toMatchObject({ ok: true, dropped: 2 });
    const later = await goOn(talk, MINUTE * 200, "x");
    expect(later.body).toContain("drop_block");
    expect(keeper.stats()).toMatchObject({ law_violations: 0, signature_refusals: 0 });
  });

  it("leaves from a request that cannot ask for it, and is asked for again in the next", async () => {
    const talk = signedTalk(keeperWith("drop"), ADAPTIVE);
    await talkOn(talk, await worked(talk));
    talk.answer("x", text("Done."));
    talk.talk = user(talk.talk, "once without thinking");
    const off = await talk.send(MINUTE * 200, { thinking: { type: "disabled" } });
    expect([off.taken.ok, thoughtsIn(off), hasLeft(off)]).toEqual([true, 0, true]);
    talk.answer(null, text("Yes."));
    talk.talk = user(talk.talk, "and with it");
    expect((await talk.send(MINUTE * 201)).taken.ok).toBe(true);
  });

  it("is not asked for where the request has none", async () => {
    const talk = signedTalk(keeperWith("drop"));
    const cold = await talkOn(talk, await worked(talk));
    expect([hasLeft(cold), cold.body.includes("block_binding")]).toEqual([false, false]);
  });

  async function talkOn(talk: SignedTalk, atMs: number): Promise<Answered> {
    const next = await nextTurn(talk, atMs, 70);
    expect(next.taken.ok).toBe(true);
    return next;
  }
});

describe("a refusal for signed thinking", () => {
  it.each(["strip_at_turn", "drop"] as const)(
    "brings back the form of the last answered request: %s",
    async (option) => {
      const keeper = keeperWith(option);
      const talk = signedTalk(keeper, ADAPTIVE);
      const atMs = await worked(talk);
      talk.talk = user(talk.talk, "and now b.ts");
      const refused = await talk.send(atMs + 70 * MINUTE, { refuses: true });
      expect(hasLeft(refused)).toBe(true);
      const next = await talk.send(atMs + 71 * MINUTE);
      expect([next.taken.ok, hasLeft(next), thoughtsIn(next)]).toEqual([true, false, 3]);
      expect(next.prepared.isEdited).toBe(false);
      expect((await talk.send(atMs + 200 * MINUTE)).prepared.isEdited).toBe(false);
      expect(keeper.stats()).toMatchObject({ signature_refusals: 1, law_violations: 0 });
      const records = await keeper.store.loadLineage("local", next.prepared.plan?.lineage ?? "");
      expect(
        records.filter(({ entry }) => entry.type === "response-seen" && entry.refusesThinking === true),
      ).toHaveLength(1);
    },
  );

  it("leaves what was answered before as it is, and nothing at depth follows", async () => {
    const keeper = keeperWith("strip_at_turn");
    const talk = signedTalk(keeper);
    const next = await nextTurn(talk, await worked(talk), 70);
    expect(hasLeft(next)).toBe(true);
    await goOn(talk, MINUTE * 80, "x", 1);
    talk.answer("y", call("r2", "Read", { file_path: "/w/b.ts" }));
    talk.talk = results(talk.talk, result("r2", numbered(FILE)));
    await talk.send(MINUTE * 81);
    talk.answer("z", call("e2", "Edit", { ...EDIT, file_path: "/w/b.ts" }));
    talk.talk = results(talk.talk, result("e2", "The file /w/b.ts has been updated."));
    await talk.send(MINUTE * 82, { refuses: true });
    const again = await talk.send(MINUTE * 83);
    expect([again.taken.ok, hasLeft(again)]).toEqual([true, true]);
    talk.answer("end", text("Done."));
    const cold = await nextTurn(talk, MINUTE * 84, 90);
    expect([cold.taken.ok, String(resultIn(cold.body, "r2")).startsWith("[ebb ")]).toEqual([true, false]);
  });
});
