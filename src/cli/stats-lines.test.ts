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
