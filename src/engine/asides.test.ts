import { describe, expect, test } from "vitest";
import type { Aside } from "../model/aside.ts";
import { chooseAttempt } from "./asides.ts";
import type { Attempt } from "./attempts.ts";

/** An aside whose calls stand behind so many seen blocks; `seen` is what the client saw up to its end. */
function round(seen: string, ...calls: readonly number[]): Aside {
  return asideOf("round", seen, calls);
}

function beside(seen: string, ...calls: readonly number[]): Aside {
  return asideOf("beside", seen, calls);
}

function asideOf(place: Aside["place"], seen: string, seenBefore: readonly number[]): Aside {
  const calls = seenBefore.map((count, index) => ({ id: `${seen}${index}`, name: "ebb_recall", seenBefore: count }));
  const marks = seen === "" ? [] : seen.split(" ");
  return { anchor: "x", attempt: "a", place, seen: marks, seenStart: 0, calls, digest: `${place} ${seen}` };
}

function closed(id: string, seen: string, ...asides: readonly Aside[]): Attempt {
  return { id, atMs: 1, asides, seen: seen.split(" ") };
}

function open(id: string, ...asides: readonly Aside[]): Attempt {
  return { id, atMs: 1, asides, seen: null };
}

/** The attempt, and each aside as its calls' places and where the message is parted. */
function choose(echo: string, ...attempts: readonly Attempt[]): string | null {
  const marks = echo.split(" ").map((mark, blockIndex) => ({ mark, blockIndex }));
  const chosen = chooseAttempt(marks, attempts);
  if (chosen === null) return null;
  const places = chosen.asides.map(({ calls, partedAt }) => `${calls.join()}/${partedAt ?? "-"}`);
  return [chosen.attempt.id, ...places].join(" ");
}

const ONE = closed("a", "think one two", round("think one", 2));

describe("the place of an aside", () => {
  test.each([
    ["behind what was seen before it", "think one two", ONE, "a 2/2"],
    ["behind the rest of it where the client drops thinking", "one two", ONE, "a 1/1"],
    ["in front of everything where all before it was dropped", "two", ONE, "a 0/0"],
    ["at the end where nothing behind it was sent back", "think one", ONE, "a 2/2"],
    ["in front of everything where nothing was seen before it", "one", closed("a", "one", round("", 0)), "a 0/0"],
    [
      "between blocks of its own round",
      "one two three",
      closed("a", "one two three", round("one two", 1, 2)),
      "a 1,2/2",
    ],
    [
      "round by round",
      "one two three",
      closed("a", "one two three", round("one", 1), round("one two", 2)),
      "a 1/1 2/2",
    ],
    [
      "two in one place where nothing was seen between",
      "one",
      closed("a", "one", round("", 0), round("", 0)),
      "a 0/0 0/0",
    ],
    ["without a part beside calls of the client's", "one use", closed("a", "one use", beside("one use", 1)), "a 1/-"],
    [
      "beside other calls behind a round",
      "one use",
      closed("a", "one use", round("one", 1), beside("one use", 2)),
      "a 1/1 2/-",
    ],
    ["by the first of equal blocks", "same same", closed("a", "same same", round("same", 1)), "a 1/1"],
  ])("is %s", (_, echo, attempt, expected) => {
    expect(choose(echo, attempt)).toBe(expected);
  });

  test("counts blocks that have no mark", () => {
    const marks = [
      { mark: "one", blockIndex: 1 },
      { mark: "two", blockIndex: 3 },
    ];
    expect(chooseAttempt(marks, [closed("a", "one two", round("one", 1))])?.asides[0]?.partedAt).toBe(2);
  });
});

describe("the attempt a message came from", () => {
  const RETRY = closed("b", "two");
  const UNSEEN = open("a", round("", 0));
  const BEGUN = open("a", round("think one", 2));
  const THOUGHT = open("a", round("thinking:1", 1));
  test.each([
    ["is none where nothing fits", "other", [ONE], null],
    ["is none where the order differs", "two one think", [ONE], null],
    ["is the one that ended with these blocks", "think one", [ONE, closed("b", "one think")], "a 2/2"],
    ["is the latest of those that fit", "one", [closed("a", "one", round("", 0)), closed("b", "one")], "b"],
    ["is one that ended before one that did not", "one", [closed("a", "one"), open("b", round("", 0))], "a"],
    ["is one that did not end, whatever follows", "think one more", [BEGUN], "a 2/2"],
    ["is one that did not end, without what the client drops", "one more", [BEGUN], "a 1/1"],
    ["is one that did not end and showed nothing before its aside", "more", [UNSEEN], "a 0/0"],
    ["is not that one once it was asked again", "two", [UNSEEN, open("b")], null],
    ["is the later one where that ended", "two", [UNSEEN, RETRY], "b"],
    ["is not one whose blocks are missing once it was asked again", "more", [BEGUN, open("b")], null],
    [
      "is one that did not end, also when it was asked again, by what was seen",
      "one more",
      [BEGUN, open("b")],
      "a 1/1",
    ],
    ["is one whose seen blocks are ones that clients drop", "more", [THOUGHT], "a 0/0"],
    ["is not that one once it was asked again", "more", [THOUGHT, open("b")], null],
    ["is not that one where it was asked before, and nobody knows what came of it", "more", [open("0"), THOUGHT], null],
    ["is that one where all others ended, and with other blocks", "more", [closed("0", "x"), THOUGHT], "a 0/0"],
    ["is none of which other blocks were seen", "more", [open("a", round("text:1", 1))], null],
    ["is one that ended, with its last block cut short", "think on", [ONE], "a 1/1"],
    ["is never one of which nothing is known", "one", [open("a")], null],
  ])("%s", (_, echo, attempts, expected) => {
    expect(choose(echo, ...attempts)).toBe(expected);
  });

  test("is none for a message without blocks", () => {
    expect(chooseAttempt([], [UNSEEN])).toBeNull();
  });
});
