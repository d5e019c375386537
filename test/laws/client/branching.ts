import fc from "fast-check";
import type { Move, Session, ToolUse } from "./moves.ts";

const read: ToolUse = { tool: "read", path: 0, window: 0, size: 18, flavour: "plain", shape: "string", end: "ok" };
const edit: ToolUse = { tool: "edit", path: 0, end: "ok" };
const small: ToolUse = { tool: "unknown", size: 2 };

const thread = fc.constantFrom(0, 0, 0, 1, 2);
const uses = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<ToolUse[][]>([read], [edit], [read, edit], [small]) },
  // So many at once that no breakpoint of the next request looks back over all of them.
  { weight: 1, arbitrary: fc.integer({ min: 3, max: 12 }).map((count) => Array.from({ length: count }, () => small)) },
);

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("work"), thread, uses, thinks: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("ask"), thread, form: fc.constant("text") }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("rewind", "fork"), thread, back: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("again", "count", "resume"), thread }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("model"), model: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("frame"), frame: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause"), minutes: fc.constantFrom(1, 2, 4, 5) }) },
  { weight: 2, arbitrary: fc.constant({ kind: "restart" } as const) },
);

/** Sessions on warm caches in which threads share, leave and find again what was sent, with thinking in between. */
export const branchingSessions: fc.Arbitrary<Session> = fc.record({
  setting: fc.record({
    staleAtDepth: fc.constantFrom(false, false, false, true),
    quietSteps: fc.constant(0),
    pays: fc.boolean(),
    markerMode: fc.constant("full"),
    ttl: fc.constantFrom("5m", "1h"),
    model: fc.constantFrom(0, 0, 1),
    isTabbed: fc.constant(false),
    hasShell: fc.constant(true),
  }),
  moves: fc.array(move, { minLength: 6, maxLength: 30, size: "max" }),
  seed: fc.nat(),
});
