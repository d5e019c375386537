import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  EMPTY_TALK,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { wire } from "../../test/support/keeper.ts";
import { blockCounts } from "./block-counts.ts";
import { countBeforeSpoken } from "./forgotten.ts";

function transcriptOf(talk: Talk) {
  const read = wire.read(bodyOf(talk), { get: () => undefined, set: () => undefined });
  if (!read.ok) throw new Error(read.words);
  return read.source.transcript;
}

const asked = user(EMPTY_TALK, "go");
const said = user(assistant(asked, thinking("hm"), text("a question")), "an answer");
const worked = bash(assistant(said, thinking("again")), "b1", "ls", "x");

describe("thinking of earlier turns", () => {
  it.each([
    ["nothing in the first turn", asked, 0],
    ["all before what the user said last", said, 3],
    ["nothing of the turn that goes on by calls and results", worked, 3],
  ])("is %s", (_, talk, expected) => {
    expect(countBeforeSpoken(transcriptOf(talk))).toBe(expected);
  });

  it("is no block where the model forgets it", () => {
    const counts = (talk: Talk, keepsThinking: boolean) => blockCounts(transcriptOf(talk), { keepsThinking });
    expect(counts(worked, true)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(counts(worked, false)).toEqual([0, 1, 1, 2, 3, 4, 5, 6]);
    expect(counts(user(worked, "more"), false)).toEqual([0, 1, 1, 2, 3, 3, 4, 5, 6]);
  });
});
