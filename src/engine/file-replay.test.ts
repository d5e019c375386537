import { describe, expect, it } from "vitest";
import type { ChangeText } from "../model/acquisition.ts";
import { decodeChangeText, encodeChangeText } from "./change-text.ts";
import { createFileReplay } from "./file-replay.ts";
import { wholeTextOf } from "./whole-read.ts";

function edit(from: string, to: string, isAll = false): ChangeText {
  return { kind: "replacements", replacements: [{ from, to, isAll }] };
}

describe("a replay of parts", () => {
  it("does not join an edit to a part where the same text may begin just before it", () => {
    const replay = createFileReplay();
    // The file is "aQ": it becomes "aaab", and then "Zab", for tools take the leftmost place.
    replay.apply(edit("Q", "aab"));
    replay.apply(edit("aa", "Z"));
    expect(replay.stretches()).toMatchObject([
      {
        before: null,
        now: null,
        fragments: [
          { before: "Q", now: "aab", isOpen: false },
          { before: "aa", isOpen: false },
        ],
      },
    ]);
    expect(replay.see("Zab\n")).toBe(true);
    expect(replay.stretches().every((stretch) => stretch.before === null)).toBe(true);
  });

  it("finds an actor that was not there in a text that stands in two parts", () => {
    const replay = createFileReplay();
    replay.apply(edit("one", "xyz1"));
    replay.apply(edit("two", "xyz2"));
    expect(replay.apply(edit("xyz", "abc"))).toBe(false);
  });

  it("finds an actor where a part is not in the file that is read", () => {
    const replay = createFileReplay();
    replay.apply(edit("one", "first"));
    expect(replay.see("nothing of it\n")).toBe(false);
  });
});

describe("the text of a whole read", () => {
  it.each([
    ["     1→a\n     2→b\n     3→", "a\nb\n"],
    ["     1→a\n     2→b\n\n<system-reminder>\nx\n</system-reminder>", "a\nb\n"],
    ["1\ta\n2\t\n3\tb", "a\n\nb\n"],
    ["     2→b", null],
    ["[Truncated: PARTIAL view]\n     1→a", null],
    [`     1→${"x".repeat(2_000)}\n     2→b`, null],
    ["", null],
  ])("of %j is %j", (original, text) => expect(wholeTextOf(original)).toBe(text));
});

describe("what a call states", () => {
  it.each<ChangeText>([
    edit("a\ud800", "", true),
    { kind: "content", text: "\n", isNew: true },
    { kind: "cell", cell: null, mode: "insert", text: "x" },
  ])("comes back from the bytes it is kept as: %j", (change) => {
    expect(decodeChangeText(encodeChangeText(change))).toEqual(change);
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    '{"kind":"content"}',
    '{"kind":"cell","cell":1,"mode":"insert","text":""}',
    '{"kind":"x"}',
  ])("is nothing in other bytes: %j", (text) => expect(decodeChangeText(Buffer.from(text))).toBeNull());
});
