import { describe, expect, it } from "vitest";
import { createCachedProvider, exchange } from "../../test/support/cached-provider.ts";
import {
  assistant,
  bodyOf,
  call,
  EMPTY_TALK,
  edit,
  idle,
  read,
  result,
  results,
  type Talk,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn } from "../../test/support/keeper.ts";
import { FILE, order, release } from "../../test/support/orders.ts";

const MINUTE = 60_000;
const reads = read(read(user(EMPTY_TALK, "fix it"), "r0", "/w/z.ts", FILE), "r1", "/w/a.ts", FILE);
const stale = edit(reads, "e1", "/w/a.ts");

function open(mode: "enforce" | "observe" = "enforce") {
  const keeper = createTestKeeper({ mode });
  const provider = createCachedProvider();
  let atMs = 0;
  let paidUsd = 0;
  return {
    keeper,
    /** After so many minutes; what the provider takes for it is added up at its prices. */
    async send(talk: Talk, minutes: number): Promise<string> {
      atMs += minutes * MINUTE;
      const told = (usage: ReturnType<typeof provider.look>) => {
        paidUsd += (3 * usage.inputTokens + 3.75 * usage.cacheWriteTokens + 0.3 * usage.cacheReadTokens) / 1e6;
        return usage;
      };
      return exchange({ keeper, provider }, bodyOf(talk), { atMs, told });
    },
    netUsd: () => keeper.stats().figures.net_cost_usd ?? Number.NaN,
    paidUsd: () => paidUsd,
  };
}

type Session = ReturnType<typeof open>;

/** What the same requests cost with Ebb beyond those without, as the provider bills them, and what Ebb estimates. */
async function netOf(run: (session: Session) => Promise<void>) {
  const [session, without] = [open(), open("observe")];
  await run(session);
  await run(without);
  expect(without.netUsd()).toBe(0);
  return { estimated: session.netUsd(), billed: session.paidUsd() - without.paidUsd() };
}

describe("the net cost of a running conversation", () => {
  it("is about what the provider's bills differ by where something left for nothing", async () => {
    const { estimated, billed } = await netOf(async ({ send }) => {
      for (const talk of [reads, stale, idle(stale, "i", 1)]) await send(talk, 1);
      for (let steps = 2; steps < 12; steps++) await send(idle(stale, "i", steps), steps === 2 ? 30 : 1);
    });
    expect(billed).toBeLessThan(0);
    expect(estimated / billed).toBeGreaterThan(0.6);
    expect(estimated / billed).toBeLessThan(1.3);
  });

  it("is about what they differ by where something left at a price", async () => {
    const { estimated, billed } = await netOf(async ({ keeper, send }) => {
      await send(reads, 1);
      await send(idle(reads, "i", 1), 1);
      if (keeper.mode === "enforce") expect(await order(keeper, release("r0"))).toMatchObject({ ok: true });
      await send(idle(reads, "i", 2), 1);
    });
    expect(billed).toBeGreaterThan(0);
    expect(estimated / billed).toBeGreaterThan(0.6);
    expect(estimated / billed).toBeLessThan(1.5);
  });

  it("counts recalled text, and the round that only brought it", async () => {
    const session = open();
    for (const talk of [reads, stale, idle(stale, "i", 1)]) await session.send(talk, 1);
    const next = idle(stale, "i", 2);
    const marker = String(resultIn(await session.send(next, 30), "r1"));
    const before = session.netUsd();
    const address = /^\[ebb (\w{12})\]/.exec(marker)?.[1] ?? "";
    const answer = `[ebb ${address}] Read /w/a.ts\ncomplete\n\n${FILE}`;
    const asks = assistant(next, call("x1", "Bash", { command: `ebb recall ${address}` }));
    await session.send(results(asks, result("x1", answer)), 1);
    const recalled = session.netUsd() - before;
    expect(recalled).toBeGreaterThan(0);
    const other = assistant(next, call("x1", "Bash", { command: "cat notes" }));
    const control = open();
    for (const talk of [reads, stale, idle(stale, "i", 1)]) await control.send(talk, 1);
    await control.send(next, 30);
    const beforeOther = control.netUsd();
    await control.send(results(other, result("x1", answer)), 1);
    expect(control.netUsd() - beforeOther).toBeLessThan(0);
  });
});
