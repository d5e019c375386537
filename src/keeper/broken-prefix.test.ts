import { describe, expect, it } from "vitest";
import {
  assistant,
  type BodyOptions,
  bash,
  bodyOf,
  CLAUDE_TOOLS,
  call,
  EMPTY_TALK,
  edit,
  idle,
  numbered,
  read,
  result,
  results,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import type { Keeper } from "../keeper/contract.ts";
import { createMemoryStore } from "../stores/memory.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const MINUTE = 60_000;
const EDIT_Z = { file_path: "/w/z.ts", old_string: "a", new_string: "b" };
const OTHER = { model: "claude-opus-4-5" };

const asked = user(EMPTY_TALK, "please fix a.ts");
const opened = bash(asked, "b1", "ls", "a.ts");
const readTalk = read(opened, "r1", "/w/a.ts", FILE);
const editTalk = edit(readTalk, "e1", "/w/a.ts");

/** The same conversation, some answered requests later. */
function later(steps: number, id = "i"): Talk {
  return idle(editTalk, id, steps);
}

interface Sent {
  readonly talk: Talk;
  readonly atMinute: number;
  readonly options?: BodyOptions;
}

/** True where the stale read left in the last of the requests. */
async function leavesIn(keeper: Keeper, ...sent: readonly Sent[]): Promise<boolean> {
  let last = "";
  for (const { talk, atMinute, options } of sent) {
    last = await send(keeper, bodyOf(talk, options), { atMs: atMinute * MINUTE });
  }
  return String(resultIn(last, "r1")).includes("[ebb ");
}

const start: readonly Sent[] = [
  { talk: asked, atMinute: 0 },
  { talk: opened, atMinute: 0 },
];
const before: readonly Sent[] = [...start, { talk: readTalk, atMinute: 0 }, { talk: editTalk, atMinute: 1 }];

describe("a stale read on a warm cache", () => {
  it.each<[string, BodyOptions, boolean]>([
    ["nothing changes", {}, false],
    ["the tools change", { tools: [...CLAUDE_TOOLS, "mcp__tracker__list"] }, true],
    ["the system prompt changes", { cwd: "/elsewhere" }, true],
    ["thinking is switched on", { thinking: { type: "enabled", budget_tokens: 4_000 } }, true],
    ["thinking is said to be off, as it was", { thinking: { type: "disabled" } }, false],
    ["the model changes", OTHER, true],
    ["the model changes to one that signs its thinking, and nothing is signed", { model: "claude-opus-5-5" }, true],
    ["a request beside the conversation has no tools", { ...OTHER, tools: [] }, false],
    ["the model changes and no lifetime is on record", { ...OTHER, ttl: null }, false],
  ])("when %s, leaves: %#", async (_, options, leaves) => {
    const keeper = createTestKeeper();
    expect(await leavesIn(keeper, ...before, { talk: later(1), atMinute: 2, options })).toBe(leaves);
  });

  it("leaves at the moment prefix-broken, without a token written again, and stays out when the change is undone", async () => {
    const keeper = createTestKeeper();
    expect(await leavesIn(keeper, ...before, { talk: later(1), atMinute: 2, options: OTHER })).toBe(true);
    expect(keeper.stats().released).toMatchObject([{ reason: "stale", moment: "prefix-broken", count: 1 }]);
    expect(keeper.stats().figures.reanchored_tokens).toBe(0);
    expect(await leavesIn(keeper, { talk: later(2), atMinute: 3 })).toBe(true);
  });

  it("waits where the policy was not allowed to use free moments", async () => {
    const keeper = createTestKeeper({ lifecycle: { coldCache: false } });
    expect(await leavesIn(keeper, ...before, { talk: later(1), atMinute: 2, options: OTHER })).toBe(false);
  });

  it("waits behind thinking that the new model may have signed", async () => {
    const signed = user(assistant(editTalk, thinking("hm"), text("done")), "go on");
    const keeper = createTestKeeper();
    const last = { talk: signed, atMinute: 2, options: { model: "claude-opus-5-5" } };
    expect(await leavesIn(keeper, ...before, last)).toBe(false);
    expect(keeper.stats().declined.map(({ reason }) => reason)).toContain("bound_thinking");
  });
});

describe("back on a model that was in use before", () => {
  const there: readonly Sent[] = [
    ...start,
    { talk: readTalk, atMinute: 0 },
    { talk: idle(readTalk, "i", 1), atMinute: 1, options: OTHER },
  ];
  const back = edit(idle(readTalk, "i", 1), "e1", "/w/a.ts");

  it("a read waits while that model's cache may be warm", async () => {
    expect(await leavesIn(createTestKeeper(), ...there, { talk: back, atMinute: 2 })).toBe(false);
  });

  it("a read leaves once it is not, although the other model's is", async () => {
    const warmed = [...there, { talk: idle(readTalk, "i", 2), atMinute: 5, options: OTHER }];
    const last = edit(idle(readTalk, "i", 2), "e1", "/w/a.ts");
    expect(await leavesIn(createTestKeeper(), ...warmed, { talk: last, atMinute: 6 - 1 / MINUTE })).toBe(false);
    expect(await leavesIn(createTestKeeper(), ...warmed, { talk: last, atMinute: 6 })).toBe(true);
  });

  it("what was sent only since then leaves, and what was sent before stays", async () => {
    const keeper = createTestKeeper();
    const first = read(opened, "r0", "/w/z.ts", FILE);
    const second = read(first, "r1", "/w/a.ts", FILE);
    await leavesIn(keeper, ...start, { talk: first, atMinute: 0 }, { talk: second, atMinute: 1, options: OTHER });
    const edits = [call("e0", "Edit", EDIT_Z), call("e1", "Edit", { ...EDIT_Z, file_path: "/w/a.ts" })];
    const done = results(assistant(second, ...edits), result("e0", "updated"), result("e1", "updated"));
    const last = await send(keeper, bodyOf(done), { atMs: 2 * MINUTE });
    expect(String(resultIn(last, "r0"))).not.toContain("[ebb ");
    expect(String(resultIn(last, "r1"))).toContain("[ebb ");
  });

  it("a clock that goes backwards makes nothing colder", async () => {
    const jump: readonly Sent[] = [
      ...start.map(({ talk }) => ({ talk, atMinute: 599 })),
      { talk: readTalk, atMinute: 600 },
      { talk: idle(readTalk, "i", 1), atMinute: 1, options: OTHER },
    ];
    expect(await leavesIn(createTestKeeper(), ...jump, { talk: back, atMinute: 10 })).toBe(false);
  });
});

describe("over a restart", () => {
  it("the ledger tells which caches may be warm", async () => {
    const store = createMemoryStore({});
    await leavesIn(createTestKeeper({ store, idPrefix: "a" }), ...before);
    expect(await leavesIn(createTestKeeper({ store, idPrefix: "b" }), { talk: later(1), atMinute: 2 })).toBe(false);
    expect(
      await leavesIn(createTestKeeper({ store, idPrefix: "c" }), { talk: later(2), atMinute: 3, options: OTHER }),
    ).toBe(true);
  });

  it.each([
    ["keeps the shared part warm, where it left something there", [editTalk], false],
    ["keeps nothing of it warm, where it left something only behind it", [], true],
  ])("a fork that another process sent %s", async (_, alsoSent, leaves) => {
    const store = createMemoryStore({});
    const one = createTestKeeper({ store, idPrefix: "a" });
    await leavesIn(one, ...before.map((sent) => ({ ...sent, options: OTHER })));
    const fork = user(assistant(editTalk, text("aside")), "try something else");
    const other = createTestKeeper({ store, idPrefix: "b" });
    for (const talk of [...alsoSent, fork]) {
      await send(other, bodyOf(talk), { sessionId: "fork", atMs: 2 * MINUTE });
    }
    const third = createTestKeeper({ store, idPrefix: "c" });
    expect(await leavesIn(third, { talk: later(1), atMinute: 3 })).toBe(leaves);
  });
});

describe("where the client changes its history", () => {
  const SHORT = "[Old tool result content cleared]";
  const shortened = JSON.parse(JSON.stringify(later(1)).replace('"content":"a.ts"', `"content":"${SHORT}"`));

  it("what stands behind a result that it shortened leaves", async () => {
    const keeper = createTestKeeper();
    expect(await leavesIn(keeper, ...before, { talk: shortened, atMinute: 2 })).toBe(true);
    expect(keeper.stats().released).toMatchObject([{ moment: "prefix-broken" }]);
    const next = bash(shortened, "i2", "true", "ok");
    expect(await leavesIn(keeper, { talk: next, atMinute: 3 })).toBe(true);
  });

  it("what stands behind it leaves also where the model answered in words alone", async () => {
    const keeper = createTestKeeper();
    const one = user(assistant(later(1), text("done")), "and now?");
    const two = user(assistant(one, text("done too")), "go on");
    await leavesIn(keeper, ...before, { talk: later(1), atMinute: 2 }, { talk: one, atMinute: 3 });
    const changed = JSON.parse(JSON.stringify(two).replace('"content":"a.ts"', `"content":"${SHORT}"`));
    expect(await leavesIn(keeper, { talk: changed, atMinute: 4 })).toBe(true);
  });

  it("what stands before it waits", async () => {
    const behind = JSON.parse(JSON.stringify(later(2)).replace('"content":"ok 0"', `"content":"${SHORT}"`));
    const keeper = createTestKeeper();
    await leavesIn(keeper, ...before, { talk: later(1), atMinute: 2 });
    expect(await leavesIn(keeper, { talk: behind, atMinute: 3 })).toBe(false);
  });

  it.each([
    [8, false],
    [30, true],
  ])(
    "what stands before it is read where a breakpoint looks back as far, over %i steps, and else leaves: %s",
    async (steps, leaves) => {
      const keeper = createTestKeeper();
      const counts = Array.from({ length: steps }, (_, index) => index + 1);
      await leavesIn(keeper, ...before, ...counts.map((count) => ({ talk: later(count), atMinute: 2 })));
      const changed = JSON.parse(JSON.stringify(later(steps + 1)).replace('"content":"ok 0"', `"content":"${SHORT}"`));
      expect(await leavesIn(keeper, { talk: changed, atMinute: 3 })).toBe(leaves);
    },
  );

  it("nothing leaves before the place it goes back to", async () => {
    const keeper = createTestKeeper();
    await leavesIn(keeper, ...before, { talk: later(1), atMinute: 2 });
    const rewound = user(assistant(editTalk, text("done")), "another way");
    expect(await leavesIn(keeper, { talk: rewound, atMinute: 3 })).toBe(false);
  });

  it("a history that it comes back to is warm as it was", async () => {
    const keeper = createTestKeeper();
    await leavesIn(
      keeper,
      ...start,
      { talk: readTalk, atMinute: 0 },
      { talk: edit(readTalk, "e9", "/w/c.ts"), atMinute: 1 },
    );
    const aside = user(assistant(readTalk, text("hm")), "another way");
    await leavesIn(keeper, { talk: aside, atMinute: 2, options: OTHER });
    const back = edit(edit(readTalk, "e9", "/w/c.ts"), "e1", "/w/a.ts");
    expect(await leavesIn(keeper, { talk: back, atMinute: 3 })).toBe(false);
  });
});

describe("what Ebb did not see", () => {
  it("may have been sent on the model that is new here", async () => {
    const last = { talk: later(2), atMinute: 2, options: OTHER };
    expect(await leavesIn(createTestKeeper(), ...before, last)).toBe(false);
  });

  it("counts for an hour, whatever was seen since, over a restart too", async () => {
    const store = createMemoryStore({});
    await leavesIn(createTestKeeper({ store, idPrefix: "a" }), ...before, { talk: later(2), atMinute: 2 });
    const sent: Sent = { talk: later(3), atMinute: 6, options: OTHER };
    expect(await leavesIn(createTestKeeper({ store, idPrefix: "b" }), sent)).toBe(false);
    const warm = [10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50, 54, 58, 62].map((atMinute, index): Sent => {
      return { talk: later(4 + index), atMinute };
    });
    const keeper = createTestKeeper({ store, idPrefix: "c" });
    expect(await leavesIn(keeper, ...warm, { talk: later(18), atMinute: 64, options: OTHER })).toBe(true);
  });

  it("leaves a conversation alone that is first seen in the middle", async () => {
    expect(await leavesIn(createTestKeeper(), { talk: later(3), atMinute: 0 })).toBe(false);
    expect(await leavesIn(createTestKeeper(), { talk: later(3), atMinute: 0, options: OTHER })).toBe(false);
  });

  it("counts for an hour where a conversation was first seen in the middle, or after its first answer", async () => {
    const young = read(asked, "r1", "/w/a.ts", FILE);
    const last = { talk: edit(young, "e1", "/w/a.ts"), atMinute: 1, options: OTHER };
    expect(await leavesIn(createTestKeeper(), { talk: young, atMinute: 0 }, last)).toBe(false);
    const keeper = createTestKeeper();
    await leavesIn(keeper, { talk: later(3), atMinute: 0 });
    expect(await leavesIn(keeper, { talk: later(4), atMinute: 1, options: OTHER })).toBe(false);
  });
});

describe("requests beside the conversation", () => {
  it("make nothing of it mutable: a title, a quota, a count, a sub-agent of the same session", async () => {
    const keeper = createTestKeeper();
    await leavesIn(keeper, ...before);
    const title = bodyOf(user(EMPTY_TALK, "title for: please fix a.ts"), { tools: [], model: "claude-haiku-4-5" });
    await send(keeper, title, { atMs: 1.1 * MINUTE });
    await send(keeper, bodyOf(user(EMPTY_TALK, "quota"), { tools: [], ttl: null }), { atMs: 1.2 * MINUTE });
    await send(keeper, bodyOf(later(1), OTHER), { kind: "count", atMs: 1.3 * MINUTE });
    const agent = read(user(EMPTY_TALK, "search"), "s1", "/w/a.ts", FILE);
    await send(keeper, bodyOf(agent, { tools: ["Read"] }), { agentId: "sub", atMs: 1.4 * MINUTE });
    expect(await leavesIn(keeper, { talk: later(1), atMinute: 2 })).toBe(false);
    expect(keeper.stats().released).toEqual([]);
  });
});

describe("thinking of the turn before", () => {
  const thought = assistant(opened, thinking("hm"), call("r1", "Read", { file_path: "/w/a.ts" }));
  const readThought = results(thought, result("r1", numbered(FILE)));
  const edited = edit(readThought, "e1", "/w/a.ts");
  const spoken = user(assistant(idle(edited, "i", 1), text("done")), "and now the tests");

  it.each([
    ["claude-sonnet-4-5", true],
    ["claude-opus-4-8", false],
  ])("is left out by %s once the user speaks again, so what stands behind it leaves: %s", async (model, leaves) => {
    const options = { model };
    const sent = [asked, opened, readThought, edited, idle(edited, "i", 1)];
    const keeper = createTestKeeper();
    await leavesIn(keeper, ...sent.map((talk) => ({ talk, atMinute: 1, options })));
    expect(await leavesIn(keeper, { talk: spoken, atMinute: 2, options })).toBe(leaves);
    expect(keeper.stats().released.map(({ moment }) => moment)).toEqual(leaves ? ["prefix-broken"] : []);
  });

  it("asks for no breakpoint of Ebb's, whatever left in front of what is written again", async () => {
    const options = { model: "claude-sonnet-4-5" };
    const calls = [
      call("r1", "Read", { file_path: "/w/a.ts" }),
      call("e1", "Edit", { ...EDIT_Z, file_path: "/w/a.ts" }),
    ];
    const both = results(
      assistant(opened, thinking("hm"), ...calls),
      result("r1", numbered(FILE)),
      result("e1", "updated"),
    );
    const keeper = createTestKeeper();
    const sent = [asked, opened, both].map((talk) => ({ talk, atMinute: 1, options }));
    expect(await leavesIn(keeper, ...sent)).toBe(true);
    const steps = Array.from({ length: 12 }, (_, index) => idle(both, "i", index + 1));
    await leavesIn(keeper, ...steps.map((talk) => ({ talk, atMinute: 1, options })));
    const spokenNext = bodyOf(user(assistant(idle(both, "i", 12), text("done")), "thanks"), options);
    const last = await send(keeper, spokenNext, { atMs: 2 * MINUTE });
    expect(last.split("cache_control").length).toBe(Buffer.from(spokenNext).toString().split("cache_control").length);
  });

  it.each([
    ["was sent without it before, by a fork in which the user spoke", true, false],
    ["was sent with it alone", false, true],
  ])("breaks nothing of what %s, over a restart too", async (_, hasFork, leaves) => {
    const options = { model: "claude-sonnet-4-5" };
    const store = createMemoryStore({});
    const one = createTestKeeper({ store, idPrefix: "a" });
    await leavesIn(one, ...[asked, opened, readThought].map((talk) => ({ talk, atMinute: 1, options })));
    const fork = user(assistant(readThought, text("aside")), "another way");
    if (hasFork) await send(one, alsoMarked(bodyOf(fork, options), -3), { sessionId: "fork", atMs: MINUTE });
    await leavesIn(one, { talk: edited, atMinute: 1, options });
    const other = createTestKeeper({ store, idPrefix: "b" });
    const back = user(assistant(edited, text("done")), "and now the tests");
    expect(await leavesIn(other, { talk: back, atMinute: 2, options })).toBe(leaves);
  });
});

/** With one more breakpoint, on the only block of a message. */
function alsoMarked(body: Uint8Array, place: number): Uint8Array {
  const parsed = JSON.parse(Buffer.from(body).toString());
  parsed.messages.at(place).content[0].cache_control = { type: "ephemeral" };
  return Buffer.from(JSON.stringify(parsed));
}
