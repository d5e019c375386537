import { expect, it } from "vitest";
import { bash, EMPTY_TALK, user } from "../../test/support/conversation.ts";
import { viewOfTalk } from "../../test/support/view.ts";
import { lifetimes } from "./lifetimes.ts";

const talk = bash(bash(user(EMPTY_TALK, "go"), "b1", "x", "some text"), "b2", "y", "more text");

it("only items whose lifetime is over are proposed, for a free moment or a cold cache", async () => {
  const view = await viewOfTalk(talk);
  const [over] = view.transcript.items.filter(({ kind }) => kind === "result");
  const expiryOf = (key: string) => (key === over?.key ? "declared until turn 1" : null);
  expect(lifetimes.propose({ ...view, expiryOf })).toMatchObject({
    proposals: [{ itemKey: over?.key, reason: "expired", wish: null, allowsCold: true, isForced: false }],
    declines: [],
  });
});

it("an item that left already is not proposed again", async () => {
  const view = await viewOfTalk(talk);
  const standingOf: typeof view.standingOf = (key) => {
    const decision = { itemKey: key, address: "a", policy: "p", evidenceKey: null, wish: null, thinkingBehind: null };
    const sizes = { originalDigest: "d", originalBytes: 9, originalTokens: 9, markerTokens: 1, templateVersion: 1 };
    const place = { reason: "expired", moment: "cold", step: 1, turn: 1, channel: { kind: "none" } } as const;
    return { state: "released", decision: { ...decision, ...sizes, ...place, marker: "m" } };
  };
  expect(lifetimes.propose({ ...view, expiryOf: () => "over", standingOf }).proposals).toEqual([]);
});
