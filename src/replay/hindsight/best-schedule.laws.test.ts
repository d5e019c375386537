import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bestSchedule, freeSchedule, promptSchedule } from "./best-schedule.ts";
import type { PacedConversation, Rates, Schedule } from "./schedule.ts";
import { scheduleFigures } from "./schedule.ts";

const RATES: Rates = { write: 1.25, read: 0.1, markerTokens: 5 };
const READS_MAX = 4;

/** A conversation that grows by one or two blocks a request, with reads among them and now and then a lost cache. */
const conversations: fc.Arbitrary<PacedConversation> = fc
  .array(
    fc.record({
      tokens: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 2 }),
      isRead: fc.boolean(),
      staleAfter: fc.integer({ min: 1, max: 4 }),
      keptShare: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constantFrom(0, 0.5) }),
    }),
    { minLength: 2, maxLength: 7 },
  )
  .map((steps) => {
    const blocks: { callId: string | null; tokens: number }[] = [];
    const staleFrom = new Map<string, number>();
    return steps.map(({ tokens, isRead, staleAfter, keptShare }, index) => {
      const before = blocks.length;
      for (const count of tokens) blocks.push({ callId: null, tokens: count });
      if (isRead && staleFrom.size < READS_MAX) {
        blocks.push({ callId: `r${index}`, tokens: 40 * staleAfter });
        staleFrom.set(`r${index}`, index + staleAfter);
      }
      const stale = Array.from(staleFrom).filter(([, from]) => from <= index);
      return {
        blocks: [...blocks],
        readBlocks: Math.floor(before * keptShare),
        stale: new Map(stale.map(([callId]) => [callId, { tokens: 10, mayLeave: true }])),
      };
    });
  });

/** Every schedule of the reads that become stale: each leaves at any request from then on, or never. */
function allSchedules(conversation: PacedConversation): readonly Schedule[] {
  let schedules: readonly Schedule[] = [new Map()];
  for (const [callId, staleAt] of promptSchedule(conversation, RATES)) {
    const times = Array.from({ length: conversation.length - staleAt }, (_, more) => staleAt + more);
    schedules = schedules.flatMap((one) => [one, ...times.map((at) => new Map([...one, [callId, at]]))]);
  }
  return schedules;
}

const costOf = (conversation: PacedConversation, schedule: Schedule) =>
  scheduleFigures(conversation, schedule, RATES, "client").cost;

describe("the best schedule with hindsight", () => {
  test("costs what the cheapest of all schedules costs", () => {
    fc.assert(
      fc.property(conversations, (conversation) => {
        const cheapest = Math.min(...allSchedules(conversation).map((schedule) => costOf(conversation, schedule)));
        expect(costOf(conversation, bestSchedule(conversation, RATES))).toBeCloseTo(cheapest, 6);
      }),
      { numRuns: 150 },
    );
  });

  test("is never dearer than doing nothing, than what is free, or than releasing at once", () => {
    fc.assert(
      fc.property(conversations, (conversation) => {
        const best = costOf(conversation, bestSchedule(conversation, RATES));
        const free = costOf(conversation, freeSchedule(conversation, RATES));
        const nothing = costOf(conversation, new Map());
        expect(best).toBeLessThanOrEqual(free + 1e-6);
        expect(free).toBeLessThanOrEqual(nothing + 1e-6);
        expect(best).toBeLessThanOrEqual(costOf(conversation, promptSchedule(conversation, RATES)) + 1e-6);
      }),
    );
  });

  test("is never cheaper than a provider that deletes from its own cache", () => {
    fc.assert(
      fc.property(conversations, (conversation) => {
        const native = scheduleFigures(conversation, promptSchedule(conversation, RATES), RATES, "provider");
        expect(native.cost).toBeLessThanOrEqual(costOf(conversation, bestSchedule(conversation, RATES)) + 1e-6);
      }),
    );
  });
});
