import { expect, test } from "vitest";
import { createTestKeeper, prepare, wire } from "../../test/support/keeper.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { createAccounting } from "./accounting.ts";
import { createRunAccounts } from "./run-accounts.ts";

const BODY = Buffer.from(JSON.stringify({ model: "claude-opus-4-5", messages: [{ role: "user", content: "Hi" }] }));

test("a run is counted in its own account and in that of everything, and nothing else is counted in it", async () => {
  const keeper = createTestKeeper();
  const request = {
    wire,
    route: { kind: "generate", model: null },
    provider: anthropicProvider,
    body: BODY,
    hints: { tenant: "local", sessionId: "s", agentId: null, parentAgentId: null },
    userAgent: null,
    atMs: 1,
  } as const;
  await prepare(keeper, BODY);
  await keeper.prepare({ ...request, run: "one-run-1" });
  await keeper.prepare({ ...request, run: "one-run-1" });
  await keeper.prepare({ ...request, run: "another-run" });
  expect(keeper.stats().requests).toBe(4);
  expect(keeper.stats("one-run-1")).toMatchObject({ requests: 2, lineages: 1 });
  expect(keeper.stats("another-run").requests).toBe(1);
  expect(keeper.stats("no-such-run")).toMatchObject({ requests: 0, lineages: 0 });
});

test("every note reaches both accounts", () => {
  const all = createAccounting();
  const accounts = createRunAccounts(all);
  const run = accounts.of("a-run-name");
  run.noteUnread("words");
  expect(run.noteUnknownModel("m")).toBe(true);
  expect(run.noteUnknownModel("m")).toBe(false);
  run.noteAcquired(2);
  run.noteRecall();
  run.noteMarkerWrites(3);
  run.noteFallback("refused");
  run.noteSignatureRefusal();
  run.noteViolation();
  run.noteError(1, "code", "words");
  run.noteWindow({ resident: 5, stale: 2, avoided: 7, recalledItems: 1, recalledTokens: 3 });
  run.noteReanchored(4);
  run.noteUsage({ inputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 });
  run.noteJudged(null, { stood: true, stands: true, lineage: "l", sessionId: null, sinceMs: 1 });
  expect(accounts.stats("a-run-name", "enforce")).toEqual(all.stats("enforce", 0));
  expect(all.stats("enforce", 0)).toMatchObject({ items: 2, recalls: 1, law_violations: 1 });
});
