import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  EMPTY_TALK,
  edit,
  read,
  type Talk,
  text,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, send } from "../../test/support/keeper.ts";
import { addressOf } from "../lib/hash.ts";
import type { createMemoryStore } from "../stores/memory.ts";
import type { Keeper, RecallAnswer, RecallQuery } from "./contract.ts";

const asked = user(EMPTY_TALK, "look");
const BOUND = { lines: 100, bytes: 262_144 };
const LONG = "one\ntwo\nthree\nfour\n".repeat(40);
const SUMMARY =
  "This session is being continued from a previous conversation that ran out of context. Summary: all of it.";

function index(keeper: Keeper, more: Partial<RecallQuery> = {}): Promise<RecallAnswer> {
  return keeper.recall({
    tenant: "local",
    id: "index",
    range: null,
    pattern: null,
    ignoreCase: false,
    chars: null,
    sessionId: "one",
    by: "agent",
    atMs: 9_000_000,
    ...more,
  });
}

function partsOf(answer: RecallAnswer): { readonly head: string; readonly rows: readonly string[] } {
  if (!answer.ok) throw new Error(answer.words);
  const [head = "", text = ""] = answer.text.split("\n\n");
  return { head, rows: text.split("\n").filter((row) => row !== "") };
}

async function addressesOf(
  keeper: { readonly store: ReturnType<typeof createMemoryStore> },
  ...ids: readonly string[]
) {
  const found = await Promise.all(ids.map((id) => keeper.store.findItems("local", id)));
  return found.map(([one]) => one?.item.address ?? "");
}

async function sendAt(keeper: Keeper, talk: Talk, atMs: number, sessionId = "one"): Promise<void> {
  await send(keeper, bodyOf(talk), { atMs, sessionId });
}

const first = bash(asked, "b1", "make", LONG);
const second = bash(bash(first, "b2", "ls", "short"), "b3", "test", LONG);

