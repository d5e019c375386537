import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  edit,
  idle,
  read,
  result,
  results,
  type Talk,
  text,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send } from "../../test/support/keeper.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const BOUND = { lines: 50, bytes: 262_144 };
const MINUTE = 60_000;
const asked = user(EMPTY_TALK, "fix a.ts");
const readTalk = read(asked, "r1", "/w/a.ts", FILE);
const staleTalk = edit(readTalk, "e1", "/w/a.ts");

function goOn(talk: Talk, words = "go on"): Talk {
  return user(assistant(talk, text("ok")), words);
}

/** The main line: the stale read, in full while its cache was warm, and five steps behind it. */
async function sendMain(keeper: ReturnType<typeof createTestKeeper>) {
  await send(keeper, bodyOf(readTalk), { atMs: 0 });
  await send(keeper, bodyOf(staleTalk), { atMs: 1 });
  for (let steps = 1; steps <= 3; steps++) await send(keeper, bodyOf(idle(staleTalk, "i", steps)), { atMs: steps + 1 });
}

describe("a fork", () => {
  it("that only shortened its history is found again, with what it decided", async () => {
    const keeper = createTestKeeper();
    await sendMain(keeper);
    const cold = await send(keeper, bodyOf(staleTalk), { atMs: 30 * MINUTE });
    expect(resultIn(cold, "r1")).toContain("[ebb ");
    const next = await send(keeper, bodyOf(goOn(staleTalk)), { atMs: 31 * MINUTE });
    expect(resultIn(next, "r1")).toBe(resultIn(cold, "r1"));
    const restarted = createTestKeeper({ store: keeper.store, idPrefix: "later" });
    const later = await send(restarted, bodyOf(goOn(goOn(staleTalk))), { atMs: 32 * MINUTE });
    expect(resultIn(later, "r1")).toBe(resultIn(cold, "r1"));
  });

  it.each(["this process", "another one, later"])("keeps the shared prefix warm for %s", async (which) => {
    const first = createTestKeeper();
    await sendMain(first);
    await send(first, bodyOf(goOn(staleTalk, "another way")), { atMs: 30 * MINUTE, sessionId: "fork" });
    const keeper = which === "this process" ? first : createTestKeeper({ store: first.store, idPrefix: "later" });
    const main = idle(staleTalk, "i", 4);
    // The fork's own request released at that cold moment; the main line still stands in full, and warm.
    expect(resultIn(await send(keeper, bodyOf(main), { atMs: 31 * MINUTE }), "r1")).not.toContain("[ebb ");
    expect(resultIn(await send(keeper, bodyOf(idle(staleTalk, "i", 5)), { atMs: 60 * MINUTE }), "r1")).toContain(
      "[ebb ",
    );
  });

  it("opened by another process leaves a prefix alone that a third line keeps warm", async () => {
    const first = createTestKeeper();
    await sendMain(first);
    await send(first, bodyOf(goOn(staleTalk, "another way")), { atMs: 30 * MINUTE, sessionId: "fork" });
    const later = createTestKeeper({ store: first.store, idPrefix: "later" });
    const other = await send(later, bodyOf(bash(staleTalk, "o1", "x", "y")), { atMs: 31 * MINUTE });
    expect(resultIn(other, "r1")).not.toContain("[ebb ");
  });

  it("does not keep a prefix warm that it does not share", async () => {
    const first = createTestKeeper();
    await sendMain(first);
    await send(first, bodyOf(user(EMPTY_TALK, "title please"), { tools: [] }), { atMs: 30 * MINUTE });
    const later = createTestKeeper({ store: first.store, idPrefix: "later" });
    const main = await send(later, bodyOf(idle(staleTalk, "i", 4)), { atMs: 31 * MINUTE });
    expect(resultIn(main, "r1")).toContain("[ebb ");
  });

  it("keeps the shared prefix warm also where the store could not record it", async () => {
    const inner = createMemoryStore({});
    let isBroken = false;
    const commit: Store["commit"] = (given) =>
      isBroken ? Promise.reject(new EbbError("store_failed", "fails")) : inner.commit(given);
    const keeper = createTestKeeper({ store: { ...inner, commit } });
    await sendMain(keeper);
    isBroken = true;
    await send(keeper, bodyOf(goOn(staleTalk, "another way")), { atMs: 30 * MINUTE });
    isBroken = false;
    const main = await send(keeper, bodyOf(idle(staleTalk, "i", 4)), { atMs: 31 * MINUTE });
    expect(resultIn(main, "r1")).not.toContain("[ebb ");
  });

  it("counts as warm where too many lineages were used lately to look at each", async () => {
    const first = createTestKeeper();
    await sendMain(first);
    const crowd = Array.from({ length: 200 }, () => ({
      lineage: "x",
      sessionId: null,
      agentId: null,
      lastAtMs: 30 * MINUTE,
      seq: 0,
    }));
    const store: Store = { ...first.store, listLineages: async () => crowd };
    const main = await send(createTestKeeper({ store, idPrefix: "later" }), bodyOf(idle(staleTalk, "i", 4)), {
      atMs: 31 * MINUTE,
    });
    expect(resultIn(main, "r1")).not.toContain("[ebb ");
  });

  it("does not say that a file changed where the change did not happen in it", async () => {
    const keeper = createTestKeeper();
    const editCall = call("e1", "Edit", { file_path: "/w/a.ts", old_string: "a", new_string: "b" });
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    await send(keeper, bodyOf(staleTalk), { atMs: 1 });
    const cold = await send(keeper, bodyOf(goOn(staleTalk)), { atMs: 30 * MINUTE });
    expect(resultIn(cold, "r1")).toContain("modified later");
    const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const rejected = results(assistant(readTalk, editCall), result("e1", refused, true));
    const fork = await send(keeper, bodyOf(rejected), { atMs: 31 * MINUTE });
    expect(resultIn(fork, "r1")).not.toContain("[ebb ");
  });

  it("hands nothing back: what it released stands in full in the line it left", async () => {
    const keeper = createTestKeeper();
    await sendMain(keeper);
    await send(keeper, bodyOf(staleTalk), { atMs: 30 * MINUTE });
    const main = await send(keeper, bodyOf(idle(staleTalk, "i", 4)), { atMs: 31 * MINUTE });
    expect(resultIn(main, "r1")).not.toContain("[ebb ");
  });
});

