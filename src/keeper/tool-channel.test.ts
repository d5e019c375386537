import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  numbered,
  read,
  result,
  results,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send } from "../../test/support/keeper.ts";
import { CONTEXT, FILE, keep, order, release, SUMMARY } from "../../test/support/orders.ts";

const TIGHT = { bound: { lines: 20, bytes: 3_000 } };
const WITH_TOOL = ["Read", "Bash", "mcp__ebb__recall"];
const start = read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE);
const STUB =
  "File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current — refer to that instead of re-reading.";

describe("a marker of a request that offers Ebb's recall tool", () => {
  it("names that tool, under the prefix its client gives it, with or without a shell", async () => {
    for (const name of ["mcp__ebb__recall", "ebb_recall", "mcp__plugin_ebb_ebb__recall"]) {
      for (const tools of [[name], ["Read", "Bash", name]]) {
        const marker = String(resultIn(await send(createTestKeeper(TIGHT), bodyOf(start, { tools })), "r1"));
        expect(marker).toMatch(new RegExp(` Full text: ${name}\\(id="[0-9a-hjkmnp-tv-z]{12}"\\)\\n1: `));
        expect(marker).not.toContain("ebb recall");
      }
    }
  });

  it("is recorded with its way back and stays as it is when the tools change", async () => {
    const keeper = createTestKeeper(TIGHT);
    const prepared = await prepare(keeper, bodyOf(start, { tools: WITH_TOOL }));
    const [decision] = prepared.kind === "forward" ? (prepared.plan?.fresh ?? []) : [];
    expect(decision?.channel).toEqual({ kind: "tool", name: "mcp__ebb__recall" });
    for (const tools of [["Read", "Bash"], ["Read"]]) {
      const later = createTestKeeper({ ...TIGHT, store: keeper.store, idPrefix: tools.join("") });
      const sent = await send(later, bodyOf(bash(start, "b1", "ls", "x"), { tools }));
      expect(resultIn(sent, "r1")).toBe(decision?.marker);
    }
  });

  it("of a deliberate release and of a lost read name it as well", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start, { tools: WITH_TOOL }));
    await order(keeper, release("r1"));
    const next = bash(start, "b1", "ls", "x");
    const stubbed = results(assistant(next, call("r2", "Read", { file_path: "/w/a.ts" })), result("r2", STUB));
    const sent = await send(keeper, bodyOf(stubbed, { tools: WITH_TOOL }));
    const address = (await keeper.store.findItems("local", "r1"))[0]?.item.address;
    expect(resultIn(sent, "r1")).toContain(` Full text: mcp__ebb__recall(id="${address}")`);
    expect(resultIn(sent, "r2")).toBe(
      `[ebb ${address}] The file is unchanged since an earlier read, which is not in this window. ` +
        `Full text: mcp__ebb__recall(id="${address}")`,
    );
  });
});

describe("an unchanged answer that comes with a decision about its read", () => {
  const next = bash(start, "b1", "ls", "x");
  const stubbed = results(assistant(next, call("r2", "Read", { file_path: "/w/a.ts" })), result("r2", STUB));

  it("stays where the decision waits, and where the read comes back with this request", async () => {
    const model = "claude-opus-5-5";
    const waiting = createTestKeeper();
    const thought = assistant(start, thinking("t"), call("r2", "Read", { file_path: "/w/a.ts" }));
    await send(waiting, bodyOf(start, { model }));
    await order(waiting, release("r1"));
    const sent = await send(waiting, bodyOf(results(thought, result("r2", STUB)), { model }));
    expect([resultIn(sent, "r1"), resultIn(sent, "r2")]).toEqual([numbered(FILE), STUB]);
    const back = createTestKeeper();
    await send(back, bodyOf(start));
    await order(back, release("r1"));
    await send(back, bodyOf(next));
    await order(back, keep("r1", null));
    const whole = await send(back, bodyOf(stubbed));
    expect([resultIn(whole, "r1"), resultIn(whole, "r2")]).toEqual([numbered(FILE), STUB]);
  });

  it("gives way where its read is kept in part", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(next));
    await order(keeper, keep("r1", "1-5"));
    expect(resultIn(await send(keeper, bodyOf(stubbed)), "r2")).toContain("Full text: ebb recall");
  });
});

describe("a sub-agent without the tool", () => {
  it("gets no marker that names it, and no call where it has no shell", async () => {
    const keeper = createTestKeeper(TIGHT);
    await send(keeper, bodyOf(start, { tools: WITH_TOOL }));
    const task = read(user(EMPTY_TALK, "a task"), "s1", "/w/s.ts", FILE);
    const sent = await send(keeper, bodyOf(task, { tools: ["Read"] }), { agentId: "agent" });
    expect(resultIn(sent, "s1")).toMatch(/^\[ebb /);
    expect(resultIn(sent, "s1")).not.toMatch(/recall/);
  });

  it("gets a lost read back as its text", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start, { tools: WITH_TOOL }));
    const folded = user(EMPTY_TALK, SUMMARY);
    const stubbed = results(assistant(folded, call("r2", "Read", { file_path: "/w/a.ts" })), result("r2", STUB));
    const sent = await send(keeper, bodyOf(stubbed, { tools: ["Read"] }));
    expect(resultIn(sent, "r2")).toBe(numbered(FILE));
    expect(await keeper.window(CONTEXT)).toMatchObject({ ok: true });
  });
});
