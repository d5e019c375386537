import { expect, test } from "vitest";
import { createAccounting } from "../keeper/accounting.ts";
import type { Decision } from "../model/decision.ts";
import type { Regret } from "../model/regret.ts";
import { createCounts } from "../proxy/counts.ts";
import { statsLines } from "./stats-lines.ts";

const PROXY = createCounts().stats(0);

function linesOf(accounting: ReturnType<typeof createAccounting>): readonly string[] {
  return statsLines({ ...accounting.stats("enforce", 2), version: "0", proxy: PROXY, store: null });
}

test("a reason without an item is told by requests and lineages, every other by items", () => {
  const accounting = createAccounting();
  const nothing = { itemKey: null, policy: "p", reason: "no_file_reads", words: "" } as const;
  for (const lineage of ["a", "a", "b"]) accounting.noteDeclines(lineage, [nothing]);
  accounting.noteDeclines("a", [{ itemKey: "k", policy: "p", reason: "fresh_read", words: "" }]);
  expect(linesOf(accounting)).toContain("Stayed      no_file_reads: 3 requests of 2 lineages");
  expect(linesOf(accounting)).toContain("            fresh_read: 1 item, 1 over all requests");
});

test("models that are not on record are counted by name, with what follows from it and what to do", () => {
  const accounting = createAccounting();
  expect(linesOf(accounting).join()).not.toContain("on record");
  for (const name of ["mine-1", "mine-2", "mine-1"]) accounting.noteUnknownModel(name);
  const lines = linesOf(accounting);
  const at = lines.indexOf("Models      mine-1: 2 requests");
  expect(lines.slice(at + 1, at + 3)).toEqual([
    "            mine-2: 1 request",
    "            not on record: the most cautious facts count for them; state theirs under models in ebb.yaml",
  ]);
});

test("refusals for signed thinking are told where there were any", () => {
  const accounting = createAccounting();
  expect(linesOf(accounting).join()).not.toContain("signed thinking");
  accounting.noteSignatureRefusal();
  expect(linesOf(accounting)).toContain("Thinking    1 request refused for signed thinking that did not fit");
});

test("tools inside the stream are told of where any were offered", () => {
  const accounting = createAccounting();
  expect(linesOf(accounting).join()).not.toContain("Inline");
  accounting.noteOffered();
  for (const place of ["round", "beside", "round"] as const) accounting.noteAside(place);
  expect(linesOf(accounting)).toContain(
    "Inline      offered in 1 conversation, called in 3 answers, 2 rounds of their own",
  );
});

test("regrets are told in all and by policy, also where there are none", () => {
  const accounting = createAccounting();
  expect(linesOf(accounting)).toContain("Regrets     0 strict, 0 use, 0 induced");
  const regret = (itemKey: string, kind: Regret["kind"]) => ({ itemKey, kind }) as Regret;
  const decisions = ["a", "b"].map((itemKey) => ({ itemKey, policy: `of ${itemKey}` }) as Decision);
  accounting.noteRegrets([regret("a", "strict"), regret("a", "induced"), regret("b", "induced")], decisions);
  const lines = linesOf(accounting);
  const at = lines.indexOf("Regrets     1 strict, 0 use, 2 induced");
  expect(lines.slice(at + 1, at + 3)).toEqual([
    "            of a: 1 strict, 0 use, 1 induced",
    "            of b: 0 strict, 0 use, 1 induced",
  ]);
});

test("predictions are told with the causes of misses, and a provider that tells nothing", () => {
  const accounting = createAccounting();
  expect(linesOf(accounting)).toContain("Predicted   0 held, 0 missed, 0 not judged");
  expect(linesOf(accounting)).toContain("Net cost    unknown");
  expect(linesOf(accounting).join()).not.toContain("Net guard");
  const guard = { stood: false, stands: true, lineage: "l", sessionId: "s", sinceMs: 60_000 };
  const net = { usd: -0.5, weightedTokens: -100 };
  for (const verdict of ["held", "ttl", "ours", "ttl", "unjudged", "none reported"] as const)
    accounting.noteJudged({ verdict, net }, guard);
  accounting.noteJudged(null, { ...guard, stood: true });
  const lines = linesOf(accounting);
  const at = lines.indexOf("Net cost    -3.0000 USD");
  expect(lines.slice(at + 1, at + 7)).toEqual([
    "Net guard   came to stand 6 times, and stood in 1 request: nothing new left by rule",
    "            stands in session s since 1970-01-01 00:01 UTC",
    "Predicted   1 held, 3 missed, 3 not judged",
    "            missed, ttl: 2",
    "            missed, ours: 1",
    "            1 response told nothing of the provider's cache: nothing acts on what it may hold",
  ]);
});

test("a net cost of which one part has no price is unknown", () => {
  const accounting = createAccounting();
  const guard = { stood: false, stands: false, lineage: "l", sessionId: "s", sinceMs: 0 };
  accounting.noteJudged({ verdict: "held", net: { usd: -1, weightedTokens: -100 } }, guard);
  accounting.noteJudged({ verdict: "held", net: { usd: null, weightedTokens: -100 } }, guard);
  expect(linesOf(accounting)).toContain("Net cost    unknown");
});

test("limits of the provider are told as far as it tells them", () => {
  const counts = createCounts();
  counts.responded(["anthropic-ratelimit-tokens-limit", "100", "anthropic-ratelimit-tokens-remaining", "58"]);
  const stats = { ...createAccounting().stats("enforce", 0), version: "0", proxy: counts.stats(0), store: null };
  expect(statsLines(stats)).toContain("Limits      tokens: 42 % in use, highest 42 %");
});