describe("a session", () => {
  it("that resumed another one gets a lineage of its own, markers included", async () => {
    const keeper = createTestKeeper({ bound: BOUND });
    const first = await send(keeper, bodyOf(readTalk), { sessionId: "one" });
    const resumed = await send(keeper, bodyOf(goOn(readTalk)), { sessionId: "two" });
    expect(resultIn(resumed, "r1")).toBe(resultIn(first, "r1"));
    const lineages = await keeper.store.listLineages("local", 9);
    expect(lineages.map((lineage) => lineage.sessionId).sort()).toEqual(["one", "two"]);
  });

  it("that goes back a step after it resumed keeps what it sent itself", async () => {
    const keeper = createTestKeeper();
    await sendMain(keeper);
    const cold = await send(keeper, bodyOf(goOn(staleTalk)), { atMs: 30 * MINUTE, sessionId: "resumed" });
    expect(resultIn(cold, "r1")).toContain("[ebb ");
    const options = { atMs: 31 * MINUTE, sessionId: "resumed" };
    const restarted = createTestKeeper({ store: keeper.store, idPrefix: "later" });
    const back = await send(restarted, bodyOf(goOn(staleTalk, "no, this way")), options);
    expect(resultIn(back, "r1")).toBe(resultIn(cold, "r1"));
  });

  it("that folds after it resumed goes on counting", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(idle(readTalk, "i", 3)), { sessionId: "one" });
    await send(keeper, bodyOf(idle(readTalk, "i", 4)), { sessionId: "two" });
    const summary =
      "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAll is well.";
    const prepared = await prepare(keeper, bodyOf(read(user(EMPTY_TALK, summary), "r9", "/w/z.ts", FILE)), {
      sessionId: "two",
    });
    expect(prepared.kind === "forward" && prepared.plan?.step).toBe(6);
  });
});

