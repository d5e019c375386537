import { expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { NOTHING_PAYS, wire } from "../../test/support/keeper.ts";
import { builtinKeeperSettings } from "../builtin-settings.ts";
import { providers } from "../builtins.ts";
import type { Provider } from "../model/ports.ts";
import { createSizeBound } from "../policies/size-bound.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createKeeper } from "./keeper.ts";
import { providerNamed } from "./provider-names.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const BOUND = { lines: 50, bytes: 262_144 };
const MODEL = "gpt-5.5";

it("a name stands for the provider at hand, none for the one there was before, another for the most cautious facts", () => {
  const among = Object.values(providers);
  expect(providerNamed("openai", among)).toBe(providers.openai);
  expect(providerNamed(undefined, among)).toBe(providers.anthropic);
  expect(providerNamed("gone", among).modelFacts(MODEL)).toMatchObject({
    isKnown: false,
    thinkingBinding: "prefix",
    prices: [],
    windowTokens: null,
    deletesInCache: false,
  });
});

/** A conversation in which a read over the bound left, sent to a provider; what leaving it costs, with these providers at hand. */
async function costOfLeaving(sentTo: Provider, atHand: readonly Provider[]) {
  const store = createMemoryStore({});
  const keeper = createKeeper({
    ...builtinKeeperSettings(),
    providers: atHand,
    mode: "enforce",
    isPaused: () => false,
    inlineTools: null,
    store,
    policies: [createSizeBound({ bound: BOUND, tools: {}, markerMode: "full" })],
    lifetimeRules: [],
    paying: NOTHING_PAYS,
    boundThinking: "hold",
    serverClear: false,
    deliberateWhenFree: false,
    evidence: { bashEdits: false, harnessNotices: true, shellReads: "auto" },
    bound: BOUND,
    recallCommand: "ebb recall",
    isNeverStored: () => false,
    retentionMs: 86_400_000,
    onError: () => undefined,
  });
  const hints = { tenant: "local", sessionId: "session", agentId: null, parentAgentId: null };
  const asked = user(EMPTY_TALK, "go");
  const talks = [asked, read(asked, "r1", "/w/a.ts", FILE), bash(read(asked, "r1", "/w/a.ts", FILE), "b1", "x", "y")];
  for (const [atMs, talk] of talks.entries()) {
    const body = bodyOf(talk, { model: MODEL });
    const route = { kind: "generate", model: null } as const;
    const prepared = await keeper.prepare({ wire, route, provider: sentTo, body, hints, userAgent: null, atMs });
    if (prepared.kind === "refuse") throw new Error(prepared.words);
    const usage = { inputTokens: 2_000 + 1_000 * atMs, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 9 };
    const facts = { usage, messageId: null, stopReason: null, errorType: null, calls: [], isComplete: true };
    await prepared.finish(facts, 200);
  }
  const [listed] = await store.listLineages("local", 1);
  const records = await store.loadLineage("local", listed?.lineage ?? "");
  const names = new Set(records.flatMap(({ entry }) => (entry.type === "request-sent" ? [entry.provider] : [])));
  const answer = await keeper.eject({ tenant: "local", name: null, atMs: 10 });
  if (!answer.ok) throw new Error(answer.words);
  return { names: Array.from(names), costUsd: answer.leaving.costUsd, changes: answer.leaving.changes.length };
}

it("leaving is priced by where the conversation went, also where the same model has no price elsewhere", async () => {
  const all = Object.values(providers);
  const priced = await costOfLeaving(providers.openai, all);
  expect(priced).toMatchObject({ names: ["openai"], changes: 1 });
  expect(priced.costUsd).toBeGreaterThan(0);
  expect(await costOfLeaving(providers.compatible, all)).toEqual({ names: ["compatible"], changes: 1, costUsd: null });
  const gone = await costOfLeaving(providers.openai, [providers.anthropic]);
  expect(gone).toEqual({ names: ["openai"], changes: 1, costUsd: null });
});
