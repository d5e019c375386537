import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { branchingSessions } from "./client/branching.ts";
import { FRAMES } from "./client/frames.ts";
import { type Move, type Session, sessions, type ToolUse } from "./client/moves.ts";
import { MOVES_MAX } from "./client/samples.ts";
import { judgeBreakpoints } from "./judges/breakpoint-judge.ts";
import { judgeSignatures } from "./judges/signature-judge.ts";
import { judgeSteadiness } from "./judges/steady-judge.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { realWorld, runSession, type Watcher } from "./world.ts";

/** Half of a law's cases: the judge serves every body that went out again. */
const CASES = Math.ceil(RUNS / 2);
const MODELS_UNBOUND = 2;
const read: ToolUse = { tool: "read", path: 0, window: 0, size: 18, flavour: "plain", shape: "string", end: "ok" };
const edit: ToolUse = { tool: "edit", path: 0, end: "ok" };

describe("a prefix in the provider's cache", () => {
  test("lets go of what waits where the client broke it, and nowhere else", { timeout: TIMEOUT_MS }, async () => {
    const moments = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(sessions(MOVES_MAX), async (session) => {
        const watchers = [judgeSteadiness(), judgeSignatures(), judgeBreakpoints, counting(moments)];
        expect(await runSession(restless(session), realWorld, watchers)).toEqual([]);
      }),
      { numRuns: CASES, seed: SEED },
    );
    process.stdout.write(`releases by moment: ${JSON.stringify(Object.fromEntries(moments))}\n`);
    expect(moments.get("prefix-broken") ?? 0).toBeGreaterThan(CASES / 10);
  });

  test("is found again by forks, after rewinds and restarts, and where a model forgets its thinking", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const moments = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(branchingSessions, async (session) => {
        const watchers = [judgeSteadiness(), judgeBreakpoints, counting(moments)];
        expect(await runSession(session, realWorld, watchers)).toEqual([]);
      }),
      { numRuns: CASES, seed: SEED },
    );
    process.stdout.write(`releases by moment: ${JSON.stringify(Object.fromEntries(moments))}\n`);
    expect(moments.get("prefix-broken") ?? 0).toBeGreaterThan(CASES / 10);
    expect(moments.get("pays") ?? 0).toBeGreaterThan(0);
  });

  test("is left alone whatever title, quota, counting and two sub-agents go between", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const moments = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(sideMove, { minLength: 8, maxLength: 24 }), fc.nat(), async (moves, seed) => {
        const watchers = [judgeSteadiness(), judgeBreakpoints, counting(moments)];
        expect(await runSession({ setting: CALM, moves: [...OPENING, ...moves], seed }, realWorld, watchers)).toEqual(
          [],
        );
      }),
      { numRuns: CASES, seed: SEED },
    );
    // Two reads of one message: the edit beside them makes the first stale before it was ever sent.
    expect(Array.from(moments.keys())).toEqual(["first-send"]);
  });
});

const CALM: Session["setting"] = {
  staleAtDepth: false,
  quietSteps: 0,
  pays: false,
  markerMode: "full",
  ttl: "1h",
  model: 1,
  isTabbed: false,
  hasShell: true,
};

const OPENING: readonly Move[] = [
  { kind: "side", purpose: "sub-agent" },
  { kind: "side", purpose: "sub-agent" },
  { kind: "work", thread: 0, uses: [read], thinks: false },
  { kind: "work", thread: 0, uses: [edit], thinks: false },
];

const thread = fc.nat(2);
const sideMove: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant("side"), purpose: fc.constantFrom("title", "quota") }),
  fc.record({ kind: fc.constantFrom("count", "again"), thread }),
  fc.record({ kind: fc.constant("ask"), thread, form: fc.constantFrom("text", "string") }),
  fc.record({
    kind: fc.constant("work"),
    thread,
    uses: fc.constantFrom<ToolUse[][]>([read], [edit], [read, edit]),
    thinks: fc.boolean(),
  }),
);

/** No long pauses, and a change of model or frame after every other move: A, B and back within the cache's lifetime. */
function restless({ setting, moves, seed }: Session): Session {
  const calm = moves.filter((move) => move.kind !== "model" && (move.kind !== "pause" || move.minutes < 60));
  return {
    setting: { ...setting, model: seed % MODELS_UNBOUND, ttl: setting.ttl ?? "5m" },
    moves: calm.flatMap((move, index) => (index % 2 === 1 ? [move, changeOf(Math.floor(seed / 2 ** index))] : [move])),
    seed,
  };
}

function changeOf(number: number): Move {
  const choice = Math.floor(number / 3);
  return number % 3 === 0
    ? { kind: "model", model: choice % MODELS_UNBOUND }
    : { kind: "frame", frame: choice % FRAMES.length };
}

function counting(moments: Map<string, number>): Watcher {
  return ({ request, prepared }) => {
    if (request.kind === "count" || prepared.kind === "refuse") return [];
    for (const { moment } of prepared.plan?.fresh ?? []) moments.set(moment, (moments.get(moment) ?? 0) + 1);
    return [];
  };
}
