import { describe, expect, it } from "vitest";
import type { Acquisition, PlacedAcquisition } from "../model/acquisition.ts";
import type { Decision } from "../model/decision.ts";
import { divergenceOf } from "./divergence.ts";
import { COLD_SLACK_MS, isCold } from "./moment.ts";
import { inheritedDecisions, proofsOf, scriptOf } from "./script.ts";

function decision(itemKey: string, evidenceKey: string | null = null): Decision {
  return {
    itemKey,
    address: "a",
    policy: "p",
    reason: "stale",
    evidenceKey,
    wish: null,
    moment: "cold",
    thinkingBehind: null,
    step: 1,
    turn: 1,
    templateVersion: 1,
    channel: { kind: "none" },
    marker: `marker of ${itemKey}`,
    originalDigest: "d",
    originalBytes: 10,
    originalTokens: 10,
    markerTokens: 1,
  };
}

function placed(
  callKey: string,
  outcome: Acquisition["outcome"],
  changes: Acquisition["changes"] = [],
): PlacedAcquisition {
  const acquisition: Acquisition = {
    callId: callKey,
    tool: "Edit",
    kind: "edit",
    outcome,
    path: "/f",
    workingDirectory: null,
    window: null,
    printed: null,
    isShellRead: false,
    isUnchangedStub: false,
    changes,
    command: null,
  };
  return { acquisition, callKey, resultKey: null, path: "/f", changedPaths: [], step: 1, callIndex: 0 };
}

describe("a script", () => {
  it("replays decisions in their order, each by its own stored marker", () => {
    expect(scriptOf([decision("b"), decision("a")])).toEqual([
      { kind: "replace", itemKey: "b", text: "marker of b" },
      { kind: "replace", itemKey: "a", text: "marker of a" },
    ]);
  });
});

describe("decisions a new lineage takes over", () => {
  const decisions = new Map([decision("a"), decision("b", "proof"), decision("c")].map((one) => [one.itemKey, one]));

  it("are those whose item and proof it contains", () => {
    const present = new Set(["a", "b"]);
    const keys = (isProof: (key: string) => boolean) =>
      inheritedDecisions(decisions, present, isProof).map((one) => one.itemKey);
    expect(keys(() => true)).toEqual(["a", "b"]);
    expect(keys(() => false)).toEqual(["a"]);
  });

  it("lose a proof that is missing, or a call that came to nothing here", () => {
    const change = { kind: "edit", path: "/f", source: "notice" } as const;
    const acquisitions = [placed("ok", "ok"), placed("no", "interrupted"), placed("told", "failed", [change])];
    const observed = {
      acquisitions,
      notices: [],
      turns: 1,
      steps: 1,
      workingDirectory: null,
      isFolded: false,
      settledCount: 0,
    };
    const isProof = proofsOf(observed, new Set(["ok", "no", "told", "text"]));
    expect(["ok", "no", "told", "text", "gone"].map(isProof)).toEqual([true, false, true, true, false]);
  });
});

describe("divergence", () => {
  const chain = ["a", "b", "c", "d"];

  it("is the first sent item a new decision changes, or the end of what was sent", () => {
    expect(divergenceOf(chain, 3, [])).toBe(3);
    expect(divergenceOf(chain, 3, [decision("d")])).toBe(3);
    expect(divergenceOf(chain, 3, [decision("c"), decision("b")])).toBe(1);
  });
});

describe("a cold cache", () => {
  it("is certain once the slack after the lifetime is over, and never without a lifetime on record", () => {
    expect(isCold(1_000, 1_000 + COLD_SLACK_MS - 1)).toBe(false);
    expect(isCold(1_000, 1_000 + COLD_SLACK_MS)).toBe(true);
    expect(isCold(null, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
