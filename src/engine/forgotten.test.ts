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
import { countBeforeForgotten } from "./forgotten.ts";

function transcriptOf(talk: Talk) {
  const read = wire.read(bodyOf(talk), { get: () => undefined, set: () => undefined });
  if (!read.ok) throw new Error(read.words);
  return read.source.transcript;
}

const asked = user(EMPTY_TALK, "go");
const thought = assistant(asked, thinking("hm"), text("a question"));
const said = user(thought, "an answer");
const worked = bash(assistant(said, thinking("again")), "b1", "ls", "x");

describe("thinking that a model forgets once the user speaks again", () => {
  it.each([
    ["stood in the request before", user(worked, "thanks"), transcriptOf(worked).items.length, 4],
    ["came with the last answer and was not sent yet", said, transcriptOf(asked).items.length, 1],
    ["belongs to the turn that goes on", bash(worked, "b2", "ls", "y"), transcriptOf(worked).items.length, null],
    ["was forgotten before", user(bash(said, "b3", "ls", "z"), "more"), transcriptOf(said).items.length, null],
  ])("where it %s", (_, talk, sentCount, expected) => {
    expect(countBeforeForgotten(transcriptOf(talk), sentCount)).toBe(expected ?? sentCount);
  });
});
