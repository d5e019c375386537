import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import type { Move, Session, ToolUse } from "./client/moves.ts";
import { judgeSteadiness } from "./judges/steady-judge.ts";
import { expectLaw, TIMEOUT_MS } from "./property.ts";
import { newTally, realWorld, runSession, type World } from "./world.ts";

const TURNS = 50;

describe("steady", () => {
  test("a form once sent is repeated until a recorded decision changes it", { timeout: TIMEOUT_MS }, async () => {
    await expectLaw(realWorld, () => [judgeSteadiness()]);
  });

  test("fifty turns stay stable across restarts on the same file", { timeout: TIMEOUT_MS }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "ebb-laws-"));
    const world: World = { ...realWorld, createStore: () => openSqliteStore({ file: join(folder, "ebb.sqlite") }) };
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
