import { describe, expect, it } from "vitest";
import {
  assistant,
  bodyOf,
  call,
  EMPTY_TALK,
  edit,
  idle,
  numbered,
  read,
  result,
  results,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send } from "../../test/support/keeper.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const MINUTE = 60_000;

const readTalk = read(user(EMPTY_TALK, "please fix a.ts"), "r1", "/w/a.ts", FILE);
const editTalk = edit(readTalk, "e1", "/w/a.ts");

describe("a stale read", () => {
  it("stays in full while the cache that holds it may be warm", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    const warm = await send(keeper, bodyOf(editTalk), { atMs: MINUTE });
    expect(warm).toBe(Buffer.from(bodyOf(editTalk)).toString());
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("cached_prefix");
  });

  it("leaves behind its marker in the first request after the cache expired, and the marker repeats", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    await send(keeper, bodyOf(editTalk), { atMs: MINUTE });
    const later = user(assistant(editTalk, text("done")), "go on");
    const cold = await send(keeper, bodyOf(later), { atMs: MINUTE + 6 * MINUTE });
    expect(String(resultIn(cold, "r1"))).toMatch(/^\[ebb [0-9a-z]{12}\] Read \/w\/a\.ts lines 1-120/);
    const next = await send(keeper, bodyOf(idle(later, "i", 1)), { atMs: 8 * MINUTE });
    expect(resultIn(next, "r1")).toBe(resultIn(cold, "r1"));
  });

  it("does not leave one second before the slack after the cache's lifetime is over", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(editTalk), { atMs: 0 });
    const held = await send(keeper, bodyOf(user(assistant(editTalk, text("ok")), "go")), { atMs: 6 * MINUTE - 1 });
    expect(resultIn(held, "r1")).not.toContain("[ebb ");
  });

  it("never counts as cold where the model answered requests that Ebb did not see", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(editTalk), { atMs: 0 });
    expect(await send(keeper, bodyOf(idle(editTalk, "i", 2)), { atMs: 30 * MINUTE })).not.toContain("[ebb ");
    expect(await send(keeper, bodyOf(idle(editTalk, "i", 3)), { atMs: 60 * MINUTE })).toContain("[ebb ");
  });

  it("leaves on a cold cache also where the client drops a reminder of its own from an older result on resume", async () => {
    const keeper = createTestKeeper();
    const asked = assistant(editTalk, call("r0", "Read", { file_path: "/w/b.ts" }));
    const reminded = `${numbered(FILE)}\n\n<system-reminder>\nA reminder.\n</system-reminder>`;
    const worked = idle(results(asked, result("r0", reminded)), "i", 2);
    const talks = [
      readTalk,
      editTalk,
      results(asked, result("r0", reminded)),
      idle(results(asked, result("r0", reminded)), "i", 1),
      worked,
    ];
    for (const [index, talk] of talks.entries()) await send(keeper, bodyOf(talk), { atMs: index * 1_000 });
    const resumed = idle(results(asked, result("r0", numbered(FILE))), "i", 2);
    const cold = await send(keeper, bodyOf(user(assistant(resumed, text("done")), "go on")), { atMs: 10 * MINUTE });
    expect(resultIn(cold, "r1")).toContain("[ebb ");
  });

  it("honours the one-hour lifetime a request asked for", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(editTalk, { ttl: "1h" }), { atMs: 0 });
    const talk = user(assistant(editTalk, text("ok")), "go");
    expect(await send(keeper, bodyOf(talk, { ttl: "1h" }), { atMs: 30 * MINUTE })).not.toContain("[ebb ");
    const later = user(assistant(talk, text("ok")), "go");
    expect(await send(keeper, bodyOf(later, { ttl: "1h" }), { atMs: 92 * MINUTE })).toContain("[ebb ");
  });

  it("never counts as cold where no cache lifetime is on record", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(editTalk, { ttl: null }), { atMs: 0 });
    const talk = user(assistant(editTalk, text("ok")), "go");
    expect(await send(keeper, bodyOf(talk, { ttl: null }), { atMs: 900 * MINUTE })).not.toContain("[ebb ");
  });

  it("leaves at first send when read and edit came in one parallel message", async () => {
    const keeper = createTestKeeper();
    const asked = assistant(
      user(EMPTY_TALK, "fix"),
      call("r1", "Read", { file_path: "/w/a.ts" }),
      call("e1", "Edit", { file_path: "/w/a.ts", old_string: "a", new_string: "b" }),
    );
    const talk = results(asked, result("r1", `     1→${FILE}`), result("e1", "The file /w/a.ts has been updated."));
    const sent = await send(keeper, bodyOf(talk));
    expect(resultIn(sent, "r1")).toContain("[ebb ");
    expect(keeper.stats().released).toMatchObject([{ reason: "stale", moment: "first-send", count: 1 }]);
  });

  it("is held while its path is in use, with quiet steps asked for", async () => {
    const keeper = createTestKeeper({ lifecycle: { quietSteps: 5 } });
    await send(keeper, bodyOf(editTalk), { atMs: 0 });
    const soon = user(assistant(idle(editTalk, "i", 3), text("ok")), "go");
    expect(await send(keeper, bodyOf(soon), { atMs: 10 * MINUTE })).not.toContain("[ebb ");
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("path_active");
    const quiet = user(assistant(idle(editTalk, "i", 6), text("ok")), "go");
    await send(keeper, bodyOf(idle(editTalk, "i", 6)), { atMs: 11 * MINUTE });
    expect(await send(keeper, bodyOf(quiet), { atMs: 30 * MINUTE })).toContain("[ebb ");
  });

  it("leaves at any depth when that is switched on and the model does not bind thinking", async () => {
    const keeper = createTestKeeper({ lifecycle: { staleAtDepth: true } });
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    expect(await send(keeper, bodyOf(editTalk), { atMs: 1 })).toContain("[ebb ");
    expect(keeper.stats().released).toMatchObject([{ moment: "forced" }]);
  });
});

