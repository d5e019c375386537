import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  EMPTY_TALK,
  read,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { wire } from "../../test/support/keeper.ts";
import type { Transcript } from "../model/transcript.ts";
import { canonicalKeys } from "./chain.ts";
import { assistantRunsBehind, brokenBehind, exposureOf, lastAssistantIndex } from "./exposure.ts";

function transcriptOf(talk: Talk): Transcript {
  const read = wire.read(bodyOf(talk), new Map());
  if (!read.ok) throw new Error(read.words);
  return read.source.transcript;
}

const first = bash(user(EMPTY_TALK, "go"), "b1", "x", "one");
const second = bash(first, "b2", "x", "two");

function exposures(talk: Talk, sentCount: number): readonly string[] {
  const transcript = transcriptOf(talk);
  const exposure = exposureOf(transcript, canonicalKeys(transcript), sentCount);
  return transcript.items.map((item) => exposure(item));
}

describe("exposure", () => {
  it("is new only behind the last assistant message, sent where the lineage sent it, else unknown", () => {
    expect(exposures(second, 0)).toEqual(["unknown", "unknown", "unknown", "unknown", "new"]);
    expect(exposures(second, 3)).toEqual(["sent", "sent", "sent", "unknown", "new"]);
  });

  it("is sent for everything when the same request comes again", () => {
    expect(exposures(second, 5)).toEqual(["sent", "sent", "sent", "sent", "sent"]);
  });

  it("is new for a whole conversation without an answer", () => {
    expect(exposures(user(user(EMPTY_TALK, "a"), "b"), 0)).toEqual(["new", "new"]);
  });
});

describe("answers behind what was sent", () => {
  it("are counted in runs, those that hold sent items to the end left out", () => {
    const transcript = transcriptOf(assistant(assistant(second, text("a")), text("b")));
    expect([0, 1, 3, 4, 5, 7].map((count) => assistantRunsBehind(transcript, count, () => false))).toEqual([
      3, 3, 2, 1, 1, 0,
    ]);
  });
});

describe("answers whose calls were seen before", () => {
  it("are not counted again where the client wrote something before them anew", () => {
    const talk = read(read(user(EMPTY_TALK, "go"), "r1", "/w/a", "text"), "r2", "/w/b", "text");
    const transcript = transcriptOf(assistant(talk, text("done")));
    expect(assistantRunsBehind(transcript, 1, () => false)).toBe(3);
    expect(assistantRunsBehind(transcript, 1, (item) => item.kind === "call" && item.callId !== "e1")).toBe(1);
  });
});

describe("what is written again anyway", () => {
  const { items } = transcriptOf(second);
  const keys = items.map(({ key }) => key);
  const known = new Map(keys.filter((_, index) => index !== 2).map((key) => [key, true]));

  it("is every known item behind what may be cached", () => {
    expect(items.map(brokenBehind(keys, 2, known))).toEqual([false, false, false, true, true]);
    expect(items.map(brokenBehind(keys, 0, known))).toEqual([true, true, false, true, true]);
  });

  it("is nothing where that is not known", () => {
    expect(items.some(brokenBehind(keys, null, known))).toBe(false);
  });
});

describe("the last assistant message", () => {
  it("is -1 where there is none", () => {
    const transcript = transcriptOf(user(EMPTY_TALK, "a"));
    expect(lastAssistantIndex(transcript)).toBe(-1);
  });

  it("is the last one where there are several", () => {
    const talk = user(assistant(user(assistant(first, thinking("1"), text("a")), "b"), thinking("2"), text("c")), "d");
    const transcript = transcriptOf(talk);
    expect(lastAssistantIndex(transcript)).toBe(5);
  });
});
