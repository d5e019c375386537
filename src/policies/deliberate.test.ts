import { describe, expect, it } from "vitest";
import { bash, EMPTY_TALK, user } from "../../test/support/conversation.ts";
import { viewOfTalk } from "../../test/support/view.ts";
import type { Decision, Proposal, Standing } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { Wish } from "../model/wish.ts";
import { createDeliberate } from "./deliberate.ts";

const RELEASE: Wish = { kind: "release" };
const KEEP: Wish = { kind: "keep", range: { from: 2, to: 4 } };
const WHOLE: Wish = { kind: "whole" };
const HELD: Standing = { state: "held" };

function released(item: Item, wish: Wish | null): Standing {
  const decision: Decision = {
    itemKey: item.key,
    address: "a",
    policy: "p",
    reason: "let_go",
    evidenceKey: null,
    wish,
    moment: "deliberate",
    thinkingBehind: null,
    step: 1,
    turn: 1,
    templateVersion: 1,
    channel: { kind: "none" },
    marker: "m",
    originalDigest: item.digest,
    originalBytes: item.bytes,
    originalTokens: 9,
    markerTokens: 1,
  };
  return { state: "released", decision };
}

async function proposals(
  wish: Wish | null,
  standing: (item: Item) => Standing,
  whenFree = false,
): Promise<readonly Proposal[]> {
  const view = await viewOfTalk(bash(user(EMPTY_TALK, "go"), "b1", "x", "some text"));
  const item = view.transcript.items.find(({ kind }) => kind === "result");
  if (item === undefined) throw new Error("no result");
  const wishOf = (key: string) => (key === item.key ? wish : null);
  const standingOf = (key: string) => (key === item.key ? standing(item) : HELD);
  return createDeliberate({ whenFree }).propose({ ...view, wishOf, standingOf }).proposals;
}

describe("a wish", () => {
  it.each([
    ["a release of a held item", RELEASE, () => HELD],
    ["a part of a held item", KEEP, () => HELD],
    ["a release of an item of which a part is kept", RELEASE, (item: Item) => released(item, KEEP)],
    ["a part of a released item", KEEP, (item: Item) => released(item, RELEASE)],
    ["a part of an item that left by a policy", KEEP, (item: Item) => released(item, null)],
    ["a part that begins elsewhere", KEEP, (item: Item) => released(item, { kind: "keep", range: { from: 1, to: 4 } })],
    [
      "a part that ends elsewhere",
      KEEP,
      (item: Item) => released(item, { kind: "keep", range: { from: 2, to: null } }),
    ],
    ["the whole of a released item", WHOLE, (item: Item) => released(item, RELEASE)],
  ])("is proposed for %s", async (_, wish, standing) => {
    expect(await proposals(wish, standing)).toMatchObject([{ wish, allowsCold: true, isForced: false }]);
  });

  it.each([
    ["nobody decided anything", null, (item: Item) => released(item, RELEASE)],
    ["the item was released", RELEASE, (item: Item) => released(item, RELEASE)],
    ["the item left by a policy", RELEASE, (item: Item) => released(item, null)],
    ["that part is kept", KEEP, (item: Item) => released(item, KEEP)],
    ["the item stands in full", WHOLE, () => HELD],
  ])("is done where %s", async (_, wish, standing) => {
    expect(await proposals(wish, standing)).toEqual([]);
  });

  it("waits for a free moment where that is asked for", async () => {
    expect(await proposals(RELEASE, () => HELD)).toMatchObject([{ reason: "let_go", waitsForFree: false }]);
    expect(await proposals(KEEP, () => HELD, true)).toMatchObject([{ reason: "kept", waitsForFree: true }]);
  });
});
