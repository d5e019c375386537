import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Replacement } from "../model/acquisition.ts";
import { createFileReplay, type FileReplay } from "./file-replay.ts";

/** What happens to the file next; places wrap around at its end. Few letters, so that texts repeat and touch. */
type Event =
  | {
      readonly kind: "edit";
      readonly at: number;
      readonly length: number;
      readonly to: string;
      readonly isAll: boolean;
    }
  | { readonly kind: "write"; readonly to: string }
  /** The last edit the other way round. */
  | { readonly kind: "undo" }
  | { readonly kind: "read" }
  | { readonly kind: "begin" };

const letters = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 4 });
const place = fc.nat(997);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("edit"),
      at: place,
      length: fc.integer({ min: 1, max: 6 }),
      to: letters,
      isAll: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("write"), to: letters }) },
  { weight: 2, arbitrary: fc.constant({ kind: "undo" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "read" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "begin" } as const) },
);
const start = fc
  .string({ unit: fc.constantFrom("a", "b", "c", "d"), minLength: 3, maxLength: 16 })
  .map((text) => `${text}\n`);

/** True where a tool would accept the edit: it counts from the left, without overlaps. */
function isAccepted(text: string, { from, to, isAll }: Replacement): boolean {
  if (from === "" || from === to || !text.includes(from)) return false;
  return isAll || text.split(from).length === 2;
}

function editOf(text: string, { at, length, to, isAll }: Extract<Event, { kind: "edit" }>): Replacement {
  return { from: text.slice(at % Math.max(1, text.length)).slice(0, length), to, isAll };
}

/** Runs the events on a true file and on its replay; calls `check` behind each of them. */
function run(
  first: string,
  events: readonly Event[],
  check: (replay: FileReplay, before: string, now: string) => void,
) {
  const replay = createFileReplay();
  let [before, now] = [first, first];
  let last: Replacement = { from: "", to: "", isAll: false };
  for (const one of events) {
    if (one.kind === "begin") {
      replay.begin();
      before = now;
    } else if (one.kind === "read") {
      if (now.endsWith("\n")) expect(replay.see(now)).toBe(true);
    } else if (one.kind === "write") {
      now = one.to;
      expect(replay.apply({ kind: "content", text: now, isNew: false })).toBe(true);
    } else {
      const edit: Replacement = one.kind === "edit" ? editOf(now, one) : { from: last.to, to: last.from, isAll: false };
      if (!isAccepted(now, edit)) continue;
      last = edit;
      now = now.split(edit.from).join(edit.to);
      expect(replay.apply({ kind: "replacements", replacements: [edit] })).toBe(true);
    }
    check(replay, before, now);
  }
}

describe("a file's replay", () => {
  it("claims no text that is not the file's, and no actor that was not there", () => {
    fc.assert(
      fc.property(start, fc.array(event, { maxLength: 8 }), (first, events) => {
        run(first, events, (replay, before, now) => {
          const stretches = replay.stretches();
          const last = stretches.at(-1);
          if (last?.now !== undefined && last.now !== null) expect(last.now.text).toBe(now);
          if (stretches.length === 1 && last?.before !== undefined && last.before !== null) {
            expect(last.before.text).toBe(before);
          }
        });
      }),
      { numRuns: 3_000, seed: 7 },
    );
  });

  it("calls nothing changed back that was not", () => {
    let proven = 0;
    fc.assert(
      fc.property(start, fc.array(event, { maxLength: 8 }), (first, events) => {
        run(first, events, (replay, before, now) => {
          const [only, other] = replay.stretches();
          if (only === undefined || other !== undefined || only.now !== null || only.fragments.length === 0) return;
          if (!only.fragments.every((one) => one.isOpen && one.before === one.now)) return;
          proven++;
          expect(now).toBe(before);
        });
      }),
      { numRuns: 3_000, seed: 7 },
    );
    expect(proven).toBeGreaterThan(0);
  });
});
