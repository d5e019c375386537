import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, edit, idle, read, type Talk, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare } from "../../test/support/keeper.ts";
import type { ResponseFacts } from "../model/usage.ts";
import { createMemoryStore } from "../stores/memory.ts";
import type { Keeper } from "./contract.ts";

const FILE = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const SECOND = 1_000;
const ANSWERED: ResponseFacts = {
  usage: null,
  messageId: null,
  stopReason: null,
  errorType: null,
  calls: [],
  isComplete: true,
};
const OVERLOADED: ResponseFacts = { ...ANSWERED, errorType: "overloaded_error" };

/** A long read becomes stale with as much in front of it as behind, and it goes on for so long that a batch pays. */
function talk(): Talk {
  const start = bash(user(EMPTY_TALK, "please fix a.ts"), "b1", "ls", "a.ts");
  const before = read(read(start, "r4", "/w/d.ts", FILE), "r5", "/w/e.ts", FILE);
  const readTalk = read(idle(before, "i", 5), "r1", "/w/a.ts", FILE);
  const others = read(read(readTalk, "r2", "/w/b.ts", FILE), "r3", "/w/c.ts", FILE);
  return idle(edit(others, "e1", "/w/a.ts"), "j", 50);
}

interface Sent {
  readonly breakpoints: number;
  readonly isCut: boolean;
}

interface Playing {
  /** The request, by its place, that is refused once and sent again. */
  readonly refused?: number;
  keeperAt(place: number): Keeper;
}

/** Every request of the talk, a minute apart. */
async function play({ refused, keeperAt }: Playing): Promise<readonly Sent[]> {
  const { messages } = talk();
  const sent: Sent[] = [];
  let atMs = 0;
  async function exchange(end: number, facts: ResponseFacts, status: number): Promise<void> {
    atMs += 60 * SECOND;
    const body = bodyOf({ messages: messages.slice(0, end) }, { model: "claude-opus-4-8" });
    const prepared = await prepare(keeperAt(sent.length), body, { atMs });
    if (prepared.kind !== "forward") throw new Error(prepared.words);
    const text = Buffer.concat(prepared.body).toString();
    sent.push({ breakpoints: text.split('"cache_control"').length - 1, isCut: text.includes("[ebb ") });
    await prepared.finish(facts, status);
  }
  for (let end = 1; end <= messages.length; end += 2) {
    if (sent.length === refused) await exchange(end, OVERLOADED, 529);
    await exchange(end, ANSWERED, 200);
  }
  return sent;
}

const oneKeeper = () => {
  const keeper = createTestKeeper({ paying: { pays: true } });
  return () => keeper;
};

describe("a request that the provider refused", () => {
  it("left nothing there: what it marked is marked again before anything leaves behind it", async () => {
    const usual = await play({ keeperAt: oneKeeper() });
    const cut = usual.findIndex(({ isCut }) => isCut);
    const marked = cut - 1;
    expect([usual[marked - 1], usual[marked]]).toMatchObject([{ breakpoints: 2 }, { breakpoints: 3, isCut: false }]);
    const seen = await play({ refused: marked, keeperAt: oneKeeper() });
    expect(seen.slice(marked, marked + 3)).toEqual([usual[marked], usual[marked], usual[cut]]);
  });

  it("is repeated with its breakpoint where something left in it", async () => {
    const usual = await play({ keeperAt: oneKeeper() });
    const cut = usual.findIndex(({ isCut }) => isCut);
    const seen = await play({ refused: cut, keeperAt: oneKeeper() });
    expect(seen.slice(cut, cut + 3)).toEqual([usual[cut], usual[cut], usual[cut + 1]]);
  });

  it("left nothing there after a restart either", async () => {
    const usual = await play({ keeperAt: oneKeeper() });
    const marked = usual.findIndex(({ isCut }) => isCut) - 1;
    const store = createMemoryStore({});
    const keepers = ["a", "b"].map((idPrefix) => createTestKeeper({ store, idPrefix, paying: { pays: true } }));
    const keeperAt = (place: number) => {
      const keeper = keepers[place > marked ? 1 : 0];
      if (keeper === undefined) throw new Error("no keeper");
      return keeper;
    };
    const seen = await play({ refused: marked, keeperAt });
    expect(seen.slice(marked, marked + 3)).toEqual([usual[marked], usual[marked], usual[marked + 1]]);
  });
});
