import { expect, test } from "vitest";
import type { Aside } from "../model/aside.ts";
import { type AttemptEntry, foldAttempts, mergedAttempts, NO_ATTEMPTS } from "./attempts.ts";
import { EMPTY_STANDING, foldLedger } from "./standing.ts";

function pinned(attempt: string, digest: string, seen: readonly string[] = [], anchor = "x"): AttemptEntry {
  const aside: Aside = { anchor, attempt, place: "round", seen, seenStart: 0, calls: [], digest };
  return { type: "aside-pinned", aside };
}

function closed(attempt: string, ...seen: readonly string[]): AttemptEntry {
  return { type: "aside-closed", anchor: "x", attempt, seen };
}

function folded(...entries: readonly (readonly [number, AttemptEntry])[]) {
  return foldAttempts(
    NO_ATTEMPTS,
    entries.map(([atMs, entry]) => ({ atMs, entry })),
  );
}

function told(attempts: ReturnType<typeof mergedAttempts>): readonly string[] {
  return attempts.map(({ id, asides, seen }) => `${id} ${asides.map(({ digest }) => digest)} ${seen}`);
}

test("asides belong to the request that asked for their message, in the order of their rounds", () => {
  const attempts = folded(
    [1, pinned("a", "1")],
    [2, pinned("a", "2", ["t"])],
    [3, pinned("b", "3")],
    [4, closed("b", "u")],
  );
  expect(told(attempts.get("x") ?? [])).toEqual(["a 1,2 null", "b 3 u"]);
  expect(attempts.get("y")).toBeUndefined();
});

test("an end at which nothing was seen says no more than that the request was made", () => {
  const attempts = folded([1, closed("a")], [2, pinned("a", "1")], [3, closed("b")]);
  expect(told(attempts.get("x") ?? [])).toEqual(["a 1 null", "b  null"]);
});

test("several ledgers that tell of the same attempt make one of it, at its first time", () => {
  const parent = folded(
    [5, pinned("a", "1", ["t"])],
    [6, pinned("a", "2", ["t", "u"])],
    [7, closed("a", "t", "u", "v")],
  );
  const fork = folded([8, closed("b", "w")], [9, pinned("a", "1", ["t"])], [9, pinned("a", "2", ["t", "u"])]);
  const expected = ["a 1,2 t,u,v", "b  w"];
  expect(told(mergedAttempts([parent.get("x") ?? [], fork.get("x") ?? []]))).toEqual(expected);
  expect(told(mergedAttempts([fork.get("x") ?? [], parent.get("x") ?? []]))).toEqual(expected);
});

test("a lineage stands with the tools it offers and its attempts, and a ledger without news shares them", () => {
  const offered = { type: "tools-offered", json: "{}", names: ["ebb_recall"], moment: "first-send" } as const;
  const records = [offered, pinned("a", "1")].map((entry, index) => ({ seq: index + 1, atMs: 1, entry }));
  const standing = foldLedger(EMPTY_STANDING, records);
  expect(standing.offered).toEqual({
    json: "{}",
    names: ["ebb_recall"],
    moment: "first-send",
    wire: "anthropic-messages",
  });
  expect(told(standing.attempts.get("x") ?? [])).toEqual(["a 1 null"]);
  const later = foldLedger(standing, [{ seq: 3, atMs: 2, entry: { type: "client-folded", fromLineage: "f" } }]);
  expect(later.attempts).toBe(standing.attempts);
});
