import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evidenceOf } from "../../test/support/evidence.ts";
import { calls, numbered, type PartsMessage } from "../../test/support/source.ts";
import type { LineRange } from "../model/acquisition.ts";

type Act =
  | {
      readonly kind: "read";
      readonly path: string;
      readonly lines: LineRange;
      readonly isStub: boolean;
      readonly isOk: boolean;
    }
  | { readonly kind: "edit"; readonly path: string; readonly isOk: boolean };

const paths = fc.constantFrom("/w/a", "/w/b");
const lines = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 4 }))
  .map(([start, more]) => ({ start, end: start + more }));
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("read" as const),
      path: paths,
      lines,
      isStub: fc.constant(false),
      isOk: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("read" as const),
      path: paths,
      lines,
      isStub: fc.constant(true),
      isOk: fc.constant(true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("edit" as const), path: paths, isOk: fc.boolean() }) },
);
/** Messages of one to three parallel calls. */
const transcripts = fc.array(fc.array(acts, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 });

describe("laws of evidence", () => {
  test("the facts equal those of the rules, read one by one", () => {
    fc.assert(
      fc.property(transcripts, (steps) => {
        const { observed, facts } = evidenceOf(messagesOf(steps));
        const flat = steps.flatMap((one, step) => one.map((act) => ({ act, step: step + 1 })));
        const keys = observed.acquisitions.map(({ callKey }) => callKey);
        const expected = flat.flatMap(({ act }, index) =>
          act.kind === "read" && act.isOk ? [expectedOf(flat, index, keys)] : [],
        );
        const actual = facts.map(({ stale, superseded, isLoadBearing, isCoveredLater, quietSteps }) => {
          return { stale, superseded, isLoadBearing, isCoveredLater, quietSteps };
        });
        expect(actual).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("a longer transcript never takes a class back", () => {
    fc.assert(
      fc.property(transcripts, transcripts, (steps, more) => {
        const before = evidenceOf(messagesOf(steps)).facts;
        const after = evidenceOf(messagesOf([...steps, ...more])).facts;
        for (const [index, fact] of before.entries()) {
          if (fact.stale !== null) expect(after[index]?.stale).toEqual(fact.stale);
          if (fact.superseded !== null) expect(after[index]?.superseded).toEqual(fact.superseded);
        }
      }),
      { numRuns: 300 },
    );
  });
});

interface Placed {
  readonly act: Act;
  readonly step: number;
}

/** The rules as they are written, without regard to cost. */
function expectedOf(all: readonly Placed[], index: number, keys: readonly string[]) {
  const self = all[index];
  if (self?.act.kind !== "read") throw new Error("not a read");
  const { path, lines: own, isStub } = self.act;
  const events = all.map((one, at) => ({ ...one, at })).filter(({ act }) => act.path === path && act.isOk);
  const later = events.filter(({ at }) => at > index);
  const covers = (outer: LineRange) => isStub || (outer.start <= own.start && outer.end >= own.end);
  const evidence = (event: { readonly at: number; readonly step: number } | undefined) =>
    event === undefined ? null : { itemKey: keys[event.at] ?? "", step: event.step };
  const isReal = ({ act }: Placed) => act.kind === "read" && !act.isStub;
  const isSame = ({ act }: Placed) => act.kind === "read" && act.lines.start === own.start && act.lines.end === own.end;
  const lastEdit = events.findLast(({ act }) => act.kind === "edit")?.at ?? -1;
  const current = later.filter((one) => isReal(one) && one.at > lastEdit);
  const stub = later.find((one) => isSame(one) && !isReal(one) && one.at > lastEdit && index > lastEdit);
  const nextReal = later.find((one) => isSame(one) && isReal(one));
  const isPointedTo = stub !== undefined && (nextReal === undefined || stub.at < nextReal.at);
  return {
    stale: evidence(later.find(({ act }) => act.kind === "edit")),
    superseded: evidence(later.find((one) => isReal(one) && isSame(one))),
    isLoadBearing: !isStub && isPointedTo,
    isCoveredLater: current.some(
      ({ act }) => act.kind === "read" && covers(act.lines) && (!isStub || act.lines.start <= own.start),
    ),
    quietSteps: (all.at(-1)?.step ?? 0) - (events.at(-1)?.step ?? 0),
  };
}

function messagesOf(steps: readonly (readonly Act[])[]): readonly PartsMessage[] {
  return steps.flatMap((made, step): readonly PartsMessage[] => {
    const ids = made.map((_, index) => `c${step}-${index}`);
    return [
      calls(
        ...made.map((act, index) => [ids[index] ?? "", act.kind === "read" ? "Read" : "Edit", inputOf(act)] as const),
      ),
      {
        role: "user",
        parts: made.map((act, index) => ({
          kind: "result",
          id: ids[index] ?? "",
          text: textOf(act),
          isError: !act.isOk,
        })),
      },
    ];
  });
}

function inputOf(act: Act) {
  if (act.kind === "edit") return { file_path: act.path };
  return { file_path: act.path, offset: act.lines.start, limit: act.lines.end - act.lines.start + 1 };
}

function textOf(act: Act): string {
  if (!act.isOk) return "it failed";
  if (act.kind === "edit") return "updated";
  if (act.isStub) return "File unchanged since last read.";
  return numbered(act.lines.start, ...Array.from({ length: act.lines.end - act.lines.start + 1 }, () => "x"));
}