describe("the index", () => {
  it("lists what left, the newest first: address, what it was, size, why and when", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    await sendAt(keeper, first, 1_000);
    await sendAt(keeper, second, 2_000);
    const [one, , three] = await addressesOf(keeper, "b1", "b2", "b3");
    expect(partsOf(await index(keeper))).toEqual({
      head: `[ebb index] what left session one, newest first\nall lines of 2 lines, 226 characters; 2 shown, complete`,
      rows: [
        `${three}  Bash test, 160 lines, 760 bytes: over_bound at first-send, turn 1 step 3, 1970-01-01T00:00:02.000Z`,
        `${one}  Bash make, 160 lines, 760 bytes: over_bound at first-send, turn 1 step 1, 1970-01-01T00:00:01.000Z`,
      ],
    });
  });

  it("is paged by range, searched by pattern and capped by characters as any text", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    await sendAt(keeper, first, 500);
    await sendAt(keeper, second, 1_000);
    const paged = partsOf(await index(keeper, { range: "2-2" }));
    expect([paged.head.split("\n")[1], paged.rows.length]).toEqual([
      "lines 2 to 2 of 2 lines, 226 characters; 1 shown, complete",
      1,
    ]);
    expect(partsOf(await index(keeper, { pattern: "Bash make" })).rows).toEqual([
      expect.stringMatching(/^\d: \w{12} {2}Bash make/),
    ]);
    expect(partsOf(await index(keeper, { chars: 150 })).head).toContain("1 shown, continue with range=2-");
    expect(await index(keeper, { range: "2-1" })).toMatchObject({ failure: "bad range" });
    expect(await index(keeper, { pattern: "nowhere" })).toMatchObject({ failure: "selects nothing" });
  });

  it("is not counted as a recall, and is the same from a process that knows only the store", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    await sendAt(keeper, first, 500);
    await sendAt(keeper, second, 1_000);
    const answer = await index(keeper);
    const later = createTestKeeper({ store: keeper.store });
    expect(partsOf(await index(later))).toEqual(partsOf(answer));
    expect(keeper.stats().recalls).toBe(0);
    expect(answer.ok && [answer.item, Buffer.from(answer.raw).toString()]).toEqual([
      null,
      `${partsOf(answer).rows.join("\n")}\n`,
    ]);
  });

  it("of a session where nothing left says so", async () => {
    const keeper = createTestKeeper();
    await sendAt(keeper, first, 1_000);
    expect(await index(keeper)).toMatchObject({ ok: true, text: "[ebb index] what left session one: nothing" });
  });

  it("says why with the words of a decision on purpose, and leaves out what stands in full again", async () => {
    const keeper = createTestKeeper();
    await sendAt(keeper, second, 1_000);
    const [one] = await addressesOf(keeper, "b1");
    const context = { tenant: "local", lineage: null, sessionId: "one", by: "agent", atMs: 1_500 } as const;
    const targets = { ids: ["b1"], paths: [], latest: null };
    await keeper.decide({ verb: "release", targets, reason: "noted\ndown" }, context);
    await sendAt(keeper, user(second, "go on"), 2_000);
    expect(partsOf(await index(keeper)).rows).toEqual([
      expect.stringMatching(`^${one}  Bash make, .*: let_go at deliberate \\(noted down\\), `),
    ]);
    await keeper.decide({ verb: "keep", id: "b1", range: null, reason: "needed" }, context);
    await sendAt(keeper, user(second, "go on"), 3_000);
    expect(await index(keeper)).toMatchObject({ text: "[ebb index] what left session one: nothing" });
  });

  it("outlives a client's compaction: what left before it, and what it took along", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    await sendAt(keeper, first, 500);
    await sendAt(keeper, second, 1_000);
    await sendAt(keeper, bash(user(EMPTY_TALK, SUMMARY), "b9", "after", LONG), 2_000);
    const addresses = await addressesOf(keeper, "b2", "b9", "b1", "b3");
    const { rows } = partsOf(await index(keeper));
    expect(rows.map((row) => row.slice(0, 12)).sort()).toEqual([...addresses].sort());
    expect(rows.find((row) => row.startsWith(addresses[0] ?? "?"))).toMatch(
      /Bash ls, 1 lines, 5 bytes: folded by the client's compaction, 1970-01-01T00:00:02\.000Z$/,
    );
    for (const address of addresses) expect((await index(keeper, { id: address })).ok).toBe(true);
  });

  it("lists an item once, and as it stands where the conversation went on", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    await sendAt(keeper, first, 1_000);
    await sendAt(keeper, second, 2_000);
    const rewound = user(assistant(first, text("not that")), "another way");
    await sendAt(keeper, rewound, 3_000);
    const addressed = async () => partsOf(await index(keeper)).rows.map((row) => row.slice(0, 12));
    expect(await keeper.store.listLineages("local", 9)).toHaveLength(2);
    expect(await addressed()).toEqual(await addressesOf(keeper, "b3", "b1"));
    const [{ lineage = null } = {}] = await keeper.store.listLineages("local", 1);
    const context = { tenant: "local", lineage, sessionId: "one", by: "agent", atMs: 3_500 } as const;
    await keeper.decide({ verb: "keep", id: "b1", range: null, reason: "needed" }, context);
    await sendAt(keeper, user(assistant(rewound, text("so")), "go on"), 4_000);
    expect(await addressed()).toEqual(await addressesOf(keeper, "b3"));
  });

  it("lists nothing as folded that the client still sends", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    await sendAt(keeper, second, 1_000);
    await sendAt(keeper, bash(user(EMPTY_TALK, SUMMARY), "b9", "after", "short"), 2_000);
    expect(partsOf(await index(keeper)).rows.some((row) => row.includes("folded"))).toBe(true);
    await sendAt(keeper, user(second, "go on without the summary"), 3_000);
    expect(partsOf(await index(keeper)).rows.some((row) => row.includes("folded"))).toBe(false);
  });

  it("of a lineage is that of this lineage and what it continues", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    await sendAt(keeper, second, 1_000, "one");
    await sendAt(keeper, bash(user(EMPTY_TALK, "another"), "b7", "other", LONG), 2_000, "two");
    const [{ lineage = "" } = {}] = (await keeper.store.listLineages("local", 9)).filter(
      (one) => one.sessionId === "two",
    );
    const { head, rows } = partsOf(await index(keeper, { sessionId: null, lineage }));
    expect(head).toContain("what left this conversation");
    expect(rows.map((row) => row.slice(0, 12))).toEqual(await addressesOf(keeper, "b7"));
  });

  it("guesses no session", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    expect(await index(keeper)).toMatchObject({ failure: "unknown id" });
    await sendAt(keeper, first, 1_000, "one");
    expect(partsOf(await index(keeper, { sessionId: null })).rows).toHaveLength(1);
    await sendAt(keeper, bash(user(EMPTY_TALK, "another"), "b7", "other", LONG), 2_000, "two");
    expect(await index(keeper, { sessionId: null })).toMatchObject({
      failure: "ambiguous session",
      words: "2 sessions are known, newest first: two, one; name one",
    });
    expect(await index(keeper, { sessionId: "three" })).toMatchObject({ failure: "unknown id" });
    expect(await index(keeper, { tenant: "other", sessionId: null })).toMatchObject({ failure: "unknown id" });
  });
});

