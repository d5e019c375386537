import { describe, expect, it } from "vitest";
import { assistant, bodyOf, call, EMPTY_TALK, result, results, user } from "../../test/support/conversation.ts";
import { wire } from "../../test/support/keeper.ts";
import type { Decision } from "../model/decision.ts";
import type { ReadMemo } from "../model/ports.ts";
import { createBodyCheck, type Leaving } from "./self-check-leaving.ts";

const memo: ReadMemo = { get: () => undefined, set: () => undefined };
const TEXT = "a text of some words that stands here";
const parts = [
  { type: "text", text: TEXT },
  { type: "text", text: "and a second part" },
];
const talk = results(
  assistant(user(EMPTY_TALK, "go"), call("r1", "Read", {}), call("r2", "Read", {})),
  result("r1", TEXT),
  result("r2", parts),
);
const body = bodyOf(talk);
const read = wire.read(body, memo);
if (!read.ok) throw new Error(read.words);
const { source } = read;
const [first, second] = source.transcript.items.filter(({ kind }) => kind === "result");
if (first === undefined || second === undefined) throw new Error("no results");

/** Counts words. */
const tokens = { count: (text: string) => text.split(" ").length };

function decision(itemKey: string, changes: Partial<Decision> = {}): Decision {
  return {
    itemKey,
    address: "a",
    policy: "p",
    reason: "over_bound",
    evidenceKey: null,
    wish: null,
    moment: "first-send",
    thinkingBehind: null,
    step: 1,
    turn: 1,
    templateVersion: 1,
    channel: { kind: "none" },
    marker: "m",
    originalDigest: "d",
    originalBytes: 99,
    originalTokens: 8,
    markerTokens: 1,
    ...changes,
  };
}

function written(inForce: readonly Decision[]): readonly Uint8Array[] {
  const script = inForce.map(({ itemKey, marker }) => ({ kind: "replace" as const, itemKey, text: marker }));
  return wire.write(body, source, script);
}

function leaving(inForce: readonly Decision[], changes: Partial<Leaving> = {}): Leaving {
  return {
    wire,
    route: null,
    body,
    slices: written(inForce),
    source,
    inForce,
    extras: [],
    isReadBack: false,
    ...changes,
  };
}

function faultIn(given: Leaving): string | null {
  return createBodyCheck(tokens, memo).faultIn(given);
}

const both = [decision(first.key), decision(second.key, { marker: "n" })];

describe("a body with its markers in their places", () => {
  it("may leave", () => {
    expect(faultIn(leaving(both))).toBeNull();
    expect(faultIn(leaving(both, { inForce: null }))).toBeNull();
    expect(faultIn(leaving([]))).toBeNull();
  });
});

describe("a body may not leave", () => {
  const slices = written(both);

  it.each([
    ["without one of its markers", leaving(both, { slices: written(both.slice(1)) }), "steady: 2 markers"],
    ["with one too many", leaving(both.slice(1), { slices }), "steady: 1 markers"],
    ["with a marker in the place of another", leaving(both.toReversed(), { slices }), "steady: the marker"],
    ["in another order", leaving(both, { slices: slices.toReversed() }), "untouched"],
    ["with something put in that is no text", leaving([], { slices: [Buffer.from("1"), body] }), "untouched"],
    ["with something put in that is not even JSON", leaving([], { slices: [Buffer.from("x"), body] }), "untouched"],
    ["with bytes cut", leaving([], { slices: [body.subarray(0, 9), body.subarray(10)] }), "paired"],
    [
      "with bytes cut of which nothing else is known",
      leaving([], { inForce: null, slices: [body.subarray(1)] }),
      "paired",
    ],
  ])("%s", (_, given, words) => {
    expect(faultIn(given)).toContain(words);
  });

  it("with a marker that is as large as its original, in bytes or in tokens", () => {
    const long = decision(first.key, { marker: "x".repeat(TEXT.length) });
    const wordy = decision(first.key, { marker: "a b c d e f g h" });
    expect(faultIn(leaving([long]))).toContain("never worse");
    expect(faultIn(leaving([wordy]))).toContain("never worse");
    expect(faultIn(leaving([{ ...long, marker: long.marker.slice(1) }]))).toBeNull();
  });

  it("except where a pointer repairs an answer: that is an insertion", () => {
    expect(faultIn(leaving([decision(first.key, { reason: "stub_repair", marker: "x".repeat(99) })]))).toBeNull();
  });

  it("with the rest of a text beside its marker, also where the marker was proven before", () => {
    const check = createBodyCheck(tokens, memo);
    const whole = leaving(both);
    expect(check.faultIn(whole)).toBeNull();
    const at = Buffer.from(body).indexOf(',{"type":"text","text":"and a second part"');
    const end = Buffer.from(body).indexOf("}", at) + 1;
    const uncut = whole.slices.flatMap((slice) =>
      slice.buffer === body.buffer && slice.byteOffset === body.byteOffset + end
        ? [body.subarray(at, end), slice]
        : [slice],
    );
    expect(uncut).toHaveLength(whole.slices.length + 1);
    expect(check.faultIn({ ...whole, slices: uncut })).toContain("does not hold its marker");
  });
});
