import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  read,
  result,
  results,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import {
  CONTEXT,
  declare,
  FILE,
  FOREVER,
  keep,
  order,
  release,
  SUMMARY,
  undeclare,
} from "../../test/support/orders.ts";
import type { Keeper } from "./contract.ts";

const start = read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE);
const next = bash(start, "b1", "ls", "x");
const BINDING = "claude-opus-5-5";

async function wordsOf(keeper: Keeper, given = release("r1")): Promise<string> {
  return (await order(keeper, given)).words;
}

async function waitingIn(keeper: Keeper): Promise<string | null> {
  const window = await keeper.window(CONTEXT);
  if (!window.ok) throw new Error(window.words);
  return window.items[0]?.waiting ?? null;
}

describe("the answer to an order", () => {
  it("says `from the next request` where the next request carries it out", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    expect(await wordsOf(keeper)).toMatch(/ let go; from the next request$/);
    expect(await waitingIn(keeper)).toContain("waiting: for the next request");
    expect(resultIn(await send(keeper, bodyOf(next)), "r1")).toContain("[ebb ");
    expect(await waitingIn(keeper)).toBeNull();
    expect(await wordsOf(keeper)).toContain("stands so already");
    expect(await wordsOf(keeper, keep("r1", null))).toMatch(/wanted in full; from the next request$/);
    expect(resultIn(await send(keeper, bodyOf(bash(next, "b2", "ls", "y"))), "r1")).not.toContain("[ebb ");
  });

  it("says that it waits where thinking may be signed over it, and the request refuses for that reason", async () => {
    const keeper = createTestKeeper();
    const thought = user(assistant(start, thinking("t"), text("hm")), "go");
    await send(keeper, bodyOf(thought, { model: BINDING }));
    expect(await wordsOf(keeper)).toContain("; waiting: thinking that was sent may be signed over it");
    expect(await send(keeper, bodyOf(bash(thought, "b1", "ls", "x"), { model: BINDING }))).not.toContain("[ebb ");
    expect(keeper.stats().declined.map(({ reason }) => reason)).toContain("bound_thinking");
    expect(await waitingIn(keeper)).toContain("waiting: thinking");
  });

  it.each(["observe", "off"] as const)(
    "says that it waits where the mode is %s, in which nothing acts",
    async (mode) => {
      const keeper = createTestKeeper({ mode });
      await send(keeper, bodyOf(start));
      expect(await wordsOf(keeper)).toContain("; waiting: for the mode enforce: in observe and off nothing new acts");
      expect(await send(keeper, bodyOf(next))).not.toContain("[ebb ");
      expect(await waitingIn(keeper)).toContain("waiting: for the mode enforce");
    },
  );

  it("goes by how the last request was handled, whatever the process that takes the order is set to", async () => {
    const proxy = createTestKeeper({ mode: "observe" });
    await send(proxy, bodyOf(start));
    expect(await wordsOf(createTestKeeper({ store: proxy.store, idPrefix: "cli" }))).toContain("waiting: for the mode");
    const acting = createTestKeeper({ store: proxy.store, idPrefix: "acting" });
    await send(acting, bodyOf(next));
    const other = createTestKeeper({ mode: "observe", store: proxy.store, idPrefix: "b" });
    expect(await wordsOf(other, keep("r1", null))).toContain("from the next request");
  });

  it("does not wait for thinking on a model that signs none", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(user(assistant(start, thinking("t"), text("hm")), "go")));
    expect(await wordsOf(keeper)).toContain("from the next request");
  });

  it("says that it waits for a moment that costs nothing where that is asked for", async () => {
    const keeper = createTestKeeper({ whenFree: true });
    await send(keeper, bodyOf(start), { atMs: 0 });
    expect(await wordsOf(keeper)).toContain("; waiting: for a moment that costs nothing");
    expect(await send(keeper, bodyOf(next), { atMs: 1_000 })).not.toContain("[ebb ");
    const cold = await send(keeper, bodyOf(user(assistant(next, text("ok")), "go")), { atMs: 600_000 });
    expect(resultIn(cold, "r1")).toContain("[ebb ");
  });

  it("says that it waits for the end of a protection, and acts after it", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    await order(keeper, declare("protect", { ids: ["r1"] }, FOREVER));
    expect(await wordsOf(keeper)).toContain("; waiting: it is protected for good: in use");
    expect(await send(keeper, bodyOf(next))).not.toContain("[ebb ");
    expect(await waitingIn(keeper)).toContain("waiting: it is protected");
    await order(keeper, undeclare("unprotect", { ids: ["r1"] }));
    expect(resultIn(await send(keeper, bodyOf(bash(next, "b2", "ls", "y"))), "r1")).toContain("[ebb ");
  });

  it("says that a protection rules out no return", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    await order(keeper, release("r1"));
    await send(keeper, bodyOf(next));
    const answer = await order(keeper, declare("protect", { ids: ["r1"] }, FOREVER));
    expect(answer.words).toContain("left before and stays behind its marker");
    expect(await wordsOf(keeper, keep("r1", null))).toContain("from the next request");
    expect(resultIn(await send(keeper, bodyOf(bash(next, "b2", "ls", "y"))), "r1")).not.toContain("[ebb ");
  });

  it("says that it waits for a smaller marker where the item is about as small", async () => {
    const keeper = createTestKeeper();
    const tiny = bash(user(EMPTY_TALK, "go"), "r1", "true", "ok");
    await send(keeper, bodyOf(tiny));
    expect(await wordsOf(keeper)).toContain("; waiting: for a smaller marker");
    await send(keeper, bodyOf(bash(tiny, "b2", "ls", "y")));
    expect(keeper.stats().declined.map(({ reason }) => reason)).toContain("marker_no_win");
    expect(await waitingIn(keeper)).toContain("waiting: for a smaller marker");
  });

  it("promises nothing of an item that only a shorter way back makes larger than its marker", async () => {
    const keeper = createTestKeeper();
    const output = "one line of some output that says a thing or two about what has been done here\n".repeat(4);
    await send(keeper, bodyOf(bash(user(EMPTY_TALK, "go"), "r1", "make", output)));
    expect(await wordsOf(keeper)).toContain("from the next request, if what stands in its place is smaller");
  });

  it("counts the head that a released error keeps", async () => {
    const keeper = createTestKeeper();
    const calling = assistant(user(EMPTY_TALK, "go"), call("r1", "Bash", { command: "make" }));
    const failed = results(calling, result("r1", `Exit code 2\n${"a line that says what failed\n".repeat(5)}`, true));
    await send(keeper, bodyOf(failed));
    expect(await wordsOf(keeper)).toContain("waiting: for a smaller marker");
    await send(keeper, bodyOf(bash(failed, "b2", "ls", "y")));
    expect(keeper.stats().declined.map(({ reason }) => reason)).toContain("marker_no_win");
  });

  it("says that it waits for a place in the store where a rule keeps the original out", async () => {
    const keeper = createTestKeeper({ isNeverStored: () => true });
    await send(keeper, bodyOf(start));
    expect(await wordsOf(keeper)).toContain("; waiting: for a place in the store");
    expect(await send(keeper, bodyOf(next))).not.toContain("[ebb ");
  });

  it("says that it waits for a request that holds the item where the client's compaction took it out", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    await send(keeper, bodyOf(read(user(EMPTY_TALK, SUMMARY), "r9", "/w/z.ts", FILE)));
    const { address = "" } = (await keeper.store.findItems("local", "r1"))[0]?.item ?? {};
    const lineage = (await keeper.store.findItems("local", "r9"))[0]?.lineage ?? "";
    const answer = await order(keeper, release(address), { lineage });
    expect(answer.words).toContain("; waiting: for a request that holds it");
  });

  it.each([
    ["the client's compaction", user(EMPTY_TALK, SUMMARY)],
    ["a rewind", bash(user(EMPTY_TALK, "look"), "b7", "ls", FILE)],
  ])(
    "says that it waits for a request that holds the item after %s, also where no conversation is named",
    async (_, on) => {
      const keeper = createTestKeeper();
      await send(keeper, bodyOf(user(EMPTY_TALK, "look")));
      await send(keeper, bodyOf(start));
      await send(keeper, bodyOf(on), { atMs: 1_000_001 });
      expect(await wordsOf(keeper)).toContain("; waiting: for a request that holds it");
      const { words } = await order(keeper, declare("hold", { ids: ["r1"] }, FOREVER));
      expect(words).toMatch(/no request holds \w{12} any more/);
      const window = await keeper.window(CONTEXT);
      expect(window).toMatchObject({ ok: true, gone: 1 });
    },
  );

  it("tells several items apart", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(bash(start, "b1", "true", "ok")));
    const { words } = await order(keeper, release("r1", "b1"));
    expect(words).toMatch(/^\w{12} let go; from the next request\. \w{12} let go; waiting: for a smaller marker/);
  });

  it("says of a declaration that it counts from now on", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(start));
    const { words } = await order(keeper, declare("hold", { paths: ["/w/a.ts"] }, { kind: "turns", turns: 2 }));
    expect(words).toMatch(/^\w{12}, and what is acquired of \/w\/a\.ts later, held until turn 3, from now on$/);
    expect((await order(keeper, undeclare("unhold", { ids: ["r1"] }))).words).toContain("from now on");
  });
});
