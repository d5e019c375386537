import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withStatedModels } from "../../src/providers/stated-models.ts";
import { createAnthropicMessages } from "../../src/wires/anthropic-messages/index.ts";
import { type Session, sessions } from "./client/moves.ts";
import { MOVES_MAX } from "./client/samples.ts";
import { judgeBytes } from "./judges/byte-judge.ts";
import { judgeDeletions } from "./judges/deletion-judge.ts";
import { judgeOwnCheck } from "./judges/own-check-judge.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { realWorld, runSession, type World } from "./world.ts";

const FORM = { blockType: "drop_from_cache", editsMember: "asked", deleteType: "drop", referenceMember: "cache_name" };

/** Each case recalls what was deleted at every request. */
const CASES = Math.ceil(RUNS / 2);

/** Every model deletes from its cache, and the wire knows a form in which to ask. */
const deletingWorld: World = {
  ...realWorld,
  wire: createAnthropicMessages({ cacheEdits: { ...FORM, needsTextBehind: true, betaHeader: null } }),
  provider: withStatedModels(realWorld.provider, [{ name: "*", deletesInCache: true }]),
};

describe("cache edits", () => {
  test("ask for what may be deleted alone, name it once with the way back, and are repeated byte by byte", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const counts = { asked: 0, repeated: 0 };
    await fc.assert(
      fc.asyncProperty(sessions(MOVES_MAX), async (session) => {
        const watchers = [
          judgeDeletions(FORM, counts),
          judgeBytes(["untouched", "paired", "never worse"]),
          judgeOwnCheck,
        ];
        expect(await runSession(warm(session), deletingWorld, watchers)).toEqual([]);
      }),
      { numRuns: CASES, seed: SEED },
    );
    process.stdout.write(`blocks of deletions: ${counts.asked} asked, ${counts.repeated} times repeated\n`);
    expect(counts.asked).toBeGreaterThan(CASES / 8);
    expect(counts.repeated).toBeGreaterThan(counts.asked);
  });
});

/** Pauses keep every cache warm, and the model stays one that signs nothing; now and then nothing is cached at all. */
function warm({ setting, moves, seed }: Session): Session {
  const ttl = seed % 16 === 0 ? null : (setting.ttl ?? "5m");
  const calm = moves.filter(({ kind }) => kind !== "model" && (kind !== "frame" || seed % 5 === 0));
  return {
    setting: { ...setting, model: seed % 2, ttl, staleAtDepth: false },
    moves: calm.map((move) => (move.kind === "pause" ? { ...move, minutes: 1 } : move)),
    seed,
  };
}
