import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTestKeeper, wire } from "../../test/support/keeper.ts";
import { recordedSessions } from "../../test/support/shared.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { readRecording } from "../replay/readers/recording-file.ts";
import { inTimeOrder } from "../replay/time-order.ts";
import type { KeeperStats } from "./contract.ts";
import { createTokenCounter } from "./token-counter.ts";

const counter = createTokenCounter();
const folder = join(recordedSessions ?? "", "sessions", "claude-code");

/** What came of the predictions of one recorded session, sent unedited with the usages that were reported. */
async function predictionsOf(file: string): Promise<KeeperStats["predictions"]> {
  const outcome = await readRecording(file, { counter });
  if (!outcome.ok) throw new Error(outcome.words);
  const keeper = createTestKeeper({ mode: "observe" });
  for (const { context, request, atMs } of inTimeOrder(outcome.recording.contexts)) {
    const prepared = await keeper.prepare({
      wire,
      route: { kind: "generate", model: null },
      provider: anthropicProvider,
      body: request.body,
      hints: {
        tenant: "local",
        sessionId: context.sessionId,
        agentId: context.kind === "main" ? null : context.id,
        parentAgentId: null,
      },
      userAgent: null,
      atMs,
    });
    if (prepared.kind === "refuse") throw new Error(prepared.words);
    const { usage } = request;
    const facts = { messageId: null, stopReason: null, errorType: null, calls: [], isComplete: true };
    await prepared.finish({ ...facts, usage }, 200);
  }
  return keeper.stats().predictions;
}

const RUN_MS = 120_000;

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

describe.skipIf(recordedSessions === null)("recorded sessions, sent as they were", () => {
  it(
    "read what was predicted, but for what the clock, the client or requests beside them explain",
    async () => {
      const all: KeeperStats["predictions"][] = [];
      for (const name of readdirSync(folder)) {
        const predictions = await predictionsOf(join(folder, name));
        // A provider with a cache of its own kind: nothing of what is predicted holds.
        if (name.includes("glm"))
          expect(predictions).toMatchObject({ held: 0, missed: { unknown: expect.any(Number) } });
        else all.push(predictions);
      }
      const held = sum(all.map((one) => one.held));
      const missed = sum(all.flatMap((one) => Object.values(one.missed)));
      expect(held).toBeGreaterThan(700);
      expect(held / (held + missed)).toBeGreaterThan(0.98);
      expect(sum(all.map((one) => one.missed.ours ?? 0))).toBe(0);
      expect(sum(all.map((one) => one.missed.unknown ?? 0))).toBeLessThan(3);
    },
    RUN_MS,
  );
});
