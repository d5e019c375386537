import { describe, expect, it } from "vitest";
import type { Decision, Moment } from "../model/decision.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import { EMPTY_STANDING, foldLedger, type LineageStanding } from "./standing.ts";
import { takenBack } from "./thinking-standing.ts";

function decision(itemKey: string, moment: Moment = "cold", marker = "m"): Decision {
  return {
    itemKey,
    address: `address-of-${itemKey}`,
    policy: "p",
    reason: "stale",
    evidenceKey: null,
    wish: null,
    moment,
    thinkingBehind: "thinking:1",
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

const released = (one: Decision): LedgerEntry => ({ type: "item-released", decision: one });
const stripped = (...itemKeys: string[]): LedgerEntry => ({ type: "thinking-stripped", itemKeys, turn: 2, step: 3 });
const dropped: LedgerEntry = { type: "thinking-dropped", isOn: true, turn: 2, step: 3 };

function sent(requestId: string, step: number): LedgerEntry {
  const request = { requestId, model: "m", cacheKey: "k", cacheTtlMs: 300_000, itemCount: 9, turn: 1, step };
  return { type: "request-sent", ...request, isBound: true, isActing: true };
}

function seen(requestId: string, status = 200, refuses = false): LedgerEntry {
  const response = { requestId, status, usage: null, errorType: null, calls: [] };
  return { type: "response-seen", ...response, ...(refuses ? { refusesThinking: true } : {}) };
}

function standingAfter(...entries: readonly LedgerEntry[]): LineageStanding {
  return foldLedger(
    EMPTY_STANDING,
    entries.map((entry, index) => ({ seq: index + 1, atMs: 0, entry })),
  );
}

const undone = ({ thinking }: LineageStanding) => takenBack(thinking, { turn: 2, step: 3 });

describe("what a refusal takes back", () => {
  it("is what the refused request changed first: items, thinking, and what is asked of the provider", () => {
    const standing = standingAfter(released(decision("a")), stripped("t1", "t2"), dropped, sent("q1", 3));
    expect(undone(standing)).toMatchObject([
      { type: "item-restored", restoration: { itemKey: "a" } },
      { type: "thinking-restored", itemKeys: ["t1", "t2"] },
      { type: "thinking-dropped", isOn: false },
    ]);
  });

  it("is also what earlier requests changed that were not answered, back to the first form", () => {
    const first = decision("a", "cold", "first");
    const standing = standingAfter(
      released(first),
      sent("q1", 3),
      seen("q1"),
      released(decision("a", "deliberate", "second")),
      sent("q2", 4),
      seen("q2", 529),
      released(decision("a", "deliberate", "third")),
      sent("q3", 4),
    );
    expect(undone(standing)).toEqual([{ type: "item-released", decision: first }]);
  });

  it("is nothing that was answered, by a response on record or by what the model said since", () => {
    expect(undone(standingAfter(released(decision("a")), sent("q1", 3), seen("q1"), sent("q2", 3)))).toEqual([]);
    expect(undone(standingAfter(released(decision("a")), sent("q1", 3), sent("q2", 4)))).toEqual([]);
    expect(undone(standingAfter(released(decision("a")), sent("q1", 3), sent("again", 3), seen("again")))).toEqual([]);
  });

  it.each<Moment>(["first-send", "native", "server-clear"])("is nothing that changes no signed text: %s", (moment) => {
    expect(undone(standingAfter(released(decision("a", moment)), sent("q1", 3)))).toEqual([]);
  });

  it("is taken back once, and nothing that follows a refusal is", () => {
    const before = standingAfter(released(decision("a")), stripped("t1"), sent("q1", 3));
    const records = [seen("q1", 400, true), ...undone(before)].map((entry, index) => ({
      seq: 4 + index,
      atMs: 0,
      entry,
    }));
    const standing = foldLedger(before, records);
    expect(standing.thinking).toMatchObject({ isRefused: true, isDropping: false });
    expect([standing.decisions.size, standing.thinking.stripped.size]).toEqual([0, 0]);
    expect(undone(standing)).toEqual([]);
  });
});

describe("thinking that left", () => {
  it("stays out, with the clock at which it left", () => {
    const { stripped: left } = standingAfter(
      stripped("t1"),
      sent("q1", 3),
      seen("q1"),
      stripped("t2"),
      sent("q2", 4),
    ).thinking;
    expect(Array.from(left)).toEqual([
      ["t1", { turn: 2, step: 3 }],
      ["t2", { turn: 2, step: 3 }],
    ]);
  });

  it("keeps no list of requests that changed nothing", () => {
    const many = Array.from({ length: 200 }, (_, index) => sent(`q${index}`, 3));
    expect(standingAfter(...many).thinking.unanswered).toEqual([]);
    expect(standingAfter(released(decision("a")), ...many).thinking.unanswered.length).toBeLessThanOrEqual(32);
  });
});
