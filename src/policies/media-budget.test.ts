import { describe, expect, it } from "vitest";
import {
  assistant,
  call,
  EMPTY_TALK,
  result,
  results,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { imageBlock, picture } from "../../test/support/pictures.ts";
import { viewOfTalk } from "../../test/support/view.ts";
import type { ThinkingBinding } from "../model/cache.ts";
import type { View } from "../model/view.ts";
import { createMediaBudget } from "./media-budget.ts";

const budget = createMediaBudget({ bytesMax: null, imagesMax: 5 });

function withImages(count: number, thinks = false): Talk {
  let talk = user(EMPTY_TALK, "look");
  for (let seed = 0; seed < count; seed++) {
    const thought = thinks ? [thinking(`t${seed}`)] : [];
    talk = assistant(talk, ...thought, call(`s${seed}`, "Read", { file_path: `/w/${seed}.png` }));
    talk = results(talk, result(`s${seed}`, [text("the page"), imageBlock(picture(seed))]));
  }
  return talk;
}

function binding(view: View, thinkingBinding: ThinkingBinding = "prefix"): View {
  return { ...view, model: { ...view.model, thinkingBinding } };
}

/** Numbers of the images it proposes, in order. */
function proposed(view: View, policy = budget): readonly number[] {
  const media = view.transcript.items.filter(({ kind }) => kind === "media").map(({ key }) => key);
  return policy.propose(view).proposals.map(({ itemKey }) => media.indexOf(itemKey));
}

describe("the media budget", () => {
  it("proposes nothing while the request is within it, and nothing without media", async () => {
    expect(proposed(await viewOfTalk(withImages(5)))).toEqual([]);
    expect(budget.propose(await viewOfTalk(user(EMPTY_TALK, "go")))).toEqual({ proposals: [], declines: [] });
  });

  it("proposes the oldest beyond it, down to four fifths", async () => {
    expect(proposed(await viewOfTalk(withImages(6)))).toEqual([0, 1]);
    expect(proposed(await viewOfTalk(withImages(9)))).toEqual([0, 1, 2, 3, 4]);
  });

  it("stands at the provider's limits where none is stated", async () => {
    const own = createMediaBudget({ bytesMax: null, imagesMax: null });
    const view = await viewOfTalk(withImages(3));
    const limited = { ...view.model.media, imagesMax: 2, bodyBytesMax: 10 };
    expect(proposed(view, own)).toEqual([]);
    expect(proposed({ ...view, model: { ...view.model, media: limited } }, own)).toEqual([0, 1, 2]);
  });

  it("counts bytes of the body, and takes nothing that is no help", async () => {
    const view = await viewOfTalk(withImages(4));
    const [smallest] = view.transcript.items.filter(({ kind }) => kind === "media");
    const inBytes = createMediaBudget({ bytesMax: view.bodyBytes - 1, imagesMax: null });
    expect(proposed(view, inBytes)).toEqual([0]);
    const thin = view.transcript.items.map((item) => (item === smallest ? { ...item, carriedBytes: 100 } : item));
    const changed = { ...view, transcript: { ...view.transcript, items: thin as typeof view.transcript.items } };
    expect(proposed(changed, inBytes)).toEqual([1]);
    expect(proposed(view, createMediaBudget({ bytesMax: view.bodyBytes, imagesMax: null }))).toEqual([]);
  });

  it.each<[string, Partial<View>]>([
    ["protected", { isProtected: () => true }],
    ["held for a time", { isHeldBySpan: () => true }],
    ["wanted in full", { wishOf: () => ({ kind: "whole" }) }],
    ["recalled not long ago", { exemptionOf: () => "recalled text stays" }],
    ["not to be stored", { isUnstorable: () => true }],
    ["no larger than a marker", { tokensOf: () => 20 }],
  ])("passes over what is %s", async (_, look) => {
    expect(proposed({ ...(await viewOfTalk(withImages(6))), ...look })).toEqual([]);
  });

  it("proposes only what no thinking stands behind where thinking is bound, and says so of the others", async () => {
    const view = binding(await viewOfTalk(withImages(6, true)));
    expect(proposed(view)).toEqual([5]);
    const { declines } = budget.propose(view);
    expect(declines).toHaveLength(5);
    for (const { reason, words } of declines) {
      expect(reason).toBe("bound_thinking");
      expect(words).toContain("over its media budget");
    }
    expect(proposed(binding(await viewOfTalk(withImages(6))))).toEqual([0, 1]);
    expect(proposed(binding(await viewOfTalk(withImages(6, true)), "block"))).toEqual([0, 1]);
  });

  it("warns ahead there, once a request, and not earlier than from four fifths on", async () => {
    const near = budget.propose(binding(await viewOfTalk(withImages(5, true))));
    expect(near.proposals).toEqual([]);
    expect(near.declines).toMatchObject([{ reason: "bound_thinking", words: expect.stringContaining("comes near 5") }]);
    expect(budget.propose(binding(await viewOfTalk(withImages(4, true)))).declines).toEqual([]);
    expect(budget.propose(await viewOfTalk(withImages(5, true))).declines).toEqual([]);
  });
});
