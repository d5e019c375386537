import { beforeAll, describe, expect, it } from "vitest";
import { clearingClient, clearingProvider } from "../../test/support/clearing-client.ts";
import { COMMANDS, lifetimeOf, MINUTE, OUTPUT, play } from "../../test/support/clearing-stage.ts";
import { createTestKeeper, NOTHING_PAYS } from "../../test/support/keeper.ts";
import { gates } from "../builtins.ts";
import type { Proposal } from "../model/decision.ts";
import type { View } from "../model/view.ts";
import { lifetimes } from "../policies/lifetimes.ts";
import { NO_SERVER_CLEARS, type ServerClears } from "./server-clear.ts";
import { planServerClear } from "./server-clear-plan.ts";

let view: View;

/** A view of a cold cache with five outputs past their lifetime, signed over. */
beforeAll(async () => {
  const views: View[] = [];
  const looker = {
    name: "looker",
    propose(one: View) {
      views.push(one);
      return { proposals: [], declines: [] };
    },
  };
  const keeper = createTestKeeper({ policies: [looker], lifetimeRules: [lifetimeOf("run", 4)] });
  const client = clearingClient(keeper, clearingProvider(COMMANDS), () => OUTPUT);
  await play(client, 10);
  await play(client, 1, 20 * MINUTE);
  const last = views.at(-1);
  if (last === undefined) throw new Error("no view");
  view = last;
});

function planned(
  changes: Partial<View> = {},
  state: ServerClears = NO_SERVER_CLEARS,
  proposal: Partial<Proposal> = {},
  paying = NOTHING_PAYS,
) {
  const unsettled = lifetimes.propose(view).proposals.map((one) => ({ ...one, ...proposal }));
  const other = { unsettled, changed: new Set<string>(), breakpoint: null };
  return planServerClear({ ...view, ...changes }, state, other, { gates, paying });
}

describe("the provider is asked", () => {
  it("to clear what is past its lifetime, with what each was and the way back", () => {
    const plan = planned();
    expect(plan?.clearing.leaving).toHaveLength(5);
    expect(plan?.fresh).toEqual(plan?.clearing.leaving);
    expect(plan).toMatchObject({ isPriced: false, breakpoint: null });
    expect(plan?.clearing.leaving[0]).toMatchObject({
      moment: "server-clear",
      thinkingBehind: null,
      reason: "expired",
    });
    expect(plan?.clearing.leaving[0]?.marker).toMatch(/^\[ebb \w{12}\] Bash make part0, 60 lines/);
  });

  it.each([0.5, 0.7])("for no less than one token where to write costs no more than to read: %d", (cacheRead) => {
    const prices = { input: 0.5, cacheWrite5m: 0.5, cacheWrite1h: 0.5, cacheRead, output: 1 };
    const model = { ...view.model, prices: [{ fromMs: 0, promptTokensOver: 0, prices }] };
    const cache = { ...view.cache, isKnown: true, heldCount: view.transcript.items.length };
    const plan = planned({ model, cache }, NO_SERVER_CLEARS, {}, { ...NOTHING_PAYS, pays: true });
    expect(plan).toMatchObject({ isPriced: true, clearing: { clearTokensMin: 1 } });
  });

  it("for nothing where nobody knows what the cache holds, where Ebb cost too much, or where it was refused", () => {
    expect(planned({ isTrusted: false })).toBeNull();
    expect(planned({ isNetGuarded: true })).toBeNull();
    expect(planned({ isRefused: true })).toBeNull();
    expect(planned({ cache: { ...view.cache, isKnown: false } })).toBeNull();
    expect(planned({}, { ...NO_SERVER_CLEARS, off: "refused" })).toBeNull();
  });

  it("for nothing on models that sign otherwise or are not on record, and beside the conversation", () => {
    expect(planned({ model: { ...view.model, thinkingBinding: "block" } })).toBeNull();
    expect(planned({ model: { ...view.model, isKnown: false } })).toBeNull();
    const header = { ...view.transcript.header, toolNames: [] };
    expect(planned({ transcript: { ...view.transcript, header } })).toBeNull();
  });

  it("for nothing that may not act on what was sent, must stay in part, or may never have been seen", () => {
    expect(planned({}, NO_SERVER_CLEARS, { allowsCold: false })).toBeNull();
    expect(planned({}, NO_SERVER_CLEARS, { reason: "over_bound" })).toBeNull();
    expect(planned({ exposureOf: () => "unknown" })).toBeNull();
    expect(planned({ exposureOf: () => "new" })).toBeNull();
    expect(planned({ isHeldBySpan: () => true })).toBeNull();
    expect(planned({ isUnstorable: () => true })).toBeNull();
    expect(planned({ faultsOf: () => 2 })).toBeNull();
  });
});