describe("signed thinking", () => {
  const asked = user(EMPTY_TALK, "fix");
  const thought = results(
    assistant(asked, thinking("t1"), call("r1", "Read", { file_path: "/w/a.ts" })),
    result("r1", `     1→${FILE}`),
  );
  const edited = results(
    assistant(thought, thinking("t2"), call("e1", "Edit", { file_path: "/w/a.ts", old_string: "a", new_string: "b" })),
    result("e1", "The file /w/a.ts has been updated."),
  );

  it.each(["claude-opus-5-5", "claude-unheard-of-9"])(
    "forbids a release before it on %s, cold or not",
    async (model) => {
      const keeper = createTestKeeper({ lifecycle: { staleAtDepth: true } });
      await send(keeper, bodyOf(edited, { model }), { atMs: 0 });
      const later = user(assistant(edited, text("ok")), "go");
      expect(await send(keeper, bodyOf(later, { model }), { atMs: 60 * MINUTE })).not.toContain("[ebb ");
      expect(keeper.stats().declined.map((count) => count.reason)).toContain("bound_thinking");
    },
  );

  it("does not forbid it on a model that is known not to bind", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(edited), { atMs: 0 });
    const later = user(assistant(edited, text("ok")), "go");
    expect(await send(keeper, bodyOf(later), { atMs: 60 * MINUTE })).toContain("[ebb ");
  });

  it("gets back what left behind it while another model was in use, and the original stays", async () => {
    const keeper = createTestKeeper();
    const binding = { model: "claude-opus-5-5" };
    await send(keeper, bodyOf(edited, binding), { atMs: 0 });
    const later = user(assistant(edited, text("ok")), "go");
    expect(await send(keeper, bodyOf(later), { atMs: 60 * MINUTE })).toContain("[ebb ");
    const back = user(assistant(later, text("ok")), "go on");
    expect(await send(keeper, bodyOf(back, binding), { atMs: 61 * MINUTE })).not.toContain("[ebb ");
    const restarted = createTestKeeper({ store: keeper.store, idPrefix: "b" });
    const next = user(assistant(back, text("ok")), "and on");
    expect(await send(restarted, bodyOf(next, binding), { atMs: 62 * MINUTE })).not.toContain("[ebb ");
  });

  it("keeps a marker that it was signed over", async () => {
    const keeper = createTestKeeper();
    const talk = edit(readTalk, "e9", "/w/a.ts");
    await send(keeper, bodyOf(talk), { atMs: 0 });
    const cold = user(assistant(talk, text("ok")), "go");
    const marked = await send(keeper, bodyOf(cold), { atMs: 60 * MINUTE });
    expect(resultIn(marked, "r1")).toContain("[ebb ");
    const signed = user(assistant(cold, thinking("t9"), text("ok")), "on");
    const sent = await send(keeper, bodyOf(signed, { model: "claude-opus-5-5" }), { atMs: 61 * MINUTE });
    expect(resultIn(sent, "r1")).toBe(resultIn(marked, "r1"));
  });
});

describe("the first sight of a conversation", () => {
  it("touches only what follows the last assistant message", async () => {
    const keeper = createTestKeeper({ bound: { lines: 10, bytes: 262_144 } });
    const talk = read(read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE), "r2", "/w/b.ts", FILE);
    const sent = await send(keeper, bodyOf(talk));
    expect(resultIn(sent, "r1")).not.toContain("[ebb ");
    expect(resultIn(sent, "r2")).toContain("[ebb ");
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("unknown_boundary");
  });
});

describe("counting tokens", () => {
  it("counts what would be sent and records nothing", async () => {
    const keeper = createTestKeeper({ bound: { lines: 10, bytes: 262_144 } });
    const body = bodyOf(readTalk);
    const counted = await send(keeper, body, { kind: "count" });
    expect(keeper.stats()).toMatchObject({ requests: 0, counted: 1, released: [] });
    expect(await send(keeper, body)).toBe(counted);
    expect(counted).toContain("[ebb ");
  });
});

describe("observing", () => {
  it("sends the very bytes that came and says what it would have released", async () => {
    const keeper = createTestKeeper({ mode: "observe", bound: { lines: 10, bytes: 262_144 } });
    const body = bodyOf(readTalk);
    const prepared = await prepare(keeper, body);
    expect(prepared.kind === "forward" && prepared.body[0]).toBe(body);
    expect(keeper.stats()).toMatchObject({ released: [], would_release: [{ reason: "over_bound", count: 1 }] });
  });

  it.each(["observe", "off"] as const)(
    "replays what was already sent when switched to %s in mid-session",
    async (mode) => {
      const enforcing = createTestKeeper({ bound: { lines: 10, bytes: 262_144 } });
      const first = await send(enforcing, bodyOf(readTalk));
      const next = createTestKeeper({
        mode,
        store: enforcing.store,
        idPrefix: "b",
        bound: { lines: 10, bytes: 262_144 },
      });
      const sent = await send(next, bodyOf(editTalk));
      expect(resultIn(sent, "r1")).toBe(resultIn(first, "r1"));
    },
  );
});
