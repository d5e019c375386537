import { expect, test } from "vitest";
import { createCachedProvider } from "../../test/support/cached-provider.ts";
import { type Block, bodyOf, EMPTY_TALK, idle, read, type Talk, user } from "../../test/support/conversation.ts";
import { type Answered, type AskOptions, answerOf, ask } from "../../test/support/inline/keeper-client.ts";
import { type RoundMessage, recall } from "../../test/support/inline/messages.ts";
import { createTestKeeper } from "../../test/support/keeper.ts";
import { inlineDefinitions } from "../mcp/inline-definitions.ts";
import type { Usage } from "../model/usage.ts";

const MINUTE = 60_000;
const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };
const LINES = Array.from({ length: 400 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join(
  "\n",
);
const SILENT: readonly RoundMessage[] = [{ blocks: [] }];

function open(isOffering: boolean) {
  const keeper = createTestKeeper(isOffering ? { inlineTools } : {});
  const provider = createCachedProvider();
  let atMs = 0;
  let billedUsd = 0;
  return {
    keeper,
    billedUsd: () => billedUsd,
    send(talk: Talk, rounds = SILENT, options: AskOptions = {}): Promise<Answered> {
      atMs += MINUTE;
      const usageOf = (body: string): Usage => {
        const usage = provider.answer(body, atMs);
        const { inputTokens, cacheWriteTokens, cacheReadTokens } = usage;
        billedUsd += (3 * inputTokens + 3.75 * cacheWriteTokens + 0.3 * cacheReadTokens) / 1e6;
        return usage;
      };
      return ask(keeper, bodyOf(talk), rounds, { atMs, usageOf, ...options });
    },
  };
}

test("the tool that is offered counts against the net, written once and read in every request behind", async () => {
  const [session, without] = [open(true), open(false)];
  const begun = read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", LINES);
  for (const { send } of [session, without]) {
    await send(user(EMPTY_TALK, "go"));
    for (let steps = 0; steps < 8; steps++) await send(idle(begun, "i", steps));
  }
  const estimated = session.keeper.stats().figures.net_cost_usd ?? Number.NaN;
  const billed = session.billedUsd() - without.billedUsd();
  expect(without.keeper.stats().figures.net_cost_usd).toBe(0);
  expect(billed).toBeGreaterThan(0);
  expect(estimated / billed).toBeGreaterThan(0.6);
  expect(estimated / billed).toBeLessThan(1.6);
});

test("recalled text and the round that brought it count against the net as well", async () => {
  const { keeper, send } = open(true);
  const asked = user(EMPTY_TALK, "go");
  await send(asked);
  const begun = idle(read(asked, "r1", "/w/a.ts", LINES), "i", 1);
  await send(begun);
  const before = keeper.stats().figures.net_cost_usd ?? Number.NaN;
  const [{ lineage } = { lineage: "" }] = await keeper.store.listLineages("local", 1);
  const items = (await keeper.store.loadLineage("local", lineage)).flatMap(({ entry }) =>
    entry.type === "item-acquired" ? [entry.item.address] : [],
  );
  const answer = () => answerOf(`[ebb ${items[0]}] Read /w/a.ts\n\n${LINES}`);
  const found = { type: "text", text: "found" };
  const { content } = await send(idle(begun, "j", 1), [{ blocks: [recall("c1")] }, { blocks: [found] }], { answer });
  expect(content).toEqual([found] satisfies Block[]);
  const recalled = (keeper.stats().figures.net_cost_usd ?? Number.NaN) - before;
  expect(recalled).toBeGreaterThan(0.004);
});
