import fc from "fast-check";

/** One answer of the model: what it holds, in order. */
export interface RoundShape {
  readonly thinks: boolean;
  readonly says: boolean;
  /** Calls of Ebb's own tools. */
  readonly recalls: number;
  /** They stand in front of the text. */
  readonly recallsFirst: boolean;
  /** Calls of the client's tools. */
  readonly uses: number;
}

export type AsideMove =
  /** A person says something, and the model answers in these rounds. */
  | { readonly kind: "say"; readonly thread: number; readonly rounds: readonly RoundShape[]; readonly isCut: boolean }
  /** The last request again, with another answer. */
  | { readonly kind: "again"; readonly thread: number; readonly rounds: readonly RoundShape[]; readonly isCut: boolean }
  /** Back by so many exchanges. */
  | { readonly kind: "rewind"; readonly thread: number; readonly back: number }
  /** A thread of its own from here, of another session or the same. */
  | { readonly kind: "fork"; readonly thread: number; readonly isOther: boolean }
  | { readonly kind: "count"; readonly thread: number }
  | { readonly kind: "restart" };

/** What a client does with the model's messages before it sends them back. */
export type Habit = "faithful" | "without-thinking" | "trimmed";

export interface AsideSession {
  readonly habit: Habit;
  readonly isBinding: boolean;
  readonly moves: readonly AsideMove[];
}

const round: fc.Arbitrary<RoundShape> = fc.record({
  thinks: fc.boolean(),
  says: fc.boolean(),
  recalls: fc.constantFrom(0, 1, 1, 2),
  recallsFirst: fc.boolean(),
  uses: fc.constantFrom(0, 0, 0, 1, 2),
});
const rounds = fc.array(round, { minLength: 1, maxLength: 4 });
const thread = fc.nat(3);
const isCut = fc.constantFrom(false, false, false, false, true);

const move: fc.Arbitrary<AsideMove> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("say"), thread, rounds, isCut }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("again"), thread, rounds, isCut }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rewind"), thread, back: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fork"), thread, isOther: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("count"), thread }) },
  { weight: 2, arbitrary: fc.constant({ kind: "restart" } as const) },
);

/** Sessions whose agents have no tool of Ebb's, and whose model recalls all the same. */
export const asideSessions: fc.Arbitrary<AsideSession> = fc.record({
  habit: fc.constantFrom<Habit[]>("faithful", "faithful", "without-thinking", "trimmed"),
  isBinding: fc.boolean(),
  moves: fc.array(move, { minLength: 2, maxLength: 10 }),
});
