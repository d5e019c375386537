import { expect, test } from "vitest";
import type { SessionFigures } from "../replay/replay-report.ts";
import { sessionLines } from "./replay-lines.ts";

const FIGURES: SessionFigures = {
  file: "a.jsonl",
  requests: 2,
  released: 1,
  released_by: {},
  declined: {},
  declined_items: {},
  left: [],
  expired: [],
  regret: { strict: 1, use: 0, induced: 1_200 },
  regretted: [{ policy: "lifetimes", strict: 1, use: 0, induced: 1_200 }],
  law_violations: 0,
  refused: 0,
  unique_released_tokens: 12_345,
  attempted_tokens: 0,
  removed_tokens: 0,
  token_turns: 0,
  baseline_token_turns: 0,
  stale_token_turns: 0,
  baseline_stale_token_turns: 0,
  peak_window: 0,
  baseline_peak_window: 0,
  reanchored_tokens: 0,
  cache_read_tokens: 0,
  baseline_cache_read_tokens: 0,
  cache_write_tokens: 0,
  baseline_cache_write_tokens: 0,
  cost_usd: 1,
  baseline_cost_usd: 1,
  net_cost_usd: 0,
};

test.each([
  [-0.05961, "0.0596 USD less than without Ebb"],
  [0.2, "0.2000 USD more than without Ebb"],
  [0, "none: the same as without Ebb, to a hundredth of a cent"],
  [-0.00001, "none: the same as without Ebb, to a hundredth of a cent"],
  [null, "unknown"],
])("a net cost of %s is said in words", (net, words) => {
  expect(sessionLines({ ...FIGURES, net_cost_usd: net })).toContain(`  net cost          ${words}`);
});

test("regrets are told in all and by policy", () => {
  const lines = sessionLines(FIGURES);
  const at = lines.indexOf("  regrets           1 strict, 0 use, 1,200 induced");
  expect(lines[at + 1]).toBe("    lifetimes       1 strict, 0 use, 1,200 induced");
});
