import fc from "fast-check";
import { type TalkStep, talkStep } from "../../support/wires/any-talk.ts";
import type { Setting } from "../client/moves.ts";

/** What happens next in a session of a client of some API. `thread` names one of its conversations, modulo their number. */
export type WireMove =
  | { readonly kind: "go"; readonly thread: number; readonly step: TalkStep }
  | { readonly kind: "again" | "count" | "resume"; readonly thread: number }
  | { readonly kind: "rewind" | "fork"; readonly thread: number; readonly back: number }
  | { readonly kind: "pause"; readonly minutes: number }
  | { readonly kind: "restart" };

export interface WireSession {
  readonly setting: Pick<Setting, "staleAtDepth" | "quietSteps" | "markerMode">;
  /** The model signs its thinking over everything in front of it. */
  readonly isBinding: boolean;
  /** Calls have no ids, where the format can do without. */
  readonly omitsIds: boolean;
  readonly moves: readonly WireMove[];
  /** Chance of the client's writing. */
  readonly seed: number;
}

const thread = fc.nat(2);

const move: fc.Arbitrary<WireMove> = fc.oneof(
  { weight: 14, arbitrary: fc.record({ kind: fc.constant("go" as const), thread, step: talkStep }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("again" as const, "count" as const), thread }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("resume" as const), thread }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("rewind" as const, "fork" as const), thread, back: fc.nat(5) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("pause" as const), minutes: fc.constantFrom(1, 70, 1_600) }) },
  { weight: 2, arbitrary: fc.constant({ kind: "restart" as const }) },
);

/** Sessions that shrink to few moves. */
export const wireSessions: fc.Arbitrary<WireSession> = fc.record({
  setting: fc.record({
    staleAtDepth: fc.boolean(),
    quietSteps: fc.constantFrom(0, 0, 3),
    markerMode: fc.constantFrom("full" as const, "full" as const, "summary" as const, "off" as const),
  }),
  isBinding: fc.constantFrom(false, false, false, true),
  omitsIds: fc.boolean(),
  moves: fc.array(move, { minLength: 4, maxLength: 14, size: "max" }),
  seed: fc.nat(),
});
