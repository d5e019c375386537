import { describe, expect, it } from "vitest";
import { assistant, bash, bodyOf, EMPTY_TALK, edit, read, text, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";

const BIG = Array.from({ length: 200 }, (_, line) => `line ${line} of something long enough to matter`).join("\n");
const bound = { lines: 50, bytes: 262_144 };
const start = read(user(EMPTY_TALK, "look at it"), "r1", "/w/a.ts", BIG);

describe("a lineage", () => {
  it("goes on under a new session id when the client resumes", async () => {
    const keeper = createTestKeeper({ bound });
    const first = await send(keeper, bodyOf(start), { sessionId: "one" });
    const resumed = await send(keeper, bodyOf(bash(start, "b1", "ls", "a.ts")), { sessionId: "two" });
    expect(resultIn(first, "r1")).toContain("[ebb ");
    expect(resultIn(resumed, "r1")).toBe(resultIn(first, "r1"));
  });

  it("is not disturbed by side requests of the same session", async () => {
    const keeper = createTestKeeper({ bound });
    const first = await send(keeper, bodyOf(start));
    await send(keeper, bodyOf(user(EMPTY_TALK, "title for this conversation"), { tools: [] }));
    await send(keeper, bodyOf(user(EMPTY_TALK, "quota"), { tools: [] }));
    await send(keeper, bodyOf(read(user(EMPTY_TALK, "sub-agent"), "s1", "/w/b.ts", BIG)), { agentId: "sub" });
    const next = await send(keeper, bodyOf(bash(start, "b1", "ls", "a.ts")));
    expect(resultIn(next, "r1")).toBe(resultIn(first, "r1"));
    expect(keeper.stats().declined.map((count) => count.reason)).not.toContain("unknown_boundary");
  });

  it("hands its markers to a fork that shares the prefix, and to a rewind", async () => {
    const keeper = createTestKeeper({ bound });
    const long = bash(bash(start, "b1", "ls", "x"), "b2", "pwd", "/w");
    const first = await send(keeper, bodyOf(start));
    await send(keeper, bodyOf(long));
    const fork = await send(keeper, bodyOf(bash(start, "c1", "date", "today")), { sessionId: "fork" });
    const rewind = await send(keeper, bodyOf(user(assistant(start, text("hm")), "another way")));
    for (const sent of [fork, rewind]) expect(resultIn(sent, "r1")).toBe(resultIn(first, "r1"));
  });

  it("shows a read in full again when its edit was rewound away", async () => {
    const keeper = createTestKeeper();
    const edited = user(assistant(edit(start, "e1", "/w/a.ts"), text("done")), "go on");
    await send(keeper, bodyOf(start), { atMs: 0 });
    await send(keeper, bodyOf(edit(start, "e1", "/w/a.ts")), { atMs: 1 });
    const cold = await send(keeper, bodyOf(edited), { atMs: 600_000 });
    expect(resultIn(cold, "r1")).toContain("modified later");
    const rewound = await send(keeper, bodyOf(user(assistant(start, text("hm")), "no")), { atMs: 610_000 });
    expect(resultIn(rewound, "r1")).not.toContain("[ebb ");
  });

  it("does not depend on what clients re-shape: breakpoints, string or block, order of parallel results", async () => {
    const keeper = createTestKeeper({ bound });
    const first = await send(keeper, bodyOf(start));
    const reshaped = bash(start, "b1", "ls", "a.ts");
    const body = JSON.parse(Buffer.from(bodyOf(reshaped)).toString());
    body.messages[0].content = body.messages[0].content[0].text;
    const next = await send(keeper, Buffer.from(JSON.stringify(body)));
    expect(resultIn(next, "r1")).toBe(resultIn(first, "r1"));
    expect(keeper.stats().lineages).toBe(1);
  });

  it("belongs to its tenant alone", async () => {
    const keeper = createTestKeeper({ bound });
    await send(keeper, bodyOf(start), { tenant: "a" });
    const other = await send(keeper, bodyOf(bash(start, "b1", "ls", "x")), { tenant: "b" });
    expect(resultIn(other, "r1")).not.toContain("[ebb ");
  });

  it("keeps counting turns and steps across the client's own compaction", async () => {
    const keeper = createTestKeeper({ bound });
    await send(keeper, bodyOf(bash(bash(start, "b1", "ls", "x"), "b2", "ls", "x")));
    const folded = user(
      EMPTY_TALK,
      "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAll is well.",
    );
    const after = read(folded, "r9", "/w/z.ts", BIG);
    await send(keeper, bodyOf(after));
    const lineages = await keeper.store.listLineages("local", 10);
    const records = await Promise.all(lineages.map((one) => keeper.store.loadLineage("local", one.lineage)));
    const steps = records.flat().flatMap(({ entry }) => (entry.type === "request-sent" ? [entry.step] : []));
    expect(Math.max(...steps)).toBe(4);
  });
});
