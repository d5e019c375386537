import { describe, expect, it } from "vitest";
import { EMPTY_TALK, read, user } from "../../../test/support/conversation.ts";
import { viewOfTalk } from "../../../test/support/view.ts";
import type { Candidate, Proposal, ReleaseReason } from "../../model/decision.ts";
import type { Regret } from "../../model/regret.ts";
import { faultsByPath } from "../regret-faults.ts";
import { thrashGuard } from "./thrash-guard.ts";

async function refusal(faults: number, changes: Partial<Proposal>): Promise<string | null> {
  const view = await viewOfTalk(read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", "x"));
  const item = view.transcript.items.find((one) => one.kind === "result");
  if (item === undefined) throw new Error("no result");
  const proposal: Proposal = {
    itemKey: item.key,
    policy: "p",
    reason: "stale",
    markerMode: "full",
    evidenceKey: null,
    wish: null,
    allowsCold: true,
    isForced: false,
    waitsForFree: false,
    ...changes,
  };
  const candidate: Candidate = { proposal, item, moment: "cold", rendering: () => ({ text: "", tokens: 0, bytes: 0 }) };
  return thrashGuard.refuse(candidate, { ...view, faultsOf: () => faults });
}

describe("the thrash guard", () => {
  it.each<ReleaseReason>(["stale", "superseded", "expired"])(
    "refuses what is %s from the second fault on",
    async (reason) => {
      expect(await refusal(1, { reason })).toBeNull();
      expect(await refusal(2, { reason })).toContain("missed in 2 steps");
    },
  );

  it.each<ReleaseReason>(["over_bound", "over_budget", "stub_repair"])("lets pass what is %s", async (reason) => {
    expect(await refusal(9, { reason })).toBeNull();
  });

  it("lets pass what was decided on purpose", async () => {
    expect(await refusal(9, { reason: "let_go", wish: { kind: "release" } })).toBeNull();
    expect(await refusal(9, { wish: { kind: "whole" } })).toBeNull();
  });
});

it("counts one fault for a step and a path, in however many ways it shows", () => {
  const regret: Regret = {
    itemKey: "k",
    address: "a",
    originalDigest: "d",
    path: "/w/a.ts",
    kind: "strict",
    step: 1,
    isFault: true,
  };
  const faultsOf = faultsByPath([
    regret,
    { ...regret, kind: "induced" },
    { ...regret, step: 4 },
    { ...regret, step: 6, isFault: false },
    { ...regret, path: "/w/b.ts" },
    { ...regret, path: null },
  ]);
  expect(["/w/a.ts", "/w/b.ts", "/w/c.ts", null].map(faultsOf)).toEqual([2, 1, 0, 0]);
});
