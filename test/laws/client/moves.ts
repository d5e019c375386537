import fc from "fast-check";
import { FRAMES } from "./frames.ts";
import type { Flavour } from "./texts.ts";

/** Form in which a result's text comes. */
export type Shape = "string" | "block" | "two-blocks" | "with-image" | "with-unknown" | "with-duplicate";

export type ToolUse =
  | {
      readonly tool: "read";
      readonly path: number;
      readonly window: 0 | 1 | 2;
      readonly size: number;
      readonly flavour: Flavour;
      readonly shape: Shape;
      readonly end: "ok" | "failed" | "unchanged" | "image" | "empty" | "absent";
    }
  | {
      readonly tool: "edit" | "write";
      readonly path: number;
      readonly end: "ok" | "failed" | "refused" | "exotic";
    }
  | {
      readonly tool: "bash";
      readonly command: number;
      readonly size: number;
      readonly flavour: Flavour;
      readonly shape: Shape;
      readonly end: "ok" | "failed" | "recalled";
    }
  | { readonly tool: "unknown"; readonly size: number };

/** What happens next in a coding session. `thread` names one of the open conversations, modulo their number. */
export type Move =
  | { readonly kind: "work"; readonly thread: number; readonly uses: readonly ToolUse[]; readonly thinks: boolean }
  /** Steps the proxy does not see as requests of their own: the client was elsewhere. */
  | { readonly kind: "unseen"; readonly thread: number; readonly uses: readonly ToolUse[] }
  | { readonly kind: "ask"; readonly thread: number; readonly form: "text" | "string" | "image" | "unknown" }
  | { readonly kind: "note"; readonly thread: number; readonly path: number; readonly role: "user" | "system" }
  | { readonly kind: "again"; readonly thread: number }
  | { readonly kind: "count"; readonly thread: number }
  | { readonly kind: "side"; readonly purpose: "title" | "quota" | "sub-agent" }
  | { readonly kind: "rewind"; readonly thread: number; readonly back: number }
  | { readonly kind: "fork"; readonly thread: number; readonly back: number }
  | { readonly kind: "resume"; readonly thread: number }
  | { readonly kind: "compact"; readonly thread: number }
  | { readonly kind: "clear"; readonly thread: number; readonly keeps: number }
  | { readonly kind: "pause"; readonly minutes: number }
  | { readonly kind: "model"; readonly model: number }
  /** Other tools, another system prompt, other thinking. */
  | { readonly kind: "frame"; readonly frame: number }
  | { readonly kind: "restart" };

export interface Setting {
  readonly staleAtDepth: boolean;
  readonly quietSteps: number;
  /** Batches at depth act where they pay. */
  readonly pays: boolean;
  readonly markerMode: "full" | "summary" | "off";
  readonly ttl: "5m" | "1h" | null;
  readonly model: number;
  readonly isTabbed: boolean;
  readonly hasShell: boolean;
  /** The client repeats every block as it came, which signed thinking asks of it, and its model hides no thinking. */
  readonly isFaithful?: true;
}

/** One whole session: how Ebb and the client are set, and what happens. */
export interface Session {
  readonly setting: Setting;
  readonly moves: readonly Move[];
  /** Chance of the client's writing: white space, escapes, and what it re-shapes between requests. */
  readonly seed: number;
}

/** Sessions that shrink to few moves. `moves` is the most there can be. */
export function sessions(moves: number): fc.Arbitrary<Session> {
  return fc.record({
    setting: settings,
    moves: fc.array(anyMove, { minLength: Math.min(4, moves), maxLength: moves, size: "max" }),
    seed: fc.nat(),
  });
}

const settings: fc.Arbitrary<Setting> = fc.record({
  staleAtDepth: fc.boolean(),
  quietSteps: fc.constantFrom(0, 0, 0, 3),
  pays: fc.boolean(),
  markerMode: fc.constantFrom("full", "full", "summary", "off"),
  ttl: fc.constantFrom("5m", "5m", "1h", null),
  model: fc.constantFrom(0, 0, 1, 1, 2, 3),
  isTabbed: fc.boolean(),
  hasShell: fc.constantFrom(true, true, true, false),
});

const flavour = fc.constantFrom<Flavour[]>("plain", "plain", "scripts", "hostile");
const shape = fc.constantFrom<Shape[]>(
  "string",
  "string",
  "string",
  "string",
  "block",
  "block",
  "two-blocks",
  "two-blocks",
  "with-image",
  "with-image",
  "with-unknown",
  "with-duplicate",
);
const path = fc.constantFrom(0, 0, 0, 1, 2);
const thread = fc.nat(3);

const read: fc.Arbitrary<ToolUse> = fc.record({
  tool: fc.constant("read"),
  path,
  window: fc.constantFrom(0, 0, 1, 2),
  size: fc.oneof(fc.constant(18), fc.integer({ min: 0, max: 26 })),
  flavour,
  shape,
  end: fc.oneof(
    { weight: 3, arbitrary: fc.constant("ok" as const) },
    { weight: 1, arbitrary: fc.constantFrom("failed", "unchanged", "unchanged", "image", "image", "empty", "absent") },
  ),
});

const change: fc.Arbitrary<ToolUse> = fc.record({
  tool: fc.constantFrom("edit", "edit", "write"),
  path,
  end: fc.constantFrom("ok", "ok", "ok", "failed", "refused", "exotic"),
});

const bash: fc.Arbitrary<ToolUse> = fc.record({
  tool: fc.constant("bash"),
  command: fc.nat(3),
  size: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 20, max: 32 })),
  flavour,
  shape,
  end: fc.constantFrom("ok", "ok", "ok", "failed", "recalled"),
});

const unknownTool: fc.Arbitrary<ToolUse> = fc.record({
  tool: fc.constant("unknown"),
  size: fc.integer({ min: 0, max: 32 }),
});

const uses = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: read },
    { weight: 4, arbitrary: change },
    { weight: 2, arbitrary: bash },
    { weight: 1, arbitrary: unknownTool },
  ),
  { minLength: 1, maxLength: 3, size: "max" },
);

const anyMove: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({ kind: fc.constant("work"), thread, uses, thinks: fc.constantFrom(true, false, false) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("unseen"), thread, uses }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("ask"),
      thread,
      form: fc.constantFrom("text", "text", "string", "image", "unknown"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("note"), thread, path, role: fc.constantFrom("user", "system") }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("again", "count"), thread }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("side"), purpose: fc.constantFrom("title", "quota", "sub-agent") }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("rewind", "fork"), thread, back: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("resume"), thread }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact"), thread }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear"), thread, keeps: fc.nat(3) }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("pause"), minutes: fc.constantFrom(1, 7, 7, 70, 70) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("model"), model: fc.constantFrom(0, 1, 2, 3) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("frame"), frame: fc.nat(FRAMES.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restart") }) },
);