describe("a request that the store could not record", () => {
  function failing(): { readonly store: Store; readonly broken: Set<string> } {
    const inner = createMemoryStore({});
    const broken = new Set<string>();
    const commit: Store["commit"] = (entry) =>
      broken.has("commit") ? Promise.reject(new EbbError("store_failed", "fails")) : inner.commit(entry);
    return { store: { ...inner, commit }, broken };
  }

  it("counts as sent when the client tries the same again", async () => {
    const { store, broken } = failing();
    const keeper = createTestKeeper({ store, bound: BOUND });
    broken.add("commit");
    expect(await send(keeper, bodyOf(readTalk))).not.toContain("[ebb ");
    broken.clear();
    expect(await send(keeper, bodyOf(readTalk))).not.toContain("[ebb ");
  });

  it("counts as sent also in a fork in its middle, and when another process wrote first", async () => {
    const { store, broken } = failing();
    const keeper = createTestKeeper({ store, bound: BOUND });
    await send(keeper, bodyOf(asked));
    broken.add("commit");
    const two = results(
      assistant(asked, call("r1", "Bash", { command: "a" }), call("r2", "Bash", { command: "b" })),
      result("r1", FILE),
      result("r2", FILE),
    );
    await send(keeper, bodyOf(two));
    broken.clear();
    await send(createTestKeeper({ store, idPrefix: "other" }), bodyOf(goOn(asked)), { sessionId: "session" });
    const forked = results(
      assistant(asked, call("r1", "Bash", { command: "a" }), call("r2", "Bash", { command: "b" })),
      result("r1", FILE),
      result("r2", `${FILE}\nmore`),
    );
    const prepared = await prepare(keeper, bodyOf(forked));
    // Sent before, and behind all that a breakpoint of this request finds.
    expect(prepared).toMatchObject({ plan: { fresh: [{ moment: "prefix-broken" }, { moment: "first-send" }] } });
  });

  it("is never answered with a script that another process made outdated", async () => {
    const { store, broken } = failing();
    const left = createTestKeeper({ store, bound: BOUND, idPrefix: "left" });
    const right = createTestKeeper({ store, bound: BOUND, idPrefix: "right" });
    await send(left, bodyOf(asked));
    const marked = await send(right, bodyOf(readTalk));
    broken.add("commit");
    const sent = await send(left, bodyOf(bash(readTalk, "b1", "ls", "x")));
    expect(resultIn(sent, "r1")).toBe(resultIn(marked, "r1"));
  });

  it("is refused where the store cannot be read and others may have sent some of it", async () => {
    const inner = createMemoryStore({});
    let isBroken = false;
    const findChain: Store["findChain"] = (...given) =>
      isBroken ? Promise.reject(new EbbError("store_failed", "fails")) : inner.findChain(...given);
    const keeper = createTestKeeper({ store: { ...inner, findChain }, bound: BOUND });
    await send(keeper, bodyOf(readTalk));
    isBroken = true;
    expect((await prepare(keeper, bodyOf(idle(readTalk, "i", 1)))).kind).toBe("forward");
    expect((await prepare(keeper, bodyOf(idle(readTalk, "j", 2)))).kind).toBe("refuse");
  });
});

describe("stale candidates known before", () => {
  it("leave in the first cold request, all of them; a new one just after does not", async () => {
    const keeper = createTestKeeper();
    const both = edit(edit(read(readTalk, "r2", "/w/b.ts", FILE), "e1", "/w/a.ts"), "e2", "/w/b.ts");
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    await send(keeper, bodyOf(read(readTalk, "r2", "/w/b.ts", FILE)), { atMs: 1 });
    await send(keeper, bodyOf(edit(read(readTalk, "r2", "/w/b.ts", FILE), "e1", "/w/a.ts")), { atMs: 2 });
    await send(keeper, bodyOf(both), { atMs: 3 });
    const third = read(both, "r3", "/w/c.ts", FILE);
    const cold = await send(keeper, bodyOf(third), { atMs: 30 * MINUTE });
    for (const id of ["r1", "r2"]) expect(resultIn(cold, id)).toContain("[ebb ");
    const warm = await send(keeper, bodyOf(edit(third, "e3", "/w/c.ts")), { atMs: 31 * MINUTE });
    expect(resultIn(warm, "r3")).not.toContain("[ebb ");
    expect(resultIn(warm, "r1")).toBe(resultIn(cold, "r1"));
  });

  it("wait once more after a request that stated no lifetime", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    await send(keeper, bodyOf(staleTalk, { ttl: null }), { atMs: 1 });
    expect(await send(keeper, bodyOf(goOn(staleTalk)), { atMs: 20 * MINUTE })).not.toContain("[ebb ");
  });
});

describe("a short greeting", () => {
  it("equals what came, counted and sent", async () => {
    const keeper = createTestKeeper();
    const body = bodyOf(user(EMPTY_TALK, "hi"));
    for (const kind of ["count", "generate"] as const) {
      const prepared = await prepare(keeper, body, { kind });
      expect(prepared).toMatchObject({ kind: "forward", isEdited: false, problem: null });
      expect(prepared.kind === "forward" && prepared.body[0]).toBe(body);
    }
  });
});
