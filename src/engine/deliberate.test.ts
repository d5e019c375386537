import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Scope, Until } from "../model/wish.ts";
import { protectionOf, spanOf } from "./declared.ts";
import { type DeliberateEntry, foldDeliberate, judgeUntil, NOTHING_DELIBERATE, untilText } from "./deliberate.ts";

const OPEN: Scope = { name: "tmp_fix", reason: "r", openedTurn: 1, openedStep: 1, isClosed: false };
const scopes = (isClosed: boolean) => new Map([["tmp_fix", { ...OPEN, isClosed }]]);
const turn = (at: number): Until => ({ kind: "turn", turn: at });
const step = (at: number): Until => ({ kind: "step", step: at });
const inScope: Until = { kind: "scope", scope: "tmp_fix" };

describe("a declared end", () => {
  it.each([
    ["exactly on its turn", turn(3), { turn: 3, step: 90 }, "running"],
    ["one turn later", turn(3), { turn: 4, step: 1 }, "over"],
    ["exactly on its step", step(7), { turn: 90, step: 7 }, "running"],
    ["one step later", step(7), { turn: 1, step: 8 }, "over"],
    ["at 0 with a clock at 0", turn(0), { turn: 0, step: 0 }, "running"],
    ["at 0 with a clock at 1", step(0), { turn: 0, step: 1 }, "over"],
    ["without a clock, of turns", turn(3), null, "unknown"],
    ["without a clock, of steps", step(3), null, "unknown"],
    ["without a clock, for good", { kind: "forever" }, null, "running"],
    ["for good, however late", { kind: "forever" }, { turn: 9_999_999, step: 9_999_999 }, "running"],
  ] as const)("%s: %j at %j is %s", (_, until, clock, judged) => {
    expect(judgeUntil(until, clock, new Map())).toBe(judged);
  });

  it("of a scope is that of the scope, and unknown where nobody knows it", () => {
    expect(judgeUntil(inScope, null, scopes(false))).toBe("running");
    expect(judgeUntil(inScope, null, scopes(true))).toBe("over");
    expect(judgeUntil(inScope, { turn: 9, step: 9 }, new Map())).toBe("unknown");
  });

  it("has words of its own", () => {
    expect([turn(3), step(4), inScope, { kind: "forever" } as const].map(untilText)).toEqual([
      "until turn 3",
      "until step 4",
      "until tmp_fix is closed",
      "for good",
    ]);
  });
});

describe("what was said of an item and of its path", () => {
  const motive = { reason: "r", by: "user" } as const;
  const ITEM = { key: "k", isAcquired: false, path: "a.ts", absolutePath: "/w/a.ts" };
  const path = (until: Until | null, named = "/w/a.ts"): DeliberateEntry =>
    until === null
      ? { type: "path-protected", held: { path: named, until, ...motive } }
      : { type: "path-protected", held: { path: named, until, ...motive } };
  const item = (until: Until | null): DeliberateEntry =>
    until === null
      ? { type: "item-protected", held: { itemKey: "k", address: "a", until, ...motive } }
      : { type: "item-protected", held: { itemKey: "k", address: "a", until, ...motive } };
  const said = (entries: readonly DeliberateEntry[], given = ITEM, clock = { turn: 2, step: 5 }) =>
    protectionOf(given, foldDeliberate(NOTHING_DELIBERATE, entries), clock)?.declaration.until ?? null;

  it.each([
    ["nothing", [], null],
    ["the path alone", [path({ kind: "forever" })], { kind: "forever" }],
    ["the path as the agent wrote it", [path({ kind: "forever" }, "a.ts")], { kind: "forever" }],
    ["another path", [path({ kind: "forever" }, "/w/b.ts")], null],
    ["the path, taken back", [path({ kind: "forever" }), path(null)], null],
    ["the path, whose end has come", [path(turn(1))], null],
    ["the path, on its last turn", [path(turn(2))], turn(2)],
    ["the item, which counts before the path", [path({ kind: "forever" }), item(turn(9))], turn(9)],
    [
      "the item taken back, whatever its path says",
      [path({ kind: "forever" }), item({ kind: "forever" }), item(null)],
      null,
    ],
    ["the item last", [item(turn(9)), item(step(3))], step(3)],
  ] as const)("%s", (_, entries, until) => {
    expect(said(entries)).toEqual(until);
  });

  it("binds no item by its path that was there before", () => {
    expect(said([path({ kind: "forever" })], { ...ITEM, isAcquired: true })).toBeNull();
  });

  it("is not judged without a clock, and stands", () => {
    const deliberate = foldDeliberate(NOTHING_DELIBERATE, [path(turn(1))]);
    expect(protectionOf(ITEM, deliberate, null)?.declaration.until).toEqual(turn(1));
    expect(spanOf(ITEM, deliberate, null)).toBeNull();
  });
});

describe("a scope", () => {
  const fold = (...entries: readonly LedgerEntry[]) =>
    foldDeliberate(NOTHING_DELIBERATE, entries as readonly DeliberateEntry[]).scopes;

  it("is closed once, and opened again only on purpose", () => {
    const opened: LedgerEntry = { type: "scope-opened", scope: OPEN };
    const closed: LedgerEntry = { type: "scope-closed", name: "tmp_fix", turn: 2, step: 2 };
    expect(fold(opened, closed, closed).get("tmp_fix")?.isClosed).toBe(true);
    expect(fold(opened, closed, opened).get("tmp_fix")?.isClosed).toBe(false);
    expect(fold(closed).size).toBe(0);
  });
});
