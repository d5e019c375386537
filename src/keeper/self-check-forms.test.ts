import { describe, expect, it } from "vitest";
import type { Decision } from "../model/decision.ts";
import { type FormsNow, unsteadyForm } from "./self-check-forms.ts";

function decision(itemKey: string, marker = "m", evidenceKey: string | null = null): Decision {
  return {
    itemKey,
    address: `address-of-${itemKey}`,
    policy: "p",
    reason: "over_bound",
    evidenceKey,
    wish: null,
    moment: "first-send",
    thinkingBehind: null,
    step: 1,
    turn: 1,
    templateVersion: 1,
    channel: { kind: "none" },
    marker,
    originalDigest: "d",
    originalBytes: 9,
    originalTokens: 9,
    markerTokens: 1,
  };
}

const sent = { keys: ["a", "b", "c"], decisions: [decision("a"), decision("b", "m", "proof")] };
const same: FormsNow = {
  keys: ["a", "b", "c", "d"],
  inForce: sent.decisions,
  decided: new Set(),
  isFork: false,
  undoneTurn: Number.POSITIVE_INFINITY,
};

describe("forms", () => {
  it.each([
    ["are repeated", same],
    ["come with a new item", { ...same, inForce: [...sent.decisions, decision("d")] }],
    ["come by a decision", { ...same, inForce: [...sent.decisions, decision("c")], decided: new Set(["c"]) }],
    ["leave by a decision", { ...same, inForce: sent.decisions.slice(1), decided: new Set(["a"]) }],
    ["leave with their item", { ...same, keys: ["b", "c"], inForce: sent.decisions.slice(1) }],
    ["leave with their proof in a history of its own", { ...same, inForce: sent.decisions.slice(0, 1), isFork: true }],
  ])("are steady that %s", (_, now) => {
    expect(unsteadyForm(sent, now)).toBeNull();
  });

  it.each([
    ["leave", { ...same, inForce: sent.decisions.slice(1) }, "address-of-a would change"],
    [
      "leave with a proof that still stands",
      { ...same, inForce: sent.decisions.slice(0, 1) },
      "address-of-b would change",
    ],
    ["leave in a fork without a proof", { ...same, inForce: sent.decisions.slice(1), isFork: true }, "address-of-a"],
    ["change", { ...same, inForce: [decision("a", "n"), decision("b")] }, "address-of-a would change"],
    ["change in a fork", { ...same, inForce: [decision("a"), decision("b", "n")], isFork: true }, "address-of-b would"],
    [
      "come for an item sent in full",
      { ...same, inForce: [...sent.decisions, decision("c")] },
      "address-of-c would come",
    ],
  ])("are not that %s without a decision", (_, now, words) => {
    expect(unsteadyForm(sent, now)).toContain(words);
  });
});
