import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { type Move, type Session, sessions, type ToolUse } from "./client/moves.ts";
import { MOVES_MAX } from "./client/samples.ts";
import { judgeBreakpoints } from "./judges/breakpoint-judge.ts";
import { judgeSignatures } from "./judges/signature-judge.ts";
import { judgeSteadiness } from "./judges/steady-judge.ts";
import { expectLaw, expectReleases, RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { newTally, realWorld, runSession, type World } from "./world.ts";

const TURNS = 50;

describe("steady", () => {
  test("a form once sent is repeated until a recorded decision changes it", { timeout: TIMEOUT_MS }, async () => {
    await expectLaw(realWorld, () => [judgeSteadiness(), judgeSignatures(), judgeBreakpoints]);
  });

  test("what a model signed stands as it was signed, also after another model was in use", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const tally = newTally();
    await fc.assert(
      fc.asyncProperty(sessions(MOVES_MAX), async (session) => {
        const violations = await runSession(amongModels(session), realWorld, [judgeSignatures()], tally);
        expect(violations).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expectReleases(tally);
  });

  test("fifty turns stay stable across restarts on the same file", { timeout: TIMEOUT_MS }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "ebb-laws-"));
    // One path is read and edited over and over: the guard against that would end its releases after two.
    const world: World = {
      ...realWorld,
      createStore: () => openSqliteStore({ file: join(folder, "ebb.sqlite") }),
    };
    const tally = newTally();
    try {
      expect(await runSession(longSession(), world, [judgeSteadiness()], tally)).toEqual([]);
      expect(tally.requests).toBeGreaterThan(2 * TURNS);
      expect(tally.releases).toBeGreaterThan(TURNS / 2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** A stale read is signed over, leaves on a cold cache of a model that signs nothing, and the first model comes back. */
function amongModels({ setting, moves, seed }: Session): Session {
  const [binding, unbound] = [2, 0];
  const read: ToolUse = { tool: "read", path: 0, window: 0, size: 18, flavour: "scripts", shape: "block", end: "ok" };
  return {
    setting: { ...setting, model: binding, ttl: "5m", quietSteps: 0, pays: false },
    moves: [
      { kind: "work", thread: 0, uses: [read], thinks: true },
      { kind: "work", thread: 0, uses: [{ tool: "edit", path: 0, end: "ok" }], thinks: true },
      { kind: "model", model: unbound },
      { kind: "ask", thread: 0, form: "text" },
      { kind: "pause", minutes: 70 },
      { kind: "ask", thread: 0, form: "text" },
      { kind: "model", model: binding },
      { kind: "ask", thread: 0, form: "text" },
      ...moves,
    ],
    seed,
  };
}

/** Each turn reads and edits, then asks; an hour passes now and then, and Ebb starts anew every tenth turn. */
function longSession(): Session {
  const read: ToolUse = { tool: "read", path: 0, window: 0, size: 18, flavour: "scripts", shape: "block", end: "ok" };
  const edit: ToolUse = { tool: "edit", path: 0, end: "ok" };
  const moves = Array.from({ length: TURNS }, (_, turn): readonly Move[] => [
    { kind: "work", thread: 0, uses: turn % 2 === 0 ? [read, edit] : [read], thinks: turn % 7 === 3 },
    ...(turn % 5 === 4 ? [{ kind: "pause", minutes: 70 } as const] : []),
    ...(turn % 10 === 9 ? [{ kind: "restart" } as const] : []),
    { kind: "ask", thread: 0, form: "text" },
  ]);
  return {
    setting: {
      staleAtDepth: false,
      quietSteps: 0,
      pays: false,
      markerMode: "full",
      ttl: "5m",
      model: 0,
      isTabbed: false,
      hasShell: true,
    },
    moves: moves.flat(),
    seed: 50,
  };
}