describe("a header says that the file changed", () => {
  const page = Array.from({ length: 40 }, (_, line) => `line ${line} of the file, long enough to leave`).join("\n");
  const readTalk = read(asked, "r1", "/w/a.ts", page);
  const WORDS = "The file was changed later in this conversation: what is on disk now may differ.";

  async function headOf(keeper: Keeper, id: string): Promise<string> {
    const answer = await index(keeper, { id, sessionId: null });
    return answer.ok ? answer.text.slice(0, answer.text.indexOf("\n\n")) : answer.words;
  }

  it("once a later edit was seen, held or released; not before, not for a failed one, not for another file", async () => {
    const keeper = createTestKeeper();
    await sendAt(keeper, readTalk, 1_000);
    const failed = edit(edit(readTalk, "e1", "/w/a.ts", true), "e2", "/w/b.ts");
    await sendAt(keeper, failed, 2_000);
    expect(await headOf(keeper, "r1")).not.toContain(WORDS);
    await sendAt(keeper, edit(failed, "e3", "/w/a.ts"), 3_000);
    expect(await headOf(keeper, "r1")).toContain(`\n${WORDS}`);
    expect(await headOf(keeper, addressOf("nothing"))).not.toContain(WORDS);
  });

  it("not by the steps of a conversation that does not continue it", async () => {
    const keeper = createTestKeeper();
    await sendAt(keeper, readTalk, 1_000);
    const other = edit(
      bash(bash(bash(user(EMPTY_TALK, "a task"), "x1", "ls", "a"), "x2", "ls", "b"), "x3", "ls", "c"),
      "e1",
      "/w/a.ts",
    );
    await send(keeper, bodyOf(other), { atMs: 2_000, sessionId: "one", agentId: "sub" });
    expect(await headOf(keeper, "r1")).not.toContain(WORDS);
    const resumed = edit(bash(readTalk, "b1", "ls", "x"), "e2", "/w/a.ts");
    await sendAt(keeper, resumed, 3_000);
    expect(await headOf(keeper, "r1")).toContain(WORDS);
  });

  it("where the read left as stale", async () => {
    const keeper = createTestKeeper();
    const edited = edit(readTalk, "e1", "/w/a.ts");
    await sendAt(keeper, edited, 1_000);
    // Which of the two came first is not on record: both were seen in one request.
    expect(await headOf(keeper, "r1")).not.toContain(WORDS);
    await sendAt(keeper, user(edited, "go on"), 3_600_000);
    expect(await headOf(keeper, "r1")).toContain(WORDS);
  });

  it("not for a read after the edit, nor for what came from no file", async () => {
    const keeper = createTestKeeper();
    const edited = bash(edit(readTalk, "e1", "/w/a.ts"), "b1", "ls", "x");
    await sendAt(keeper, edited, 1_000);
    await sendAt(keeper, read(edited, "r2", "/w/a.ts", page), 2_000);
    expect(await headOf(keeper, "r2")).not.toContain(WORDS);
    expect(await headOf(keeper, "b1")).not.toContain(WORDS);
  });
});
