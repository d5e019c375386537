import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare } from "../../test/support/keeper.ts";
import { gates } from "../builtins.ts";
import type { Proposal } from "../model/decision.ts";
import type { Policy } from "../model/ports.ts";

const BIG = "a line of output that is long enough to be worth a marker\n".repeat(60);
const one = bash(user(EMPTY_TALK, "go"), "b1", "x", BIG);

/** Proposes every result whose call is listed. */
function policy(name: string, calls: readonly string[], changes: Partial<Proposal> = {}): Policy {
  return {
    name,
    propose(view) {
      const proposals = view.transcript.items.flatMap((item): Proposal[] => {
        if (item.kind !== "result" || !calls.includes(item.callId)) return [];
        const base = { itemKey: item.key, policy: name, reason: "over_bound", markerMode: "full" } as const;
        return [
          {
            ...base,
            evidenceKey: null,
            allowsCold: false,
            isForced: false,
            wish: null,
            waitsForFree: false,
            ...changes,
          },
        ];
      });
      const declines = view.transcript.items
        .filter((item) => item.kind === "result")
        .map(({ key }) => ({ itemKey: key, policy: name, reason: "fresh_read", words: `${name} says no` }) as const);
      return { proposals, declines };
    },
  };
}

async function planOf(policies: readonly Policy[], talk = one) {
  const prepared = await prepare(createTestKeeper({ policies }), bodyOf(talk));
  if (prepared.kind !== "forward" || prepared.plan === null) throw new Error("no plan");
  return prepared.plan;
}

describe("a plan", () => {
  it("lets the first policy whose proposal passes decide, and says nothing else of that item", async () => {
    const plan = await planOf([policy("none", []), policy("first", ["b1"]), policy("second", ["b1"])]);
    expect(plan.fresh.map((decision) => decision.policy)).toEqual(["first"]);
    expect(plan.declines).toEqual([]);
  });

  it("names one reason for an item: the first policy's own where nobody proposes it", async () => {
    const plan = await planOf([policy("first", []), policy("second", [])]);
    expect(plan.declines.map((decline) => decline.words)).toEqual(["first says no"]);
  });

  it("names the refusal of the gate that comes first, whichever policy was refused by it", async () => {
    const tiny = bash(bash(user(EMPTY_TALK, "go"), "b1", "x", BIG), "b2", "x", "ok");
    const plan = await planOf(
      [
        policy("none", []),
        policy("first", ["b1", "b2"]),
        policy("later", ["b1"], { isForced: true, markerMode: "off" }),
      ],
      tiny,
    );
    const reasons = plan.declines.map((decline) => decline.reason);
    expect(reasons).toEqual(["marker_no_win"]);
    expect(plan.fresh.map((decision) => [decision.policy, decision.moment])).toEqual([["later", "forced"]]);
  });

  it("asks the gates in this order", () => {
    expect(gates.map((gate) => gate.reason)).toEqual([
      "already_marked",
      "protected",
      "held_by_span",
      "kept_verbatim_after_expand",
      "thrash_guard",
      "does_not_pay",
      "load_bearing",
      "non_text_blocks",
      "not_stored",
      "bound_thinking",
      "unknown_boundary",
      "cached_prefix",
      "marker_no_win",
    ]);
  });

  it("records what the marker was made from", async () => {
    const [last] = (await planOf([policy("first", ["b1"])])).fresh;
    expect(last).toMatchObject({
      reason: "over_bound",
      moment: "first-send",
      step: 1,
      turn: 1,
      channel: { kind: "command", command: "ebb recall" },
      originalBytes: Buffer.byteLength(BIG),
    });
    expect(last?.marker.startsWith(`[ebb ${last.address}] Bash x, 60 lines`)).toBe(true);
    expect((last?.markerTokens ?? 0) < (last?.originalTokens ?? 0)).toBe(true);
  });
});
