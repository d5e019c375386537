import { describe, expect, it } from "vitest";
import { EMPTY_TALK, idle, user } from "../../test/support/conversation.ts";
import { viewOfTalk } from "../../test/support/view.ts";
import type { CacheEntry } from "../model/cache.ts";
import type { Breakpoint } from "../model/transcript.ts";
import type { View } from "../model/view.ts";
import { type Mark, prefixKeeping } from "./kept-prefix.ts";

const FIVE = 300_000;
const HOUR = 3_600_000;
const talk = idle(user(EMPTY_TALK, "go"), "i", 200);

interface Ground {
  /** Places of prefixes that were left, in items; each item is a block. */
  readonly entries: readonly number[];
  readonly breakpoints: readonly Breakpoint[];
  readonly headTtlMs?: number;
}

async function viewWith({ entries, breakpoints, headTtlMs }: Ground): Promise<View> {
  const view = await viewOfTalk(talk);
  const left = entries.map((itemCount): CacheEntry => {
    return { itemCount, blockCount: itemCount, ttlMs: FIVE, usedAtMs: 0, tokens: null, requestId: "r" };
  });
  const { transcript } = view;
  const header = { ...transcript.header, cacheTtlMs: headTtlMs ?? FIVE, headBreakpoints: 1 };
  return { ...view, transcript: { ...transcript, header, breakpoints }, cache: { ...view.cache, entries: left } };
}

const placeOf = (mark: Mark | null | undefined, { transcript }: View) =>
  mark === null || mark === undefined ? null : transcript.items.findIndex(({ key }) => key === mark.itemKey) + 1;

describe("the breakpoint in front of a change", () => {
  it("stands as near to it as the longest prefix is found from, and nowhere where that is too far", async () => {
    const view = await viewWith({ entries: [10], breakpoints: [{ itemCount: 400, ttlMs: FIVE }] });
    const kept = [9, 10, 20, 29, 30, 300].map((index) => prefixKeeping(view, true).before(index));
    expect(kept.map(({ itemCount, breakpoint }) => [itemCount, placeOf(breakpoint, view)])).toEqual([
      [0, null],
      [10, 10],
      [10, 20],
      [10, 29],
      [10, 29],
      [10, 29],
    ]);
  });

  it("is looked for among few blocks, however far behind the prefix the change is", async () => {
    const view = await viewWith({ entries: [10], breakpoints: [{ itemCount: 400, ttlMs: FIVE }] });
    let looks = 0;
    const items = new Proxy([...view.transcript.items], {
      get: (target, name) => {
        if (typeof name === "string" && /^\d+$/.test(name)) looks += 1;
        return Reflect.get(target, name);
      },
    });
    const keeping = prefixKeeping({ ...view, transcript: { ...view.transcript, items } }, true);
    looks = 0;
    keeping.before(390);
    expect(looks).toBeLessThan(20);
  });

  it("asks for no longer lifetime than any in front of it may have", async () => {
    const ttlAt = async (breakpoints: readonly Breakpoint[]) => {
      const view = await viewWith({ entries: [10], breakpoints, headTtlMs: HOUR });
      return prefixKeeping(view, true).before(20).breakpoint?.ttlMs;
    };
    expect(await ttlAt([{ itemCount: 400, ttlMs: HOUR }])).toBe(HOUR);
    expect(await ttlAt([{ itemCount: 400, ttlMs: FIVE }])).toBe(FIVE);
    expect(await ttlAt([{ itemCount: 12, ttlMs: HOUR }])).toBe(undefined);
    // Tools for an hour and a system prompt for five minutes, and nothing in the messages.
    expect(await ttlAt([])).toBe(FIVE);
  });
});
