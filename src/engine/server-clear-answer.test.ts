import { describe, expect, it } from "vitest";
import type { Decision } from "../model/decision.ts";
import type { ResponseFacts } from "../model/usage.ts";
import { clearAnswerOf, entriesOfAnswer } from "./server-clear-answer.ts";

function decision(key: string, originalTokens = 900): Decision {
  return {
    itemKey: key,
    address: `address ${key}`,
    policy: "lifetimes",
    reason: "expired",
    evidenceKey: null,
    wish: null,
    moment: "server-clear",
    thinkingBehind: null,
    step: 4,
    turn: 1,
    templateVersion: 3,
    channel: { kind: "none" },
    marker: "",
    originalDigest: "",
    originalBytes: 1,
    originalTokens,
    markerTokens: 12,
  };
}

const LEAVING = [decision("a"), decision("tiny", 3), decision("b"), decision("c")];
const EDIT = {
  kind: "server-clear",
  clear: { triggerTokens: 1, keepUses: 3, clearTokensMin: null, exceptTools: [] },
} as const;
const ANSWERED: ResponseFacts = {
  usage: null,
  messageId: null,
  stopReason: "end_turn",
  errorType: null,
  calls: [],
  isComplete: true,
};
const told = (uses: number): ResponseFacts => ({ ...ANSWERED, serverCleared: { uses, tokens: uses * 900 } });
const refused = (more: Partial<ResponseFacts> = {}): ResponseFacts => ({
  ...ANSWERED,
  errorType: "invalid_request_error",
  ...more,
});

function answer(facts: ResponseFacts, status = 200, known: readonly string[] = []) {
  const carried = { edit: EDIT, leaving: LEAVING };
  const { left, end } = clearAnswerOf(carried, facts, status, ({ itemKey }) => known.includes(itemKey));
  return [left.map(({ itemKey }) => itemKey).join(), end];
}

describe("what a response tells of the clearing it was asked for", () => {
  it.each<[string, ReturnType<typeof answer>, string, string | null]>([
    ["all of them", answer(told(4)), "a,tiny,b,c", null],
    ["all but what a placeholder would not shorten", answer(told(3)), "a,b,c", null],
    ["the oldest of them", answer(told(2)), "a,b", null],
    ["those that were not known yet", answer(told(3), 200, ["a", "b"]), "c", null],
    ["nothing new", answer(told(3), 200, ["a", "b", "c"]), "", null],
    ["none", answer(told(0)), "", "not applied"],
    ["fewer than before", answer(told(1), 200, ["a", "b"]), "", "not applied"],
    ["more than were asked for", answer(told(5)), "", "not applied"],
    ["nothing of it", answer(ANSWERED), "", "not told"],
    ["nothing, cut off", answer({ ...ANSWERED, isComplete: false }), "", null],
    ["an error inside the stream", answer({ ...told(4), errorType: "overloaded_error" }), "", null],
    ["no response", answer({ ...ANSWERED, isComplete: false }, 0), "", null],
    ["an overloaded provider", answer({ ...ANSWERED, errorType: "overloaded_error" }, 529), "", null],
    ["a refusal before it was ever done", answer(refused(), 400), "", "refused"],
    ["a refusal of something else afterwards", answer(refused(), 400, ["a"]), "", null],
    ["a refusal of the field afterwards", answer(refused({ refusesClearing: true }), 400, ["a"]), "", "refused"],
    ["a refusal of signed thinking", answer(refused({ refusesThinking: true }), 400), "", null],
  ])("%s", (_, answered, left, end) => {
    expect(answered).toEqual([left, end]);
  });

  it("puts what had left back in full where it ends", () => {
    const [first] = LEAVING;
    const entries = entriesOfAnswer({ left: [], end: "not told" }, first === undefined ? [] : [first]);
    expect(entries).toEqual([
      { type: "server-clear-set", clearing: null, why: "not told" },
      {
        type: "item-restored",
        restoration: { itemKey: "a", address: "address a", moment: "server-clear", step: 4, turn: 1 },
      },
    ]);
  });
});
