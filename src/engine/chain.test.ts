import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assistant,
  bodyOf,
  call,
  EMPTY_TALK,
  result,
  results,
  type Talk,
  text,
  user,
} from "../../test/support/conversation.ts";
import { wire } from "../../test/support/keeper.ts";
import type { Transcript } from "../model/transcript.ts";
import { chainOf, sharedCount } from "./chain.ts";

function transcriptOf(talk: Talk): Transcript {
  const read = wire.read(bodyOf(talk), new Map());
  if (!read.ok) throw new Error(read.words);
  return read.source.transcript;
}

const called = assistant(
  user(EMPTY_TALK, "go"),
  call("b", "Bash", { command: "1" }),
  call("a", "Bash", { command: "2" }),
);
const answered = results(called, result("b", "one"), result("a", "two"));

describe("a chain", () => {
  it("has one hash for each item, each standing for all before it", () => {
    const short = chainOf(transcriptOf(called), null);
    const long = chainOf(transcriptOf(answered), null);
    expect(long.hashes).toHaveLength(long.keys.length);
    expect(long.hashes.slice(0, short.hashes.length)).toEqual(short.hashes);
    expect(new Set(long.hashes).size).toBe(long.hashes.length);
  });

  it("does not depend on the order of parallel results, but on that of everything else", () => {
    const turned = results(called, result("a", "two"), result("b", "one"));
    expect(chainOf(transcriptOf(turned), null)).toEqual(chainOf(transcriptOf(answered), null));
    const two = user(user(EMPTY_TALK, "x"), "y");
    const owt = user(user(EMPTY_TALK, "y"), "x");
    expect(chainOf(transcriptOf(two), null).hashes[1]).not.toBe(chainOf(transcriptOf(owt), null).hashes[1]);
  });

  it("does not depend on the order of parallel results that are a message each", () => {
    const one = results(results(called, result("b", "one")), result("a", "two"));
    const other = results(results(called, result("a", "two")), result("b", "one"));
    expect(chainOf(transcriptOf(one), null)).toEqual(chainOf(transcriptOf(other), null));
    expect(chainOf(transcriptOf(one), null).hashes.at(-1)).toBe(chainOf(transcriptOf(answered), null).hashes.at(-1));
    const parted = results(user(results(called, result("b", "one")), "x"), result("a", "two"));
    const turned = results(user(results(called, result("a", "two")), "x"), result("b", "one"));
    expect(chainOf(transcriptOf(parted), null)).not.toEqual(chainOf(transcriptOf(turned), null));
  });

  it("is the same with or without a chain to continue from", () => {
    const grown = user(assistant(answered, text("ok")), "more");
    const other = user(assistant(called, text("no")), "else");
    for (const previous of [answered, other, EMPTY_TALK]) {
      const from = chainOf(transcriptOf(previous), null);
      expect(chainOf(transcriptOf(grown), from)).toEqual(chainOf(transcriptOf(grown), null));
    }
  });
});

describe("what two chains share", () => {
  it("is the count of items before the first difference", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2)), fc.array(fc.nat(2)), fc.array(fc.nat(2)), (head, left, right) => {
        const toChain = (parts: readonly number[]) => {
          const keys = parts.map(String);
          return { keys, hashes: keys.map((_, index) => keys.slice(0, index + 1).join(",")) };
        };
        const [a, b] = [toChain([...head, ...left]), toChain([...head, ...right])];
        let expected = 0;
        while (expected < Math.min(a.keys.length, b.keys.length) && a.keys[expected] === b.keys[expected]) expected++;
        expect(sharedCount(a, b)).toBe(expected);
      }),
    );
  });
});
