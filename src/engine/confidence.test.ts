import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../model/prediction.ts";
import { CONFIDENT, isTrusted, withVerdict } from "./confidence.ts";

const LOWERING: readonly Verdict[] = ["ours", "hidden request", "unknown"];
const EXPLAINED: readonly Verdict[] = ["ttl", "model", "tools", "system", "thinking changed", "client edited history"];
const SILENT: readonly Verdict[] = ["unjudged"];

function trustedAfter(...verdicts: readonly Verdict[]): boolean {
  return isTrusted(verdicts.reduce(withVerdict, CONFIDENT));
}

describe("confidence", () => {
  it.each(LOWERING)("is lost by a miss that is %s, and comes back once two predictions in a row held", (cause) => {
    expect(trustedAfter(cause)).toBe(false);
    expect(trustedAfter(cause, "held")).toBe(false);
    expect(trustedAfter(cause, "held", "held")).toBe(true);
    expect(trustedAfter(cause, "held", cause, "held")).toBe(false);
  });

  it.each(EXPLAINED)("stays as it was after a miss that is explained by %s", (cause) => {
    expect(trustedAfter(cause, cause)).toBe(true);
    expect(trustedAfter("ours", cause, cause)).toBe(false);
    expect(trustedAfter("ours", "held", cause, "held")).toBe(true);
  });

  it("stays as it was after what cannot be judged", () => {
    expect(trustedAfter("unjudged", "unjudged")).toBe(true);
    expect(trustedAfter("unknown", "unjudged", "unjudged", "unjudged")).toBe(false);
  });

  it("is lost with a provider that twice in a row tells nothing of its cache, until it tells something", () => {
    expect(trustedAfter("none reported")).toBe(true);
    expect(trustedAfter("none reported", "none reported")).toBe(false);
    expect(trustedAfter("none reported", "held", "none reported")).toBe(true);
    expect(trustedAfter("none reported", "none reported", "held")).toBe(true);
    expect(trustedAfter("none reported", "none reported", "unjudged")).toBe(false);
  });

  it("is never there between a miss that nobody explains and the second prediction that holds", () => {
    const any = fc.constantFrom<Verdict>(...LOWERING, ...EXPLAINED, ...SILENT, "held");
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), (verdicts) => {
        const lastLowering = verdicts.findLastIndex((verdict) => LOWERING.includes(verdict));
        const held = verdicts.slice(lastLowering + 1).filter((verdict) => verdict === "held").length;
        expect(trustedAfter(...verdicts)).toBe(lastLowering === -1 || held >= 2);
      }),
    );
  });
});
